import type { TranscriptionResult } from "../../core/transcriptions/result.ts";
import { cueTime } from "./cue-time.ts";
import { cuesOf } from "./cues.ts";

/** A result as SubRip subtitles: numbered cues; `Speaker 1:` before the words where speakers are known. */
export function* srtSteps(result: TranscriptionResult): Generator<undefined, string> {
  const cues = yield* cuesOf(result, (name) => `${name}:`);
  return cues
    .map(({ startMs, endMs, lines }, index) => {
      const times = `${cueTime(startMs, ",")} --> ${cueTime(endMs, ",")}`;
      return `${[index + 1, times, ...lines].join("\n")}\n`;
    })
    .join("\n");
}
