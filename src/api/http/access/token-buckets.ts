import { addMs, elapsedMs, latest, type MonotonicMs } from "../../../core/clocks.ts";

/**
 * Token buckets by id, each stored as the time at which it is full again: `limit` may be
 * taken at once, and comes back evenly within the window. A bucket that is full is the same as one that is not there.
 */
export class TokenBuckets {
  readonly #windowMs: number;
  readonly #bucketsMax: number;
  /** The least recently used first. */
  readonly #fullAtMs = new Map<string, MonotonicMs>();

  constructor({ windowMs, bucketsMax }: { windowMs: number; bucketsMax: number }) {
    this.#windowMs = windowMs;
    this.#bucketsMax = bucketsMax;
  }

  /** How many buckets are held. */
  get size(): number {
    return this.#fullAtMs.size;
  }

  /** In how many ms one may be taken; 0 for now. */
  waitMs(id: string, limit: number, nowMs: MonotonicMs): number {
    return Math.max(0, this.#fullInMs(id, nowMs) + this.#windowMs / limit - this.#windowMs);
  }

  /** Takes one. Where there are too many buckets, the least recently used one is forgotten. */
  take(id: string, limit: number, nowMs: MonotonicMs): void {
    this.#set(id, addMs(latest(nowMs, this.#fullAtMs.get(id) ?? nowMs), this.#windowMs / limit));
  }

  /** Returns one that was taken. A bucket that is full again is forgotten. */
  giveBack(id: string, limit: number, nowMs: MonotonicMs): void {
    const givenMs = this.#fullAtMs.get(id);
    if (givenMs === undefined) return;
    const fullAtMs = addMs(givenMs, -this.#windowMs / limit);
    if (elapsedMs(nowMs, fullAtMs) > 0) this.#fullAtMs.set(id, fullAtMs);
    else this.#fullAtMs.delete(id);
  }

  /** Whether `take` would forget no bucket that is not full. Forgets full ones, where there are too many. */
  hasRoomFor(id: string, nowMs: MonotonicMs): boolean {
    if (this.#fullAtMs.size < this.#bucketsMax || this.#fullAtMs.has(id)) return true;
    for (const [oldest, fullAtMs] of this.#fullAtMs) {
      if (elapsedMs(fullAtMs, nowMs) < 0) break;
      this.#fullAtMs.delete(oldest);
    }
    return this.#fullAtMs.size < this.#bucketsMax;
  }

  /** How many may be taken now, and in how many ms the bucket is full again. */
  state(id: string, limit: number, nowMs: MonotonicMs): { remaining: number; fullInMs: number } {
    const fullInMs = this.#fullInMs(id, nowMs);
    // Sums of fractions of milliseconds come out a little wrong.
    const remaining = Math.floor(((this.#windowMs - fullInMs) * limit) / this.#windowMs + ROUNDING);
    return { remaining: Math.max(0, remaining), fullInMs };
  }

  #set(id: string, fullAtMs: MonotonicMs): void {
    this.#fullAtMs.delete(id);
    this.#fullAtMs.set(id, fullAtMs);
    const [oldest] = this.#fullAtMs.keys();
    if (this.#fullAtMs.size > this.#bucketsMax && oldest !== undefined) this.#fullAtMs.delete(oldest);
  }

  #fullInMs(id: string, nowMs: MonotonicMs): number {
    const fullAtMs = this.#fullAtMs.get(id);
    return fullAtMs === undefined ? 0 : Math.max(0, elapsedMs(nowMs, fullAtMs));
  }
}

const ROUNDING = 1e-6;

/** The whole seconds of a header, not earlier than in `ms`. */
export const headerSeconds = (ms: number): number => Math.ceil(ms / 1_000);
