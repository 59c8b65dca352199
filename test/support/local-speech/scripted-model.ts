import { setTimeout as sleep } from "node:timers/promises";
import { serveSpeechModels } from "../../../src/speech/local/pool/serve.ts";
import type { SpeechModel } from "../../../src/speech/local/speech-model.ts";
import { heard } from "./scripted-child.ts";

// The program of real child processes with a model that is a rule: it understands `spoken`. A pass takes 30 ms, between whose tokens it
// asks whether to stop. Its argument makes it fail: see below.

const TOKENS = 6;
const TOKEN_MS = 5;
const [, , fault] = process.argv;

const model: SpeechModel = {
  name: "scripted",
  languages: ["en"],
  async transcribe(samples, { shouldStop }) {
    const text = heard({ samples: Int16Array.from(samples, (sample) => Math.round(sample * 32_768)), rateHz: 16_000 });
    for (let token = 0; token < TOKENS; token += 1) {
      await sleep(TOKEN_MS);
      if (await shouldStop()) return { text: "", averageLogProbability: 0, isStopped: true };
    }
    return { text, averageLogProbability: -0.1, isStopped: false };
  },
};

await serveSpeechModels(async () => {
  if (fault === "unloadable") throw new Error("encoder_model.onnx has 12 bytes instead of 7937683");
  return { speech: model, turn: undefined };
});
