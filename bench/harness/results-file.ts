import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Machine } from "./machine.ts";
import { inProject } from "./project.ts";

const HEADER = `# Results

Figures of the benches and the proofs, written by the programs that measured them: do not edit. Each program replaces its own
section when it runs again. How to run and read them: [README.md](README.md), [docs/testing.md](../docs/testing.md).
`;

/** `document` with the section `title` (a heading of the second level) set to `body`; added at the end where there is none. */
export function withSection(document: string, title: string, body: string): string {
  const section = `## ${title}\n\n${body.trim()}\n`;
  const [header = "", ...sections] = document.split(/^(?=## )/m);
  const at = sections.findIndex((each) => each.startsWith(`## ${title}\n`));
  const kept = sections.map((each) => `${each.trim()}\n`);
  if (at < 0) kept.push(section);
  else kept[at] = section;
  return [`${header.trim()}\n`, ...kept].join("\n");
}

/** What a table was measured with and on. */
export interface TableOrigin {
  /** The whole command line. */
  command: string;
  commit: string;
  machine: Machine;
}

/** The body of a section with one table of text: its origin, then what a reader must know, then the table. */
export function tableSection(
  { command, commit, machine }: TableOrigin,
  explanation: string | undefined,
  table: string,
): string {
  const { measuredAt, cpu, cores, system, node } = machine;
  const origin = `\`${command}\`, commit ${commit}, ${measuredAt.slice(0, 10)}, ${cpu}, ${cores} cores, ${system}, Node ${node}.`;
  const lead = explanation === undefined ? origin : `${origin}\n${explanation}`;
  return `${lead}\n\n\`\`\`\n${table.replace(/^\n+/, "").trimEnd()}\n\`\`\``;
}

/** Writes one section of bench/RESULTS.md; all others stay as they are. */
export function writeResults(title: string, body: string): void {
  const file = inProject("bench/RESULTS.md");
  const document = existsSync(file) ? readFileSync(file, "utf8") : HEADER;
  writeFileSync(file, withSection(document, title, body));
}
