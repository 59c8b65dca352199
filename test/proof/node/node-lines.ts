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
  const here = thisMachine(proof.cache);
  const why = whyNoRoot();
  const isTestedLater = (line: NodeLine): boolean => why === "" && LINES_ON_DEBIAN_13.includes(line);
  // Before Debian 13 the media server is the same on every newer line: the reduced form starts the first of them.
  const isStarted = (line: NodeLine): boolean =>
    !(proof.reduced && isTestedLater(line) && line !== LINES_ON_DEBIAN_13[0]);
  // The reduced form tests each Node line once; .ci/run has run the whole suite on its own Node.
  const isUntested = (line: NodeLine): boolean =>
    proof.reduced && (isTestedLater(line) || process.version.startsWith(`v${line.node}.`));
  const rows = await proveLines(proof, here, NODE_LINES.filter(isStarted), isUntested);
  if (why === "") {
    proof.checks.print("\nDebian 13: its root is made, or taken from the cache");
    const place = insideRoot(await debianRoot(proof.cache, true));
    rows.push(...(await proveLines(proof, place, LINES_ON_DEBIAN_13, () => false)));
  } else {
    const skipped = LINES_ON_DEBIAN_13.map(({ node }) => `Node ${node} on Debian 13`);
    for (const check of skipped) proof.checks.skipped(check, why, CHECKS_A_LINE);
  }
  const text = resultsTable(rows) + (why === "" ? "" : `\n\nDebian 13 was skipped: ${why}.`);
  proof.checks.print(`\n${text}`);
  await writeSection(proof, "Node versions", "node", `${explanation(proof.reduced)}\n\n${text}`);
}

/** The rows of these lines, in their order; one that cannot be proved fails and has none, and the others are proved all the same. */
async function proveLines(
  proof: Proof,
  place: Place,
  lines: readonly NodeLine[],
  isUntested: (line: NodeLine) => boolean,
): Promise<Row[]> {
  const rows: (Row | undefined)[] = [];
  const left = [...lines.entries()];
  const proveNext = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, line] = next;
      rows[index] = await proveLine(proof, place, line, isUntested(line));
    }
  };
  // Installs and tests of servers mostly wait. The full form has figures that a second line would disturb.
  await Promise.all(Array.from({ length: proof.reduced ? REDUCED_LINES_AT_ONCE : 1 }, proveNext));
  return rows.filter((row) => row !== undefined);
}
const REDUCED_LINES_AT_ONCE = 2;

async function proveLine(proof: Proof, place: Place, line: NodeLine, isUntested: boolean): Promise<Row | undefined> {
  proof.checks.print(`\nNode ${line.node} with npm ${line.npm} on ${place.name}`);
  try {
    return await new NodeLineProof(proof, place, line).run(isUntested);
  } catch (error) {
    proof.checks.failed(`Node ${line.node} on ${place.name}`, error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

/** What the figures below it mean. */
export const explanation = (reduced: boolean): string =>
  [
    ...(reduced
      ? [
          "This is the reduced form: on each Node line, in one system, the tests that depend on the version of Node, not the whole `npm test`.",
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
