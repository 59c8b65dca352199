import type { Clock } from "../../core/clock.ts";
import { addMs, elapsedMs, type MonotonicMs } from "../../core/clocks.ts";
import {
  INDEX_COMPACT_DELAY_MS,
  INDEX_COMPACT_MS_MAX,
  INDEX_COMPACT_REST,
} from "../../core/limits/knowledge/retrieval.ts";
import type { IndexWriter } from "./index-writer.ts";

export interface CompactorOptions {
  readonly writer: Pick<IndexWriter, "isCompact" | "compactOne">;
  readonly clock: Clock;
  /** Called for the first failure, and for no other until one has succeeded. */
  readonly onFailed: (error: unknown) => void;
}

/**
 * Has the words of removed documents overwritten: when no change came for INDEX_COMPACT_DELAY_MS, and while changes keep coming at the
 * latest INDEX_COMPACT_MS_MAX after the first removal. What takes long is done seldom, so that changes go on meanwhile.
 */
export class Compactor {
  readonly #options: CompactorOptions;
  /** When the words that are to go were removed first; undefined where there are none. */
  #sinceMs: MonotonicMs | undefined;
  /** Not before this time: the last one took long, or failed. */
  #restsUntilMs: MonotonicMs;
  #hasFailed = false;
  #cancel = (): void => {};

  constructor(options: CompactorOptions) {
    this.#options = options;
    this.#restsUntilMs = options.clock.nowMs();
  }

  /** To be called after each change of the index, and once at the start. */
  changed(): void {
    this.#cancel();
    const { writer, clock } = this.#options;
    if (writer.isCompact) {
      this.#sinceMs = undefined;
      return;
    }
    const nowMs = clock.nowMs();
    this.#sinceMs ??= nowMs;
    const leftMs = elapsedMs(nowMs, addMs(this.#sinceMs, INDEX_COMPACT_MS_MAX));
    const restMs = elapsedMs(nowMs, this.#restsUntilMs);
    this.#cancel = clock.after(Math.max(Math.min(INDEX_COMPACT_DELAY_MS, leftMs), restMs, 0), () => this.#compact());
  }

  close(): void {
    this.#cancel();
  }

  #compact(): void {
    const { writer, clock, onFailed } = this.#options;
    const startMs = clock.nowMs();
    let restMs: number;
    try {
      writer.compactOne();
      restMs = elapsedMs(startMs, clock.nowMs()) * INDEX_COMPACT_REST;
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) onFailed(error);
      this.#hasFailed = true;
      restMs = INDEX_COMPACT_MS_MAX;
    }
    this.#restsUntilMs = addMs(clock.nowMs(), restMs);
    this.changed();
  }
}
