// `npm install` runs this: of onnxruntime's builds for browsers the service uses one, with its WASM, and of pdf.js the build for Node. The
// others take 150 MB.
import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const inPackages = (path) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));

/** Removes what is in a folder of a package, but for these files. */
function keepOnly(folder, used) {
  for (const name of readdirSync(inPackages(folder))) {
    if (!used.includes(name)) rmSync(inPackages(`${folder}/${name}`), { recursive: true });
  }
}

keepOnly("onnxruntime-web/dist", ["ort.wasm.bundle.min.mjs", "ort-wasm-simd-threaded.wasm"]);
keepOnly("pdfjs-dist/legacy/build", ["pdf.mjs", "pdf.worker.mjs", "pdf.d.mts"]);
keepOnly("pdfjs-dist/legacy", ["build"]);
keepOnly("pdfjs-dist", ["package.json", "LICENSE", "legacy", "cmaps", "types"]);
