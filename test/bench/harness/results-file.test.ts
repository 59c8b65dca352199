import { expect, test } from "vitest";
import { tableSection, withSection } from "../../../bench/harness/results-file.ts";

const DOCUMENT = "# Results\n\nWritten by programs.\n\n## One\n\nold\n\n### Part\n\nold\n\n## Two\n\nstays\n";

test("a program that runs again replaces its own section with its subsections, and nothing else", () => {
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

test("the section of a table names the command, the commit, the date and the machine, and explains the table", () => {
  const machine = {
    ...{ cpu: "a CPU", cores: 2, memoryGiB: 4, system: "Linux 6", node: "v20.20.2" },
    measuredAt: "2026-11-22T10:00:00.000Z",
  };
  const origin = { command: "npm run bench:stall -- --calls 5", commit: "abc1234", machine };
  const first =
    "`npm run bench:stall -- --calls 5`, commit abc1234, 2026-11-22, a CPU, 2 cores, Linux 6, Node v20.20.2.";
  expect(tableSection(origin, undefined, "a  b\n1  2\n")).toBe(`${first}\n\n\`\`\`\na  b\n1  2\n\`\`\``);
  expect(tableSection(origin, "What a is.", "a")).toBe(`${first}\nWhat a is.\n\n\`\`\`\na\n\`\`\``);
});
