import { writeFileSync } from "node:fs";
import { readArguments, runCommand } from "../../../src/cli/command.ts";
import { allTables, pagesWith } from "./pages.ts";

const COMMAND = "npm run docs:tables";
const HELP = `Writes the tables of docs/ that are generated from the code: configuration, metrics, errors, end reasons, events, messages,
and the test files of each fault.

  ${COMMAND}

Prints the pages that changed. A test fails while a page is out of date.
`;

async function run(args: readonly string[]): Promise<number> {
  readArguments(args, {});
  for (const { path, name, text, current } of pagesWith(await allTables())) {
    if (current === text) continue;
    writeFileSync(path, current);
    console.log(`${name} has new tables`);
  }
  return 0;
}

await runCommand({ help: HELP, example: COMMAND, run });
