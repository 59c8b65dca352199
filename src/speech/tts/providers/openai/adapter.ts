import type { Clock } from "../../../../core/clock.ts";
import { providerFailed, TrunklineError } from "../../../../core/errors.ts";
import { isObject } from "../../../../core/json.ts";
import { TURN_TEXT_CHARS_MAX } from "../../../../core/limits/calls/calls.ts";
import type { ClosableTts, TtsChunk, Voice } from "../../../contracts.ts";
import { headerOf, type KeepAliveResponse, preconnect } from "../../../keep-alive-request.ts";
import { languageCode } from "../../../languages.ts";
import { OPENAI_LANGUAGE_CODES } from "../../../openai-languages.ts";
import { REQUEST_ERROR } from "../../../resilience/provider-error.ts";
import { OPENAI_ADDRESS } from "../../../server-settings.ts";
import { TtsAudioDecoder } from "../../audio-decoder.ts";
import { CachedVoiceList } from "../../voice-list.ts";
import { isSpeakable } from "../../word-alignment.ts";
import { connectionFailed, readJson, requestTts } from "../tts-http.ts";
import { WavProblem, WavReader } from "../wav-reader.ts";

export interface OpenAiTtsOptions {
  /** The address of the API, with its version: `https://api.openai.com/v1`. */
  url: string;
  /** Undefined for servers that need none. */
  apiKey: string | undefined;
  model: string;
  /**
   * Name and language of each voice; a name occurs once for every language that it is offered in. If empty, the list is
   * requested from the server, which not every server supports.
   */
  voices: readonly { name: string; language: string }[];
  clock: Clock;
}

const PROVIDER = "openai";
const PREFIX = `${PROVIDER}/`;
/** The rate of `audio/pcm` responses that state none, from OpenAI and Kokoro. */
const PCM_RATE_HZ = 24_000;
/** The language of a voice whose language is unknown. */
const LANGUAGE_DEFAULT = "en";

/**
 * Kokoro's voices are named by language and sex (`bf_emma`):
 * https://huggingface.co/hexgrad/Kokoro-82M/blob/main/VOICES.md
 */
const KOKORO_NAME = /^([abefhijpz])[fm]_/;
const KOKORO_LANGUAGES: Readonly<Record<string, string>> = {
  a: "en-US",
  b: "en-GB",
  e: "es",
  f: "fr",
  h: "hi",
  i: "it",
  j: "ja",
  p: "pt-BR",
  z: "zh",
};

/**
 * Any server with OpenAI's `/v1/audio/speech` (OpenAI, Kokoro-FastAPI, speaches with Piper), without word timestamps.
 * It requests WAV, which states its rate, and streams it. Built from
 * https://platform.openai.com/docs/api-reference/audio/createSpeech. OpenAI has no endpoint that lists voices; the one
 * used is Kokoro-FastAPI's `GET /v1/audio/voices`.
 */
export function createOpenAiTts(options: OpenAiTtsOptions): ClosableTts {
  const { url, apiKey, model, clock } = options;
  const named = new Map(configuredVoices(options.voices).map(({ name, voice }) => [voice.id, name]));
  const headers: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const list = new CachedVoiceList(PROVIDER, clock, (signal) => loadVoices(options, headers, signal));
  const life = new AbortController();
  return {
    provider: PROVIDER,
    capabilities: { wordTimestamps: false },
    voices: () => list.voices(),
    prepare: (_voice, signal) => preconnect(url, signal),
    async *speak({ text, voiceId }, signal) {
      if (life.signal.aborted) throw providerFailed(PROVIDER, "closed");
      if (text.length > TURN_TEXT_CHARS_MAX) throw providerFailed(PROVIDER, "the text is too long", REQUEST_ERROR);
      if (!voiceId.startsWith(PREFIX)) throw providerFailed(PROVIDER, "no such voice", REQUEST_ERROR);
      if (signal.aborted || !isSpeakable(text)) return;
      const voice = named.get(voiceId) ?? voiceId.slice(PREFIX.length);
      const body = { model, voice, input: text, response_format: "wav" };
      const anySignal = AbortSignal.any([signal, life.signal]);
      let response: KeepAliveResponse | undefined;
      try {
        response = await requestTts({ provider: PROVIDER, url: `${url}/audio/speech`, headers, body }, anySignal);
        const audio = new ResponseAudio(text, headerOf(response, "content-type"));
        // The next bytes are read when the chunk of the previous ones has been pulled.
        for await (const bytes of response.body as AsyncIterable<Buffer>) {
          const chunk = audio.take(bytes);
          if (chunk !== undefined) yield chunk;
          if (signal.aborted) return;
        }
        audio.end();
      } catch (error) {
        if (signal.aborted) return;
        throw life.signal.aborted ? providerFailed(PROVIDER, "closed") : providerError(error);
      } finally {
        response?.body.destroy();
      }
    },
    close: () => {
      life.abort();
      list.close();
    },
  };
}

