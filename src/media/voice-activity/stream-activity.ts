import type { SegmentState, SpeechActivity, SpeechEdge } from "./speech-activity.ts";

/**
 * The activity of a stream of audio that is given the caller's frames, and silence where the carrier sent none. It
 * follows the call's segmenter, so that the stream has the call's edges: `started` with the same frame, `ended` with
 * the same frame or with the silence before it. Allocates nothing.
 */
export class StreamActivity implements SpeechActivity {
  isSpeech = false;
  isSpeaking = false;
  edge: SpeechEdge = "same";
  speechFrames = 0;
  silentFrames = 0;

  /** The next frame of the stream is the one that the segmenter took last. */
  frame(segment: SegmentState): void {
    this.isSpeech = segment.isSpeech;
    this.silentFrames = segment.isSpeech ? 0 : this.silentFrames + 1;
    this.#follow(segment);
  }

  /**
   * The next frame is silence that the carrier did not send. `isLast`: speech that has ended by then ended with this
   * silence.
   */
  silence(segment: SegmentState, isLast: boolean): void {
    this.isSpeech = false;
    this.silentFrames += 1;
    if (isLast && !segment.isSpeaking) this.#follow(segment);
    else this.edge = "same";
  }

  #follow({ isSpeaking, speechFrames }: SegmentState): void {
    if (isSpeaking === this.isSpeaking) this.edge = "same";
    else this.edge = isSpeaking ? "started" : "ended";
    this.isSpeaking = isSpeaking;
    this.speechFrames = speechFrames;
  }
}
