import { connectionErrorCode } from "../../../../core/connection-error.ts";
import { providerFailed, TrunklineError } from "../../../../core/errors.ts";
import { isObject, parseObject } from "../../../../core/json.ts";
import { STT_ANSWER_BYTES_MAX, STT_PENDING_UTTERANCES_MS_MAX } from "../../../../core/limits/stt.ts";
import { NO_SPEECH } from "../../../../media/voice-activity/speech-activity.ts";
import { monoWav } from "../../../../media/wav.ts";
import type { Stt, SttEvent, SttStream } from "../../../contracts.ts";
import { EventQueue } from "../../../event-queue.ts";
import { headerOf, keepAliveRequest, preconnect, readBody } from "../../../keep-alive-request.ts";
import { openAiCode, openAiLanguage } from "../../../openai-languages.ts";
import { refusalFrom } from "../../../resilience/provider-error.ts";
import { transcriptLanguage, transcriptText } from "../../transcript-text.ts";
import { UtteranceBuffer } from "../../utterance-buffer.ts";

export interface OpenAiSttOptions {
  /** Undefined for servers that require none. */
  apiKey: string | undefined;
  model: string;
  /** The base address, without `/audio/transcriptions`, `https:` or `http:`. */
  url: string;
  /** Whether the server detects and reports the language where the request names none. */
  languageDetection: boolean;
}

const PROVIDER = "openai";
/** The only rate that whisper.cpp accepts; the other servers accept any. */
const RATE_HZ = 16_000;
/** The model that accepts several languages and reports the detected ones. It always responds in JSON. */
const GPT_TRANSCRIBE = /^gpt-transcribe(?:-|$)/;
/** Empty, or whisper.cpp's notes about sounds that are no speech: `[BLANK_AUDIO]`, `(wind blowing)`. */
const NO_WORDS = /^(?:\[[^[\]]*\]|\([^()]*\)|\s)*$/;

/**
 * STT of any server with OpenAI's `POST /v1/audio/transcriptions`: OpenAI itself, whisper.cpp (`--inference-path`),
 * speaches. It gets whole utterances, divided by our own VAD, one after the other, and emits no interim transcripts.
 *
 * Built from platform.openai.com/docs/api-reference/audio/createTranscription as in the `openai` package 7.57.0, and
 * from examples/server/README.md of whisper.cpp, as of November 2026. A language hint turns the detection off, so a
 * call gets one or the other.
 */
export function createOpenAiStt(options: OpenAiSttOptions): Stt {
  return {
    provider: PROVIDER,
    capabilities: { ratesHz: [RATE_HZ], interimTranscripts: false, detectsLanguage: () => options.languageDetection },
    open: ({ language, languagePinned = false }, signal) =>
      openStream({ ...options, languageDetection: options.languageDetection && !languagePinned }, language, signal),
  };
}

function openStream(options: OpenAiSttOptions, language: string, signal: AbortSignal): SttStream {
  const events = new EventQueue<SttEvent>(signal);
  preconnect(options.url, signal);
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const buffer = new UtteranceBuffer();
  /** Pending utterances; the first one is being transcribed. */
  const utterances: Int16Array[] = [];
  let sentMs = 0;
  const fail = (error: Error): void => {
    failed.abort();
    utterances.length = 0;
    events.fail(error);
  };
  const transcribeAll = async (): Promise<void> => {
    try {
      for (let next = utterances[0]; next !== undefined; next = utterances[0]) {
        sentMs += (next.length / RATE_HZ) * 1_000;
        const { text, detected } = await transcribe(options, next, language, either);
        if (either.aborted) return;
        utterances.shift();
        // An empty final for sounds without words: it shows that the utterance was processed.
        if (NO_WORDS.test(text)) events.push({ kind: "final", text: "" });
        else
          events.push({ kind: "final", text, ...(detected && { language: transcriptLanguage(detected, language) }) });
      }
    } catch (error) {
      if (!either.aborted)
        fail(error instanceof TrunklineError ? error : providerFailed(PROVIDER, requestFailure(error)));
    }
  };
  return {
    write(frame, activity = NO_SPEECH) {
      if (either.aborted) return;
      const utterance = buffer.write(frame, activity);
      if (utterance === undefined) return;
      utterances.push(utterance);
      const samples = utterances.reduce((sum, pending) => sum + pending.length, 0);
      if ((samples / RATE_HZ) * 1_000 > STT_PENDING_UTTERANCES_MS_MAX) {
        fail(providerFailed(PROVIDER, "transcribes slower than real time"));
      } else if (utterances.length === 1) {
        void transcribeAll();
      }
    },
    get sentAudioMs() {
      return sentMs;
    },
    events,
  };
}

async function transcribe(
  { apiKey, model, url, languageDetection }: OpenAiSttOptions,
  utterance: Int16Array,
  language: string,
  signal: AbortSignal,
): Promise<{ text: string; detected: string | undefined }> {
  const form = new FormData();
  form.append("file", new Blob([monoWav(utterance, RATE_HZ)], { type: "audio/wav" }), "utterance.wav");
  form.append("model", model);
  for (const [name, value] of fieldsFor(model, languageDetection ? undefined : language)) form.append(name, value);
  const sent = new Response(form);
  const headers = {
    "content-type": sent.headers.get("content-type") ?? "",
    // Compressed responses are not accepted: their decompressed size has no bound.
    "accept-encoding": "identity",
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  const requested = { method: "POST", headers, body: new Uint8Array(await sent.arrayBuffer()) } as const;
  const response = await keepAliveRequest(`${url}/audio/transcriptions`, requested, signal);
  const status = response.statusCode;
  const encoding = headerOf(response, "content-encoding") ?? "identity";
  if (status !== 200 || encoding !== "identity") {
    response.body.destroy();
    if (status === 200) throw providerFailed(PROVIDER, "sent an encoded response");
    const refusal = refusalFrom(status, headerOf(response, "retry-after"));
    throw providerFailed(PROVIDER, `refused with status ${status}`, refusal);
  }
  const bytes = await readBody(response, STT_ANSWER_BYTES_MAX);
  if (bytes === undefined) throw providerFailed(PROVIDER, "sent a response that is too long for a transcription");
  const body = parseObject(bytes.toString("utf8"));
  if (typeof body?.text !== "string") throw providerFailed(PROVIDER, "sent no transcription");
  return { text: transcriptText(body.text), detected: languageDetection ? detectedIn(body) : undefined };
}

/** The form fields for the language and the response format. Without a language the server detects it. */
function fieldsFor(model: string, language: string | undefined): [name: string, value: string][] {
  const code = language === undefined ? undefined : openAiCode(language);
  if (GPT_TRANSCRIBE.test(model)) return code === undefined ? [] : [["languages[]", code]];
  if (language === undefined) return [["response_format", "verbose_json"]];
  return [...(code === undefined ? [] : [["language", code] as [string, string]]), ["response_format", "json"]];
}

/** The language that a response reports, in BCP 47: from a list with one code, or from a single code or name. */
function detectedIn({ languages, language }: Readonly<Record<string, unknown>>): string | undefined {
  const codes: readonly unknown[] = Array.isArray(languages) ? languages : [];
  const [only] = codes.length === 1 ? codes : [];
  const reported = isObject(only) ? only.code : language;
  return typeof reported === "string" ? openAiLanguage(reported) : undefined;
}

/** Describes a failed request by its code alone, because error texts contain addresses. */
function requestFailure(error: unknown): string {
  return `the request failed (${connectionErrorCode(error) ?? "no code"})`;
}
