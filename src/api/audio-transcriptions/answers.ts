import { primaryLanguage } from "../../core/text/language-tags.ts";
import type { TranscribedUtterance, TranscribedWord, TranscriptionResult } from "../../core/transcriptions/result.ts";
import type { FormatResult } from "../transcriptions/formats.ts";
import type { OpenAiParameters } from "./parameters.ts";

export interface OpenAiAnswer {
  contentType: string;
  body: string;
}

const JSON_TYPE = "application/json; charset=utf-8";
const TYPES = { text: "text/plain; charset=utf-8", srt: "text/plain; charset=utf-8", vtt: "text/plain; charset=utf-8" };

/** A result in the shape of OpenAI's. Its subtitles are text/plain, as are those of OpenAI. */
export function answerOf(
  result: TranscriptionResult,
  { format, granularities }: Pick<OpenAiParameters, "format" | "granularities">,
  formatResult: FormatResult,
): OpenAiAnswer {
  if (format === "json") return { contentType: JSON_TYPE, body: JSON.stringify({ text: result.text }) };
  if (format !== "verbose_json") return { contentType: TYPES[format], body: formatResult(result, format) };
  const durationS = result.durationMs / 1_000;
  const body = {
    task: "transcribe",
    language: englishNameOf(result.language),
    duration: durationS,
    text: result.text,
    ...(granularities.includes("word") && { words: result.words.map(wordOf) }),
    ...(granularities.includes("segment") && {
      segments: result.utterances.map((utterance, id) => segmentOf(utterance, id, result.words)),
    }),
    usage: { type: "duration", seconds: Math.ceil(durationS) },
  };
  return { contentType: JSON_TYPE, body: JSON.stringify(body) };
}

const wordOf = ({ text, startMs, endMs }: TranscribedWord) => ({
  word: text,
  start: startMs / 1_000,
  end: endMs / 1_000,
});

/** What only Whisper knows of a segment has a neutral value. */
const segmentOf = (
  { text, startMs, endMs, channel }: TranscribedUtterance,
  id: number,
  words: readonly TranscribedWord[],
) => ({
  id,
  seek: 0,
  start: startMs / 1_000,
  end: endMs / 1_000,
  text,
  tokens: [],
  temperature: 0,
  avg_logprob: meanLogOf(
    words.filter((word) => word.channel === channel && word.startMs >= startMs && word.endMs <= endMs),
  ),
  compression_ratio: 1,
  no_speech_prob: 0,
});

/** Of the confidences that are known; 0 where there are none. */
function meanLogOf(words: readonly TranscribedWord[]): number {
  const known = words.flatMap(({ confidence = 0 }) => (confidence > 0 ? [Math.log(confidence)] : []));
  return known.length === 0 ? 0 : known.reduce((sum, log) => sum + log, 0) / known.length;
}

/** OpenAI writes `english`. */
const englishNameOf = (code: string): string =>
  new Intl.DisplayNames(["en"], { type: "language" }).of(primaryLanguage(code))?.toLowerCase() ?? code;
