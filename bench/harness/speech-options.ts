import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Given } from "./command.ts";
import { inProject } from "./project.ts";
import type { Verdict } from "./verdict.ts";

/** Where the recorded speech of a bench is. */
export interface SpeechOptions {
  cacheDir: string;
  /** What is missing there is downloaded first. */
  fetches: boolean;
}

/** The values of `--cache` and `--fetch`. */
export const speechOptions = ({ cache, fetch }: Given): SpeechOptions => ({
  cacheDir: cache === undefined ? fileURLToPath(inProject("bench/cache/")) : resolve(cache),
  fetches: fetch !== undefined,
});

/** Makes a missed goal the failure of a run with `--check`, and of no other. */
export const failsWhenChecked =
  <Result>(goalsOf: (result: Result) => readonly Verdict[]) =>
  (result: Result): boolean =>
    process.argv.includes("--check") && goalsOf(result).some(({ verdict }) => verdict === "missed");
