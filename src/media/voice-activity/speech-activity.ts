/** How speech changes with one frame. */
export type SpeechEdge = "started" | "ended" | "same";

/** The state of a segmenter after the frame that it took last. */
export interface SegmentState {
  /** That frame is voiced, and the detector had settled. */
  readonly isSpeech: boolean;
  /** It belongs to speech. */
  readonly isSpeaking: boolean;
  /** The voiced frames of this speech, or of the last one. */
  readonly speechFrames: number;
}

/**
 * What is known of the caller's speech at one frame of a stream of audio. The objects are reused for every frame: valid
 * until the function that was given one returns.
 *
 * The edges of a stream alternate. A stream may begin in the middle of speech: then `isSpeaking` is true without an edge
 * before it.
 */
export interface SpeechActivity {
  /** The frame is voiced. A voiced frame outside of speech may be a click. */
  readonly isSpeech: boolean;
  /** The frame belongs to speech, of which shorter pauses are a part. */
  readonly isSpeaking: boolean;
  /** `started`: speech was found with this frame, and began shortly before it. `ended`: speech is over. */
  readonly edge: SpeechEdge;
  /** The voiced frames of this speech until now, or of the last one. */
  readonly speechFrames: number;
  /** The frames of the stream since its last voiced frame; 0 for a voiced one. */
  readonly silentFrames: number;
}

/** The activity of a stream without speech. */
export const NO_SPEECH: SpeechActivity = {
  isSpeech: false,
  isSpeaking: false,
  edge: "same",
  speechFrames: 0,
  silentFrames: 0,
};
