import { debianRoot, whyNoRoot } from "../image/debian-root.ts";
import { insideRoot, type Place, thisMachine } from "../place.ts";
import type { Proof } from "../proof.ts";
import { writeSection } from "../results.ts";
import { CHECKS_A_LINE, NodeLineProof, type Row } from "./node-line.ts";
import { NODE_LINES, type NodeLine } from "./toolchain.ts";

/** Debian 13 has the glibc that the newest binaries of the media server need; older lines run there as on this machine. */
const LINES_ON_DEBIAN_13 = NODE_LINES.filter(({ node }) => node >= 24);

/**
 * The area `node`: installs, tests and runs the last commit on every Node line, on this machine and in a Debian 13 root. Writes
 * the section "Node versions" of bench/RESULTS.md.
 */
export async function proveNodeLines(proof: Proof): Promise<void> {
  const rows: Row[] = [];
  const here = thisMachine(proof.cache);
  const why = whyNoRoot();
  const isTestedLater = (line: NodeLine): boolean => why === "" && LINES_ON_DEBIAN_13.includes(line);
  for (const line of NODE_LINES) {
    // The reduced form tests each Node line once; .ci/run has run the whole suite on its own Node.
    const isTestedElsewhere = isTestedLater(line) || process.version.startsWith(`v${line.node}.`);
    await proveLine(proof, here, line, rows, proof.reduced && isTestedElsewhere);
  }
  if (why === "") {
    proof.checks.print("\nDebian 13: its root is made, or taken from the cache");
    const place = insideRoot(await debianRoot(proof.cache, true));
    for (const line of LINES_ON_DEBIAN_13) await proveLine(proof, place, line, rows, false);
  } else {
    const skipped = LINES_ON_DEBIAN_13.map(({ node }) => `Node ${node} on Debian 13`);
    for (const check of skipped) proof.checks.skipped(check, why, CHECKS_A_LINE);
  }
  const text = resultsTable(rows) + (why === "" ? "" : `\n\nDebian 13 was skipped: ${why}.`);
  proof.checks.print(`\n${text}`);
  await writeSection(proof, "Node versions", "node", `${explanation(proof.reduced)}\n\n${text}`);
}

/** Adds a row; a line that cannot be proved fails, and the lines after it are proved all the same. */
async function proveLine(proof: Proof, place: Place, line: NodeLine, rows: Row[], untested: boolean): Promise<void> {
  proof.checks.print(`\nNode ${line.node} with npm ${line.npm} on ${place.name}`);
  try {
    rows.push(await new NodeLineProof(proof, place, line).run(untested));
  } catch (error) {
    proof.checks.failed(`Node ${line.node} on ${place.name}`, error instanceof Error ? error.message : String(error));
  }
}

/** What the figures below it mean. */
export const explanation = (reduced: boolean): string =>
  [
    ...(reduced
      ? [
          "This is the reduced form: on each Node line, in one system, the contract suites and the tests that depend on the version of Node, not the",
          "whole `npm test`. The full form replaces it.",
        ]
      : []),
    "Install is `npm ci`: how long it took, and what it weighs.",
  ].join("\n");

function resultsTable(rows: readonly Row[]): string {
  const headings = ["Node", "npm", "system", "media server", "install", "tests", "of them contract suites", "demo"];
  const cells = rows.map((row) => [
    ...[row.node, row.npm, row.system, row.mediaServer, `${row.installSeconds} s, ${row.installMegabytes} MB`],
    ...[row.tests, row.contract, row.demo],
  ]);
  return [headings, headings.map(() => "---"), ...cells].map((line) => `| ${line.join(" | ")} |`).join("\n");
}
