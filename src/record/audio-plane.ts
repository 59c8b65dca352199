import { strict as assert } from "node:assert";
import type { G711Law } from "../media/g711.ts";

/** Audio that misses the end of what stands before it by no more than this follows it without a seam: that much is rounding. */
const SEAM_SAMPLES = 8;

/** One side of a call from its first moment to its last, in its codec: silence, until something is placed. */
export class AudioPlane {
  /** A byte a sample; the plane's own. */
  readonly bytes: Uint8Array;
  readonly law: G711Law;
  readonly #samplesPerMs: number;
  /** Behind what was placed last. */
  #end = 0;

  constructor(samples: number, rateHz: number, law: G711Law) {
    assert.ok(Number.isInteger(samples) && samples >= 0);
    this.bytes = new Uint8Array(samples).fill(law.silenceByte);
    this.law = law;
    this.#samplesPerMs = rateHz / 1_000;
  }

  /** Puts `audio` where it begins at `atMs`, over what is there; what lies outside of the call is left out. */
  place(audio: Uint8Array, atMs: number): void {
    const roundedAt = Math.round(atMs * this.#samplesPerMs);
    const at = Math.abs(roundedAt - this.#end) <= SEAM_SAMPLES ? this.#end : roundedAt;
    const from = Math.max(0, -at);
    const to = Math.min(audio.length, this.bytes.length - at);
    // Not so for what lies outside, nor for a time that is none.
    if (!(from < to)) return;
    this.bytes.set(audio.subarray(from, to), at + from);
    this.#end = at + to;
  }

  /** Takes back what was placed from `atMs` on. */
  silenceFrom(atMs: number): void {
    const at = Math.max(0, Math.round(atMs * this.#samplesPerMs));
    if (at >= this.#end) return;
    this.bytes.fill(this.law.silenceByte, at, this.#end);
    this.#end = at;
  }
}
