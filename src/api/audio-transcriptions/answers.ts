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
export async function answerOf(
  result: TranscriptionResult,
  { format, granularities }: Pick<OpenAiParameters, "format" | "granularities">,
  formatResult: FormatResult,
): Promise<OpenAiAnswer> {
  if (format === "json") return { contentType: JSON_TYPE, body: JSON.stringify({ text: result.text }) };
  if (format !== "verbose_json") return { contentType: TYPES[format], body: await formatResult(result, format) };
  const durationS = result.durationMs / 1_000;
  const body = {
    task: "transcribe",
    language: englishNameOf(result.language),
    duration: durationS,
    text: result.text,
    ...(granularities.includes("word") && { words: result.words.map(wordOf) }),
    ...(granularities.includes("segment") && {
      segments: segmentsOf(result),
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

/** One pass over the words of each channel: a file of hours has some 100,000. */
function segmentsOf({ utterances, words }: TranscriptionResult) {
  const ofChannels = new Map<number, { words: TranscribedWord[]; next: number }>();
  for (const { channel } of utterances) ofChannels.set(channel, { words: [], next: 0 });
  for (const word of words) ofChannels.get(word.channel)?.words.push(word);
  return utterances.map((utterance, id) => {
    const channel = ofChannels.get(utterance.channel) as { words: TranscribedWord[]; next: number };
    while ((channel.words[channel.next]?.startMs ?? Number.POSITIVE_INFINITY) < utterance.startMs) channel.next += 1;
    const own: TranscribedWord[] = [];
    for (let at = channel.next; (channel.words[at]?.startMs ?? Number.POSITIVE_INFINITY) <= utterance.endMs; at += 1) {
      own.push(channel.words[at] as TranscribedWord);
    }
    return segmentOf(utterance, id, own);
  });
}

/** What only Whisper knows of a segment has a neutral value. `words` begin within the segment. */
const segmentOf = ({ text, startMs, endMs }: TranscribedUtterance, id: number, words: readonly TranscribedWord[]) => ({
  id,
  seek: 0,
  start: startMs / 1_000,
  end: endMs / 1_000,
  text,
  tokens: [],
  temperature: 0,
  avg_logprob: meanLogOf(words.filter((word) => word.endMs <= endMs)),
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
