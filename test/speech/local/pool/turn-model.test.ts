import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../../src/core/clock.ts";
import { openSpeechPool } from "../../../../src/speech/local/pool/open.ts";
import { memoryLog } from "../../../support/memory-log.ts";
import { floatValue, node, onnxFile } from "../../../support/onnx-file.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";

/** The turn is over where the spectrum's mean is high: a model of the form of smart-turn, whose weights are in no package. */
const MODEL = onnxFile({
  inputs: [floatValue("input_features", ["batch", 80, 800])],
  nodes: [
    node("ReduceMean", ["input_features"], ["mean"], { keepdims: 0 }),
    node("Sigmoid", ["mean"], ["probability"]),
  ],
  outputs: [floatValue("probability", [])],
});

test("a process of local STT runs the turn model of TURN_MODEL, too", { timeout: 120_000 }, async () => {
  const turnModelPath = join(temporaryDirectory(), "turn.onnx");
  writeFileSync(turnModelPath, MODEL);
  const { log } = memoryLog();
  const pool = openSpeechPool({ processes: 1, modelFolder: undefined, turnModelPath }, systemClock, log);
  onTestFinished(() => pool.close());
  const judge = async (samples: Int16Array) =>
    await pool.submit({ kind: "end-of-turn", samples, rateHz: 8_000 }, "turn").outcome;
  const noise = Int16Array.from({ length: 64_000 }, (_, i) => 8_000 * Math.sin(i * i));
  const [silent, loud] = [await judge(new Int16Array(64_000)), await judge(noise)];
  expect([silent, loud]).toMatchObject([{ outcome: "judged" }, { outcome: "judged" }]);
  const probabilities = [silent, loud].map((each) => (each.outcome === "judged" ? each.probability : Number.NaN));
  expect(probabilities[0]).toBeCloseTo(1 / (1 + Math.exp(1.5)), 3);
  expect(probabilities[1]).toBeGreaterThan(0.5);
});

test("a turn model that cannot be loaded is named in the log, and every job fails", { timeout: 120_000 }, async () => {
  const turnModelPath = join(temporaryDirectory(), "turn.onnx");
  writeFileSync(turnModelPath, "no model");
  const { log, lines } = memoryLog();
  const pool = openSpeechPool({ processes: 1, modelFolder: undefined, turnModelPath }, systemClock, log);
  onTestFinished(() => pool.close());
  const job = pool.submit({ kind: "end-of-turn", samples: new Int16Array(100), rateHz: 8_000 }, "turn");
  expect(await job.outcome).toMatchObject({ outcome: "failed", reason: expect.stringContaining(turnModelPath) });
  expect(JSON.stringify(lines)).toContain(turnModelPath);
});
