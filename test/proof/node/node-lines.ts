import { debianRoot, whyNoRoot } from "../image/debian-root.ts";
import { insideRoot, type Place, thisMachine } from "../place.ts";
import type { Proof } from "../proof.ts";
import { writeSection } from "../results.ts";
import { CHECKS_A_LINE, NodeLineProof, type Row } from "./node-line.ts";
import { NODE_LINES, type NodeLine } from "./toolchain.ts";

/** Debian 13 has the glibc that the newest binaries of the media server need; older lines run there as on this machine. */
const LINES_ON_DEBIAN_13 = NODE_LINES.filter(({ node }) => node >= 24);

const NEWEST_NODE = Math.max(...NODE_LINES.map(({ node }) => node));

/**
 * The area `node`: installs, tests and runs the last commit on every Node line, on this machine and in a Debian 13 root. Writes
 * the section "Node versions" of bench/RESULTS.md.
 */
export async function proveNodeLines(proof: Proof): Promise<void> {
  const here = thisMachine(proof.cache);
  const why = whyNoRoot();
  // The reduced form proves the newest line in one system: .ci/run has installed, tested and run the line that runs it.
  const isPart = ({ node }: NodeLine): boolean => !proof.reduced || node === NEWEST_NODE;
  const linesThere = LINES_ON_DEBIAN_13.filter(isPart);
  const linesHere = NODE_LINES.filter(
    (line) => isPart(line) && !(proof.reduced && why === "" && linesThere.includes(line)),
  );
  const rows = await proveLines(proof, here, linesHere);
  if (why === "") {
    proof.checks.print("\nDebian 13: its root is made, or taken from the cache");
    const place = insideRoot(await debianRoot(proof.cache, true));
    rows.push(...(await proveLines(proof, place, linesThere)));
  } else {
    const skipped = linesThere.map(({ node }) => `Node ${node} on Debian 13`);
    for (const check of skipped) proof.checks.skipped(check, why, CHECKS_A_LINE);
  }
  const text = resultsTable(rows) + (why === "" ? "" : `\n\nDebian 13 was skipped: ${why}.`);
  proof.checks.print(`\n${text}`);
  await writeSection(proof, "Node versions", "node", `${explanation(proof.reduced)}\n\n${text}`);
}

/** The rows of these lines, one after the other; one that cannot be proved fails and has none, and the others are proved all the same. */
async function proveLines(proof: Proof, place: Place, lines: readonly NodeLine[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const line of lines) {
    proof.checks.print(`\nNode ${line.node} with npm ${line.npm} on ${place.name}`);
    try {
      rows.push(await new NodeLineProof(proof, place, line).run());
    } catch (error) {
      proof.checks.failed(`Node ${line.node} on ${place.name}`, error instanceof Error ? error.message : String(error));
    }
  }
  return rows;
}

/** What the figures below it mean. */
export const explanation = (reduced: boolean): string =>
  [
    ...(reduced
      ? [
          "This is the reduced form: on the newest Node line, in one system, the tests that depend on the version of Node, not the whole `npm test`.",
          "The full form replaces it.",
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
