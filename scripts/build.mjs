// `npm run build`: compiles web/client/ and src/ to dist/, copies there what the modules read at run time, and bundles to dist/web/
// what browsers load. The mark is removed first and written last, so that `npm start` knows a finished build from one that was
// interrupted. It names the sources of the build: where none has changed, nothing is done, because every command begins with a build.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { copyAssets } from "./assets.mjs";
import { compileClient, compileService, hasCompiler } from "./compile.mjs";
import { sourcesFingerprint } from "./fingerprint.mjs";
import { BUILD_MARK, inProject } from "./paths.mjs";

async function build() {
  if (!hasCompiler()) return false;
  // Taken before the compiler reads: what is changed meanwhile is built next time.
  const fingerprint = sourcesFingerprint();
  if (existsSync(BUILD_MARK) && readFileSync(BUILD_MARK, "utf8") === fingerprint) return true;
  rmSync(BUILD_MARK, { force: true });
  if (!compileClient() || !compileService()) return false;
  // Imported only here: the packages of a release have no bundler.
  const { buildWeb } = await import("./build-web.mjs");
  if (!(await buildWeb())) return false;
  copyAssets(inProject("dist"));
  writeFileSync(BUILD_MARK, fingerprint);
  return true;
}

if (!(await build())) process.exitCode = 1;
