import { providerFailed } from "../../../../core/errors.ts";
import { isObject } from "../../../../core/json.ts";
import {
  BATCH_ANSWER_BYTES_MAX,
  BATCH_SPEAKERS_PART_MS_MAX,
} from "../../../../core/limits/transcriptions/batch-stt.ts";
import type { PartTranscript } from "../../../../core/transcriptions/part.ts";
import { monoWav } from "../../../../media/wav.ts";
import { languageCode } from "../../../languages.ts";
import { answerWords, secondsInMs } from "../../batch/answer-words.ts";
import { BATCH_RATE_HZ, type BatchRequest, type BatchStt, NETWORK_CAPABILITIES } from "../../batch/contract.ts";
import { withProviderFailures } from "../../batch/failures.ts";
import { vocabularyWithin } from "../../batch/vocabulary.ts";
import { jsonRequest } from "../json-request.ts";
import { withQueryDefaults } from "../query-defaults.ts";
import type { JsonObject } from "../stt-socket.ts";
import { deepgramCode, detectsDominantLanguage, languageOfDeepgram } from "./languages.ts";

export interface DeepgramBatchOptions {
  apiKey: string;
  model: string;
  /** The address of the stream, `wss:` or `ws:`; recordings are sent to the same over HTTP. Parameters in its query take precedence over ours. */
  url: string;
}

const PROVIDER = "deepgram";
/** Parameters of a stream that mean nothing for a file, or describe audio that a file describes itself. */
const STREAM_PARAMETERS: readonly string[] = [
  "encoding",
  "sample_rate",
  "channels",
  "interim_results",
  "endpointing",
  "utterance_end_ms",
  "vad_events",
];
/** Of Nova-3, at most 500 tokens a request (docs/keyterm); and of `keywords` of older models, at most 100 (docs/keywords). */
const VOCABULARY_LIMITS = { termsMax: 100, charsMax: 1_500 };
const KEYTERM_MODEL = /^nova-3/;
/** Older models take single words; a colon would separate a word from its weight. */
const KEYWORD = /^[\p{L}\p{M}\p{N}'’-]+$/u;

/**
 * Deepgram's speech to text of recordings, `POST /v1/listen`.
 *
 * Built from developers.deepgram.com, as of November 2026: reference/speech-to-text/listen-pre-recorded, and of docs language-detection,
 * diarization, keyterm, keywords and smart-format.
 */
export function createDeepgramBatchStt(options: DeepgramBatchOptions): BatchStt {
  const query = new URL(options.url).searchParams;
  const model = query.get("model") ?? options.model;
  const fixed = query.get("language");
  return {
    provider: PROVIDER,
    capabilities: {
      ...NETWORK_CAPABILITIES,
      speakersPartMsMax: BATCH_SPEAKERS_PART_MS_MAX,
      detectsLanguage: fixed === null ? detectsDominantLanguage(model) : fixed === "multi",
    },
    transcribe: (request, signal) =>
      withProviderFailures(PROVIDER, signal, async () => {
        // It refuses a file without audio, in which nothing can be said.
        if (request.samples.length === 0) return { words: [], hasEstimatedTimes: false };
        const answer = await jsonRequest(
          {
            provider: PROVIDER,
            url: requestUrl(options.url, model, request).href,
            method: "POST",
            headers: { authorization: `Token ${options.apiKey}`, "content-type": "audio/wav" },
            body: monoWav(request.samples, BATCH_RATE_HZ),
            bytesMax: BATCH_ANSWER_BYTES_MAX,
          },
          signal,
        );
        return transcriptIn(answer, request.language);
      }),
  };
}

function requestUrl(address: string, model: string, { language, speakers, vocabulary }: BatchRequest): URL {
  const url = new URL(address);
  url.protocol = url.protocol === "ws:" ? "http:" : "https:";
  for (const parameter of STREAM_PARAMETERS) url.searchParams.delete(parameter);
  const isFixed = url.searchParams.has("language");
  const languageQuery: Record<string, string> =
    language === "auto" ? { detect_language: "true" } : { language: deepgramCode(language) };
  const complete = withQueryDefaults(url.href, {
    model,
    ...(isFixed ? {} : languageQuery),
    punctuate: "true",
    smart_format: "true",
    ...(speakers ? { diarize: "true" } : {}),
  });
  const hasKeyterms = KEYTERM_MODEL.test(model);
  const terms = hasKeyterms ? vocabulary : vocabulary.filter((term) => KEYWORD.test(term));
  for (const term of vocabularyWithin(terms, VOCABULARY_LIMITS)) {
    complete.searchParams.append(hasKeyterms ? "keyterm" : "keywords", term);
  }
  return complete;
}

function transcriptIn({ results }: JsonObject, language: string): PartTranscript {
  const channels = isObject(results) && Array.isArray(results.channels) ? results.channels : [];
  const channel: unknown = channels[0];
  const alternatives = isObject(channel) && Array.isArray(channel.alternatives) ? channel.alternatives : [];
  const best: unknown = alternatives[0];
  const words = isObject(best)
    ? answerWords(best.words, ({ word, punctuated_word, start, end, confidence, speaker }) => ({
        text: punctuated_word ?? word,
        startMs: secondsInMs(start),
        endMs: secondsInMs(end),
        confidence,
        speaker,
      }))
    : undefined;
  if (words === undefined || !isObject(channel) || !isObject(best))
    throw providerFailed(PROVIDER, "sent no transcription");
  const languages: readonly unknown[] = Array.isArray(best.languages) ? best.languages : [];
  const reported = channel.detected_language ?? languages[0];
  const code = language === "auto" && typeof reported === "string" ? languageCode(reported) : undefined;
  return { words, hasEstimatedTimes: false, ...(code === undefined ? {} : { language: languageOfDeepgram(code) }) };
}
