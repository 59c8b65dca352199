import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** One file that browsers load, in memory. */
export interface WebFile {
  /** The last part of its address: `<hash>.js`. */
  name: string;
  contentType: string;
  /** Subresource Integrity: the `integrity` attribute of what loads it. */
  integrity: string;
  content: Buffer;
}

/** What the build wrote to `dist/web/pages/manifest.json`. Values of `entries` are names of `files`. */
export interface WebManifest {
  files: Readonly<Record<string, { contentType: string; integrity: string }>>;
  entries: Readonly<Record<WebEntry, string>>;
}

/** What pages ask for by a name that never changes. */
export const WEB_ENTRIES = ["widget", "sdk", "talk", "talkStyle"] as const;
export type WebEntry = (typeof WEB_ENTRIES)[number];

/** The files of pages, as the build made them. */
export interface WebFiles {
  find(name: string): WebFile | undefined;
  entry(entry: WebEntry): WebFile;
}

/** `dist/web/<name>`, seen from this module in `src` or in `dist`. */
export const builtFolder = (name: "pages" | "dashboard"): string =>
  fileURLToPath(
    new URL(`${import.meta.url.endsWith(".ts") ? "../../../dist/web" : "../../web"}/${name}/`, import.meta.url),
  );

/** Reads the files of a build. Undefined where there is none, as in a fresh clone from which tests run. Throws for a broken one. */
export function readWebFiles(folder: string): WebFiles | undefined {
  const manifestPath = join(folder, "manifest.json");
  if (!existsSync(manifestPath)) return undefined;
  const { files, entries } = JSON.parse(readFileSync(manifestPath, "utf8")) as WebManifest;
  const read = new Map(
    Object.entries(files).map(([name, described]) => [
      name,
      { name, ...described, content: readFileSync(join(folder, name)) } satisfies WebFile,
    ]),
  );
  return {
    find: (name) => read.get(name),
    entry(entry) {
      const file = read.get(entries[entry]);
      if (file === undefined) throw new Error(`the build of the web files has no ${entry}: run npm run build`);
      return file;
    },
  };
}
