/** How many tests or checks ended how. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** What an area is given to run with. */
export interface Proof {
  /** Fewer tests: the form that `.ci/run` has time for. */
  reduced: boolean;
  /** What is random follows from it. */
  seed: number;
  /** The parts to run, of an area that has parts; empty for all. */
  only: readonly string[];
  /** Whether what is found replaces the area's section of bench/RESULTS.md. */
  writesResults: boolean;
  /** A folder that survives the run, for what takes long to make. */
  cache: string;
  checks: Checks;
}

/**
 * Counts what a proof has shown, and prints each line as it happens. A check that cannot run on this machine is skipped with its
 * reason, and counted as such: it never passes.
 */
export class Checks {
  readonly counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  readonly print: (line: string) => void;
  readonly #problems: string[] = [];

  constructor(print: (line: string) => void) {
    this.print = print;
  }

  passed(check: string): void {
    this.counts.passed += 1;
    this.print(`  passed: ${check}`);
  }

  failed(check: string, why: string): void {
    this.counts.failed += 1;
    this.#problems.push(`failed: ${check}: ${firstLine(why)}`);
    this.print(`  FAILED: ${check}\n${indented(why)}`);
  }

  /** `count` checks at once, all for the same reason. */
  skipped(check: string, why: string, count = 1): void {
    this.counts.skipped += count;
    this.#problems.push(`skipped: ${check}: ${firstLine(why)}`);
    this.print(`  skipped: ${check}: ${why}`);
  }

  /** Passed where `why` is empty. Returns whether it is. */
  check(check: string, why: string): boolean {
    if (why === "") this.passed(check);
    else this.failed(check, why);
    return why === "";
  }

  /** What a test runner has counted. A suite that ran no test has not passed. */
  suite(name: string, counts: Counts & { failures?: readonly string[] }): void {
    if (counts.passed + counts.failed === 0) {
      this.failed(name, "not one test ran");
      return;
    }
    this.counts.passed += counts.passed;
    this.counts.failed += counts.failed;
    this.counts.skipped += counts.skipped;
    if (counts.failed > 0) this.#problems.push(`failed: ${name}: ${counts.failed} tests`);
    this.print(`  ${name}: ${countsText(counts)}`);
    for (const failure of counts.failures ?? []) this.print(`  FAILED: ${failure}`);
  }

  /** In the shape of Vitest's JSON report, so that one reader adds up both. */
  report(): Record<"numPassedTests" | "numFailedTests" | "numPendingTests" | "numTodoTests", number> {
    const { passed, failed, skipped } = this.counts;
    return { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped, numTodoTests: 0 };
  }

  /** The last lines of a run: everything that is not green, then the counts. */
  summary(): string {
    return [...this.#problems, `proven: ${countsText(this.counts)}`].join("\n");
  }
}

/** `12 tests passed, 0 failed, 1 skipped`. */
export const countsText = ({ passed, failed, skipped }: Counts): string =>
  `${passed} tests passed, ${failed} failed, ${skipped} skipped`;

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";
const indented = (text: string): string => text.trimEnd().replaceAll(/^/gm, "    ");
