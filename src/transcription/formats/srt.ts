import type { TranscriptionResult } from "../../core/transcriptions/result.ts";
import { cueTime } from "./cue-time.ts";
import { cuesOf } from "./cues.ts";

/** A result as SubRip subtitles: numbered cues; `Speaker 1:` before the words where speakers are known. */
export function srtOf(result: TranscriptionResult): string {
  return cuesOf(result, (name) => `${name}:`)
    .map(({ startMs, endMs, lines }, index) => {
      const times = `${cueTime(startMs, ",")} --> ${cueTime(endMs, ",")}`;
      return `${[index + 1, times, ...lines].join("\n")}\n`;
    })
    .join("\n");
}
