import type { TranscriptionResult } from "../../core/transcriptions/result.ts";
import { cueTime } from "./cue-time.ts";
import { cuesOf } from "./cues.ts";

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escaped = (text: string): string => text.replaceAll(/[&<>]/g, (character) => ESCAPES[character] ?? character);

/** A result as WebVTT (w3.org/TR/webvtt1), with the speakers as its voices where they are known. */
export function* vttSteps(result: TranscriptionResult): Generator<undefined, string> {
  const all = yield* cuesOf(result, () => "");
  const cues = all.map(({ startMs, endMs, lines, name }) => {
    const voice = name === undefined ? "" : `<v ${name}>`;
    return `\n${cueTime(startMs, ".")} --> ${cueTime(endMs, ".")}\n${voice}${lines.map(escaped).join("\n")}\n`;
  });
  return `WEBVTT\n${cues.join("")}`;
}
