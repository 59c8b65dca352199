import type { RecordingRefusal, RecordingRequest } from "../core/calls/recording-pause.ts";
import { addMs, type CallMs, callMs, elapsedMs } from "../core/clocks.ts";
import { STT_FINAL_MS_MAX, STT_WORDS_MS_MAX } from "../core/limits/streams/caller-audio.ts";

const NEVER = callMs(Number.POSITIVE_INFINITY);

type State =
  | { readonly at: "recording" }
  /** `isEnding`: it was resumed, and goes on until neither side speaks. */
  | { readonly at: "paused"; readonly sinceMs: CallMs; readonly isEnding: boolean };

/**
 * Whether what is said is stored. A pause has no longest time: what must not be stored must not be stored because a program forgot to
 * say so again. It ends when it was resumed, neither side speaks and the STT has had the time for what was said: that may be in the
 * words of a reply or of a transcript that come after the request. Times are ms of call time.
 */
export class RecordingPauses {
  readonly #hasFinalForEach: boolean;
  #state: State = { at: "recording" };
  /** When the caller's latest utterance ended; NaN before the first. */
  #utteranceEndMs = callMs(Number.NaN);
  /** Utterances of which no final has come. Those from before a pause count in it too: their finals come first. */
  #openUtterances = 0;
  /** When the last utterance ended of which words are awaited once the pause was resumed; NaN without one. */
  #lastOfPauseMs = callMs(Number.NaN);
  /** That utterance has not ended: the caller was speaking when the pause was resumed. */
  #isLastUnderWay = false;
  #deadlineMs = NEVER;

  /** `hasFinalForEach`: the STT sends one final for each utterance, in their order. */
  constructor(hasFinalForEach: boolean) {
    this.#hasFinalForEach = hasFinalForEach;
  }

  /** When a pause that was resumed is no longer prolonged by words that may come; Infinity while none is. */
  get deadlineMs(): CallMs {
    return this.#deadlineMs;
  }

  get isPaused(): boolean {
    return this.#state.at === "paused";
  }

  /** It was resumed, and the pause goes on. */
  get isEnding(): boolean {
    return this.#state.at === "paused" && this.#state.isEnding;
  }

  /** Why a request has no effect; undefined where it has. */
  refusal({ kind }: RecordingRequest): RecordingRefusal | undefined {
    const isPausing = this.#state.at === "paused" && !this.#state.isEnding;
    if (kind === "pause-recording") return isPausing ? "recording_paused" : undefined;
    // Asked again after a lost answer, it has the same outcome.
    return this.isPaused ? undefined : "recording_not_paused";
  }

  /** Whether a pause begins with it, and not only goes on. */
  pause(nowMs: CallMs): boolean {
    const isNew = this.#state.at === "recording";
    this.#state = { at: "paused", sinceMs: this.#state.at === "paused" ? this.#state.sinceMs : nowMs, isEnding: false };
    this.#deadlineMs = NEVER;
    this.#lastOfPauseMs = callMs(Number.NaN);
    this.#isLastUnderWay = false;
    return isNew;
  }

  /** `isSpeaking`: the caller is speaking, which is of the pause to the end of that utterance. What is said after that is not. */
  resume(isSpeaking: boolean): void {
    if (this.#state.at !== "paused" || this.#state.isEnding) return;
    this.#state = { ...this.#state, isEnding: true };
    this.#lastOfPauseMs = this.#utteranceEndMs;
    this.#isLastUnderWay = isSpeaking;
  }

  /** An utterance of the caller has ended, its last voiced frame at this time. */
  utteranceEnded(endMs: CallMs): void {
    if (elapsedMs(this.#utteranceEndMs, endMs) >= STT_FINAL_MS_MAX) this.#openUtterances = 0;
    this.#openUtterances += 1;
    this.#utteranceEndMs = endMs;
    if (!this.#isLastUnderWay) return;
    this.#lastOfPauseMs = endMs;
    this.#isLastUnderWay = false;
  }

  /** A final transcript has come. */
  final(): void {
    this.#openUtterances = Math.max(0, this.#openUtterances - 1);
  }

  /** Whether words of what the caller said in the pause may still come. Call this after each event while `isEnding`. */
  awaitsWords(nowMs: CallMs): boolean {
    const awaited = this.#hasFinalForEach ? STT_FINAL_MS_MAX : STT_WORDS_MS_MAX;
    const dueMs = addMs(this.#lastOfPauseMs, awaited);
    const isOfPause = this.#state.at === "paused" && this.#lastOfPauseMs >= this.#state.sinceMs;
    const isOpen = !this.#hasFinalForEach || this.#openUtterances > 0;
    const awaits = isOfPause && isOpen && nowMs < dueMs;
    this.#deadlineMs = awaits ? dueMs : NEVER;
    return awaits;
  }

  /** Neither side speaks, and no words are awaited. Returns how long the pause was that is over with it, ms; undefined where none is. */
  silent(nowMs: CallMs): number | undefined {
    if (this.#state.at !== "paused" || !this.#state.isEnding) return undefined;
    const pausedMs = Math.round(elapsedMs(this.#state.sinceMs, nowMs));
    this.#state = { at: "recording" };
    return pausedMs;
  }
}
