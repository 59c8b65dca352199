import type { Clock } from "../../../core/clock.ts";
import type { TranscriptionId } from "../../../core/ids.ts";
import { ACTIVITY_REPORT_MS } from "../../../core/limits/control-api/events.ts";
import type { TranscriptionProgress } from "../../../core/transcriptions/progress.ts";

/** Passes how far transcriptions are from their jobs to the streams of events, of each the latest, once in ACTIVITY_REPORT_MS. */
export class TranscriptionActivity {
  readonly #clock: Pick<Clock, "after">;
  /** Those of which something is to be passed: as many as are being transcribed, at most. */
  readonly #latest = new Map<TranscriptionId, TranscriptionProgress>();
  #onReported: (transcriptions: readonly TranscriptionProgress[]) => void = () => {};

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /** Takes the place of the subscriber before. */
  subscribe(onReported: (transcriptions: readonly TranscriptionProgress[]) => void): void {
    this.#onReported = onReported;
  }

  report(progress: TranscriptionProgress): void {
    const isFirst = this.#latest.size === 0;
    this.#latest.set(progress.transcriptionId, progress);
    if (isFirst) this.#clock.after(ACTIVITY_REPORT_MS, () => this.#pass());
  }

  #pass(): void {
    const all = [...this.#latest.values()];
    this.#latest.clear();
    this.#onReported(all);
  }
}
