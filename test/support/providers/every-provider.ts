import { VariableReader } from "../../../src/config/variables/reader.ts";
import type { Stage } from "../../../src/core/calls/stages.ts";
import type { Clock } from "../../../src/core/clock.ts";
import type { Variable, Variables } from "../../../src/core/configuration/variable.ts";
import type { ClosableTts, Llm, Stt } from "../../../src/speech/contracts.ts";
import { LLM_PROVIDERS as LLM_LIST } from "../../../src/speech/llm/providers/list.ts";
import type { ConfiguredProvider, ProviderDescriptor } from "../../../src/speech/provider-descriptor.ts";
import { STT_PROVIDERS as STT_LIST } from "../../../src/speech/stt/providers/list.ts";
import { TTS_PROVIDERS as TTS_LIST } from "../../../src/speech/tts/providers/list.ts";
import { activityOfStream } from "../speech-activity.ts";
import { INLINE_TOOL_CHOICE } from "../stubs/inline-schemas.ts";
import { openNoLocalSpeech } from "../stubs/no-local-speech.ts";
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
  make: (base: string, clock: Clock) => Promise<Provider>;
}

/** The providers of a stage that have a server, each configured through its own variables: an API key and an address. */
function makersOf<S extends Stage, Provider>(
  descriptors: readonly ProviderDescriptor<S>[],
  create: (configured: ConfiguredProvider<S>, clock: Clock) => Promise<Provider>,
): Maker<Provider>[] {
  return descriptors.flatMap((descriptor) => {
    const { id, variables, capabilities } = descriptor;
    if (capabilities.connection === undefined) return [];
    const [[address = "", { default: ownAddress = "" } = {}] = []] = variablesOf(variables, "_URL");
    const [[apiKey = ""] = []] = variablesOf(variables, "_API_KEY");
    const make = (base: string, clock: Clock): Promise<Provider> => {
      const url = new URL(ownAddress);
      const server = url.protocol.startsWith("ws") ? base.replace(/^http/, "ws") : base;
      const env = { [apiKey]: PROVIDER_KEY, [address]: server + url.pathname };
      return create(descriptor.configure(new VariableReader(env, [])), clock);
    };
    return [{ name: id, isSocket: capabilities.connection === "websocket", make }];
  });
}

const variablesOf = (variables: Variables, ending: string): [string, Variable][] =>
  Object.entries(variables).filter(([name]) => name.endsWith(ending));

/** Every STT provider with a server. */
export const STT_PROVIDERS = makersOf(
  STT_LIST,
  (stt, clock): Promise<Stt> => stt.create({ clock, openLocalSpeech: openNoLocalSpeech }),
);

/** Every LLM provider with a server. */
export const LLM_PROVIDERS = makersOf(
  LLM_LIST,
  (llm): Promise<Llm> => llm.create({ model: "any-model", toolChooser: INLINE_TOOL_CHOICE }),
);

/** Every TTS provider with a server. */
export const TTS_PROVIDERS = makersOf(
  TTS_LIST,
  (tts, clock): Promise<ClosableTts> => tts.create({ clock, listsVoicesOnly: false, onProcessFailure: () => {} }),
);

/** A provider of any stage, and one request to it. */
export interface AnyProvider {
  kind: Stage;
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
  const activityOf = activityOfStream();
  for (const [frame, isSpeech] of framesOf(hum(STT_RATE_HZ, 500, 500), STT_RATE_HZ))
    stream.write(frame, activityOf(isSpeech));
  return all(stream.events);
}

const requestLlm = (llm: Llm, signal: AbortSignal): Promise<unknown> =>
  all(llm.reply({ messages: [{ role: "user", text: SPOKEN }], tools: [], temperature: 0, language: "en" }, signal));

const requestTts = (tts: ClosableTts, signal: AbortSignal): Promise<unknown> =>
  all(tts.speak({ text: SPOKEN, voiceId: `${tts.provider}/one`, language: "en-US" }, signal)).finally(() =>
    tts.close(),
  );

function requests<Provider>(
  kind: Stage,
  makers: readonly Maker<Provider>[],
  ask: (provider: Provider, signal: AbortSignal) => Promise<unknown>,
): AnyProvider[] {
  return makers.map(({ name, isSocket, make }) => ({
    kind,
    name,
    isSocket,
    ask: async (base, clock) => {
      const life = new AbortController();
      return ask(await make(base, clock), life.signal).finally(() => life.abort());
    },
  }));
}

/** Every provider with a server. */
export const EVERY_PROVIDER: readonly AnyProvider[] = [
  ...requests("stt", STT_PROVIDERS, requestStt),
  ...requests("llm", LLM_PROVIDERS, requestLlm),
  ...requests("tts", TTS_PROVIDERS, requestTts),
];
