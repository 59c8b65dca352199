import { strict as assert } from "node:assert";
import { TIMESTAMP_GAP_MS_MAX, UNTIMESTAMPED_LAG_MS_MAX } from "../core/limits/caller-audio.ts";
import { type FrameCodec, pcmBytes } from "./frame-codec.ts";
import { G711_LAWS } from "./g711.ts";

/** Audio of any length as a wire brings it; only read, and only until it has been cut up. */
export interface FramerInput {
  /** `count` signed 16-bit samples, and where the codec is G.711 the same audio as `count` bytes. */
  readonly bytes: Uint8Array;
  readonly samples: Int16Array;
  readonly count: number;
  /** The carrier's media time of the first sample in ms; NaN where it gave none. */
  readonly timestampMs: number;
}

export interface FramerOptions {
  frameSamples: number;
  rateHz: number;
  /** What `bytes` are in. */
  codec: FrameCodec;
  /** When the carrier's stream began, on the clock of `push`. */
  startMs: number;
}

/**
 * Cuts inbound audio into equal frames and places each on the media timeline, which begins at 0 with the carrier's stream.
 *
 *   framer.push(audio, nowMs);
 *   while (framer.next()) use(framer.samples, framer.bytes, framer.mediaMs);
 *
 * What does not fill a frame waits for the next push; audio that is just one frame, as most messages bring, is the frame itself
 * and not copied. Time goes on by counting samples. A timestamp that is ahead of the count
 * by a frame or more is a gap: the frame that was begun is filled up with silence, and the next one begins where the timestamp
 * says. Less than that is jitter. A timestamp that lags changes nothing: time never goes backwards. Audio without one is placed
 * by our own clock once it lags that by UNDATED_LAG_MS_MAX: then there was a pause in which the peer sent nothing.
 *
 * A peer can claim any time it likes, so a gap is only believed as far as our own clock bears it out: media time stays within
 * TIMESTAMP_GAP_MS_MAX of the time since `startMs`. A clock that was not believed, or that fell behind by more than that, is a
 * new clock and is counted on from there.
 *
 * Allocates nothing after the first such frame.
 */
export class Framer {
  /** The frame that is put together of pieces. */
  readonly #samples: Int16Array;
  readonly #bytes: Uint8Array;
  /** Views of the memory that the first whole frame came in: one wire's audio comes in the same each time. */
  #wholeSamples: Int16Array | undefined;
  #wholeBytes: Uint8Array | undefined;
  #wholeOf: Int16Array | undefined;
  /** What was cut last is a whole frame of the input. */
  #isWhole = false;
  readonly #silenceByte: number;
  readonly #silenceSample: number;
  /** The bytes are no audio of their own, but the memory of the samples. */
  readonly #isPcm: boolean;
  readonly #sampleMs: number;
  readonly #startMs: number;
  /** Media time is that of an anchor and the samples counted since, so that no rounding adds up. */
  #anchorMs = 0;
  #samplesSinceAnchor = 0;
  /** Samples of the frame that is being filled. */
  #filled = 0;
  /** Media time of the frame that was cut last. */
  #mediaMs = 0;
  /** What the carrier's timestamps lack to be media time. */
  #offsetMs = 0;
  /** Where the input begins when there is a gap in front of it; NaN when there is none. */
  #resumeMs = Number.NaN;
  #input: FramerInput | undefined;
  #read = 0;

  constructor({ frameSamples, rateHz, codec, startMs }: FramerOptions) {
    assert.ok(Number.isInteger(frameSamples) && frameSamples > 0 && rateHz > 0);
    const law = codec === "pcm_s16le" ? undefined : G711_LAWS[codec];
    this.#samples = new Int16Array(frameSamples);
    this.#bytes = law === undefined ? pcmBytes(this.#samples) : new Uint8Array(frameSamples);
    this.#isPcm = law === undefined;
    this.#silenceByte = law?.silenceByte ?? 0;
    this.#silenceSample = law?.decodeTable[law.silenceByte] ?? 0;
    this.#sampleMs = 1_000 / rateHz;
    this.#startMs = startMs;
  }

  /** The frame that `next` has cut: lent, valid until `next` is called again, and no longer than the input of the last push. */
  get samples(): Int16Array {
    return this.#isWhole ? (this.#wholeSamples as Int16Array) : this.#samples;
  }

