import { strict as assert } from "node:assert";
import type { Clock } from "../../src/core/clock.ts";
import { addMs, type EpochMs, type MonotonicMs, millisecondsOf } from "../../src/core/clocks.ts";
import type { ManualClock } from "../support/manual-clock.ts";

/** A time in which the loop was stuck, ms of the world's clock. */
export interface Stall {
  fromMs: number;
  untilMs: number;
}

interface Timer {
  readonly task: () => void;
  cancelInWorld: (() => void) | undefined;
}

/**
 * The process that the call lives in. Its clock is the world's, but while its loop is stuck the world goes on alone: timers
 * that fall due and input that comes wait for the end of the stall.
 */
export class Process implements Clock {
  readonly stalls: Stall[] = [];
  readonly #world: ManualClock;
  /** After a stall Node may come to its timers first, or to its input. */
  readonly #inputFirst: boolean;
  #stuck = false;
  readonly #timersDue: (() => void)[] = [];
  readonly #inputDue: (() => void)[] = [];
  readonly #pending = new Set<Timer>();

  constructor(world: ManualClock, inputFirst: boolean) {
    this.#world = world;
    this.#inputFirst = inputFirst;
  }

  nowMs(): MonotonicMs {
    return this.#world.nowMs();
  }

  epochMs(): EpochMs {
    return this.#world.epochMs();
  }

  after(delayMs: number, task: () => void): () => void {
    const timer: Timer = { task, cancelInWorld: undefined };
    this.#pending.add(timer);
    timer.cancelInWorld = this.#world.after(delayMs, () => this.#due(timer));
    return () => {
      if (this.#pending.delete(timer)) timer.cancelInWorld?.();
    };
  }

  /** Timers that the process waits for. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Something comes in from outside: taken at once, or when the loop is free again. */
  input(task: () => void): void {
    if (this.#stuck) this.#inputDue.push(task);
    else task();
  }

  /** From now on nothing runs in the process for so long. */
  stall(forMs: number): void {
    assert.ok(!this.#stuck, "one stall at a time");
    this.#stuck = true;
    const fromMs = this.#world.nowMs();
    this.stalls.push({ fromMs: millisecondsOf(fromMs), untilMs: millisecondsOf(addMs(fromMs, forMs)) });
    this.#world.after(forMs, () => this.#catchUp());
  }

  /**
   * The latest time at which something is done in time that was due at `dueMs`, with `withinMs` to do it in: no process can act
   * while the loop is stuck.
   */
  latestMs(dueMs: number, withinMs: number): number {
    let latestMs = dueMs + withinMs;
    for (const { fromMs, untilMs } of this.stalls) {
      if (fromMs <= latestMs && latestMs < untilMs + withinMs) latestMs = untilMs + withinMs;
    }
    return latestMs;
  }

  #due(timer: Timer): void {
    if (this.#stuck) this.#timersDue.push(() => this.#fire(timer));
    else this.#fire(timer);
  }

  #fire(timer: Timer): void {
    if (this.#pending.delete(timer)) timer.task();
  }

  /** One by one, so that awaiting code runs in between; what arrives meanwhile waits its turn. */
  #catchUp(): void {
    const [first, then] = this.#inputFirst ? [this.#inputDue, this.#timersDue] : [this.#timersDue, this.#inputDue];
    const next = first.shift() ?? then.shift();
    if (next === undefined) {
      this.#stuck = false;
      return;
    }
    next();
    this.#world.after(0, () => this.#catchUp());
  }
}
