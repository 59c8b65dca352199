import { describe, expect, test } from "vitest";
import { VariableReader } from "../../src/config/variables/reader.ts";
import { LLM_PROVIDERS } from "../../src/speech/llm/providers/list.ts";
import { ProviderRegistry } from "../../src/speech/provider-registry.ts";
import { STT_PROVIDERS } from "../../src/speech/stt/providers/list.ts";
import { TTS_PROVIDERS } from "../../src/speech/tts/providers/list.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { INLINE_TOOL_CHOICE } from "../support/stubs/inline-schemas.ts";
import { openNoLocalSpeech } from "../support/stubs/no-local-speech.ts";

const clock = new ManualClock();
const reader = new VariableReader({}, []);
const EVERY_PROVIDER = [
  ...STT_PROVIDERS.map((stt) => ({
    ...stt,
    made: () => stt.configure(reader).create({ clock, openLocalSpeech: openNoLocalSpeech }),
  })),
  ...LLM_PROVIDERS.map((llm) => ({
    ...llm,
    made: () => llm.configure(reader).create({ model: "any-model", toolChooser: INLINE_TOOL_CHOICE }),
  })),
  ...TTS_PROVIDERS.map((tts) => ({
    ...tts,
    made: () => tts.configure(reader).create({ clock, listsVoicesOnly: true, onProcessFailure: () => {} }),
  })),
].map((descriptor) => ({ ...descriptor, title: `${descriptor.stage} ${descriptor.id}` }));

describe.each(EVERY_PROVIDER)("the provider $title", ({ id, variables, made }) => {
  test("has an id that PRICES and PROVIDER_STREAMS_MAX accept, and its adapter reports it", async () => {
    expect(id).toMatch(/^[a-z]{1,32}$/);
    const adapter = await made();
    if ("close" in adapter) adapter.close();
    expect(adapter.provider).toBe(id);
  });

  test("has variables that begin with the id of a provider, by which a misspelled one is recognized", () => {
    const prefixes = EVERY_PROVIDER.map((provider) => `${provider.id.toUpperCase()}_`);
    const others = Object.keys(variables).filter((name) => !prefixes.some((prefix) => name.startsWith(prefix)));
    // The turn model is none of the local STT's own: it only runs in the same processes.
    expect(others.filter((name) => name !== "TURN_MODEL")).toEqual([]);
  });
});

const WITH_SERVER = EVERY_PROVIDER.filter(({ capabilities }) => capabilities.connection !== undefined);
test.each(
  WITH_SERVER,
)("the provider $title has one API key and one address of its own, by which the fault suites configure it", ({
  variables,
}) => {
  const ending = (end: string) => Object.entries(variables).filter(([name]) => name.endsWith(end));
  expect(ending("_API_KEY")).toHaveLength(1);
  expect(ending("_URL").map(([, { default: address = "" }]) => URL.canParse(address))).toEqual([true]);
});

describe("the registry of a stage", () => {
  test("refuses two providers of the same id, and a list without a test instrument", () => {
    expect(() => new ProviderRegistry([...STT_PROVIDERS, ...STT_PROVIDERS])).toThrow("two providers have the same id");
    const withServer = STT_PROVIDERS.filter(({ capabilities }) => capabilities.connection !== undefined);
    expect(() => new ProviderRegistry(withServer)).toThrow("a stage needs a test instrument");
  });

  test("reports a bad value of a variable that two providers share once", () => {
    const problems: string[] = [];
    new ProviderRegistry(TTS_PROVIDERS).configure(new VariableReader({ ESPEAK_PROCESSES: "0" }, problems));
    expect(problems).toEqual(['ESPEAK_PROCESSES must be a whole number from 1 to 16, not "0"']);
  });
});
