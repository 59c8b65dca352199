import { addMs, elapsedMs, latest, monotonicMs } from "../../../src/core/clocks.ts";
import type { ManualClock } from "../../support/manual-clock.ts";
import type { Random } from "../../support/random.ts";

export interface PathOptions {
  world: ManualClock;
  random: Random;
  /** Each message takes `baseMs`, and up to `jitterMs` more. */
  baseMs: number;
  jitterMs: number;
}

/** One way of a connection: everything arrives in the order in which it was sent, each after a while. Times are ms. */
export class Path {
  readonly #options: PathOptions;
  /** When the message that was sent last arrives, in the world's time. */
  #lastMs = monotonicMs(0);
  #longestMs = 0;
  #isCut = false;

  constructor(options: PathOptions) {
    this.#options = options;
    this.#longestMs = options.baseMs;
  }

  /** How long any message has been on its way so far, at most. */
  get longestMs(): number {
    return this.#longestMs;
  }

  /** How much longer than the quickest that may have been. */
  get spreadMs(): number {
    return this.#longestMs - this.#options.baseMs;
  }

  send(arrive: () => void): void {
    const { world, random, baseMs, jitterMs } = this.#options;
    const nowMs = world.nowMs();
    this.#lastMs = latest(this.#lastMs, addMs(addMs(nowMs, baseMs), jitterMs * random.next()));
    this.#longestMs = Math.max(this.#longestMs, elapsedMs(nowMs, this.#lastMs));
    world.after(elapsedMs(nowMs, this.#lastMs), () => {
      if (!this.#isCut) arrive();
    });
  }

  /** What is sent from now on arrives no sooner than in so long, and then all of it at once. */
  stall(forMs: number): void {
    this.#lastMs = latest(this.#lastMs, addMs(this.#options.world.nowMs(), forMs));
  }

  /** Nothing arrives any more, not even what is on its way. */
  cut(): void {
    this.#isCut = true;
  }
}
