import type { RecordingRefusal, RecordingRequest } from "../core/calls/recording-pause.ts";
import { type CallMs, elapsedMs } from "../core/clocks.ts";

type State =
  | { readonly at: "recording" }
  /** `isEnding`: it was resumed, and goes on until neither side speaks. */
  | { readonly at: "paused"; readonly sinceMs: CallMs; readonly isEnding: boolean };

/**
 * Whether what is said is stored. A pause has no longest time: what must not be stored must not be stored because a program forgot to
 * say so again. It ends when it was resumed and neither side speaks: what was said during the pause may be in the words of a reply or
 * of a transcript that come after the request. Times are ms of call time.
 */
export class RecordingPauses {
  #state: State = { at: "recording" };

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
    return isNew;
  }

  resume(): void {
    if (this.#state.at === "paused") this.#state = { ...this.#state, isEnding: true };
  }

  /** Neither side speaks. Returns how long the pause was that is over with it, ms; undefined where none is. */
  silent(nowMs: CallMs): number | undefined {
    if (this.#state.at !== "paused" || !this.#state.isEnding) return undefined;
    const pausedMs = Math.round(elapsedMs(this.#state.sinceMs, nowMs));
    this.#state = { at: "recording" };
    return pausedMs;
  }
}
