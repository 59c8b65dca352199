import { strict as assert } from "node:assert";
import { type CallMs, millisecondsOf } from "../../core/clocks.ts";
import { type FrameCodec, pcmBytes } from "../../media/frame-codec.ts";
import { G711_LAWS } from "../../media/g711.ts";

/**
 * Audio that begins within this distance of the end of the audio before it follows without a gap. The difference is
 * rounding.
 */
const SEAM_TOLERANCE_MS = 1;

export interface ChannelTimelineOptions {
  rateHz: number;
  /** The codec of the audio that is placed. */
  codec: FrameCodec;
  /** The length of the window of the call that is in memory. */
  windowMs: number;
}

/**
 * One side of a call: silence where nothing is placed. It holds a window that starts at the beginning of the call and
 * moves on as it is read. Audio outside the window is left out.
 */
export class ChannelTimeline {
  readonly #codec: FrameCodec;
  readonly #samplesPerMs: number;
  /** A ring: sample n of the call is at n modulo the ring's length. Samples that nothing was placed on are 0. */
  readonly #window: Int16Array;
  /** The start of the window: all samples before it have been read. */
  #start = 0;
  /** The end of the audio that was placed last. */
  #end = 0;
  /** The decoded audio that is being placed. */
  #decoded = new Int16Array(0);

  constructor({ rateHz, codec, windowMs }: ChannelTimelineOptions) {
    this.#codec = codec;
    this.#samplesPerMs = rateHz / 1_000;
    this.#window = new Int16Array(Math.ceil(windowMs * this.#samplesPerMs));
  }

  /** Places `audio` so that it begins at `atMs`, over whatever is there. `audio` is only read. */
  place(audio: Uint8Array, atMs: CallMs): void {
    const samples = this.#decode(audio);
    const roundedAt = Math.round(millisecondsOf(atMs) * this.#samplesPerMs);
    const at = Math.abs(roundedAt - this.#end) <= SEAM_TOLERANCE_MS * this.#samplesPerMs ? this.#end : roundedAt;
    const from = Math.max(at, this.#start);
    const to = Math.min(at + samples.length, this.#start + this.#window.length);
    // False for audio outside the window and for a NaN time.
    if (!(from < to)) return;
    this.#put(samples.subarray(from - at, to - at), from);
    this.#end = to;
  }

  /** Silences what was placed from `atMs` on and has not been read. */
  silenceFrom(atMs: CallMs): void {
    const at = Math.max(this.#start, Math.round(millisecondsOf(atMs) * this.#samplesPerMs));
    if (at >= this.#end) return;
    this.#silence(at, this.#end);
    this.#end = at;
  }

  /** Fills `into` with the samples after those that were read last. */
  read(into: Int16Array): void {
    const { length } = this.#window;
    assert.ok(into.length <= length);
    const at = this.#start % length;
    const first = this.#window.subarray(at, Math.min(at + into.length, length));
    into.set(first);
    into.set(this.#window.subarray(0, into.length - first.length), first.length);
    this.#silence(this.#start, this.#start + into.length);
    this.#start += into.length;
  }

  #put(samples: Int16Array, from: number): void {
    const at = from % this.#window.length;
    const untilWrap = this.#window.length - at;
    this.#window.set(samples.subarray(0, untilWrap), at);
    this.#window.set(samples.subarray(untilWrap), 0);
  }

  #silence(from: number, to: number): void {
    const at = from % this.#window.length;
    const end = at + to - from;
    this.#window.fill(0, at, end);
    this.#window.fill(0, 0, Math.max(0, end - this.#window.length));
  }

  #decode(audio: Uint8Array): Int16Array {
    if (this.#decoded.length < audio.length) this.#decoded = new Int16Array(audio.length);
    const samples = this.#decoded;
    if (this.#codec === "pcm_s16le") {
      pcmBytes(samples).set(audio);
      return samples.subarray(0, audio.length >> 1);
    }
    const { decodeTable } = G711_LAWS[this.#codec];
    for (let i = 0; i < audio.length; i += 1) samples[i] = decodeTable[audio[i] as number] as number;
    return samples.subarray(0, audio.length);
  }
}
