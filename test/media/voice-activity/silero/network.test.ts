import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadSilero, SILERO_FILES, SILERO_VERSION } from "../../../../src/media/voice-activity/silero/silero.ts";
import { buildNetwork, canBuildNetwork } from "../../../support/silero/network-build.ts";
import { readFloatTensors } from "../../../support/silero/onnx.ts";
import { CHUNK_SAMPLES, vectorSignals } from "../../../support/silero/signals.ts";
import { sha256OfSamples, VECTORS, type Vectors } from "../../../support/silero/vectors.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";

const network = readFileSync(SILERO_FILES.network);
const weights = readFileSync(SILERO_FILES.weights);
const readme = readFileSync(new URL("./README.md", SILERO_FILES.network), "utf8");
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** onnxruntime adds in another order, and our exponential function is another one: differences of 1e-6 are usual. */
const TOLERANCE = 1e-5;

describe("the network", () => {
  const vectors = JSON.parse(readFileSync(VECTORS, "utf8")) as Vectors;

  test("the stored probabilities are for the signals that this machine computes, at least 800 chunks", () => {
    expect(vectors.signals.map(({ name, sha256 }) => [name, sha256])).toEqual(
      vectorSignals().map((signal) => [signal.name, sha256OfSamples(signal)]),
    );
    expect(vectors.signals.flatMap(({ probabilities }) => probabilities).length).toBeGreaterThanOrEqual(800);
  });

  test.each(vectorSignals())("gives the original's probabilities within 1e-5 for $name", async ({ name, samples }) => {
    const stream = (await loadSilero(network, weights, 1)).open();
    const expected = vectors.signals.find((vector) => vector.name === name)?.probabilities ?? [];
    expect(expected.length).toBe(samples.length / CHUNK_SAMPLES);
    for (const [i, probability] of expected.entries()) {
      const own = stream.probability(samples.subarray(i * CHUNK_SAMPLES, (i + 1) * CHUNK_SAMPLES));
      expect(Math.abs(own - probability), `chunk ${i}: ${own}, not ${probability}`).toBeLessThan(TOLERANCE);
    }
  });

  test("its sigmoid and hyperbolic tangent are those of Math within 3e-7, and at their bounds beyond the exponents of a float", async () => {
    const { sigmoid_of, tanh_of } = await functionsOf(network);
    let worst = 0;
    for (let x = -120; x <= 120; x += 0.003_7) {
      const given = Math.fround(x);
      const error = Math.abs(sigmoid_of(given) - 1 / (1 + Math.exp(-given)));
      worst = Math.max(worst, error, Math.abs(tanh_of(given) - Math.tanh(given)));
    }
    expect(worst).toBeLessThan(3e-7);
    for (const huge of [1e6, 3e38, Number.POSITIVE_INFINITY]) {
      expect([sigmoid_of(huge), tanh_of(huge), tanh_of(-huge)]).toEqual([1, 1, -1]);
      expect(sigmoid_of(-huge)).toBeCloseTo(0, 30);
    }
  });

  test("its version ends with the hash of its files, and its page names the hash of each", () => {
    const both = sha256(Buffer.concat([network, weights]));
    expect(SILERO_VERSION).toBe(`silero-v5-8khz-${both.slice(0, 8)}`);
    expect(readme).toContain(sha256(network));
    expect(readme).toContain(sha256(weights));
  });

  test.skipIf(!canBuildNetwork())(
    "is the same to the last bit when it is built again (only where clang-19 19.1.7 and wasm-ld-19 are installed)",
    () => {
      const folder = temporaryDirectory();
      const built = join(folder, "network.wasm");
      buildNetwork(built, folder);
      expect(sha256(readFileSync(built))).toBe(sha256(network));
    },
  );
});

describe("reading the constants of an ONNX model", () => {
  /** Field numbers and lengths of this model are below 128, so each takes one byte. */
  const field = (number: number, bytes: readonly number[]): number[] => [number * 8 + 2, bytes.length, ...bytes];
  const text = (value: string): number[] => [...Buffer.from(value)];
  const raw = [...new Uint8Array(Float32Array.of(1.5, -2).buffer)];
  const tensor = [1 * 8, 2, 1 * 8, 1, 2 * 8, 1, ...field(9, raw)];
  const constant = [...field(2, text("filters")), ...field(5, field(5, tensor))];
  const branch = [...field(2, text("choice")), ...field(5, field(6, field(1, constant)))];
  const model = Uint8Array.from(field(7, field(1, branch)));

  test("finds those of sub-graphs, with their names and shapes", () => {
    expect(readFloatTensors(model)).toEqual([{ name: "filters", shape: [2, 1], values: Float32Array.of(1.5, -2) }]);
  });

  test("refuses a file that is cut off", () => {
    expect(() => readFloatTensors(model.subarray(0, -1))).toThrow(RangeError);
  });
});

interface Functions {
  sigmoid_of(x: number): number;
  tanh_of(x: number): number;
}

async function functionsOf(bytes: Uint8Array): Promise<Functions> {
  return (await WebAssembly.instantiate(bytes)).instance.exports as Functions;
}
