import type { Clock } from "../../core/clock.ts";
import type { AccountId, TranscriptionId } from "../../core/ids.ts";
import { TRANSCRIPTION_POLL_MS } from "../../core/limits/transcriptions/transcriptions.ts";
import type { Transcription, TranscriptionStore } from "../../store/transcription-store.ts";

/** Waits for the ends of transcriptions: at once where this process ends them, otherwise by looking them up. */
export class EndWaiter {
  readonly #transcriptions: Pick<TranscriptionStore, "get">;
  readonly #clock: Clock;
  readonly #waiting = new Map<TranscriptionId, () => void>();

  constructor(transcriptions: Pick<TranscriptionStore, "get" | "onOver">, clock: Clock) {
    this.#transcriptions = transcriptions;
    this.#clock = clock;
    transcriptions.onOver((id) => this.#waiting.get(id)?.());
  }

  /** The transcription when it is over; undefined when it was removed, and after an abort. */
  async end(accountId: AccountId, id: TranscriptionId, signal: AbortSignal): Promise<Transcription | undefined> {
    for (;;) {
      const change = this.#change(id, signal);
      const found = await this.#transcriptions.get(accountId, id).catch((error: unknown) => {
        this.#waiting.delete(id);
        throw error;
      });
      if (found === undefined || found.endedAtMs !== undefined || signal.aborted) {
        this.#waiting.delete(id);
        return signal.aborted ? undefined : found;
      }
      await change;
    }
  }

  /** Resolves when it may be over. */
  #change(id: TranscriptionId, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        cancel();
        signal.removeEventListener("abort", done);
        resolve();
      };
      const cancel = this.#clock.after(TRANSCRIPTION_POLL_MS, done);
      signal.addEventListener("abort", done);
      this.#waiting.set(id, done);
    });
  }
}
