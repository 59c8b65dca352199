import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { VariableReader } from "../../src/config/variables/reader.ts";
import {
  PROVIDER_NAMES,
  readProviderSettings,
  type SpeechConfig,
  speechConfigProblems,
} from "../../src/speech/settings.ts";

const CONFIG: Omit<SpeechConfig, "contextSizes"> = {
  stt: "reference",
  tts: "espeak, reference",
  models: { model_a: "reference", model_b: "reference", model_c: "reference" },
  providers: readProviderSettings(new VariableReader({}, [])),
  streamsMax: {},
};

test("a configuration of known providers with their settings has no problems", () => {
  expect(speechConfigProblems(CONFIG)).toEqual([]);
});

test("each stage reports its unknown providers, and settings that its known ones lack", () => {
  const models = { ...CONFIG.models, model_b: "whisper:large" };
  const problems = speechConfigProblems({ ...CONFIG, stt: "deepgram", tts: "cartesia, whisper", models });
  expect(problems).toEqual([
    expect.stringMatching(/^DEEPGRAM_API_KEY /),
    "CARTESIA_API_KEY is required with TTS=cartesia",
    expect.stringMatching(/^TTS must be one of .*, not "whisper"$/),
    expect.stringMatching(/^MODEL_B must be /),
  ]);
});

test("a limit of streams may name any provider of any stage, and nothing else", () => {
  const streamsMax = Object.fromEntries(PROVIDER_NAMES.map((name) => [name, 1]));
  expect(speechConfigProblems({ ...CONFIG, streamsMax })).toEqual([]);
  expect(speechConfigProblems({ ...CONFIG, streamsMax: { ...streamsMax, whisper: 1 } })).toEqual([
    `PROVIDER_STREAMS_MAX must name any of ${PROVIDER_NAMES.join(", ")}, not "whisper"`,
  ]);
});

test("a turn model without the local STT, in whose processes it runs, is a problem and not silently unused", () => {
  const providers = readProviderSettings(new VariableReader({ TURN_MODEL: fileURLToPath(import.meta.url) }, []));
  expect(speechConfigProblems({ ...CONFIG, providers, stt: "reference" })).toEqual([
    "TURN_MODEL needs local among the STT providers, whose processes run it: STT=reference,local, not STT=reference",
  ]);
  expect(speechConfigProblems({ ...CONFIG, providers, stt: "reference, local" })).toEqual([]);
});
