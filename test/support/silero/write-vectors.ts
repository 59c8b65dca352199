import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { CHUNK_SAMPLES, type Signal, vectorSignals } from "./signals.ts";
import { sha256OfSamples, VECTORS, type Vectors } from "./vectors.ts";

// Writes fixtures/silero/probabilities.json with the original network. onnxruntime-web is no dependency of the project:
//
//   npx tsx test/support/silero/write-vectors.ts FOLDER MODEL
//
// FOLDER is one in which onnxruntime-web is installed, MODEL the path of silero_vad_v5.onnx.

/** The part of onnxruntime-web that is used here. */
interface Runtime {
  readonly env: { readonly wasm: { numThreads: number } };
  readonly Tensor: new (type: string, data: Float32Array | BigInt64Array, shape: readonly number[]) => Tensor;
  readonly InferenceSession: { create(model: Uint8Array, options: object): Promise<Session> };
}
interface Tensor {
  readonly data: Float32Array;
}
interface Session {
  run(inputs: Record<string, Tensor>): Promise<{ output: Tensor; stateN: Tensor }>;
}

const CONTEXT_SAMPLES = 32;

const [folder, modelPath] = process.argv.slice(2);
if (folder === undefined || modelPath === undefined) throw new Error("usage: write-vectors.ts FOLDER MODEL");
const require = createRequire(join(resolve(folder), "package.json"));
const packageJson = join(resolve(folder), "node_modules/onnxruntime-web/package.json");
const { version } = JSON.parse(readFileSync(packageJson, "utf8")) as { version: string };
const runtime = (await import(pathToFileURL(require.resolve("onnxruntime-web")).href)) as Runtime;
runtime.env.wasm.numThreads = 1;
const session = await runtime.InferenceSession.create(readFileSync(modelPath), { executionProviders: ["wasm"] });

/** As the network's authors call it: each chunk after the last 32 samples of the one before. */
async function probabilitiesOf({ samples }: Signal): Promise<number[]> {
  const sr = new runtime.Tensor("int64", BigInt64Array.of(8_000n), []);
  let state: Tensor = new runtime.Tensor("float32", new Float32Array(2 * 128), [2, 1, 128]);
  const input = new Float32Array(CONTEXT_SAMPLES + CHUNK_SAMPLES);
  const probabilities: number[] = [];
  for (let at = 0; at < samples.length; at += CHUNK_SAMPLES) {
    input.copyWithin(0, CHUNK_SAMPLES);
    for (let i = 0; i < CHUNK_SAMPLES; i += 1) input[CONTEXT_SAMPLES + i] = (samples[at + i] as number) / 32_768;
    const tensor = new runtime.Tensor("float32", input.slice(), [1, input.length]);
    const { output, stateN } = await session.run({ input: tensor, state, sr });
    probabilities.push(output.data[0] as number);
    state = stateN;
  }
  return probabilities;
}

const signals: Vectors["signals"][number][] = [];
for (const signal of vectorSignals()) {
  const probabilities = await probabilitiesOf(signal);
  const share = probabilities.filter((probability) => probability > 0.5).length / probabilities.length;
  console.log(`${signal.name}: ${probabilities.length} chunks, ${Math.round(100 * share)} % above 0.5`);
  signals.push({ name: signal.name, sha256: sha256OfSamples(signal), probabilities });
}
const origin = `onnxruntime-web ${version} (WebAssembly, one thread), silero_vad_v5.onnx, 8,000 Hz`;
writeFileSync(VECTORS, `${JSON.stringify({ origin, signals }, undefined, 1)}\n`);
