import type { TranscriptionResult } from "../../core/transcriptions/result.ts";

/** The formats of a result besides JSON, with their media types. SubRip has no registered one. */
export const TEXT_FORMATS = {
  text: "text/plain",
  srt: "application/x-subrip",
  vtt: "text/vtt",
} as const;
export type TextFormat = keyof typeof TEXT_FORMATS;
export const TEXT_FORMAT_NAMES = Object.keys(TEXT_FORMATS) as [TextFormat, ...TextFormat[]];

export const RESULT_FORMATS = ["json", ...TEXT_FORMAT_NAMES] as const;
export type ResultFormat = (typeof RESULT_FORMATS)[number];

/** Writes a result in a format, without holding other requests up. */
export type FormatResult = (result: TranscriptionResult, format: TextFormat) => Promise<string>;

const TYPES: readonly (readonly [ResultFormat, string])[] = [
  ["json", "application/json"],
  ...TEXT_FORMAT_NAMES.map((name) => [name, TEXT_FORMATS[name]] as const),
];

/** The format that a header Accept prefers (RFC 9110, section 12.5.1): JSON among equals; undefined where it accepts none. */
export function acceptedFormat(accept: string | undefined): ResultFormat | undefined {
  if (accept === undefined || accept.trim() === "") return "json";
  const ranges = accept.split(",").map(rangeOf);
  let best: { format: ResultFormat; quality: number } | undefined;
  for (const [format, type] of TYPES) {
    const quality = qualityOf(type, ranges);
    if (quality > 0 && quality > (best?.quality ?? 0)) best = { format, quality };
  }
  return best?.format;
}

interface MediaRange {
  type: string;
  quality: number;
}

function rangeOf(text: string): MediaRange {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.map((parameter) => /^q=(\d(?:\.\d+)?)$/.exec(parameter)?.[1]).find(Boolean);
  return { type, quality: quality === undefined ? 1 : Number(quality) };
}

/** By the most specific range. */
function qualityOf(type: string, ranges: readonly MediaRange[]): number {
  for (const wanted of [type, type.replace(/\/.*/, "/*"), "*/*"]) {
    const found = ranges.find((range) => range.type === wanted);
    if (found !== undefined) return found.quality;
  }
  return 0;
}
