import { expect, test } from "vitest";
import { withSection } from "../../../bench/harness/results-file.ts";

const DOCUMENT = "# Results\n\nWritten by programs.\n\n## One\n\nold\n\n### Part\n\nold\n\n## Two\n\nstays\n";

test("a program that runs again replaces its own section, with its parts, and nothing else", () => {
  expect(withSection(DOCUMENT, "One", "new\n\n| a |\n")).toBe(
    "# Results\n\nWritten by programs.\n\n## One\n\nnew\n\n| a |\n\n## Two\n\nstays\n",
  );
});

test("a program that runs for the first time adds its section at the end", () => {
  expect(withSection(DOCUMENT, "On", "first")).toBe(`${DOCUMENT}\n## On\n\nfirst\n`);
});

test("the same figures written twice leave the same file", () => {
  const once = withSection(DOCUMENT, "Two", "figures");
  expect(withSection(once, "Two", "figures")).toBe(once);
});
