import { type CallMs, type MediaMs, millisecondsOf } from "../../core/clocks.ts";
import { ECHO_SEARCH_INTERVAL_MS, ECHO_SEARCHES_AT_ONCE, ECHO_TAIL_MS } from "../../core/limits/streams/echo.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import type { FrameCodec } from "../frame-codec.ts";
import { ECHO_SAMPLES_PER_MS } from "./band-levels.ts";
import { CallerLevels } from "./caller-levels.ts";
import { CallerTimeline } from "./caller-timeline.ts";
import { correlationOfEnd, findSegment, SEARCHED_SAMPLES, SEGMENT_SAMPLES } from "./delay-search.ts";
import { DELAY_SAMPLES_MAX, EchoPath } from "./echo-path.ts";
import { FrameReader } from "./frame-reader.ts";
import { ReferenceSignal } from "./reference-signal.ts";

/**
 * What a frame of the caller is: nothing but the agent's `echo`; `undecided`, probably echo; or `other`, which may be
 * the caller.
 */
export type EchoVerdict = "echo" | "undecided" | "other";

/** So many bands above the prediction are speech; one may be noise. */
const SPEECH_BANDS = 3;
const ECHO_EXCESS_BANDS_MAX = 1;
/** Correlations of a segment with the reference. Of other speech one in 100 is above 0.34: measured, see `docs/decisions`. */
const CORRELATION = { sure: 0.42, louderThanPredicted: 0.36, likely: 0.22, end: 0.42 };
/** Two likely matches within these frames, and within this many samples of delay, are sure. */
const CANDIDATE_FRAMES = 50;
const CANDIDATE_SAMPLES = 12;
/** Delays that differ by less are one: clocks drift, and a room has more than one. */
const SAME_DELAY_SAMPLES = 20 * ECHO_SAMPLES_PER_MS;
/** Voiced frames without a match until they are speech: on a line of unknown delay, and where its echo is quieter. */
const UNDECIDED_FRAMES = 8;
const UNDECIDED_LOUD_FRAMES = 3;
/** After speech over the agent, voiced frames are speech for this long. */
const SPEECH_FRAMES = 6;
/** With this frame of it a segment contains nothing older: then its correlation shows whether it is echo after all. */
const SPEECH_CHECKED_AT_FRAME = 5;
const SEARCH_INTERVAL_FRAMES = ECHO_SEARCH_INTERVAL_MS / FRAME_MS;

const segment = new Float64Array(SEGMENT_SAMPLES);
const searched = new Float64Array(SEARCHED_SAMPLES);

/** Where a segment was found in the reference: its delay, samples, and the correlation there. */
interface Match {
  delay: number;
  correlation: number;
}

export interface EchoDetectorOptions {
  /** The codec and the rate of the frames that are sent, Hz: a multiple of ECHO_RATE_HZ. */
  codec: FrameCodec;
  outboundRateHz: number;
}

/**
 * Tells the echo of the agent in the caller's audio from somebody who speaks. What was sent is known: an echo is never
 * louder than it, by bands and over all plausible delays, and correlates with it at one delay. That delay and the gains
 * are remembered. Until they are known, a frame that can be echo is `undecided`.
 *
 * One for each leg. 12 KiB; allocates nothing after construction; does nothing unless the agent was played within the
 * last ECHO_DELAY_MS_MAX + ECHO_TAIL_MS.
 */
export class EchoDetector {
  readonly #reader: FrameReader;
  readonly #reference = new ReferenceSignal();
  readonly #caller = new CallerLevels();
  readonly #timeline = new CallerTimeline();
  readonly #path = new EchoPath(this.#reference);
  #isActive = false;
  /** Frames during which voiced ones are still speech. */
  #speechFrames = 0;
  /** Loud frames of that speech. */
  #speechLoudFrames = 0;
  /** Voiced frames that could not be decided, without those that were decided since. */
  #undecidedFrames = 0;
  /** Which of the last three frames were louder than an echo, the last in the lowest bit. */
  #loudFrames = 0;
  /** The delay of the last likely match, samples, and how many frames ago it was. */
  #candidate = Number.NaN;
  #candidateFrames = 0;
  readonly #match: Match = { delay: 0, correlation: 0 };
  #searches = ECHO_SEARCHES_AT_ONCE;
  #framesUntilSearch = SEARCH_INTERVAL_FRAMES;

