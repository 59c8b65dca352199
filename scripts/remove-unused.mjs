// `npm install` runs this: of onnxruntime's builds for browsers the service uses one, with its WASM, of pdf.js the build for Node, and tests
// use the schemas of Kubernetes alone. The others take 170 MB.
import { existsSync, readdirSync, rmSync } from "node:fs";
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

// Only where development dependencies are installed.
if (existsSync(inPackages("kubernetes-models"))) {
  keepOnly("kubernetes-models", ["package.json", "LICENSE", "_schemas"]);
  const modules = readdirSync(inPackages("kubernetes-models/_schemas")).filter((name) => name.endsWith(".mjs"));
  for (const name of modules) rmSync(inPackages(`kubernetes-models/_schemas/${name}`));
}
