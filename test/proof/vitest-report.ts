import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Counts } from "./proof.ts";

interface TestFile {
  name: string;
  assertionResults: readonly { status: string }[];
}

/**
 * What Vitest's JSON report says of the files that `includes` takes, by their paths from `root`, the folder in which Vitest ran.
 * A file that could not be loaded has no tests in the report; it counts as one failure. Throws where the report cannot be read.
 */
export function readVitestReport(file: string, root: string, includes: (path: string) => boolean = () => true): Counts {
  const { testResults } = JSON.parse(readFileSync(file, "utf8")) as {
    testResults: readonly (TestFile & { status: string })[];
  };
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, status, assertionResults } of testResults) {
    if (!includes(name.startsWith(join(root, "/")) ? name.slice(root.length + 1) : name)) continue;
    if (assertionResults.length === 0 && status === "failed") counts.failed += 1;
    for (const test of assertionResults) {
      if (test.status === "passed") counts.passed += 1;
      else if (test.status === "failed") counts.failed += 1;
      else counts.skipped += 1;
    }
  }
  return counts;
}
