import type { RestFault } from "../scenario.ts";

/** Decides which request meets which fault. */
export class RestFaults {
  readonly #faults: { fault: RestFault; skip: number; left: number }[] = [];

  constructor(faults: readonly RestFault[]) {
    for (const fault of faults) this.add(fault);
  }

  get pending(): readonly RestFault[] {
    return this.#faults.filter(({ left }) => left > 0).map(({ fault }) => fault);
  }

  add(fault: RestFault): void {
    this.#faults.push({ fault, skip: fault.skip ?? 0, left: fault.times ?? Number.POSITIVE_INFINITY });
  }

  clear(): void {
    this.#faults.length = 0;
  }

  /** The fault of a request to this endpoint, which is used up by it. */
  take(endpoint: string): RestFault | undefined {
    for (const one of this.#faults) {
      if (one.left === 0 || (one.fault.endpoint ?? endpoint) !== endpoint) continue;
      if (one.skip > 0) {
        one.skip -= 1;
        continue;
      }
      one.left -= 1;
      return one.fault;
    }
    return undefined;
  }
}
