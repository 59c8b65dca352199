import { existsSync, readFileSync } from "node:fs";

// The end of `.ci/run`: how long each step took, the slowest test files, each test that failed, and `N passed, N failed` with
// `, N skipped` where something was skipped. The arguments: how many steps failed, the file of their times, and the results of
// the test runner and of the proofs. Exits with 1 where anything failed. A test that passed only when it was repeated counts as passed
// and is listed as unstable, with what the first attempt said.

const SLOWEST = 12;

const [failedSteps, times, ...paths] = process.argv.slice(2);
const sum = { passed: 0, failed: 0, skipped: 0 };
const files = [];
const failures = [];
const unstable = [];
for (const path of paths) {
  try {
    const result = JSON.parse(readFileSync(path, "utf8"));
    sum.passed += result.numPassedTests;
    sum.failed += result.numFailedTests;
    sum.skipped += result.numPendingTests + result.numTodoTests;
    for (const file of result.testResults ?? []) {
      files.push({ seconds: (file.endTime - file.startTime) / 1_000, name: file.name });
      const failed = file.assertionResults.filter(({ status }) => status === "failed");
      for (const { fullName, failureMessages } of failed)
        failures.push(`${file.name}: ${fullName}\n  ${(failureMessages[0] ?? "").slice(0, 600)}`);
      for (const { status, fullName, failureMessages } of file.assertionResults)
        if (status === "passed" && (failureMessages ?? []).length > 0)
          unstable.push(`${file.name}: ${fullName}\n  ${failureMessages[0].slice(0, 600)}`);
      if (failed.length === 0 && file.status === "failed") failures.push(`${file.name}: ${file.message.slice(0, 300)}`);
    }
  } catch {
    // A suite or a proof without a result has not passed.
    sum.failed += 1;
    failures.push(`no result: ${path}`);
  }
}
if (Number(failedSteps) > 0 && sum.failed === 0) sum.failed = Number(failedSteps);

console.log("\nThe slowest test files:");
const slowest = files.toSorted((one, other) => other.seconds - one.seconds).slice(0, SLOWEST);
for (const { seconds, name } of slowest) console.log(`${seconds.toFixed(0)} s ${name}`);
for (const test of unstable) console.log(`UNSTABLE, passed when it was repeated: ${test}`);
for (const failure of failures) console.log(`FAILED: ${failure}`);
console.log("The steps:");
if (existsSync(times)) process.stdout.write(readFileSync(times, "utf8"));
const skipped = sum.skipped > 0 ? `, ${sum.skipped} skipped` : "";
console.log(`\n${sum.passed} passed, ${sum.failed} failed${skipped}`);
process.exitCode = sum.failed > 0 ? 1 : 0;
