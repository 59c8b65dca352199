import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT, projectFiles } from "../../support/repository/files.ts";
import { listed } from "./markdown.ts";

/**
 * The ids at the start of a test's name (`"T2: ..."`, `"B2, B7: ..."`), or alone in a text: `id: "D1",`, `["C16",`. As
 * the value of any other member they are none: `encoding: "L16"`.
 */
const ID = "(?:ADV-[A-Z]\\d+|F14-\\d+|[ABCDHKLMPSTWZ]\\d{1,2})";
const IDS = `["\`](${ID}(?:, ${ID})*)`;
const NAMED = new RegExp(`${IDS}: |(?<!(?<!\\bid): )${IDS}["\`][,:]`, "g");
/** A row of docs/faults.md: its id, and the cell of its test files. */
const ROW = /^(\| `([A-Z][A-Z0-9-]*)` \|.*\|) [^|]* \|$/gm;

/** By id, the test files that show the fault, by their paths under test/. */
export function filesByFault(): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, string[]>();
  // These test the tables of faults themselves.
  const isAboutTables = (path: string): boolean => /^test\/(?:faults|repository)\//.test(path);
  for (const path of projectFiles(["test"]).filter((path) => path.endsWith(".ts") && !isAboutTables(path))) {
    const matches = [...readFileSync(join(PROJECT, path), "utf8").matchAll(NAMED)];
    for (const id of new Set(matches.flatMap(([, inName, alone]) => (inName ?? alone ?? "").split(", "))))
      files.set(id, [...(files.get(id) ?? []), path.slice("test/".length)]);
  }
  return files;
}

/** The page with the test files of each row. Throws where no test shows a fault. */
export function withTestFiles(page: string): string {
  const files = filesByFault();
  return page.replace(ROW, (_, row: string, id: string) => {
    const ofFault = files.get(id);
    if (ofFault === undefined) throw new Error(`no test has the id ${id}`);
    return `${row} ${listed(ofFault)} |`;
  });
}
