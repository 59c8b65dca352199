import { promiseHooks } from "node:v8";
import type { Clock } from "../../src/core/clock.ts";
import {
  addMs,
  type EpochMs,
  epochMs,
  latest,
  type MonotonicMs,
  millisecondsOf,
  monotonicMs,
} from "../../src/core/clocks.ts";

/** How often any promise was made or settled. While it stands still nothing has begun to wait, and nothing was woken. */
let promiseMoves = 0;
const countMove = (): void => {
  promiseMoves += 1;
};
promiseHooks.createHook({ init: countMove, settled: countMove });

/** Real files and sockets get their turn at least once in so many tasks. */
const TASKS_PER_LOOP_TURN_MAX = 64;

/** A clock that moves only when a test says so; an hour of call time costs microseconds. */
export class ManualClock implements Clock {
  readonly #startedAtMs: EpochMs;
  #nowMs: MonotonicMs = monotonicMs(0);
  /** By due time; those due at the same time in the order they were set. */
  readonly #timers: { atMs: MonotonicMs; task: () => void }[] = [];

  /** `startedAtMs` is the time on the wall clock at the start. */
  constructor(startedAtMs = epochMs(Date.UTC(2026, 0, 1))) {
    this.#startedAtMs = startedAtMs;
  }

  nowMs(): MonotonicMs {
    return this.#nowMs;
  }

  epochMs(): EpochMs {
    return addMs(this.#startedAtMs, millisecondsOf(this.#nowMs));
  }

  after(delayMs: number, task: () => void): () => void {
    const timer = { atMs: addMs(this.#nowMs, Math.max(0, delayMs)), task };
    const index = this.#timers.findLastIndex((other) => other.atMs <= timer.atMs) + 1;
    this.#timers.splice(index, 0, timer);
    return () => {
      const at = this.#timers.indexOf(timer);
      if (at >= 0) this.#timers.splice(at, 1);
    };
  }

  /** How many tasks wait for their time. */
  get pending(): number {
    return this.#timers.length;
  }

  /** Moves time, running what falls due on the way, all in one go: nothing that awaits comes in between. */
  advance(byMs: number): void {
    const endMs = addMs(this.#nowMs, byMs);
    while (this.#runNext(endMs));
    this.#nowMs = endMs;
  }

  /**
   * Moves time, and lets everything that awaits run before each task and at the end. A turn of the loop costs more than most
   * tasks (2 us against less than 1, measured): a task that moved no promise is followed by the next one at once.
   */
  async play(byMs: number): Promise<void> {
    const endMs = addMs(this.#nowMs, byMs);
    await settled();
    for (let tasks = 1, moves = promiseMoves; this.#runNext(endMs); tasks += 1) {
      if (promiseMoves !== moves || tasks % TASKS_PER_LOOP_TURN_MAX === 0) await settled();
      moves = promiseMoves;
    }
    this.#nowMs = endMs;
    await settled();
  }

  /** Time passes while nothing runs, as in a process whose loop is stuck: what fell due meanwhile runs with the next move. */
  stall(byMs: number): void {
    this.#nowMs = addMs(this.#nowMs, byMs);
  }

  /** Moves time in steps until `promise` has settled. */
  async drive<T>(promise: Promise<T>, stepMs = 10): Promise<T> {
    let isOpen = true;
    const settle = (): void => {
      isOpen = false;
    };
    promise.then(settle, settle);
    while (isOpen) await this.play(stepMs);
    return promise;
  }

  #runNext(endMs: MonotonicMs): boolean {
    const [next] = this.#timers;
    if (next === undefined || next.atMs > endMs) return false;
    this.#timers.shift();
    this.#nowMs = latest(this.#nowMs, next.atMs);
    next.task();
    return true;
  }
}

/** Resolves when every promise that could go on without time or I/O has done so. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Resolves after `delayMs` of the clock, or at once when `signal` aborts. */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const wake = () => {
      cancel();
      signal.removeEventListener("abort", wake);
      resolve();
    };
    const cancel = clock.after(delayMs, wake);
    signal.addEventListener("abort", wake, { once: true });
  });
}

/** Resolves when `signal` aborts. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
