import type { TranscriptionResult } from "../../core/transcriptions/result.ts";
import { srtOf } from "./srt.ts";
import { textOf } from "./text.ts";
import { vttOf } from "./vtt.ts";

/** The formats of a result beside JSON, which is the result itself. */
export const TEXT_FORMATS = ["text", "srt", "vtt"] as const;
export type TextFormat = (typeof TEXT_FORMATS)[number];

const FORMATTERS: Readonly<Record<TextFormat, (result: TranscriptionResult) => string>> = {
  text: textOf,
  srt: srtOf,
  vtt: vttOf,
};

/** A result in a format, in UTF-8. */
export const formatResult = (result: TranscriptionResult, format: TextFormat): string => FORMATTERS[format](result);
