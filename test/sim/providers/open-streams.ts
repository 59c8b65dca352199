import type { FaultPlan } from "../plan/fault-plan.ts";
import type { Process } from "../process.ts";

/** The streams that the providers and tools of a call have open. After the call there must be none. */
export class OpenStreams {
  readonly #open = new Map<number, string>();
  #count = 0;

  /** A stream begins; returns what must be called when it has ended. */
  begin(owner: string): () => void {
    this.#count += 1;
    const id = this.#count;
    this.#open.set(id, owner);
    return () => {
      this.#open.delete(id);
    };
  }

  /** Who opened those that are open: `stt`, `llm`, `tts` or `tool`. */
  get owners(): string[] {
    return [...this.#open.values()];
  }
}

/** What every simulated provider is given. */
export interface ProviderOptions {
  process: Process;
  fate: FaultPlan;
  streams: OpenStreams;
}
