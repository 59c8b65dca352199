import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { finished, PROJECT } from "./processes.ts";

/** The last commit of this project, in `folder`, which is made anew. Throws with git's words when it cannot be. */
export async function checkOut(folder: string, cache: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  await git(["clone", "--quiet", PROJECT, folder], cache);
}

/** The commit that is tested, in short. */
export const commitHere = async (cache: string): Promise<string> =>
  (await git(["-C", PROJECT, "rev-parse", "--short", "HEAD"], cache)).trim();

async function git(args: readonly string[], cache: string): Promise<string> {
  const { code, output } = await finished(["git", ...args], {
    directory: PROJECT,
    logFile: join(cache, "git.log"),
    timeoutMs: 120_000,
  });
  if (code !== 0) throw new Error(`git ${args.join(" ")}: ${output}`);
  return output;
}

/** Contract suites that no proof of a Node line counts: the benches are no part of the service; the others repeat a suite. */
const LEFT_OUT = ["bench/", "media/resampler-rates.test.ts", "store/postgres/"];

/** The test files of `project` that run a shared contract suite: they import from test/contract. Paths from `project`. */
export const contractTestFiles = (project: string): readonly string[] =>
  readdirSync(join(project, "test"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts") && !path.includes("node_modules"))
    .filter((path) => !LEFT_OUT.some((start) => path.startsWith(start)))
    .map((path) => join("test", path))
    .filter((path) => /from "(?:\.\.?\/)+contract\//.test(readFileSync(join(project, path), "utf8")))
    .sort();
