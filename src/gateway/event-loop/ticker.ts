import type { Clock } from "../../core/clock.ts";
import { FRAME_MS, TICK_SLOTS } from "../../core/limits/media.ts";
import { TimeHistogram } from "../../core/metrics/histogram.ts";

const SLOT_MS = FRAME_MS / TICK_SLOTS;
/** Half a frame: a loop that comes round later than that stood still, or has more to do than it can. */
const STALL_MS = FRAME_MS / 2;

/** Something that is due every FRAME_MS. */
export interface Tickable {
  /** It was due at `dueMs` of the ticker's clock. Must not throw. */
  tick(dueMs: number): void;
  /** It was due at `dueMs`, and the loop stood still: sends what it owes its peer, and leaves all else to `tick`. Must not throw. */
  catchUp(dueMs: number): void;
}

/**
 * One absolute clock for all calls of a process: every one is due each FRAME_MS, but spread over TICK_SLOTS phases, so that
 * the first call of a tick does not make the last one late.
 *
 * Due times are start + n x SLOT_MS, so a late timer is caught up and never drifts. After a stall each slot is run once and
 * the ticks missed are skipped and counted: what a call owes its peer it knows from its own playback clock.
 *
 * Behind a stall Node handles all messages that came meanwhile before it looks at its timers. Callers would hear the gap by then, so
 * whoever has a message asks `catchUp` first. That sends and no more: whether a caller has fallen silent is in those messages.
 */
export class Ticker {
  /** How late each slot began that somebody was in. */
  readonly lateness = new TimeHistogram();
  readonly #clock: Clock;
  readonly #slots: Set<Tickable>[] = Array.from({ length: TICK_SLOTS }, () => new Set<Tickable>());
  #count = 0;
  #slot = 0;
  #nextMs = 0;
  #caughtUp = false;
  #cancel: (() => void) | undefined;
  #skippedSlots = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Slots that were not run because the loop stalled for more than a whole frame. */
  get skippedSlots(): number {
    return this.#skippedSlots;
  }

  /** Ticks `ticked` from now on, in the emptiest slot; returns what stops it. */
  add(ticked: Tickable): () => void {
    const slot = this.#slots.reduce((emptiest, other) => (other.size < emptiest.size ? other : emptiest));
    slot.add(ticked);
    this.#count += 1;
    if (this.#count === 1) this.#start();
    return () => {
      if (!slot.delete(ticked)) return;
      this.#count -= 1;
      if (this.#count === 0) this.#stop();
    };
  }

  /**
   * Costs a comparison when the ticks are in time at `nowMs`, which is now. Works once until the timer has been: on a core that is
   * too full, sending again and again would leave no time to read, and the loop would not come round for seconds (measured).
   */
  catchUp(nowMs: number): void {
    if (this.#caughtUp || this.#count === 0 || nowMs - this.#nextMs < STALL_MS) return;
    this.#caughtUp = true;
    for (let ahead = 0; ahead < TICK_SLOTS; ahead += 1) {
      const missedMs = this.#nextMs + ahead * SLOT_MS;
      if (missedMs > nowMs) break;
      // As `#run` has it: of the ticks that were missed the last one counts.
      const dueMs = missedMs + Math.floor((nowMs - missedMs) / FRAME_MS) * FRAME_MS;
      const slot = this.#slots[(this.#slot + ahead) % TICK_SLOTS] as Set<Tickable>;
      for (const ticked of slot) ticked.catchUp(dueMs);
    }
  }

  #start(): void {
    this.#nextMs = this.#clock.nowMs() + SLOT_MS;
    this.#arm();
  }

  #stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** For the next slot that somebody is in: a process with few calls wakes as often as they need it, and no more. */
  #arm(): void {
    while (this.#slots[this.#slot]?.size === 0) {
      this.#slot = (this.#slot + 1) % TICK_SLOTS;
      this.#nextMs += SLOT_MS;
    }
    this.#cancel = this.#clock.after(Math.max(0, this.#nextMs - this.#clock.nowMs()), this.#run);
  }

  readonly #run = (): void => {
    this.#cancel = undefined;
    this.#caughtUp = false;
    const nowMs = this.#clock.nowMs();
    const behind = Math.floor((nowMs - this.#nextMs) / SLOT_MS);
    const skipped = Math.max(0, behind + 1 - TICK_SLOTS);
    this.#skippedSlots += skipped;
    this.#slot = (this.#slot + skipped) % TICK_SLOTS;
    this.#nextMs += skipped * SLOT_MS;
    while (this.#nextMs <= nowMs) {
      const slot = this.#slots[this.#slot] as Set<Tickable>;
      if (slot.size > 0) this.lateness.observe(nowMs - this.#nextMs);
      for (const ticked of slot) ticked.tick(this.#nextMs);
      this.#slot = (this.#slot + 1) % TICK_SLOTS;
      this.#nextMs += SLOT_MS;
    }
    if (this.#count > 0 && this.#cancel === undefined) this.#arm();
  };
}