/** The audio of one response: a WAV file, or raw samples from a server that does not support WAV. */
class ResponseAudio {
  readonly #text: string;
  readonly #pcmRateHz: number | undefined;
  #head: Buffer = Buffer.alloc(0);
  #wav: WavReader | undefined;
  #audio: TtsAudioDecoder | undefined;

  constructor(text: string, contentType: string | undefined) {
    this.#text = text;
    this.#pcmRateHz = pcmRateOf(contentType);
  }

  /** The chunk in the next bytes; undefined if they are too few. */
  take(part: Buffer): TtsChunk | undefined {
    let bytes = part;
    if (this.#audio === undefined && this.#wav === undefined) {
      this.#head = Buffer.concat([this.#head, part]);
      bytes = this.#head;
      if (bytes.length < 4) return undefined;
      if (this.#pcmRateHz === undefined || bytes.toString("latin1", 0, 4) === "RIFF") this.#wav = new WavReader();
      else this.#audio = audioOf(this.#text, this.#pcmRateHz);
    }
    if (this.#wav !== undefined) bytes = this.#wav.read(bytes);
    if (this.#wav?.rateHz !== undefined) this.#audio ??= audioOf(this.#text, this.#wav.rateHz);
    if (this.#audio === undefined || bytes.length === 0) return undefined;
    const samples = this.#audio.decode(bytes);
    return samples.length > 0 ? { samples, rateHz: this.#audio.rateHz, words: [] } : undefined;
  }

  end(): void {
    if (this.#audio === undefined) throw providerFailed(PROVIDER, "sent no audio");
    this.#audio.end();
  }
}

const audioOf = (text: string, rateHz: number): TtsAudioDecoder =>
  new TtsAudioDecoder({ provider: PROVIDER, text, rateHz, encoding: "pcm_s16le" });

/** The rate of a response whose content type is raw samples; undefined for any other type. */
function pcmRateOf(contentType = ""): number | undefined {
  const [type = "", ...parameters] = contentType.toLowerCase().split(";");
  if (type.trim() !== "audio/pcm") return undefined;
  const rate = parameters.map((parameter) => /^\s*rate\s*=\s*"?(\d{4,5})"?\s*$/.exec(parameter)?.[1]).find(Boolean);
  return rate === undefined ? PCM_RATE_HZ : Number(rate);
}

function providerError(error: unknown): TrunklineError {
  if (error instanceof TrunklineError) return error;
  if (error instanceof WavProblem) return providerFailed(PROVIDER, `sent ${error.message}`);
  return connectionFailed(PROVIDER, error);
}

async function loadVoices(
  { url, voices }: OpenAiTtsOptions,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly Voice[]> {
  if (voices.length > 0) {
    const named = configuredVoices(voices).map(({ voice }) => voice);
    // Each of OpenAI's own voices speaks all languages.
    return url === OPENAI_ADDRESS ? named.map((voice) => ({ ...voice, alsoSpeaks: OPENAI_LANGUAGE_CODES })) : named;
  }
  const response = await requestTts({ provider: PROVIDER, url: `${url}/audio/voices`, headers }, signal);
  const list = await readJson(PROVIDER, response);
  if (!isObject(list) || !Array.isArray(list.voices)) throw providerFailed(PROVIDER, "sent no list of voices");
  return list.voices.flatMap((listed: unknown) => {
    // Older servers list only names.
    const { id, name = id } = isObject(listed) ? listed : { id: listed };
    if (typeof id !== "string" || id === "") return [];
    const language = KOKORO_LANGUAGES[KOKORO_NAME.exec(id)?.[1] ?? ""];
    const voice = voiceOf(id, typeof name === "string" && name !== "" ? name : id, language ?? LANGUAGE_DEFAULT);
    return [language === undefined ? { ...voice, otherLanguagesUnknown: true } : voice];
  });
}

/** A name's first language has the plain id; in every other language it is a voice of its own, `alloy:de`. */
function configuredVoices(voices: OpenAiTtsOptions["voices"]): { name: string; voice: Voice }[] {
  const seen = new Set<string>();
  return voices.map(({ name, language }) => {
    const id = seen.has(name) ? `${name}:${languageCode(language) ?? LANGUAGE_DEFAULT}` : name;
    seen.add(name);
    return { name, voice: voiceOf(id, name, language) };
  });
}

const voiceOf = (id: string, name: string, language: string): Voice => ({
  id: PREFIX + id,
  name,
  language: languageCode(language) ?? LANGUAGE_DEFAULT,
  provider: PROVIDER,
});
