import { callMs, mediaMs } from "../../src/core/clocks.ts";
import { FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { DEFAULT_SEGMENTATION, type SegmentationParameters } from "../../src/media/voice-activity/segmentation.ts";
import { SpeechSegmenter } from "../../src/media/voice-activity/segmenter.ts";
import type { SpeechActivity } from "../../src/media/voice-activity/speech-activity.ts";
import { StreamActivity } from "../../src/media/voice-activity/stream-activity.ts";

/** The decision for the next frame of a stream; returns the caller's speech, valid until the next one. */
export type ActivityOf = (isSpeech: boolean) => SpeechActivity;

/**
 * The activity of one stream whose frames follow each other without a gap, by the segmenter of a call. Without
 * `parameters` the detector has settled before the stream starts.
 */
export function activityOfStream(parameters: Partial<SegmentationParameters> = { settleMs: 0 }): ActivityOf {
  const segmenter = new SpeechSegmenter({ ...DEFAULT_SEGMENTATION, ...parameters });
  const activity = new StreamActivity();
  let atMs = 0;
  return (isSpeech) => {
    segmenter.frame(isSpeech, mediaMs(atMs), callMs(atMs));
    atMs += FRAME_MS;
    activity.frame(segmenter);
    return activity;
  };
}
