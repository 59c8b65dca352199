import type { FaultPlan } from "../plan/fault-plan.ts";
import type { Process } from "../process.ts";

/** The streams that the engines of a call have open. After the call there must be none. */
export class OpenStreams {
  readonly #open = new Map<number, string>();
  #count = 0;

  /** A stream begins; returns what must be called when it has ended. */
  begin(engine: string): () => void {
    this.#count += 1;
    const id = this.#count;
    this.#open.set(id, engine);
    return () => {
      this.#open.delete(id);
    };
  }

  /** The engines of those that are open. */
  get engines(): string[] {
    return [...this.#open.values()];
  }
}

/** What every simulated engine is given. */
export interface ProviderOptions {
  process: Process;
  fate: FaultPlan;
  streams: OpenStreams;
}
