import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { env, InferenceSession } from "onnxruntime-web/wasm";

/** The one of the package's four builds that the engine uses; the image leaves the others out. */
const WASM = "onnxruntime-web/ort-wasm-simd-threaded.wasm";

// One thread: a child process is one unit of CPU, and threads of WASM would need workers.
env.wasm.numThreads = 1;
env.wasm.proxy = false;

/** The first session has compiled the build. */
let isCompiled = false;

/**
 * Compiles models one after the other; each of `files` is an ONNX file. The largest goes first: the memory of WASM never shrinks, so
 * that the others load into what the largest has freed.
 */
export async function openSessions<Name extends string>(
  files: Readonly<Record<Name, () => Uint8Array>>,
): Promise<Record<Name, InferenceSession>> {
  if (!isCompiled) env.wasm.wasmBinary = readFileSync(createRequire(import.meta.url).resolve(WASM));
  const sessions: Partial<Record<Name, InferenceSession>> = {};
  for (const name of Object.keys(files) as Name[]) {
    sessions[name] = await InferenceSession.create(files[name](), SESSION_OPTIONS);
    isCompiled = true;
    delete env.wasm.wasmBinary;
    // The file and the build are outside of V8's heap, so it would keep them for long: up to 34 MB.
    globalThis.gc?.();
  }
  return sessions as Record<Name, InferenceSession>;
}

const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  executionProviders: ["wasm"],
  graphOptimizationLevel: "all",
  // Both would keep the memory of the longest pass for the lifetime of the process.
  enableCpuMemArena: false,
  enableMemPattern: false,
};
