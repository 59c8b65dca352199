import { STT_FINAL_MS_MAX, STT_WORDS_MS_MAX } from "../../core/limits/streams/caller-audio.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";

/** A stretch of the audio in which someone speaks, ms on the timeline of the audio. */
export interface SpokenStretch {
  readonly startMs: number;
  readonly endMs: number;
}

/** Words that no stretch covers, because the voice activity detector has missed them, are taken to be this long at most. */
const MISSED_SPEECH_MS_MAX = 1_000;
/** An STT that decides itself what an utterance is may end one in a pause of this length. */
const PAUSE_MS_MIN = 100;
/** What is left of speech after a final in the middle of it is the end of its last word, unless it is longer than this. */
const REST_MS_MIN = 300;

/**
 * The speech that is not final yet: where the next utterance begins and ends. Transcripts have no times of their own, so that each
 * final is given the stretches that it can be of: the oldest, where the STT sends one final for each; otherwise all that are over, or
 * what there is of the current one. Times are ms on the timeline of the audio.
 */
export class SpokenStretches {
  readonly #hasFinalForEach: boolean;
  /** Those that are over, the oldest first. */
  #ended: SpokenStretch[] = [];
  /** Where the current one, or the rest of it, begins, and where its last voiced frame ends; NaN while nothing is said. */
  #startMs = Number.NaN;
  #voicedMs = Number.NaN;
  /** A final has taken the beginning of the current one. */
  #isRest = false;
  /** Where the last utterance ended. */
  #takenMs = 0;

  /** `hasFinalForEach`: the STT sends one final for each stretch, in their order. */
  constructor(hasFinalForEach: boolean) {
    this.#hasFinalForEach = hasFinalForEach;
  }

  /** Speech is over that is not final. */
  get hasEnded(): boolean {
    return this.#ended.length > 0;
  }

  /** Where the next utterance begins, as far as is known; `audioMs` is where the audio ends. */
  startMs(audioMs: number): number {
    const [oldest] = this.#ended;
    if (oldest !== undefined) return oldest.startMs;
    return Number.isNaN(this.#startMs) ? this.#missed(audioMs).startMs : this.#startMs;
  }

  /** Speech has started, `startMs` on. Stretches before it of which no words have come by now had none. */
  started(startMs: number, hasInterim: boolean): void {
    const waitMs = this.#hasFinalForEach ? STT_FINAL_MS_MAX : STT_WORDS_MS_MAX;
    if (!hasInterim) this.#ended = this.#ended.filter(({ endMs }) => startMs - endMs < waitMs);
    this.#startMs = Math.max(this.#takenMs, startMs);
    this.#voicedMs = this.#startMs;
    this.#isRest = false;
  }

  /** A voiced frame of speech ends at `endMs`. */
  voiced(endMs: number): void {
    const isEndOfWord = this.#isRest && this.#voicedMs - this.#startMs <= REST_MS_MIN;
    const fromMs = endMs - FRAME_MS;
    if (isEndOfWord && fromMs - this.#voicedMs >= PAUSE_MS_MIN) this.#startMs = fromMs;
    this.#voicedMs = endMs;
  }

  /** Speech is over. */
  stopped(): void {
    const isSpeech = this.#voicedMs - this.#startMs > (this.#isRest ? REST_MS_MIN : 0);
    if (isSpeech) this.#ended.push({ startMs: this.#startMs, endMs: this.#voicedMs });
    this.#startMs = Number.NaN;
    this.#voicedMs = Number.NaN;
  }

  /** A final has come, with words or without: takes what it is of. */
  take(audioMs: number): SpokenStretch {
    const taken = this.#next(audioMs);
    this.#takenMs = Math.max(this.#takenMs, taken.endMs);
    return taken;
  }

  #next(audioMs: number): SpokenStretch {
    // In a pause that ends no speech yet, the final is also of what was said before it.
    if (!this.#hasFinalForEach && audioMs - this.#voicedMs >= PAUSE_MS_MIN) this.#pauses();
    const [first] = this.#ended;
    const last = this.#hasFinalForEach ? first : this.#ended.at(-1);
    if (first !== undefined && last !== undefined) {
      this.#ended = this.#hasFinalForEach ? this.#ended.slice(1) : [];
      return { startMs: first.startMs, endMs: last.endMs };
    }
    if (Number.isNaN(this.#startMs)) return this.#missed(audioMs);
    const current = { startMs: this.#startMs, endMs: this.#voicedMs };
    this.#continueFrom(this.#voicedMs);
    return current;
  }

  /** Speech may go on, but what was said so far is a stretch of its own. */
  #pauses(): void {
    const voicedMs = this.#voicedMs;
    this.stopped();
    this.#continueFrom(voicedMs);
  }

  #continueFrom(voicedMs: number): void {
    this.#startMs = voicedMs;
    this.#voicedMs = voicedMs;
    this.#isRest = true;
  }

  #missed(audioMs: number): SpokenStretch {
    return { startMs: Math.min(audioMs, Math.max(this.#takenMs, audioMs - MISSED_SPEECH_MS_MAX)), endMs: audioMs };
  }
}
