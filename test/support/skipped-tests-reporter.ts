import type { Reporter, TestModule, Vitest } from "vitest/node";

/** What a test's name says that it needs: `(only where nginx and openssl are installed)`. */
const NEEDS = /\(only where (.+?) (?:is|are) installed\)/;

/** One paragraph that says how many tests were skipped and for want of what; empty when none was. */
export function skippedText(fullNames: readonly string[]): string {
  if (fullNames.length === 0) return "";
  const named = fullNames.map((name) => ({ name, tools: NEEDS.exec(name)?.[1] }));
  const tools = [...new Set(named.flatMap((test) => test.tools ?? []))].sort();
  return [
    `Not everything was tested: ${count(fullNames.length)} skipped.`,
    ...tools.map((tool) => `  ${count(named.filter((test) => test.tools === tool).length)}: not installed: ${tool}`),
    ...named.filter((test) => test.tools === undefined).map(({ name }) => `  ${name}`),
  ].join("\n");
}

const count = (tests: number): string => (tests === 1 ? "1 test" : `${tests} tests`);

/** Prints, as the last lines of a run, which tests were skipped because a tool is not installed on this machine. */
export class SkippedTestsReporter implements Reporter {
  #filteredByName = false;

  onInit(vitest: Vitest): void {
    // With `-t` every test of another name counts as skipped.
    this.#filteredByName = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#filteredByName) return;
    const skipped = modules.flatMap((module) => [...module.children.allTests("skipped")]);
    const text = skippedText(skipped.map((test) => test.fullName));
    if (text !== "") console.log(`\n${text}`);
  }
}

// biome-ignore lint/style/noDefaultExport: Vitest takes a reporter from a file's default export.
export default SkippedTestsReporter;
