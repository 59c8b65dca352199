import { strict as assert } from "node:assert";
import { type CallMs, elapsedMs, type MediaMs, mediaMs, millisecondsOf } from "../core/clocks.ts";
import { TIMESTAMP_GAP_MS_MAX, UNTIMESTAMPED_LAG_MS_MAX } from "../core/limits/streams/caller-audio.ts";
import { type FrameCodec, pcmBytes } from "./frame-codec.ts";
import { G711_LAWS } from "./g711.ts";

/** Audio of any length from a wire. It is only read, and only until it has been split into frames. */
export interface FramerInput {
  /** `count` signed 16-bit samples and, for G.711, the same audio as `count` bytes. */
  readonly bytes: Uint8Array;
  readonly samples: Int16Array;
  readonly count: number;
  /** The carrier's media time of the first sample in ms; NaN where it is unknown. */
  readonly timestampMs: MediaMs;
}

export interface FramerOptions {
  frameSamples: number;
  rateHz: number;
  /** The codec of `bytes`. */
  codec: FrameCodec;
  /** When the carrier's stream started, on the clock of `push`. */
  startMs: CallMs;
  /** Audio without a timestamp that lags our clock by this much follows a pause, ms. */
  lagMsMax?: number | undefined;
}

/**
 * Splits inbound audio into equal frames and places each on the media timeline, which starts at 0 with the carrier's
 * stream.
 *
 *   framer.push(audio, nowMs);
 *   while (framer.next()) use(framer.samples, framer.bytes, framer.mediaMs);
 *
 * Audio that does not fill a frame waits for the next push. Audio of exactly one frame, as in most messages, is the
 * frame itself and is not copied. Media time advances by counting samples. A timestamp that is ahead of the count by a
 * frame or more is a gap: the frame in progress is filled with silence, and the next one starts at the timestamp. A
 * smaller lead is jitter. A timestamp that lags has no effect: time never goes backwards. Audio without a timestamp is
 * placed by our own clock once it lags that by UNTIMESTAMPED_LAG_MS_MAX, or `lagMsMax`: then there was a pause in which
 * the peer sent nothing.
 *
 * A peer can claim any time, so our own clock limits gaps: media time stays within TIMESTAMP_GAP_MS_MAX of the time
 * since `startMs`. A timestamp beyond that, or one that lags by more than that, belongs to a new clock and is counted
 * on from there.
 *
 * Allocates nothing after the first such frame.
 */
export class Framer {
  /** The frame that is assembled from parts. */
  readonly #samples: Int16Array;
  readonly #bytes: Uint8Array;
  /** Views of the memory of the first whole frame: a wire's audio is in the same memory each time. */
  #wholeSamples: Int16Array | undefined;
  #wholeBytes: Uint8Array | undefined;
  #wholeOf: Int16Array | undefined;
  /** The last frame is a whole frame of the input. */
  #isWhole = false;
  readonly #silenceByte: number;
  readonly #silenceSample: number;
  /** The bytes are a view of the samples' memory, not separate audio. */
  readonly #isPcm: boolean;
  readonly #sampleMs: number;
  readonly #startMs: CallMs;
  readonly #lagMsMax: number;
  /** Media time is an anchor plus the samples counted since, so that rounding errors do not add up. */
  #anchorMs = 0;
  #samplesSinceAnchor = 0;
  /** Samples in the frame that is being filled. */
  #filled = 0;
  /** Media time of the last frame. */
  #mediaMs = 0;
  /** What must be added to the carrier's timestamps to get media time. */
  #offsetMs = 0;
  /** The media time of the input after a gap; NaN when there is no gap. */
  #resumeMs = Number.NaN;
  #input: FramerInput | undefined;
  #read = 0;

  constructor({ frameSamples, rateHz, codec, startMs, lagMsMax = UNTIMESTAMPED_LAG_MS_MAX }: FramerOptions) {
    assert.ok(Number.isInteger(frameSamples) && frameSamples > 0 && rateHz > 0);
    const law = codec === "pcm_s16le" ? undefined : G711_LAWS[codec];
    this.#samples = new Int16Array(frameSamples);
    this.#bytes = law === undefined ? pcmBytes(this.#samples) : new Uint8Array(frameSamples);
    this.#isPcm = law === undefined;
    this.#silenceByte = law?.silenceByte ?? 0;
    this.#silenceSample = law?.decodeTable[law.silenceByte] ?? 0;
    this.#sampleMs = 1_000 / rateHz;
    this.#startMs = startMs;
    this.#lagMsMax = lagMsMax;
  }

  /**
   * The frame that `next` has produced: borrowed, valid until the next `next`, and no longer than the input of the last
   * push.
   */
  get samples(): Int16Array {
    return this.#isWhole ? (this.#wholeSamples as Int16Array) : this.#samples;
  }

  /** The same frame in the leg's codec, borrowed like `samples`. */
  get bytes(): Uint8Array {
    return this.#isWhole ? (this.#wholeBytes as Uint8Array) : this.#bytes;
  }

  /** Media time of the first sample of the last frame, ms. */
  get mediaMs(): MediaMs {
    return mediaMs(this.#mediaMs);
  }

  /** How many samples the frame in progress lacks. */
  get missingSamples(): number {
    return this.#samples.length - this.#filled;
  }

  /** Takes audio that arrived at `nowMs`. `next` must have returned false before the next push. */
  push(input: FramerInput, nowMs: CallMs): void {
    if (this.#input !== undefined) assert.fail("frames of the last push were not taken");
    this.#input = input;
    this.#read = 0;
    if (Number.isFinite(input.timestampMs)) this.#place(millisecondsOf(input.timestampMs), nowMs);
    else this.#placeWithoutTimestamp(input.count * this.#sampleMs, nowMs);
  }

  /** Produces the next frame; false when the rest does not fill one. */
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

  /** Whether the input, which is one frame, is in the memory of earlier whole frames. */
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

  /** The length of all audio and gaps so far, ms: where audio without a gap would continue. */
  get countedMs(): number {
    return this.#anchorMs + this.#samplesSinceAnchor * this.#sampleMs;
  }

  /** Audio that ends now started its own length before. */
  #placeWithoutTimestamp(lengthMs: number, nowMs: CallMs): void {
    const startMs = elapsedMs(this.#startMs, nowMs) - lengthMs;
    if (startMs - this.countedMs >= this.#lagMsMax) this.#resumeMs = startMs;
  }

  /** Compares a timestamp with the count of samples, by the rules of the class. */
  #place(timestampMs: number, nowMs: CallMs): void {
    const countedMs = this.countedMs;
    const aheadMs = timestampMs + this.#offsetMs - countedMs;
    const frameMs = this.#samples.length * this.#sampleMs;
    if (aheadMs < -TIMESTAMP_GAP_MS_MAX) this.#offsetMs = countedMs - timestampMs;
    if (aheadMs < frameMs) return;
    const believedMs = Math.min(aheadMs, elapsedMs(this.#startMs, nowMs) + TIMESTAMP_GAP_MS_MAX - countedMs);
    const gapMs = believedMs < frameMs ? 0 : believedMs;
    if (gapMs < aheadMs) this.#offsetMs = countedMs + gapMs - timestampMs;
    if (gapMs > 0) this.#resumeMs = countedMs + gapMs;
  }
}
