import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../temporary-directory.ts";

/** The `integrity` of a text. */
export const integrityOf = (text: string): string => `sha384-${createHash("sha384").update(text).digest("base64")}`;

const JAVASCRIPT = "text/javascript; charset=utf-8";

/** Files as a build makes them, by name: their text and type. `old0.js` is of an earlier release. */
export const BUILT_FILES = {
  "aaaa.js": ["widget()", JAVASCRIPT],
  "bbbb.js": ["sdk()", JAVASCRIPT],
  "cccc.js": ["talk()", JAVASCRIPT],
  "dddd.css": ["body {}", "text/css; charset=utf-8"],
  "old0.js": ["widget() // of the release before", JAVASCRIPT],
} as const;

/** A folder like `dist/web/pages` with these files. */
export function builtWebFiles(): string {
  const folder = temporaryDirectory();
  const files = Object.fromEntries(
    Object.entries(BUILT_FILES).map(([name, [text, contentType]]) => {
      writeFileSync(join(folder, name), text);
      return [name, { contentType, integrity: integrityOf(text) }];
    }),
  );
  const entries = { widget: "aaaa.js", sdk: "bbbb.js", talk: "cccc.js", talkStyle: "dddd.css" };
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ files, entries }));
  return folder;
}
