/** What a caller waits for. */
export const WAITS = { free: 0, attempt: 1, stream: 2, end: 3 } as const;

/** Time goes on by this much. */
export const TICK_MS = 10;
/** No caller waits for longer than so many ticks: the length of the ring. */
const TICKS = 32_768;
const NONE = -1;

/** All callers, as columns, each with the one thing that it waits for: half a million objects would not fit. */
export class Callers {
  readonly waits: Uint8Array;
  readonly account: Uint8Array;
  readonly number: Uint8Array;
  /** The node of its call, and which start of it. */
  readonly node: Int16Array;
  readonly incarnation: Int32Array;
  /** When it first asked for this call, ms. */
  readonly askedAtMs: Float64Array;
  /** Until when its token is good, ms. */
  readonly tokenUntilMs: Float64Array;
  /** The next caller whose wait ends in the same tick. */
  readonly #next: Int32Array;
  readonly #heads = new Int32Array(TICKS).fill(NONE);
  readonly #unused: Int32Array;
  #unusedCount: number;
  #tick = 0;

  constructor(capacity: number) {
    this.waits = new Uint8Array(capacity);
    this.account = new Uint8Array(capacity);
    this.number = new Uint8Array(capacity);
    this.node = new Int16Array(capacity);
    this.incarnation = new Int32Array(capacity);
    this.askedAtMs = new Float64Array(capacity);
    this.tokenUntilMs = new Float64Array(capacity);
    this.#next = new Int32Array(capacity);
    this.#unused = Int32Array.from({ length: capacity }, (_, n) => capacity - 1 - n);
    this.#unusedCount = capacity;
  }

  get capacity(): number {
    return this.waits.length;
  }

  get nowMs(): number {
    return this.#tick * TICK_MS;
  }

  /** A caller who is not there yet. */
  add(): number {
    this.#unusedCount -= 1;
    const caller = this.#unused[this.#unusedCount];
    if (caller === undefined) throw new Error("there are more callers than the simulation has room for");
    return caller;
  }

  remove(caller: number): void {
    this.waits[caller] = WAITS.free;
    this.#unused[this.#unusedCount] = caller;
    this.#unusedCount += 1;
  }

  /** A caller waits for one thing at a time: what it waited for before must be over. */
  wait(caller: number, what: number, forMs: number): void {
    this.waits[caller] = what;
    const ticks = Math.min(TICKS - 1, Math.max(1, Math.round(forMs / TICK_MS)));
    const at = (this.#tick + ticks) % TICKS;
    this.#next[caller] = this.#heads[at] ?? NONE;
    this.#heads[at] = caller;
  }

  /** Those whose waits end now; then time goes on by one tick. */
  advance(due: (caller: number) => void): void {
    this.#tick += 1;
    const at = this.#tick % TICKS;
    let caller = this.#heads[at] ?? NONE;
    this.#heads[at] = NONE;
    while (caller !== NONE) {
      const next = this.#next[caller] ?? NONE;
      due(caller);
      caller = next;
    }
  }
}
