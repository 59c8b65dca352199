import { FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { type Verdict, verdictOf } from "../harness/verdict.ts";
import type { BargeInResult } from "./result.ts";

export const FROM_SPEECH_P50_MS_MAX = 120;
export const FROM_SPEECH_P90_MS_MAX = 220;
/** Within the frame that comes next. */
export const FROM_DETECTION_MS_MAX = FRAME_MS;

/** A budget that is missed makes a run no worse. */
export function judgeBargeIn({
  fromSpeechMs,
  fromDetectionMs,
}: Pick<BargeInResult, "fromSpeechMs" | "fromDetectionMs">): Verdict[] {
  const { p50, p90 } = fromSpeechMs;
  return [
    {
      budget: `barge-in, first sample of the voice → last frame of the agent: p50 at most ${FROM_SPEECH_P50_MS_MAX} ms, p90 ${FROM_SPEECH_P90_MS_MAX}`,
      measured: `p50 ${p50.toFixed(0)} ms, p90 ${p90.toFixed(0)} ms`,
      verdict: verdictOf(p50 <= FROM_SPEECH_P50_MS_MAX && p90 <= FROM_SPEECH_P90_MS_MAX),
    },
    {
      budget: `barge-in, from the detector's onset: at most a frame of ${FROM_DETECTION_MS_MAX} ms`,
      measured: `at most ${fromDetectionMs.max.toFixed(1)} ms`,
      verdict: verdictOf(fromDetectionMs.max <= FROM_DETECTION_MS_MAX),
    },
  ];
}
