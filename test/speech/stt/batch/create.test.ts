import { describe, expect, onTestFinished, test } from "vitest";
import { VariableReader } from "../../../../src/config/variables/reader.ts";
import type { AccountProviders } from "../../../../src/core/accounts/account-providers.ts";
import { systemClock } from "../../../../src/core/clock.ts";
import { BATCH_LOCAL_PART_MS_MAX, BATCH_PART_MS_MAX } from "../../../../src/core/limits/transcriptions/batch-stt.ts";
import { readProviderSettings, type SpeechConfig } from "../../../../src/speech/settings.ts";
import { type BatchNeeds, createBatchProviders } from "../../../../src/speech/stt/batch/create.ts";
import { requestOf, WORDS } from "../../../contract/speech/batch-stt.ts";
import { fakeDeepgramBatch, fakeOpenAiBatch } from "../../../support/providers/stt/batch-fakes.ts";
import { FAULTS } from "../../../support/providers/stt/batch-server.ts";

const ENGLISH: BatchNeeds = { language: "en", speakers: false };

function providersOf(stt: string, variables: Readonly<Record<string, string>> = {}) {
  const config: SpeechConfig = {
    stt,
    tts: "reference",
    models: { model_a: "reference", model_b: "reference", model_c: "reference" },
    providers: readProviderSettings(new VariableReader(variables, [])),
    contextSizes: {},
    streamsMax: {},
  };
  const opened: string[] = [];
  const providers = createBatchProviders({
    config,
    clock: systemClock,
    log: { warn: () => {} },
    openSpeech: async () => {
      opened.push("local");
      return { submit: () => expect.fail("a job of the local model"), close: () => opened.push("closed") };
    },
  });
  onTestFinished(() => providers.close());
  return { providers, opened };
}

const deepgramAt = (host: string) => ({ DEEPGRAM_API_KEY: "of-the-service", DEEPGRAM_URL: `ws://${host}/v1/listen` });
const openAiAt = (host: string) => ({ OPENAI_STT_URL: `http://${host}/v1`, OPENAI_STT_MODEL: "whisper-1" });

async function providerFor(stt: string, variables: Record<string, string>, account: AccountProviders, needs = ENGLISH) {
  const batch = await providersOf(stt, variables).providers.forAccount(account, needs);
  const requested: string[] = [];
  const { provider } = await batch.transcribe(requestOf(needs), new AbortController().signal, async (asked) => {
    requested.push(asked);
  });
  return { provider, requested };
}

describe("the batch providers of an account", () => {
  test("are those that STT names and that transcribe recordings, in their order", async () => {
    const [deepgram, openAi] = [
      await fakeDeepgramBatch({ words: WORDS }, FAULTS.status(401)),
      await fakeOpenAiBatch({ words: WORDS }),
    ];
    const variables = { ...deepgramAt(deepgram.host), ...openAiAt(openAi.host) };
    expect(await providerFor("flux,deepgram,openai,reference", variables, {})).toEqual({
      provider: "openai",
      requested: ["deepgram", "openai"],
    });
  });

  test("are those that the account may use", async () => {
    const openAi = await fakeOpenAiBatch({ words: WORDS });
    const account: AccountProviders = { allowed: { stt: ["reference"] } };
    const { provider } = await providerFor("openai,reference", openAiAt(openAi.host), account);
    expect(provider).toBe("reference");
    expect(openAi.seen).toHaveLength(0);
  });

  test("have the API keys of the account", async () => {
    const deepgram = await fakeDeepgramBatch({ words: WORDS });
    const credentials = { deepgram: "of-the-account" };
    await providerFor("deepgram", deepgramAt(deepgram.host), { credentials });
    expect(deepgram.seen[0]?.headers.authorization).toBe("Token of-the-account");
  });

  test("have circuit breakers of their own with such an API key", async () => {
    const deepgram = await fakeDeepgramBatch({ words: WORDS }, FAULTS.status(401));
    const { providers } = providersOf("deepgram,reference", deepgramAt(deepgram.host));
    const transcribe = async (account: AccountProviders): Promise<string[]> => {
      const requested: string[] = [];
      const batch = await providers.forAccount(account, ENGLISH);
      await batch.transcribe(requestOf(), new AbortController().signal, async (provider) => {
        requested.push(provider);
      });
      return requested;
    };
    const account = { credentials: { deepgram: "not-valid" } };
    for (let failures = 0; failures < 3; failures += 1) await transcribe(account);
    expect(await transcribe(account)).toEqual(["reference"]);
    expect(await transcribe({})).toEqual(["deepgram", "reference"]);
  });

  test("are those that serve the language, or detect it", async () => {
    const [deepgram, openAi] = [
      await fakeDeepgramBatch({ words: WORDS, detected: "de" }),
      await fakeOpenAiBatch({ words: WORDS }),
    ];
    const variables = { ...deepgramAt(deepgram.host), ...openAiAt(openAi.host), OPENAI_STT_MODEL: "small.en" };
    const german = { language: "de", speakers: false };
    expect((await providerFor("openai,deepgram", variables, {}, german)).requested).toEqual(["deepgram"]);
    const auto = { language: "auto", speakers: false };
    expect((await providerFor("openai,deepgram", variables, {}, auto)).requested).toEqual(["deepgram"]);
  });

  test("are those that have speakers, where they are asked for", async () => {
    const [deepgram, openAi] = [await fakeDeepgramBatch({ words: WORDS }), await fakeOpenAiBatch({ words: WORDS })];
    const variables = { ...deepgramAt(deepgram.host), ...openAiAt(openAi.host) };
    const withSpeakers = { language: "en", speakers: true };
    expect((await providerFor("openai,deepgram", variables, {}, withSpeakers)).requested).toEqual(["deepgram"]);
  });

  test.each([
    [
      { language: "auto", speakers: false },
      "no STT provider of the account transcribes recordings and detects their language",
    ],
    [{ language: "en", speakers: true }, "no STT provider of the account transcribes recordings in en, with speakers"],
  ])("that serve %o are none with the reference alone, which says so", async (needs, message) => {
    const pending = providersOf("reference").providers.forAccount({}, needs);
    await expect(pending).rejects.toMatchObject({ code: "unavailable", message });
  });

  test("divide recordings as the one with the shortest parts needs, among those that serve the request", async () => {
    const { providers, opened } = providersOf("deepgram,local", deepgramAt("127.0.0.1:1"));
    const english = await providers.forAccount({}, ENGLISH);
    expect(english.capabilities.partMsMax).toBe(BATCH_LOCAL_PART_MS_MAX);
    const german = await providers.forAccount({}, { language: "de", speakers: false });
    expect(german.capabilities.partMsMax).toBe(BATCH_PART_MS_MAX);
    expect(opened).toEqual(["local"]);
  });

  test("are not created from a bad configuration", () => {
    expect(() => providersOf("whisper")).toThrow(expect.objectContaining({ code: "bad_configuration" }));
  });
});
