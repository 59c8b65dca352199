import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Counts } from "./proof.ts";

interface TestFile {
  name: string;
  /** `failed` also where the file could not be loaded; `message` says why. */
  status: string;
  message?: string;
  assertionResults: readonly { status: string; fullName?: string; failureMessages?: readonly string[] }[];
}

/** Counts, and of each test that failed its name and the first lines of its error: the second and third of a property have its seed. */
export interface SuiteResult extends Counts {
  failures: readonly string[];
}

/**
 * What Vitest's JSON report says of the files that `includes` takes, by their paths from `root`, the folder in which Vitest ran.
 * A file that could not be loaded has no tests in the report; it counts as one failure. Throws where the report cannot be read.
 */
export function readVitestReport(
  file: string,
  root: string,
  includes: (path: string) => boolean = () => true,
): SuiteResult {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  const failures: string[] = [];
  for (const { path, status, message = "", assertionResults } of readFiles(file, root)) {
    if (!includes(path)) continue;
    const fail = (test: string, why: string): void => {
      counts.failed += 1;
      failures.push(`${path} > ${test}: ${firstLines(why)}`);
    };
    if (assertionResults.length === 0 && status === "failed") fail("the file", message);
    for (const test of assertionResults) {
      if (test.status === "passed") counts.passed += 1;
      else if (test.status === "failed") fail(test.fullName ?? "", test.failureMessages?.[0] ?? "");
      else counts.skipped += 1;
    }
  }
  return { ...counts, failures };
}

/** The paths of the files that ran, from `root`. Throws where the report cannot be read. */
export const reportedFiles = (file: string, root: string): readonly string[] =>
  readFiles(file, root).map(({ path }) => path);

/** Which of a run's filters (parts of paths) took none of the files: Vitest says nothing of them as long as another one took some. */
export const filtersWithoutFile = (filters: readonly string[], paths: readonly string[]): readonly string[] =>
  filters.filter((filter) => !paths.some((path) => path.includes(filter)));

function readFiles(file: string, root: string): readonly (TestFile & { path: string })[] {
  const { testResults } = JSON.parse(readFileSync(file, "utf8")) as { testResults: readonly TestFile[] };
  return testResults.map((each) => ({
    ...each,
    path: each.name.startsWith(join(root, "/")) ? each.name.slice(root.length + 1) : each.name,
  }));
}

/** Without the stack. */
const firstLines = (why: string): string =>
  why
    .split("\n")
    .filter((line) => !/^\s*at /.test(line))
    .slice(0, 3)
    .join(" | ");
