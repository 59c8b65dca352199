import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { finished, PROJECT } from "./processes.ts";

/** The last commit of this project, in `folder`, which is made anew. Throws with git's words when it cannot be. */
export async function checkOut(folder: string, cache: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  await git(["clone", "--quiet", PROJECT, folder], cache);
}

/** This project as it was before the newest migration of the stores: a build of it next to this one is what an update is like. */
export interface OlderBuild {
  commit: string;
  /** What runs its service. */
  program: string;
}

/** Commits in the middle of a change need not build: every so manyth is tried, so many times. */
const OLDER_STEP = 8;
const OLDER_TRIED_MAX = 6;

/**
 * Builds it in `cache`, or finds it there; undefined where the history does not go back so far, as in a shallow clone. Throws where no
 * commit of those that are tried can be built, with what the last one said.
 */
export async function olderBuild(cache: string): Promise<OlderBuild | undefined> {
  const migrations = ["log", "-1", "--diff-filter=A", "--format=%H", "--", "src/store/sql/migrations"];
  const newest = (await git(["-C", PROJECT, ...migrations], cache)).trim();
  const before = ["rev-list", "--first-parent", `--max-count=${OLDER_TRIED_MAX * OLDER_STEP}`, newest];
  const [, ...commits] = (await git(["-C", PROJECT, ...before], cache)).trim().split("\n");
  let why: unknown;
  for (let at = 0; at < commits.length; at += OLDER_STEP) {
    const commit = (commits[at] ?? "").slice(0, 8);
    try {
      return { commit, program: await builtAt(commit, cache) };
    } catch (error) {
      why = error;
    }
  }
  if (why !== undefined) throw why;
  return undefined;
}

async function builtAt(commit: string, cache: string): Promise<string> {
  const folder = join(cache, `older-${commit}`);
  if (!existsSync(join(folder, ".git"))) {
    await checkOut(folder, cache);
    await git(["-C", folder, "checkout", "--quiet", commit], cache);
  }
  const modules = join(folder, "node_modules");
  if (lockIn(folder) !== lockIn(PROJECT)) await inFolder(["npm", "ci"], folder, cache);
  else if (!existsSync(modules)) symlinkSync(join(PROJECT, "node_modules"), modules);
  // Nothing is done where the build is finished.
  await inFolder(["npm", "run", "build"], folder, cache);
  return join(folder, "dist/main.js");
}

const lockIn = (folder: string): string => readFileSync(join(folder, "package-lock.json"), "utf8");

async function inFolder(command: readonly string[], directory: string, cache: string): Promise<void> {
  const logFile = join(cache, "older-build.log");
  const { code, output } = await finished(command, { directory, logFile, timeoutMs: 600_000 });
  if (code !== 0) throw new Error(`${command.join(" ")}: ${output}`);
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
