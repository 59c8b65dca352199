// The files that browsers load from the service, each under the hash of its content: dist/web/, with a manifest of them. The files of
// the last releases stay, because pages of customers name them with their hash.

import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { build } from "esbuild";
import { inProject } from "./paths.mjs";

const CONTENT_TYPES = { ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8" };
const HASH_CHARS = 20;
/** What the SDK loads beside itself, as its source has it. */
const SDK_WORKLET = "./worklet.js";

/** The files of earlier releases: see scripts/keep-release.mjs. */
export const RELEASES_FOLDER = inProject("web/releases");

/** Writes everything to `folder`, from the SDK that was built to `sdkFolder`, with the files of `releases`. False when a module has errors, which are written. */
export async function buildPages(folder, sdkFolder, releases = RELEASES_FOLDER) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const files = {};
  const add = (extension, content) => {
    const name = `${createHash("sha256").update(content).digest("hex").slice(0, HASH_CHARS)}${extension}`;
    writeFileSync(join(folder, name), content);
    files[name] = described(extension, content);
    return name;
  };
  const worklet = add(".js", readFileSync(join(sdkFolder, "worklet.js")));
  const bundle = await bundled(["web/widget/main.ts", "web/talk/main.ts", "web/talk/style.css"], worklet);
  if (bundle === undefined) return false;
  const [widget, talk, talkStyle] = bundle;
  const entries = {
    widget: add(".js", widget),
    sdk: add(".js", servedSdk(readFileSync(join(sdkFolder, "index.js"), "utf8"), worklet)),
    talk: add(".js", talk),
    talkStyle: add(".css", talkStyle),
  };
  for (const name of earlierFiles(releases)) {
    cpSync(join(releases, name), join(folder, name));
    files[name] ??= described(extname(name), readFileSync(join(folder, name)));
  }
  // Last: who finds it finds all files.
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ files, entries, worklet }));
  return true;
}

const described = (extension, content) => ({
  contentType: CONTENT_TYPES[extension],
  integrity: `sha384-${createHash("sha384").update(content).digest("base64")}`,
});

/** The text of each entry, in order. Undefined when one has errors. */
async function bundled(entries, worklet) {
  const options = {
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    write: false,
    logLevel: "warning",
  };
  const define = { WORKLET_FILE: JSON.stringify(worklet) };
  const built = entries.map(async (entry) => {
    const { outputFiles } = await build({ ...options, define, entryPoints: [inProject(entry)], outdir: "out" });
    return outputFiles[0].contents;
  });
  return await Promise.all(built).catch(() => undefined);
}

/** Pages load the SDK from the service by its hash, so it must load the worklet of the same version. */
function servedSdk(source, worklet) {
  const parts = source.split(SDK_WORKLET);
  if (parts.length !== 2) throw new Error(`the SDK names ${SDK_WORKLET} ${parts.length - 1} times, not once`);
  return Buffer.from(parts.join(`./${worklet}`));
}

const earlierFiles = (releases) =>
  existsSync(releases) ? readdirSync(releases).filter((name) => extname(name) in CONTENT_TYPES) : [];
