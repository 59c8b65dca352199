import { type EpochMs, epochMs, type MonotonicMs, millisecondsOf, monotonicMs } from "./clocks.ts";

/** Time as a dependency. Layers below `gateway`, `api`, `store` and the composition roots must read time only through it. */
export interface Clock {
  /** Milliseconds since an arbitrary start, with fractions; never goes backwards. Durations come from here. */
  nowMs(): MonotonicMs;
  /** Milliseconds since the Unix epoch. For timestamps and for deadlines that outlive the process; may jump. */
  epochMs(): EpochMs;
  /** Runs `task` once, no sooner than `delayMs` from now. Returns a function that cancels it. */
  after(delayMs: number, task: () => void): () => void;
}

export const systemClock: Clock = {
  nowMs: () => monotonicMs(performance.now()),
  epochMs: () => epochMs(Date.now()),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
};

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/** An ISO 8601 time with a zone, in whole ms since the Unix epoch; NaN for other texts. */
export const isoEpochMs = (text: string): EpochMs => epochMs(ISO_TIME.test(text) ? Date.parse(text) : Number.NaN);

/** A wall-clock time as ISO 8601 in UTC: `2026-11-21T08:00:00.000Z`. Throws a RangeError for NaN and infinity. */
export const isoTime = (time: EpochMs): string => new Date(millisecondsOf(time)).toISOString();
