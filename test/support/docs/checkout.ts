import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** What a clone of the repository does not have. */
const NOT_CLONED = new Set([".git", "node_modules", "dist", "data", "coverage", "bench/dist", "bench/results"]);

/** The files of this repository in a temporary folder, without a build, with the installed packages. */
export function freshCheckout(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "trunkline-checkout-"));
  cpSync(ROOT, path, {
    recursive: true,
    filter: (source) => !NOT_CLONED.has(relative(ROOT, source)) && !source.endsWith("/node_modules"),
  });
  symlinkSync(join(ROOT, "node_modules"), join(path, "node_modules"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
