import type { Clock } from "../../../../core/clock.ts";
import { providerFailed, TrunklineError } from "../../../../core/errors.ts";
import {
  BATCH_ANSWER_BYTES_MAX,
  BATCH_POLL_MS,
  BATCH_RETRY_MS_MAX,
  BATCH_SPEAKERS_PART_MS_MAX,
} from "../../../../core/limits/transcriptions/batch-stt.ts";
import { connectionErrorCode } from "../../../../core/network/connection-error.ts";
import type { PartTranscript } from "../../../../core/transcriptions/part.ts";
import { monoWav } from "../../../../media/wav.ts";
import { languageCode } from "../../../languages.ts";
import { delay } from "../../../resilience/deadlines.ts";
import { retryDelayMs } from "../../../resilience/provider-error.ts";
import { answerWords } from "../../batch/answer-words.ts";
import { BATCH_RATE_HZ, type BatchRequest, type BatchStt, NETWORK_CAPABILITIES } from "../../batch/contract.ts";
import { withProviderFailures } from "../../batch/failures.ts";
import { vocabularyWithin } from "../../batch/vocabulary.ts";
import { jsonRequest } from "../json-request.ts";
import type { JsonObject } from "../stt-socket.ts";
import { assemblyAiCode, languageOfAssemblyAi } from "./languages.ts";

export interface AssemblyAiBatchOptions {
  apiKey: string;
  /** The address of the stream, `wss:` or `ws:`. */
  url: string;
  clock: Clock;
}

const PROVIDER = "assemblyai";
/** The hosts of recordings, by those of streams; a server of one's own has both at one. */
const HOSTS: Readonly<Record<string, string>> = {
  "streaming.assemblyai.com": "api.assemblyai.com",
  "streaming.us.assemblyai.com": "api.assemblyai.com",
  "streaming.eu.assemblyai.com": "api.eu.assemblyai.com",
};
/** The best model, and the one for the languages that it does not know. */
const MODELS: readonly string[] = ["universal-3-5-pro", "universal-2"];
/** What Universal-2 takes. */
const VOCABULARY_LIMITS = { termsMax: 200, charsMax: 4_000 };
/** Longer terms are refused. */
const TERM_WORDS_MAX = 6;
/** The error of audio in which no language can be detected, because nothing is said. */
const NO_SPEECH = /\bno spoken audio\b/i;

/**
 * AssemblyAI's speech to text of recordings: the audio is uploaded, its transcript is ordered, and asked for until it is there.
 *
 * Built from www.assemblyai.com/docs, as of November 2026: openapi.json (`/v2/upload`, `/v2/transcript`), and
 * pre-recorded-audio/select-the-speech-model, pre-recorded-audio/supported-languages, pre-recorded-audio/label-speakers,
 * pre-recorded-audio/keyterms-prompting, getting-started/models and deployment/available-cloud-regions; and from
 * github.com/AssemblyAI/assemblyai-node-sdk, tests/unit/language-detection-options.test.ts (`on_no_speech_detected`).
 */
export function createAssemblyAiBatchStt(options: AssemblyAiBatchOptions): BatchStt {
  const origin = recordingOrigin(options.url);
  return {
    provider: PROVIDER,
    capabilities: {
      ...NETWORK_CAPABILITIES,
      speakersPartMsMax: BATCH_SPEAKERS_PART_MS_MAX,
      detectsLanguage: true,
    },
    transcribe: (request, signal) =>
      withProviderFailures(PROVIDER, signal, () => transcribe(options, origin, request, signal)),
  };
}

/** Where recordings are sent, by the address of the stream: in the same region. */
export function recordingOrigin(address: string): string {
  const { protocol, hostname, host } = new URL(address);
  return `${protocol === "ws:" ? "http:" : "https:"}//${HOSTS[hostname] ?? host}`;
}