  /** The same in the codec of the leg, as `samples` lent. */
  get bytes(): Uint8Array {
    return this.#isWhole ? (this.#wholeBytes as Uint8Array) : this.#bytes;
  }

  /** Media time of the first sample of the frame that `next` has cut, in ms. */
  get mediaMs(): number {
    return this.#mediaMs;
  }

  /** Takes the next audio, which came at `nowMs`. It is read by `next`, which must have said false before the next push. */
  push(input: FramerInput, nowMs: number): void {
    if (this.#input !== undefined) assert.fail("frames of the last push were not taken");
    this.#input = input;
    this.#read = 0;
    if (Number.isFinite(input.timestampMs)) this.#place(input.timestampMs, nowMs);
    else this.#placeWithoutTimestamp(input.count * this.#sampleMs, nowMs);
  }

  /** Cuts the next frame; false when what is left does not fill one. */
  next(): boolean {
    const input = this.#input;
    if (input === undefined) return false;
    if (!Number.isNaN(this.#resumeMs)) {
      if (this.#filled > 0) {
        this.#samples.fill(this.#silenceSample, this.#filled);
        if (!this.#isPcm) this.#bytes.fill(this.#silenceByte, this.#filled);
        return this.#cut();
      }
      this.#anchorMs = this.#resumeMs;
      this.#samplesSinceAnchor = 0;
      this.#resumeMs = Number.NaN;
    }
    const frameSamples = this.#samples.length;
    const taken = Math.min(frameSamples - this.#filled, input.count - this.#read);
    const isWhole = input.count === frameSamples && taken === frameSamples && this.#takesWhole(input);
    if (!isWhole) this.#copy(input, taken);
    this.#read += taken;
    this.#filled += taken;
    this.#samplesSinceAnchor += taken;
    if (this.#filled === frameSamples) return this.#cut(isWhole);
    this.#input = undefined;
    return false;
  }

  /** Whether the input, which is one frame, lies where whole frames have come before. */
  #takesWhole({ samples, bytes }: FramerInput): boolean {
    if (this.#wholeOf === undefined) {
      this.#wholeOf = samples;
      this.#wholeSamples = samples.subarray(0, this.#samples.length);
      this.#wholeBytes = this.#isPcm ? pcmBytes(this.#wholeSamples) : bytes.subarray(0, this.#samples.length);
    }
    return this.#wholeOf === samples;
  }

  #copy({ samples, bytes }: FramerInput, count: number): void {
    const to = this.#filled;
    const from = this.#read;
    for (let i = 0; i < count; i += 1) this.#samples[to + i] = samples[from + i] as number;
    if (this.#isPcm) return;
    for (let i = 0; i < count; i += 1) this.#bytes[to + i] = bytes[from + i] as number;
  }

  #cut(isWhole = false): true {
    this.#isWhole = isWhole;
    this.#mediaMs = this.#anchorMs + (this.#samplesSinceAnchor - this.#filled) * this.#sampleMs;
    this.#filled = 0;
    return true;
  }

  get #countedMs(): number {
    return this.#anchorMs + this.#samplesSinceAnchor * this.#sampleMs;
  }

  /** Audio that ends now began by its length before. */
  #placeWithoutTimestamp(lengthMs: number, nowMs: number): void {
    const startMs = nowMs - this.#startMs - lengthMs;
    if (startMs - this.#countedMs >= UNTIMESTAMPED_LAG_MS_MAX) this.#resumeMs = startMs;
  }

  /** Compares a timestamp with the count of samples; see the rules above. */
  #place(timestampMs: number, nowMs: number): void {
    const countedMs = this.#countedMs;
    const aheadMs = timestampMs + this.#offsetMs - countedMs;
    const frameMs = this.#samples.length * this.#sampleMs;
    if (aheadMs < -TIMESTAMP_GAP_MS_MAX) this.#offsetMs = countedMs - timestampMs;
    if (aheadMs < frameMs) return;
    const believedMs = Math.min(aheadMs, nowMs - this.#startMs + TIMESTAMP_GAP_MS_MAX - countedMs);
    const gapMs = believedMs < frameMs ? 0 : believedMs;
    if (gapMs < aheadMs) this.#offsetMs = countedMs + gapMs - timestampMs;
    if (gapMs > 0) this.#resumeMs = countedMs + gapMs;
  }
}
