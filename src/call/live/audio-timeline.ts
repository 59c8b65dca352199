import { type MediaMs, mediaMs, millisecondsOf } from "../../core/clocks.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";

/**
 * The audio of a live transcription as one timeline, ms since its first stream started. The media time of each stream starts at 0;
 * here it goes on where the one before has ended. Allocates nothing.
 */
export class AudioTimeline {
  /** Where the current stream begins. */
  #streamStartMs = 0;
  #lastMediaMs = mediaMs(-FRAME_MS);

  /** Where the audio ends that there is so far. */
  get endMs(): number {
    return this.#streamStartMs + millisecondsOf(this.#lastMediaMs) + FRAME_MS;
  }

  /** Another stream has started, after the first. */
  streamStarted(): void {
    this.#streamStartMs = this.endMs;
    this.#lastMediaMs = mediaMs(-FRAME_MS);
  }

  /** A frame of the current stream begins at `mediaMs`. */
  frame(mediaMs: MediaMs): void {
    this.#lastMediaMs = mediaMs;
  }
}
