import { FRAME_MS } from "../../core/limits/streams/media.ts";
import {
  PART_CUT_PAUSE_MS_MIN,
  PART_LONG_PAUSE_MS,
  PART_MARGIN_MS,
  PART_OVERLAP_MS,
  PART_PAUSE_MS,
} from "../../core/limits/transcriptions/transcriptions.ts";
import type { PartKey } from "../../core/transcriptions/part.ts";
import type { SpeechOnset } from "../../media/voice-activity/detector.ts";
import { BATCH_RATE_HZ } from "../../speech/stt/batch/contract.ts";

const FRAME_SAMPLES = (BATCH_RATE_HZ / 1_000) * FRAME_MS;
const MARGIN_FRAMES = PART_MARGIN_MS / FRAME_MS;
const PAUSE_FRAMES = PART_PAUSE_MS / FRAME_MS;
const LONG_PAUSE_FRAMES = PART_LONG_PAUSE_MS / FRAME_MS;
const CUT_PAUSE_FRAMES_MIN = PART_CUT_PAUSE_MS_MIN / FRAME_MS;
const OVERLAP_FRAMES = PART_OVERLAP_MS / FRAME_MS;

/** A part that is to be transcribed. Its samples are its own. */
export interface CutPart extends PartKey {
  readonly samples: Int16Array;
}

export interface PartCutterOptions {
  channel: number;
  /**
   * A part ends with the first pause after this, ms, and is never longer than `msMax`. Infinity: all that is said in the channel is one
   * part.
   */
  msMin: number;
  msMax: number;
  onset: Pick<SpeechOnset, "onsetSpeechFrames" | "onsetWindowFrames">;
}

/**
 * Cuts the audio of one channel into parts that begin and end in silence. Silence between them is in no part. Where somebody speaks
 * for longer than `msMax` without a pause, the part is cut inside of the speech, and the next one begins PART_OVERLAP_MS before. The
 * same frames give the same parts.
 */
export class PartCutter {
  readonly #options: PartCutterOptions;
  readonly #framesMax: number;
  readonly #framesMin: number;
  readonly #longPauseFrames: number;
  /** The audio from the beginning of the part on, or of what may become one, and whether each of its frames is voiced. */
  #samples: Int16Array;
  #voiced: Uint8Array;
  #frames = 0;
  /** The frames of the channel before these. */
  #framesBefore = 0;
  #hasSpeech = false;
  #silentFrames = 0;

  constructor(options: PartCutterOptions) {
    this.#options = options;
    this.#framesMax = Math.floor(options.msMax / FRAME_MS);
    this.#framesMin = options.msMin / FRAME_MS;
    this.#longPauseFrames = Number.isFinite(options.msMin) ? LONG_PAUSE_FRAMES : Number.POSITIVE_INFINITY;
    this.#samples = new Int16Array(64 * FRAME_SAMPLES);
    this.#voiced = new Uint8Array(64);
  }

  /** The time until which no part is missing any more, ms: where the part in progress begins. */
  get cutMs(): number {
    return (this.#framesBefore + (this.#hasSpeech ? 0 : this.#frames)) * FRAME_MS;
  }

  /** Takes one frame of FRAME_MS at BATCH_RATE_HZ, borrowed until return; returns the part that ends with it, if one does. */
  push(frame: Int16Array, isVoiced: boolean): CutPart | undefined {
    this.#append(frame, isVoiced);
    this.#silentFrames = isVoiced ? 0 : this.#silentFrames + 1;
    if (!this.#hasSpeech) {
      this.#hasSpeech = isVoiced && this.#isOnset();
      if (!this.#hasSpeech) this.#dropSilence();
      return undefined;
    }
    const isLongEnough = this.#frames - this.#silentFrames >= this.#framesMin;
    if (this.#silentFrames >= (isLongEnough ? PAUSE_FRAMES : this.#longPauseFrames)) {
      return this.#cut(this.#frames - this.#silentFrames + MARGIN_FRAMES, 0);
    }
    return this.#frames >= this.#framesMax ? this.#cutFull() : undefined;
  }

  /** The channel is over: its last part, if there is one. */
  end(): CutPart | undefined {
    if (!this.#hasSpeech) return undefined;
    return this.#cut(Math.min(this.#frames, this.#frames - this.#silentFrames + MARGIN_FRAMES), 0);
  }

  #isOnset(): boolean {
    const { onsetSpeechFrames, onsetWindowFrames } = this.#options.onset;
    let voiced = 0;
    for (let i = Math.max(0, this.#frames - onsetWindowFrames); i < this.#frames; i += 1)
      voiced += this.#voiced[i] as number;
    return voiced >= onsetSpeechFrames;
  }

  /** Keeps what a part has of the silence before its speech, and frames that may be its beginning. */
  #dropSilence(): void {
    this.#drop(this.#frames - MARGIN_FRAMES - this.#options.onset.onsetWindowFrames);
  }

  /** Divides a full part at its longest pause in its second half, or else at its end, inside of speech. */
  #cutFull(): CutPart {
    let best = { at: 0, frames: 0 };
    let silent = 0;
    for (let i = Math.floor(this.#frames / 2); i < this.#frames; i += 1) {
      silent = this.#voiced[i] === 1 ? 0 : silent + 1;
      if (silent > best.frames) best = { at: i + 1 - Math.floor(silent / 2), frames: silent };
    }
    return best.frames >= CUT_PAUSE_FRAMES_MIN ? this.#cut(best.at, 0) : this.#cut(this.#frames, OVERLAP_FRAMES);
  }

  /** Cuts the first `count` frames; the next part may begin with the last `overlap` of them. */
  #cut(count: number, overlap: number): CutPart {
    const { channel } = this.#options;
    const startMs = this.#framesBefore * FRAME_MS;
    const samples = this.#samples.slice(0, count * FRAME_SAMPLES);
    this.#drop(count - overlap);
    this.#hasSpeech = this.#voiced.subarray(0, this.#frames).includes(1);
    if (!this.#hasSpeech) this.#dropSilence();
    return { channel, startMs, endMs: startMs + count * FRAME_MS, samples };
  }

  #append(frame: Int16Array, isVoiced: boolean): void {
    if (this.#frames === this.#voiced.length) {
      const samples = new Int16Array(2 * this.#samples.length);
      samples.set(this.#samples);
      this.#samples = samples;
      const voiced = new Uint8Array(2 * this.#voiced.length);
      voiced.set(this.#voiced);
      this.#voiced = voiced;
    }
    this.#samples.set(frame, this.#frames * FRAME_SAMPLES);
    this.#voiced[this.#frames] = isVoiced ? 1 : 0;
    this.#frames += 1;
  }

  /** Drops the first `count` frames; does nothing where that is negative. */
  #drop(count: number): void {
    if (count <= 0) return;
    this.#samples.copyWithin(0, count * FRAME_SAMPLES, this.#frames * FRAME_SAMPLES);
    this.#voiced.copyWithin(0, count, this.#frames);
    this.#frames -= count;
    this.#framesBefore += count;
  }
}
