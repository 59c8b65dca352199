import type { TranscriptionResult } from "../../core/transcriptions/result.ts";
import { srtSteps } from "./srt.ts";
import { textOf } from "./text.ts";
import { vttSteps } from "./vtt.ts";

/** The formats of a result beside JSON, which is the result itself. */
export const TEXT_FORMATS = ["text", "srt", "vtt"] as const;
export type TextFormat = (typeof TEXT_FORMATS)[number];

/** Yields between any two utterances. */
export type FormatSteps = Generator<undefined, string>;

const FORMATTERS: Readonly<Record<TextFormat, (result: TranscriptionResult) => FormatSteps>> = {
  *text(result) {
    yield;
    return textOf(result);
  },
  srt: srtSteps,
  vtt: vttSteps,
};

/** A result in a format, in UTF-8, in steps: subtitles of 12 hours take half a second, in which their process can do other work. */
export const formatSteps = (result: TranscriptionResult, format: TextFormat): FormatSteps => FORMATTERS[format](result);

/** A result in a format, in UTF-8. */
export function formatResult(result: TranscriptionResult, format: TextFormat): string {
  const steps = formatSteps(result, format);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
