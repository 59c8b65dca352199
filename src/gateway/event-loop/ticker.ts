import type { Clock } from "../../core/clock.ts";
import { addMs, elapsedMs, type MonotonicMs, monotonicMs } from "../../core/clocks.ts";
import { FRAME_MS, TICK_SLOTS } from "../../core/limits/streams/media.ts";
import { TimeHistogram } from "../../core/metrics/histogram.ts";

const SLOT_MS = FRAME_MS / TICK_SLOTS;
/** Half a frame: an event loop that is later than that has stalled or is overloaded. */
const STALL_MS = FRAME_MS / 2;

/** Something that is ticked every FRAME_MS. */
export interface Tickable {
  /** The tick was due at `dueMs` of the ticker's clock. Must not throw. */
  tick(dueMs: MonotonicMs): void;
  /**
   * The tick was due at `dueMs`, and the event loop has stalled: sends the frames that are due and leaves everything
   * else to `tick`. Must not throw.
   */
  catchUp(dueMs: MonotonicMs): void;
}

/**
 * One absolute clock for all calls of a process. Every call is due each FRAME_MS, but calls are spread over TICK_SLOTS
 * phases, so that the first call of a tick does not make the last one late.
 *
 * Due times are start + n x SLOT_MS, so a late timer catches up and never drifts. After a stall each slot runs once,
 * and missed ticks are skipped and counted: a call knows from its own playback clock how many frames are due.
 *
 * After a stall Node handles all messages that have arrived before it runs timers. Callers would hear the gap by then,
 * so a leg calls `catchUp` before it handles a message. `catchUp` only sends: whether a caller has fallen silent
 * depends on those messages.
 */
export class Ticker {
  /** How late each occupied slot began. */
  readonly lateness = new TimeHistogram();
  readonly #clock: Clock;
  readonly #slots: Set<Tickable>[] = Array.from({ length: TICK_SLOTS }, () => new Set<Tickable>());
  #count = 0;
  #slot = 0;
  #nextMs = monotonicMs(0);
  #caughtUp = false;
  #cancel: (() => void) | undefined;
  #skippedSlots = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Slots that were skipped because the event loop stalled for more than a whole frame. */
  get skippedSlots(): number {
    return this.#skippedSlots;
  }

  /** Ticks `tickable` from now on, in the emptiest slot; returns a function that stops it. */
  add(tickable: Tickable): () => void {
    const slot = this.#slots.reduce((emptiest, other) => (other.size < emptiest.size ? other : emptiest));
    slot.add(tickable);
    this.#count += 1;
    if (this.#count === 1) this.#start();
    return () => {
      if (!slot.delete(tickable)) return;
      this.#count -= 1;
      if (this.#count === 0) this.#stop();
    };
  }

  /**
   * Costs one comparison when ticks are on time at `nowMs`, the current time. Works once until the timer has run: on an
   * overloaded core, sending again and again would leave no time to read, and the loop would not turn for seconds
   * (measured).
   */
  catchUp(nowMs: MonotonicMs): void {
    if (this.#caughtUp || this.#count === 0 || elapsedMs(this.#nextMs, nowMs) < STALL_MS) return;
    this.#caughtUp = true;
    for (let ahead = 0; ahead < TICK_SLOTS; ahead += 1) {
      const missedMs = addMs(this.#nextMs, ahead * SLOT_MS);
      if (missedMs > nowMs) break;
      // As in `#run`: of the missed ticks the last one counts.
      const dueMs = addMs(missedMs, Math.floor(elapsedMs(missedMs, nowMs) / FRAME_MS) * FRAME_MS);
      const slot = this.#slots[(this.#slot + ahead) % TICK_SLOTS] as Set<Tickable>;
      for (const tickable of slot) tickable.catchUp(dueMs);
    }
  }

  #start(): void {
    this.#nextMs = addMs(this.#clock.nowMs(), SLOT_MS);
    this.#arm();
  }

  #stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /**
   * Arms the timer for the next occupied slot, so that a process with few calls wakes only as often as they need it.
   */
  #arm(): void {
    while (this.#slots[this.#slot]?.size === 0) {
      this.#slot = (this.#slot + 1) % TICK_SLOTS;
      this.#nextMs = addMs(this.#nextMs, SLOT_MS);
    }
    this.#cancel = this.#clock.after(Math.max(0, elapsedMs(this.#clock.nowMs(), this.#nextMs)), this.#run);
  }

  readonly #run = (): void => {
    this.#cancel = undefined;
    this.#caughtUp = false;
    const nowMs = this.#clock.nowMs();
    const lateSlots = Math.floor(elapsedMs(this.#nextMs, nowMs) / SLOT_MS);
    const skipped = Math.max(0, lateSlots + 1 - TICK_SLOTS);
    this.#skippedSlots += skipped;
    this.#slot = (this.#slot + skipped) % TICK_SLOTS;
    this.#nextMs = addMs(this.#nextMs, skipped * SLOT_MS);
    while (this.#nextMs <= nowMs) {
      const slot = this.#slots[this.#slot] as Set<Tickable>;
      if (slot.size > 0) this.lateness.observe(elapsedMs(this.#nextMs, nowMs));
      for (const tickable of slot) tickable.tick(this.#nextMs);
      this.#slot = (this.#slot + 1) % TICK_SLOTS;
      this.#nextMs = addMs(this.#nextMs, SLOT_MS);
    }
    if (this.#count > 0 && this.#cancel === undefined) this.#arm();
  };
}
