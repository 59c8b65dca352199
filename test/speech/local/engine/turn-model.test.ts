import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { logMel } from "../../../../src/speech/local/engine/spectrum/log-mel.ts";
import { loadTurnModel } from "../../../../src/speech/local/engine/turn-model.ts";
import { floatValue, node, onnxFile } from "../../../support/onnx-file.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";

// smart-turn's weights are in no package that may be used here: a model of the same input and output, whose answer can be computed.

function modelFile(bytes: Uint8Array): string {
  const path = join(temporaryDirectory(), "turn.onnx");
  writeFileSync(path, bytes);
  return path;
}

/** The sigmoid of the mean of all features. */
const meanModel = (input = "input_features"): Uint8Array =>
  onnxFile({
    inputs: [floatValue(input, ["batch", 80, 800])],
    nodes: [
      node("GlobalAveragePool", [input], ["means"]),
      node("ReduceMean", ["means"], ["mean"], { keepdims: 0 }),
      node("Sigmoid", ["mean"], ["probability"]),
    ],
    outputs: [floatValue("probability", [])],
  });

const tone = (length: number, offset = 0): Float32Array =>
  Float32Array.from({ length }, (_, i) => 0.3 * Math.sin(0.05 * (i + offset)) * Math.sin(0.0004 * (i + offset)));

/** What the model answers to a window, by the definition of its input. */
function expected(window: Float32Array): number {
  const mean = window.reduce((sum, value) => sum + value, 0) / window.length;
  const variance = window.reduce((sum, value) => sum + (value - mean) ** 2, 0) / window.length;
  const features = logMel(
    window.map((value) => (value - mean) / Math.sqrt(variance + 1e-7)),
    800,
  );
  return 1 / (1 + Math.exp(-features.reduce((sum, value) => sum + value, 0) / features.length));
}

test("a turn model hears the last 8 s, silence before less, brought to a variance of 1", async () => {
  const model = await loadTurnModel(modelFile(meanModel()));
  const [short, long] = [tone(40_000), tone(200_000)];
  const window = new Float32Array(128_000);
  window.set(short, 88_000);
  expect(await model.probability(short)).toBeCloseTo(expected(window), 4);
  expect(await model.probability(long)).toBeCloseTo(expected(long.slice(-128_000)), 4);
  expect(await model.probability(short.map((sample) => sample / 2))).toBeCloseTo(expected(window), 3);
  expect(expected(window)).not.toBeCloseTo(expected(long.slice(-128_000)), 2);
});

test.each([
  { what: "a file that is missing", path: () => "/no/such/turn.onnx", problem: /ENOENT/ },
  { what: "a file that is no ONNX", path: () => modelFile(Buffer.from("no model")), problem: /turn\.onnx/ },
  { what: "a truncated file", path: () => modelFile(meanModel().subarray(0, 100)), problem: /turn\.onnx/ },
  { what: "another input", path: () => modelFile(meanModel("audio")), problem: /its inputs are audio/ },
])("$what is refused in one line that says what would be right", async ({ path, problem }) => {
  const error = await loadTurnModel(path()).then(
    () => undefined,
    (reason: unknown) => reason as Error & { code: string },
  );
  expect(error?.code).toBe("bad_configuration");
  expect(error?.message).toMatch(problem);
  expect(error?.message).toContain("it must be an ONNX file with the input input_features [1, 80, 800]");
  expect(error?.message).not.toContain("\n");
});

test("a model whose output is no probability is refused", async () => {
  const file = onnxFile({
    inputs: [floatValue("input_features", ["batch", 80, 800])],
    nodes: [node("ReduceMean", ["input_features"], ["mean"], { keepdims: 0 })],
    outputs: [floatValue("mean", [])],
  });
  await expect(loadTurnModel(modelFile(file))).rejects.toThrow(/its output "mean" is -/);
});
