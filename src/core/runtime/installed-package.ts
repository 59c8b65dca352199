import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/**
 * The folder in which a module at `from`, a path or file URL, finds a package, complete or not; undefined when it is not installed.
 * Node reports the same error for an empty folder and for a missing one.
 */
export const packageFolder = (name: string, from: string): string | undefined =>
  (createRequire(from).resolve.paths(name) ?? []).map((parent) => join(parent, name)).find((path) => existsSync(path));
