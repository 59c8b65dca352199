import type { Clock } from "../../../src/core/clock.ts";
import type { ClosableTts, Llm, Stt } from "../../../src/speech/contracts.ts";
import { createAnthropicLlm } from "../../../src/speech/llm/providers/anthropic.ts";
import { createGeminiLlm } from "../../../src/speech/llm/providers/gemini.ts";
import { createOpenAiLlm } from "../../../src/speech/llm/providers/openai.ts";
import { createAssemblyAiStt } from "../../../src/speech/stt/providers/assemblyai.ts";
import { createDeepgramStt } from "../../../src/speech/stt/providers/deepgram.ts";
import { createOpenAiStt } from "../../../src/speech/stt/providers/openai.ts";
import { createCartesiaTts } from "../../../src/speech/tts/providers/cartesia.ts";
import { createElevenLabsTts } from "../../../src/speech/tts/providers/elevenlabs.ts";
import { createOpenAiTts } from "../../../src/speech/tts/providers/openai.ts";
import { framesOf, hum } from "./stt/stt-server.ts";

/** Texts that no error may quote. */
export const PROVIDER_KEY = "canary-key";
export const SPOKEN = "canary words";
/** The rate at which STT streams are opened here. */
const STT_RATE_HZ = 16_000;

/** Creates a provider whose server has the address `base`, `http://127.0.0.1:1234` or `https://...`. */
interface Maker<Provider> {
  name: string;
  /** It uses a WebSocket, otherwise HTTP. */
  isSocket: boolean;
  make: (base: string, clock: Clock) => Provider;
}

const socketUrl = (base: string): string => base.replace(/^http/, "ws");

/** Every STT provider with a server. */
export const STT_PROVIDERS: readonly Maker<Stt>[] = [
  {
    name: "deepgram",
    isSocket: true,
    make: (base, clock) =>
      createDeepgramStt({ apiKey: PROVIDER_KEY, model: "nova-3", url: `${socketUrl(base)}/v1/listen`, clock }),
  },
  {
    name: "assemblyai",
    isSocket: true,
    make: (base, clock) =>
      createAssemblyAiStt({ apiKey: PROVIDER_KEY, model: "universal-3-6-pro", url: `${socketUrl(base)}/v3/ws`, clock }),
  },
  {
    name: "openai",
    isSocket: false,
    make: (base) =>
      createOpenAiStt({ apiKey: PROVIDER_KEY, model: "whisper-1", languageDetection: false, url: `${base}/v1` }),
  },
];

/** Every LLM provider with a server. */
export const LLM_PROVIDERS: readonly Maker<Llm>[] = [
  {
    name: "openai",
    isSocket: false,
    make: (base) => createOpenAiLlm({ model: "gpt-4o-mini", apiKey: PROVIDER_KEY, baseUrl: `${base}/v1` }),
  },
  {
    name: "anthropic",
    isSocket: false,
    make: (base) => createAnthropicLlm({ model: "claude-haiku-4-5", apiKey: PROVIDER_KEY, baseUrl: base }),
  },
  {
    name: "gemini",
    isSocket: false,
    make: (base) => createGeminiLlm({ model: "gemini-2.0-flash", apiKey: PROVIDER_KEY, baseUrl: base }),
  },
];

/** Every TTS provider with a server. */
export const TTS_PROVIDERS: readonly Maker<ClosableTts>[] = [
  {
    name: "elevenlabs",
    isSocket: true,
    make: (url, clock) => createElevenLabsTts({ apiKey: PROVIDER_KEY, model: "eleven_flash_v2_5", url, clock }),
  },
  {
    name: "cartesia",
    isSocket: true,
    make: (url, clock) => createCartesiaTts({ apiKey: PROVIDER_KEY, model: "sonic-3.5", url, clock }),
  },
  {
    name: "openai",
    isSocket: false,
    make: (base, clock) =>
      createOpenAiTts({
        url: `${base}/v1`,
        apiKey: PROVIDER_KEY,
        model: "gpt-4o-mini-tts",
        voices: [{ name: "alloy", language: "en" }],
        clock,
      }),
  },
];

/** A provider of any stage, and one request to it. */
export interface AnyProvider {
  kind: "stt" | "llm" | "tts";
  name: string;
  isSocket: boolean;
  /** Creates the provider, whose server has the address `base`, and sends one request; rejects with its failure. */
  ask: (base: string, clock: Clock) => Promise<unknown>;
}

/** Collects all of `items`. */
async function all(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const collected: unknown[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** One utterance, with the pause that ends it. */
function requestStt(stt: Stt, signal: AbortSignal): Promise<unknown> {
  const stream = stt.open({ language: "en-US", rateHz: STT_RATE_HZ }, signal);
  for (const [frame, isSpeech] of framesOf(hum(STT_RATE_HZ, 500, 500), STT_RATE_HZ)) stream.write(frame, isSpeech);
  return all(stream.events);
}

const requestLlm = (llm: Llm, signal: AbortSignal): Promise<unknown> =>
  all(llm.reply({ messages: [{ role: "user", text: SPOKEN }], tools: [], temperature: 0, language: "en" }, signal));

const requestTts = (tts: ClosableTts, signal: AbortSignal): Promise<unknown> =>
  all(tts.speak({ text: SPOKEN, voiceId: `${tts.provider}/one`, language: "en-US" }, signal)).finally(() =>
    tts.close(),
  );

function requests<Provider>(
  kind: AnyProvider["kind"],
  makers: readonly Maker<Provider>[],
  ask: (provider: Provider, signal: AbortSignal) => Promise<unknown>,
): AnyProvider[] {
  return makers.map(({ name, isSocket, make }) => ({
    kind,
    name,
    isSocket,
    ask: (base, clock) => {
      const life = new AbortController();
      return ask(make(base, clock), life.signal).finally(() => life.abort());
    },
  }));
}

/** Every provider with a server. */
export const EVERY_PROVIDER: readonly AnyProvider[] = [
  ...requests("stt", STT_PROVIDERS, requestStt),
  ...requests("llm", LLM_PROVIDERS, requestLlm),
  ...requests("tts", TTS_PROVIDERS, requestTts),
];
