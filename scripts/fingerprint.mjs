import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { inProject } from "./paths.mjs";

/** Folders and files on which the build depends. */
const SOURCES = [
  ...[
    "src",
    "web/client/src",
    "web/sdk/src",
    "web/ui",
    "web/talk",
    "web/widget",
    "web/dashboard",
    "web/releases",
    "scripts",
  ],
  ...[
    "web/client/tsconfig.json",
    "web/sdk/tsconfig.json",
    "web/tsconfig.json",
    "tsconfig.json",
    "tsconfig.build.json",
    "package.json",
    "package-lock.json",
  ],
];

/** A text that changes when a file of the build is written, added or removed. */
export function sourcesFingerprint() {
  const hash = createHash("sha256");
  const add = (path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    hash.update(`${path} ${found?.mtimeMs} ${found?.size}\n`);
    return found;
  };
  for (const source of SOURCES.map(inProject)) {
    if (!add(source)?.isDirectory()) continue;
    for (const entry of readdirSync(source, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) add(join(entry.parentPath, entry.name));
  }
  return hash.digest("hex");
}
