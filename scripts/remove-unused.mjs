// `npm install` runs this: of onnxruntime's builds for browsers the service uses one, with its WASM. The others take 120 MB.
import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const USED = ["ort.wasm.bundle.min.mjs", "ort-wasm-simd-threaded.wasm"];
const builds = fileURLToPath(new URL("../node_modules/onnxruntime-web/dist/", import.meta.url));

for (const file of readdirSync(builds)) {
  if (!USED.includes(file)) rmSync(`${builds}${file}`, { recursive: true });
}
