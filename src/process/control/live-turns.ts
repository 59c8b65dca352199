import type { TurnReport } from "../../store/call-handoff.ts";

/** Passes on what workers report of turns of live calls. Nothing of it is stored: the record of the call has it when it is over. */
export class LiveTurns {
  readonly #listeners = new Set<(report: TurnReport) => void>();

  /** Returns what ends it. */
  onAnswered(listener: (report: TurnReport) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  answered(report: TurnReport): void {
    for (const listener of this.#listeners) listener(report);
  }
}
