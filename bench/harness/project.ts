import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** The project's folder, found from here: the benches run compiled, from bench/dist, and in the tests as they stand. */
const PROJECT = find(new URL("./", import.meta.url));

/** A file or a folder of the project, by its path from the project's folder. */
export const inProject = (path: string): URL => new URL(path, PROJECT);

/** The short name of the commit that is measured; "unknown" where there is no git. */
export const commitHere = (): string =>
  spawnSync("git", ["rev-parse", "--short", "HEAD"], { cwd: PROJECT, encoding: "utf8" }).stdout?.trim() || "unknown";

function find(folder: URL): URL {
  if (existsSync(new URL("package.json", folder))) return folder;
  const parent = new URL("../", folder);
  if (parent.href === folder.href) throw new Error("the benches must stand inside the project");
  return find(parent);
}
