// What browsers load: bundles of web/, with the types of their packages. `npm run build` writes them to dist/web/, from where the
// service serves them; `npm pack` of a package writes its part to the package's own dist/.

import { build } from "esbuild";
import { buildDashboard } from "./build-dashboard.mjs";
import { buildPages } from "./build-pages.mjs";
import { writeTypes } from "./compile.mjs";
import { inProject } from "./paths.mjs";

/** Bundles modules, each into one file of `folder` with its name. False when one has errors, which the bundler writes. */
async function bundle(entryPoints, folder) {
  const options = { bundle: true, minify: true, format: "esm", target: "es2022", logLevel: "warning" };
  return await build({ ...options, entryPoints, outdir: folder }).then(
    () => true,
    () => false,
  );
}

/** The browser SDK: `index.js`, `worklet.js` and the types. False when it has errors, which are written. */
export async function buildSdk(folder) {
  const entries = { index: inProject("web/sdk/src/index.ts"), worklet: inProject("web/sdk/src/worklet/processor.ts") };
  return writeTypes("web/sdk/tsconfig.json", folder) && (await bundle(entries, folder));
}

/** Everything that the service serves to browsers. */
export async function buildWeb() {
  const sdk = inProject("dist/web/sdk");
  if (!(await buildSdk(sdk)) || !(await buildPages(inProject("dist/web/pages"), sdk))) return false;
  return await buildDashboard(inProject("dist/web/dashboard"));
}
