import { providerFailed } from "../../../../core/errors.ts";
import { isObject } from "../../../../core/json.ts";
import { monoWav } from "../../../../media/wav.ts";
import { openAiCode, openAiLanguage } from "../../../openai-languages.ts";
import { jsonRequest } from "../json-request.ts";
import type { JsonObject } from "../stt-socket.ts";

export const PROVIDER = "openai";
/** The only rate that whisper.cpp accepts; the other servers accept any. */
export const RATE_HZ = 16_000;
/** The model that accepts several languages and reports the detected ones. It always responds in JSON. */
const GPT_TRANSCRIBE = /^gpt-transcribe(?:-|$)/;
/** Empty, or whisper.cpp's notes about sounds that are no speech: `[BLANK_AUDIO]`, `(wind blowing)`. */
const NO_WORDS = /^(?:\[[^[\]]*\]|\([^()]*\)|\s)*$/;

export interface TranscriptionServer {
  /** Undefined for servers that require none. */
  apiKey: string | undefined;
  model: string;
  /** The base address, without `/audio/transcriptions`, `https:` or `http:`. */
  url: string;
}

export type FormField = readonly [name: string, value: string];

/** Asks the server for the transcription of `samples`, which are at RATE_HZ. The answer has a `text`. */
export async function requestTranscription(
  { apiKey, model, url }: TranscriptionServer,
  samples: Int16Array,
  fields: readonly FormField[],
  bytesMax: number,
  signal: AbortSignal,
): Promise<JsonObject & { text: string }> {
  const form = new FormData();
  form.append("file", new Blob([monoWav(samples, RATE_HZ)], { type: "audio/wav" }), "utterance.wav");
  form.append("model", model);
  for (const [name, value] of fields) form.append(name, value);
  const sent = new Response(form);
  const headers = {
    "content-type": sent.headers.get("content-type") ?? "",
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  const body = new Uint8Array(await sent.arrayBuffer());
  const request = { provider: PROVIDER, url: `${url}/audio/transcriptions`, method: "POST", headers, body } as const;
  const answer = await jsonRequest({ ...request, bytesMax }, signal);
  const { text } = answer;
  if (typeof text !== "string") throw providerFailed(PROVIDER, "sent no transcription");
  return { ...answer, text };
}

/** The fields that name the language; none where the server detects it, or does not know it. */
export function languageFields(model: string, language: string | undefined): FormField[] {
  const code = language === undefined ? undefined : openAiCode(language);
  if (code === undefined) return [];
  return [[isGptTranscribe(model) ? "languages[]" : "language", code]];
}

export const isGptTranscribe = (model: string): boolean => GPT_TRANSCRIBE.test(model);

/** The words of a transcript; empty for notes about sounds. */
export const spokenWords = (text: string): string => (NO_WORDS.test(text) ? "" : text);

/** The language that a response reports, in BCP 47: from a list with one code, or from a single code or name. */
export function detectedIn({ languages, language }: Readonly<Record<string, unknown>>): string | undefined {
  const codes: readonly unknown[] = Array.isArray(languages) ? languages : [];
  const [only] = codes.length === 1 ? codes : [];
  const reported = isObject(only) ? only.code : language;
  return typeof reported === "string" ? openAiLanguage(reported) : undefined;
}
