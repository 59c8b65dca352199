import { BATCH_ANSWER_BYTES_MAX } from "../../../../core/limits/transcriptions/batch-stt.ts";
import { estimateWordTimes } from "../../../../core/transcriptions/estimated-times.ts";
import type { PartTranscript, PartWord } from "../../../../core/transcriptions/part.ts";
import { answerWords, secondsInMs } from "../../batch/answer-words.ts";
import { type BatchRequest, type BatchStt, NETWORK_CAPABILITIES } from "../../batch/contract.ts";
import { withProviderFailures } from "../../batch/failures.ts";
import { speechSpans } from "../../batch/speech-spans.ts";
import { vocabularyWithin } from "../../batch/vocabulary.ts";
import type { JsonObject } from "../stt-socket.ts";
import { punctuated } from "./punctuation.ts";
import {
  detectedIn,
  type FormField,
  isGptTranscribe,
  languageFields,
  PROVIDER,
  requestTranscription,
  spokenWords,
  type TranscriptionServer,
} from "./request.ts";

export interface OpenAiBatchOptions extends TranscriptionServer {
  /** Whether the server detects and reports the language where the request names none. */
  languageDetection: boolean;
  /** Whether it may be asked for the times of words: `whisper-1`, and servers of one's own, which leave out what they cannot do. */
  wordTimes: boolean;
}

/** Whisper reads the last 224 tokens of a prompt. */
const VOCABULARY_LIMITS = { termsMax: 100, charsMax: 600 };

/**
 * Recordings with any server that has OpenAI's `POST /v1/audio/transcriptions`. The vocabulary is its `prompt`. Times of words that the
 * server does not give are estimated, within its segments where it has them.
 *
 * Built from platform.openai.com/docs/api-reference/audio/createTranscription, as of November 2026.
 */
export const createOpenAiBatchStt = (options: OpenAiBatchOptions): BatchStt => ({
  provider: PROVIDER,
  capabilities: {
    ...NETWORK_CAPABILITIES,
    detectsLanguage: options.languageDetection,
  },
  transcribe: (request, signal) =>
    withProviderFailures(PROVIDER, signal, async () => {
      // Servers refuse a file without audio, in which nothing can be said.
      if (request.samples.length === 0) return { words: [], hasEstimatedTimes: false };
      const fields = fieldsFor(options, request);
      const answer = await requestTranscription(options, request.samples, fields, BATCH_ANSWER_BYTES_MAX, signal);
      return transcriptIn(answer, request);
    }),
});

function fieldsFor({ model, wordTimes }: OpenAiBatchOptions, { language, vocabulary }: BatchRequest): FormField[] {
  const terms = vocabularyWithin(vocabulary, VOCABULARY_LIMITS);
  const prompt: FormField[] = terms.length > 0 ? [["prompt", terms.join(", ")]] : [];
  const named = languageFields(model, language === "auto" ? undefined : language);
  if (isGptTranscribe(model)) return [...named, ...prompt];
  const times: FormField[] = wordTimes
    ? [
        ["response_format", "verbose_json"],
        ["timestamp_granularities[]", "word"],
        ["timestamp_granularities[]", "segment"],
      ]
    : [["response_format", "json"]];
  return [...named, ...prompt, ...times];
}

function transcriptIn(answer: JsonObject & { text: string }, request: BatchRequest): PartTranscript {
  const text = spokenWords(answer.text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim());
  const detected = request.language === "auto" && text !== "" ? detectedIn(answer) : undefined;
  const language = detected === undefined ? {} : { language: detected };
  const written = detected ?? request.language;
  const timed = answerWords(answer.words, ({ word, start, end }) => ({
    ...{ text: word, startMs: secondsInMs(start), endMs: secondsInMs(end) },
  }));
  if (text === "") return { words: [], hasEstimatedTimes: false };
  if (timed === undefined || timed.length === 0) {
    return { words: estimatedWords(answer, text, request, written), hasEstimatedTimes: true, ...language };
  }
  const texts = punctuated(
    timed.map((word) => word.text),
    text,
    written,
  );
  const words = timed.map((word, index): PartWord => ({ ...word, text: texts[index] ?? word.text }));
  return { words, hasEstimatedTimes: false, ...language };
}

/** Words with estimated times, within the segments of the answer where it has them, otherwise where the audio has sound. */
function estimatedWords({ segments }: JsonObject, text: string, request: BatchRequest, language: string): PartWord[] {
  const list: readonly unknown[] = Array.isArray(segments) ? segments : [];
  const words = list.flatMap((segment) => {
    const [read] = answerWords([segment], ({ text: said, start, end }) => ({
      ...{ text: said, startMs: secondsInMs(start), endMs: secondsInMs(end) },
    })) ?? [undefined];
    return read === undefined ? [] : estimateWordTimes(spokenWords(read.text), [read], language);
  });
  return words.length > 0 ? words : estimateWordTimes(text, speechSpans(request.samples), language);
}
