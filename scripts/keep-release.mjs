// `node scripts/keep-release.mjs <version>`, which `npm version` runs at a release: copies the widget, the SDK and the worklet of the build to web/releases/, from
// where every later build serves them, and forgets those of all but the last five releases.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { RELEASES_FOLDER } from "./build-pages.mjs";
import { inProject } from "./paths.mjs";

const RELEASES_MAX = 5;
const LIST = "releases.json";

/** Keeps what was built to `built` as `version` in `folder`. A version that is there is replaced. */
export function keepRelease(version, built = inProject("dist/web/pages"), folder = RELEASES_FOLDER) {
  const { entries, worklet } = JSON.parse(readFileSync(join(built, "manifest.json"), "utf8"));
  const files = [entries.widget, entries.sdk, worklet];
  mkdirSync(folder, { recursive: true });
  for (const file of files) cpSync(join(built, file), join(folder, file));
  const list = join(folder, LIST);
  const before = existsSync(list) ? JSON.parse(readFileSync(list, "utf8")) : [];
  const kept = [{ version, files }, ...before.filter((one) => one.version !== version)].slice(0, RELEASES_MAX);
  const named = new Set([LIST, ...kept.flatMap((one) => one.files)]);
  for (const name of readdirSync(folder)) if (!named.has(name)) rmSync(join(folder, name));
  writeFileSync(list, `${JSON.stringify(kept, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [version] = process.argv.slice(2);
  if (version === undefined) {
    process.stderr.write("The version is missing, for example: node scripts/keep-release.mjs 1.2.0\n");
    process.exitCode = 2;
  } else keepRelease(version);
}