async function transcribe(
  { apiKey, clock }: AssemblyAiBatchOptions,
  origin: string,
  request: BatchRequest,
  signal: AbortSignal,
): Promise<PartTranscript> {
  // It refuses a file without audio, in which nothing can be said.
  if (request.samples.length === 0) return { words: [], hasEstimatedTimes: false };
  const ask = (path: string, sent: Pick<Parameters<typeof jsonRequest>[0], "method" | "body">, type: string) =>
    jsonRequest(
      {
        provider: PROVIDER,
        url: `${origin}${path}`,
        headers: { authorization: apiKey, "content-type": type },
        bytesMax: BATCH_ANSWER_BYTES_MAX,
        ...sent,
      },
      signal,
    );
  const body = monoWav(request.samples, BATCH_RATE_HZ);
  const { upload_url: uploadUrl } = await ask("/v2/upload", { method: "POST", body }, "application/octet-stream");
  if (typeof uploadUrl !== "string") throw providerFailed(PROVIDER, "sent no address of the upload");
  const order = { method: "POST", body: JSON.stringify(orderOf(request, uploadUrl)) } as const;
  const ordered = await ask("/v2/transcript", order, "application/json");
  const { id } = ordered;
  if (typeof id !== "string" || !/^[\w-]{1,64}$/.test(id))
    throw providerFailed(PROVIDER, "sent no id of the transcript");
  const poll = () => ask(`/v2/transcript/${id}`, { method: "GET" }, "application/json");
  return transcriptIn(await ended(ordered, poll, clock, signal), request.language);
}

/**
 * Polls until the transcript has ended. It is paid for when it is ordered, so that a poll that fails is repeated, as long as the
 * deadline of the request allows; only a refusal of the poll itself ends it.
 */
async function ended(
  ordered: JsonObject,
  poll: () => Promise<JsonObject>,
  clock: Clock,
  signal: AbortSignal,
): Promise<JsonObject> {
  let transcript = ordered;
  let delayMs = BATCH_POLL_MS;
  while (transcript.status === "queued" || transcript.status === "processing") {
    await delay(delayMs, clock, signal);
    signal.throwIfAborted();
    delayMs = BATCH_POLL_MS;
    try {
      transcript = await poll();
    } catch (error) {
      signal.throwIfAborted();
      const retryMs = pollRetryMs(error);
      if (retryMs === undefined) throw error;
      delayMs = Math.max(BATCH_POLL_MS, Math.min(retryMs, BATCH_RETRY_MS_MAX));
    }
  }
  return transcript;
}

/** The delay after a failed poll, ms; undefined where the next one would fail too. */
const pollRetryMs = (error: unknown): number | undefined =>
  error instanceof TrunklineError || connectionErrorCode(error) !== undefined ? retryDelayMs(error) : undefined;

/** Audio in which nothing is said is no error. */
const LANGUAGE_DETECTION = {
  language_detection: true,
  language_detection_options: { on_no_speech_detected: "fallback" },
};

function orderOf({ language, speakers, vocabulary }: BatchRequest, uploadUrl: string): object {
  const terms = vocabularyWithin(
    vocabulary.filter((term) => term.trim().split(/\s+/).length <= TERM_WORDS_MAX),
    VOCABULARY_LIMITS,
  );
  return {
    audio_url: uploadUrl,
    speech_models: MODELS,
    ...(language === "auto" ? LANGUAGE_DETECTION : { language_code: assemblyAiCode(language) }),
    ...(speakers ? { speaker_labels: true } : {}),
    ...(terms.length > 0 ? { keyterms_prompt: terms } : {}),
  };
}

function transcriptIn(
  { status, error, words: list, language_code: reported }: JsonObject,
  language: string,
): PartTranscript {
  if (status === "error" && typeof error === "string" && NO_SPEECH.test(error)) {
    return { words: [], hasEstimatedTimes: false };
  }
  // Its error may quote the address of the upload.
  if (status === "error") throw providerFailed(PROVIDER, "could not transcribe the audio");
  const names = new Map<unknown, number>();
  const numberOf = (name: unknown): number | undefined => {
    if (typeof name !== "string") return undefined;
    if (!names.has(name)) names.set(name, names.size);
    return names.get(name);
  };
  // Without any speech there is no list.
  const words = answerWords(list ?? [], ({ text, start, end, confidence, speaker }) => ({
    ...{ text, startMs: start, endMs: end, confidence, speaker: numberOf(speaker) },
  }));
  if (status !== "completed" || words === undefined) throw providerFailed(PROVIDER, "sent no transcription");
  const code =
    language === "auto" && typeof reported === "string" ? languageCode(reported.replace("_", "-")) : undefined;
  return { words, hasEstimatedTimes: false, ...(code === undefined ? {} : { language: languageOfAssemblyAi(code) }) };
}
