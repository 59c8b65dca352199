import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { createEngines, type Engines, type EnginesConfig } from "../../src/speech/engines.ts";

const CONFIG: EnginesConfig = {
  stt: undefined,
  tts: "espeak",
  models: { model_a: "reference", model_b: "reference", model_c: "reference" },
  espeakProcesses: 1,
};
const log = { warn: () => {} };

let engines: Engines | undefined;
afterEach(() => engines?.close());

test("without configuration there is a voice, a brain behind each model, and no ear", async () => {
  engines = createEngines(CONFIG, systemClock, log);
  expect(engines.stt).toBeUndefined();
  expect(engines.tts.provider).toBe("espeak");
  expect(Object.entries(engines.llm).map(([name, llm]) => [name, llm.provider])).toEqual([
    ["model_a", "reference"],
    ["model_b", "reference"],
    ["model_c", "reference"],
  ]);
});

test("the reference pair is one configuration away", async () => {
  engines = createEngines({ ...CONFIG, stt: "reference", tts: "reference" }, systemClock, log);
  expect(engines.stt?.provider).toBe("reference");
  expect(engines.tts.provider).toBe("reference");
  expect((await engines.tts.voices())[0]?.id).toMatch(/^reference\//);
});

test("unknown names are all told at once, with the variable, the value and the names there are", () => {
  const models = { ...CONFIG.models, model_c: "constructor" };
  expect(() => createEngines({ ...CONFIG, stt: "whisper", tts: "x\n", models }, systemClock, log)).toThrow(
    expect.objectContaining({
      code: "bad_configuration",
      message:
        'bad configuration:\n  STT must be one of reference, not "whisper"\n' +
        '  TTS must be one of espeak, reference, not "x\\n"\n' +
        '  MODEL_C must be one of reference, not "constructor"',
    }),
  );
});
