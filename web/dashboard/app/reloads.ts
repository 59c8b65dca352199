/** Time, as far as `Reloads` needs it. */
export interface ReloadClock {
  nowMs(): number;
  /** Returns what cancels the task. */
  after(delayMs: number, task: () => void): () => void;
}

/** Loads begin so far from each other at least: events may come in hundreds a second. */
const APART_MS = 1_000;

/**
 * When something is loaded again that events make stale. One load runs at a time, and ends: what is asked for meanwhile is loaded once
 * more after it. It is made when the first load begins.
 */
export class Reloads {
  readonly #start: () => void;
  readonly #clock: ReloadClock;
  #begunMs: number;
  #isRunning = true;
  #isStale = false;
  #isClosed = false;
  #cancel: (() => void) | undefined;

  /** `start` begins a load, of which `settled` is then called. */
  constructor(start: () => void, clock: ReloadClock = BROWSER_CLOCK) {
    this.#start = start;
    this.#clock = clock;
    this.#begunMs = clock.nowMs();
  }

  /** What is there is no longer all. */
  ask(): void {
    if (this.#isRunning) this.#isStale = true;
    else this.#beginInTime();
  }

  /** The load that ran is over, well or not. */
  settled(): void {
    this.#isRunning = false;
    if (!this.#isStale) return;
    this.#isStale = false;
    this.#beginInTime();
  }

  /** Nothing is loaded any more. */
  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  #beginInTime(): void {
    if (this.#isClosed || this.#cancel !== undefined) return;
    const waitMs = this.#begunMs + APART_MS - this.#clock.nowMs();
    if (waitMs > 0) this.#cancel = this.#clock.after(waitMs, () => this.#begin());
    else this.#begin();
  }

  #begin(): void {
    this.#cancel = undefined;
    this.#begunMs = this.#clock.nowMs();
    this.#isRunning = true;
    this.#start();
  }
}

const BROWSER_CLOCK: ReloadClock = {
  nowMs: () => performance.now(),
  after: (delayMs, task) => {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
};