  constructor({ codec, outboundRateHz }: EchoDetectorOptions) {
    this.#reader = new FrameReader(codec, outboundRateHz);
  }

  /** The delay of the echo from its playback, ms; NaN while none was found. */
  get delayMs(): number {
    return this.#path.delay / ECHO_SAMPLES_PER_MS;
  }

  /** The echo's gain, the mean of its bands, dB; of no meaning while `delayMs` is NaN. */
  get gainDb(): number {
    return this.#path.gainDb;
  }

  /** A frame was sent, and the peer plays it from then on; reads `bytes` before it returns. */
  sent(bytes: Uint8Array, playedFromMs: CallMs): void {
    const position = Math.round(millisecondsOf(playedFromMs) * ECHO_SAMPLES_PER_MS);
    this.#reference.write(this.#reader.read(bytes), position);
  }

  /**
   * Judges one frame of the caller, FRAME_MS at 8 or 16 kHz, which arrived at `nowMs`; `voiced` is the voice activity
   * detector's decision. An unvoiced frame is `echo` or `other`. Does not retain the frame.
   */
  judge(frame: Int16Array, voiced: boolean, mediaMs: MediaMs, nowMs: CallMs): EchoVerdict {
    const timeline = this.#timeline;
    timeline.frame(mediaMs, nowMs);
    this.#path.shift(timeline.shiftSamples);
    if (timeline.end - this.#reference.end > DELAY_SAMPLES_MAX + ECHO_TAIL_MS * ECHO_SAMPLES_PER_MS) {
      this.#isActive = false;
      return "other";
    }
    if (!this.#isActive) this.#begin();
    if (timeline.isGap) this.#caller.gap();
    this.#caller.push(frame, voiced);
    this.#count();
    const excessBands = this.#path.excessBands(this.#caller, timeline.end);
    const isLoud = voiced && excessBands >= SPEECH_BANDS;
    this.#loudFrames = ((this.#loudFrames << 1) | (isLoud ? 1 : 0)) & 0b111;
    if (this.#speechFrames > 0) return this.#duringSpeech(isLoud);
    if (!voiced) return this.#judgeUnvoiced(excessBands);
    return isLoud ? this.#judgeLoud() : this.#judgeQuiet(excessBands);
  }

  #begin(): void {
    this.#isActive = true;
    this.#speechFrames = 0;
    this.#undecidedFrames = 0;
    this.#loudFrames = 0;
    this.#caller.reset();
    this.#path.reset();
  }

  #count(): void {
    if (this.#speechFrames > 0) this.#speechFrames -= 1;
    this.#candidateFrames += 1;
    if (this.#searches === ECHO_SEARCHES_AT_ONCE) return;
    this.#framesUntilSearch -= 1;
    if (this.#framesUntilSearch > 0) return;
    this.#framesUntilSearch = SEARCH_INTERVAL_FRAMES;
    this.#searches += 1;
  }

  /** It is echo after all where the line's gain has risen. */
  #duringSpeech(isLoud: boolean): EchoVerdict {
    if (!isLoud) return "other";
    this.#speechFrames = SPEECH_FRAMES;
    this.#speechLoudFrames += 1;
    if (this.#speechLoudFrames !== SPEECH_CHECKED_AT_FRAME) return "other";
    const match = this.#search();
    if (match === undefined || match.correlation < CORRELATION.sure) return "other";
    if (!this.#path.found(match.delay, this.#caller, this.#timeline.end)) return "other";
    this.#speechFrames = 0;
    return "echo";
  }

  #judgeUnvoiced(excessBands: number): EchoVerdict {
    if (this.#undecidedFrames > 0) this.#undecidedFrames -= 1;
    if (!this.#path.isKnown || excessBands > ECHO_EXCESS_BANDS_MAX) return "other";
    this.#path.adapt(this.#caller);
    return this.#path.audibleBands > 0 ? "echo" : "other";
  }

  /** A voiced frame that is louder than the predicted echo: speech, unless the prediction was wrong. */
  #judgeLoud(): EchoVerdict {
    this.#undecidedFrames += 1;
    if (this.#findEcho(CORRELATION.louderThanPredicted)) {
      this.#loudFrames = 0;
      this.#undecidedFrames = 0;
      return "echo";
    }
    const isLoudAtAnyDelay =
      !this.#path.isKnown || this.#path.excessBandsAnyDelay(this.#caller, this.#timeline.end) >= SPEECH_BANDS;
    if (!isLoudAtAnyDelay && this.#undecidedFrames <= UNDECIDED_LOUD_FRAMES) return "undecided";
    const isSecond = (this.#loudFrames & 0b110) !== 0;
    if (!isSecond) return "other";
    this.#speechFrames = SPEECH_FRAMES;
    this.#speechLoudFrames = 0;
    return "other";
  }

  /** A voiced frame that can be an echo. */
  #judgeQuiet(excessBands: number): EchoVerdict {
    if (this.#path.isKnown) {
      if (this.#undecidedFrames > 0) this.#undecidedFrames -= 1;
      this.#path.adapt(this.#caller);
      return excessBands <= ECHO_EXCESS_BANDS_MAX ? "echo" : "undecided";
    }
    this.#undecidedFrames += 1;
    if (this.#findEcho(CORRELATION.sure)) {
      this.#undecidedFrames = 0;
      return "echo";
    }
    return this.#undecidedFrames > UNDECIDED_FRAMES ? "other" : "undecided";
  }

  /** Whether the last segment is an echo of a delay that was not known, or not known exactly. */
  #findEcho(sure: number): boolean {
    const match = this.#search();
    if (match === undefined || match.correlation < CORRELATION.likely) return false;
    const { delay, correlation } = match;
    const isAgain = this.#candidateFrames < CANDIDATE_FRAMES && Math.abs(delay - this.#candidate) <= CANDIDATE_SAMPLES;
    this.#candidate = delay;
    this.#candidateFrames = 0;
    if (correlation < sure && !isAgain) return false;
    if (!(Math.abs(delay - this.#path.delay) < SAME_DELAY_SAMPLES))
      return this.#path.found(delay, this.#caller, this.#timeline.end);
    this.#path.refine(delay);
    if (this.#path.excessBands(this.#caller, this.#timeline.end) < SPEECH_BANDS) return true;
    // Most of the segment precedes a voice that has just begun: only its end says whether the frame is echo.
    this.#reference.copy(this.#timeline.end - SEGMENT_SAMPLES - delay, SEGMENT_SAMPLES, searched);
    if (correlationOfEnd(segment, searched) < CORRELATION.end) return false;
    this.#path.raise(this.#caller);
    return true;
  }

  /** Searches the last segment in the reference; undefined where there were too many searches. Overwritten by the next. */
  #search(): Match | undefined {
    if (this.#searches === 0) return undefined;
    this.#searches -= 1;
    this.#caller.copySegment(segment);
    const start = this.#timeline.end - SEGMENT_SAMPLES;
    const searchedFrom = start - DELAY_SAMPLES_MAX;
    this.#reference.copy(searchedFrom, SEARCHED_SAMPLES, searched);
    const { offset, correlation } = findSegment(segment, searched);
    this.#match.delay = start - searchedFrom - offset;
    this.#match.correlation = correlation;
    return this.#match;
  }
}
