import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { textTable } from "../../bench/report/text-table.ts";
import { readArguments, runCommand } from "../../src/cli/command.ts";
import { faultTable, stagesIn, type TestResult } from "./table.ts";

// The fault table of the providers: runs every test whose title begins with a row of the catalogue (P1 to P16), and prints what came of
// it, row by row and stage by stage: a test's tags name its stages. Exits with 1 at a failure, and at a gap without a reason.

const root = fileURLToPath(new URL("../../", import.meta.url));
/** A row at the beginning of a title, in a full name, which begins with the names of the describe blocks. */
const ID_IN_NAME = "(^| )P\\d+(, P\\d+)*:";
/** Where providers are tested. */
const FOLDERS = ["test/speech", "test/gateway/agent"];

/** The part of Vitest's report that is read. */
interface Report {
  testResults: {
    name: string;
    message: string;
    assertionResults: { ancestorTitles: string[]; title: string; tags: string[]; status: string }[];
  }[];
}

/** Runs the tests of all rows; what Vitest itself has to say goes to the terminal only where it made no report. */
function results(): TestResult[] {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-faults-"));
  const outputFile = join(folder, "report.json");
  try {
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const options = ["--project", "!long-*", "--reporter", "json", "--outputFile", outputFile];
    const names = ["--testNamePattern", ID_IN_NAME];
    const run = spawnSync(process.execPath, [vitest, "run", ...options, ...names, ...FOLDERS], {
      cwd: root,
      encoding: "utf8",
    });
    if (run.error !== undefined) throw run.error;
    const { testResults } = readReport(outputFile, run.stderr);
    for (const { name, message, assertionResults } of testResults) {
      if (assertionResults.length === 0) throw new Error(`${relative(root, name)} could not be run: ${message}`);
    }
    return testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.map(({ ancestorTitles, title, tags, status }) => ({
        file: relative(root, name),
        titles: [...ancestorTitles, title],
        stages: stagesIn(tags),
        status: status === "passed" || status === "failed" ? status : "skipped",
      })),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readReport(file: string, stderr: string): Report {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Report;
  } catch {
    throw new Error(`the tests made no report:\n${stderr}`);
  }
}

const HELP = `The fault table of the providers: runs every test of a row of the catalogue (P1 to P16), and prints what came of it.

  npm run faults

Exits with 1 at a failure, and at a gap without a reason.
`;

async function run(args: readonly string[]): Promise<number> {
  readArguments(args, {});
  const { head, rows, problems } = faultTable(results());
  process.stdout.write(`${textTable(head, rows)}\n`);
  if (problems.length > 0) process.stdout.write(`\n${problems.join("\n")}\n`);
  return problems.length === 0 ? 0 : 1;
}

await runCommand({ help: HELP, example: "npm run faults", run });
