import { LISTEN_BACKLOG_MS_MAX, LISTEN_DELAY_MS } from "../../core/limits/calls/listening.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";

/**
 * One side of a call on its way to listeners. Its audio comes whenever it comes, and leaves in frames at a steady pace, held back for
 * LISTEN_DELAY_MS; silence where there is none. Allocates nothing after construction.
 */
export class ListenedChannel {
  readonly #delaySamples: number;
  /** A ring. */
  readonly #samples: Int16Array;
  #start = 0;
  #count = 0;
  /** Frames that are still silent because the first audio after a silence is held back. */
  #heldBackFrames = 0;
  #dropped = 0;

  constructor(rateHz: number) {
    const samplesPerMs = rateHz / 1_000;
    this.#delaySamples = LISTEN_DELAY_MS * samplesPerMs;
    this.#samples = new Int16Array(LISTEN_BACKLOG_MS_MAX * samplesPerMs);
  }

  /** Samples that were dropped because more than LISTEN_BACKLOG_MS_MAX waited. */
  get dropped(): number {
    return this.#dropped;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** At most LISTEN_BACKLOG_MS_MAX less LISTEN_DELAY_MS of audio; copied. */
  push(samples: Int16Array): void {
    const ring = this.#samples;
    if (this.#count === 0 && samples.length > 0) this.#heldBackFrames = LISTEN_DELAY_MS / FRAME_MS;
    if (this.#count + samples.length > ring.length) this.#drop(this.#count - this.#delaySamples);
    let at = (this.#start + this.#count) % ring.length;
    for (let i = 0; i < samples.length; i += 1) {
      ring[at] = samples[i] as number;
      at = at + 1 === ring.length ? 0 : at + 1;
    }
    this.#count += samples.length;
  }

  /** The next `samples` samples, into every second element of `into` from `from` on. */
  take(samples: number, into: Int16Array, from: number): void {
    let ready = Math.min(samples, this.#count);
    if (this.#heldBackFrames > 0) {
      this.#heldBackFrames -= 1;
      ready = 0;
    }
    const ring = this.#samples;
    for (let i = 0; i < samples; i += 1)
      into[from + 2 * i] = i < ready ? (ring[(this.#start + i) % ring.length] as number) : 0;
    this.#start = (this.#start + ready) % ring.length;
    this.#count -= ready;
  }

  /** What would be heard from now on is not played: what is left is what is held back. */
  clear(): void {
    this.#count = Math.min(this.#count, this.#delaySamples);
  }

  #drop(samples: number): void {
    this.#start = (this.#start + samples) % this.#samples.length;
    this.#count -= samples;
    this.#dropped += samples;
  }
}
