import { afterEach, expect, test, vi } from "vitest";
import { VariableReader } from "../../src/config/variables/reader.ts";
import { systemClock } from "../../src/core/clock.ts";
import { createSpeechProviders, type SpeechProviders } from "../../src/speech/registry.ts";
import { readProviderSettings, type SpeechConfig } from "../../src/speech/settings.ts";
import { VALID_MODELS, VALID_PROVIDERS, VALID_STT, VALID_TTS } from "../support/providers/valid-names.ts";

const CONFIG: SpeechConfig = {
  stt: "reference",
  tts: "espeak",
  models: { model_a: "reference", model_b: "reference", model_c: "reference" },
  providers: readProviderSettings(new VariableReader({ ESPEAK_PROCESSES: "1" }, [])),
  contextSizes: {},
  streamsMax: {},
};
const log = { warn: () => {}, error: () => {} };

let providers: SpeechProviders | undefined;
afterEach(() => providers?.close());

test("there is an STT, a TTS, and an LLM for each model", async () => {
  providers = await createSpeechProviders(CONFIG, systemClock, log);
  expect(providers.stt.provider).toBe("reference");
  expect(providers.tts.provider).toBe("espeak");
  expect(Object.entries(providers.llm).map(([name, llm]) => [name, llm.provider])).toEqual([
    ["model_a", "reference"],
    ["model_b", "reference"],
    ["model_c", "reference"],
  ]);
});

test("the reference STT and TTS can be configured", async () => {
  providers = await createSpeechProviders({ ...CONFIG, stt: "reference", tts: "reference" }, systemClock, log);
  expect(providers.stt?.provider).toBe("reference");
  expect(providers.tts.provider).toBe("reference");
  expect((await providers.tts.voices())[0]?.id).toMatch(/^reference\//);
});

test("of several TTS providers the first is the default, the voices of all are listed, and each serves its own", async () => {
  providers = await createSpeechProviders({ ...CONFIG, tts: "reference, espeak" }, systemClock, log);
  expect(providers.tts.provider).toBe("reference");
  // On a busy machine one is listed before the other, whose process has yet to start.
  await vi.waitFor(
    async () => {
      const listed = new Set((await providers?.tts.voices())?.map(({ provider }) => provider));
      expect([...listed]).toEqual(["reference", "espeak"]);
    },
    { timeout: 20_000 },
  );
  expect(providers.tts.forVoice("espeak/gmw/en-US").provider).toBe("espeak");
  expect(providers.tts.forVoice("gmw/en-US").provider).toBe("reference");
});

test("all unknown names are reported together, with the variable, the value and the valid names", async () => {
  const models = { ...CONFIG.models, model_c: "constructor" };
  await expect(
    createSpeechProviders(
      { ...CONFIG, stt: "whisper", tts: "x", models, streamsMax: { whisper: 2 } },
      systemClock,
      log,
    ),
  ).rejects.toThrow(
    expect.objectContaining({
      code: "bad_configuration",
      message:
        `bad configuration:\n  STT must be one of ${VALID_STT}, not "whisper"\n` +
        `  TTS must be one of ${VALID_TTS}, not "x"\n` +
        `  MODEL_C must be ${VALID_MODELS}; not "constructor"\n` +
        `  PROVIDER_STREAMS_MAX must name any of ${VALID_PROVIDERS}, not "whisper"`,
    }),
  );
});
