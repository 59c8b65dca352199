// The dashboard: Vite bundles web/dashboard/ to dist/web/dashboard/, where each file is also compressed once, so that the service
// compresses nothing while it answers.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "vite";
import { inProject } from "./paths.mjs";

const CONTENT_TYPES = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};
const SHELL = "index.html";

/** Writes the files and a manifest of them to `folder`. False when a module has errors, which the bundler writes. */
export async function buildDashboard(folder) {
  try {
    await build({ configFile: inProject("web/dashboard/vite.config.ts"), build: { outDir: folder } });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return false;
  }
  const files = {};
  for (const name of readdirSync(folder)) {
    const contentType = CONTENT_TYPES[extname(name)];
    compress(join(folder, name));
    if (contentType !== undefined) files[name] = { contentType };
    else if (name !== SHELL) throw new Error(`the service has no content type for ${name} of the dashboard`);
  }
  // Last: who finds it finds all files.
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ files }));
  return true;
}

function compress(path) {
  const content = readFileSync(path);
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
}
