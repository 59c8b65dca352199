import { HAPPENINGS, type Happening } from "../plan/kinds.ts";
import type { SimulatedCall } from "../simulation.ts";

/** What was violated in a call, with the command that shows it again; undefined where nothing was. */
export function failureText({ plan, chronicle }: SimulatedCall): string | undefined {
  if (chronicle.violations.length === 0) return undefined;
  return [
    `FAILED  npm run sim -- --seed ${plan.seed}`,
    ...chronicle.violations.map(({ invariant, atMs, detail }) => {
      return `    at ${(atMs / 1_000).toFixed(3)} s: ${invariant}: ${detail}`;
    }),
  ].join("\n");
}

/** How often everything came about over many calls. */
export class Census {
  readonly #counts = new Map<Happening, number>();

  take({ chronicle }: SimulatedCall): void {
    for (const happening of chronicle.happened) this.#counts.set(happening, this.#count(happening) + 1);
  }

  /** What never came about. */
  get missing(): Happening[] {
    return HAPPENINGS.filter((happening) => this.#count(happening) === 0);
  }

  text(): string {
    return HAPPENINGS.map((happening) => `${String(this.#count(happening)).padStart(8)}  ${happening}`).join("\n");
  }

  #count(happening: Happening): number {
    return this.#counts.get(happening) ?? 0;
  }
}
