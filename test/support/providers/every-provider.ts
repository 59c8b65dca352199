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

/** What no error may quote. */
export const PROVIDER_KEY = "canary-key";
export const SPOKEN = "canary words";
/** The rate of the bus that ears are opened at here. */
const EAR_RATE_HZ = 16_000;

/** Makes a provider whose server stands at `base`, `http://127.0.0.1:1234` or `https://...`. */
interface Maker<Provider> {
  name: string;
  /** It asks over a WebSocket; over HTTP otherwise. */
  isSocket: boolean;
  make: (base: string, clock: Clock) => Provider;
}

const socketUrl = (base: string): string => base.replace(/^http/, "ws");

/** Every ear that asks a server. */
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

/** Every brain that asks a server. */
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

/** Every voice that asks a server. */
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

/** A provider of any kind, and one question to it. */
export interface AnyProvider {
  kind: "ear" | "brain" | "voice";
  name: string;
  isSocket: boolean;
  /** Asks one thing of a provider whose server stands at `base`, which is made anew; rejects with its failure. */
  ask: (base: string, clock: Clock) => Promise<unknown>;
}

/** All that `items` gives. */
async function all(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const got: unknown[] = [];
  for await (const item of items) got.push(item);
  return got;
}

/** One utterance, with the pause that ends it. */
function askEar(stt: Stt, signal: AbortSignal): Promise<unknown> {
  const stream = stt.open({ language: "en-US", rateHz: EAR_RATE_HZ }, signal);
  for (const [frame, voiced] of framesOf(hum(EAR_RATE_HZ, 500, 500), EAR_RATE_HZ)) stream.write(frame, voiced);
  return all(stream.events);
}

const askBrain = (llm: Llm, signal: AbortSignal): Promise<unknown> =>
  all(llm.reply({ messages: [{ role: "user", text: SPOKEN }], tools: [], temperature: 0, language: "en" }, signal));

const askVoice = (tts: ClosableTts, signal: AbortSignal): Promise<unknown> =>
  all(tts.speak({ text: SPOKEN, voiceId: `${tts.provider}/one`, language: "en-US" }, signal)).finally(() =>
    tts.close(),
  );

function questions<Provider>(
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

/** Every provider that asks a server. */
export const EVERY_PROVIDER: readonly AnyProvider[] = [
  ...questions("ear", STT_PROVIDERS, askEar),
  ...questions("brain", LLM_PROVIDERS, askBrain),
  ...questions("voice", TTS_PROVIDERS, askVoice),
];
