import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/**
 * The folder in which a module at `from`, a path or file URL, would find a package, whole or not; undefined where the package is
 * not installed. Node itself reports an empty folder as it reports none.
 */
export const packageFolder = (name: string, from: string): string | undefined =>
  (createRequire(from).resolve.paths(name) ?? []).map((parent) => join(parent, name)).find((path) => existsSync(path));
