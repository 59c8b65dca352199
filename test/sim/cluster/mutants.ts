import { strict as assert } from "node:assert";
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Invariant } from "./observer.ts";

/** A guard that is taken out, by replacing text that stands in a file once, and what must be seen without it. */
export interface Mutant {
  guard: string;
  seen: Invariant;
  file: string;
  from: string;
  to: string;
}

const PLACEMENT = "src/cluster/placement.ts";
const DATABASE = "test/sim/cluster/database.ts";

const mutant = (guard: string, seen: Invariant, file: string, from: string, to: string): Mutant => ({
  guard,
  seen,
  file,
  from,
  to,
});

export const MUTANTS: readonly Mutant[] = [
  mutant(
    "the less loaded of two takes the call",
    "no node is above 1.15 times the mean load",
    PLACEMENT,
    "loadOf(second) < loadOf(first)",
    "loadOf(second) > loadOf(first)",
  ),
  mutant(
    "two nodes are drawn, not one",
    "no node is above 1.15 times the mean load",
    PLACEMENT,
    "drawn === first ? (open.at(-1) ?? first) : drawn",
    "drawn === first ? drawn : first",
  ),
  mutant(
    "two are drawn, not the least loaded of all",
    "no node is above 1.15 times the mean load",
    PLACEMENT,
    "const first = open[indexBelow(open.length, random)];",
    "const first = open.toSorted((one, other) => loadOf(one) - loadOf(other))[0];",
  ),
  mutant(
    "calls that wait for their streams count",
    "no node is above 1.15 times the mean load",
    DATABASE,
    " + (this.waiting[node] ?? 0)",
    "",
  ),
  mutant(
    "nodes differ in size",
    "no node is above 1.15 times the mean load",
    PLACEMENT,
    ") / slots;",
    ") / (0 * slots + 1_000);",
  ),
  mutant(
    "every node is drawn",
    "no node is above 1.15 times the mean load",
    PLACEMENT,
    "open[indexBelow(open.length, random)]",
    "open[indexBelow(Math.min(20, open.length), random)]",
  ),
  mutant(
    "a draining node gets no new calls",
    "a deploy cuts no call",
    PLACEMENT,
    "isAccepting && leaseLeftMs",
    "leaseLeftMs",
  ),
  mutant(
    "a node that has missed heartbeats gets no new calls",
    "no call is placed on a node that is silent for 4 s",
    PLACEMENT,
    "return trusted.length > 0 ? trusted : open;",
    "return trusted.length > 0 ? open : trusted;",
  ),
  mutant(
    "the limit of an account is counted by the transaction that creates a call",
    "no limit is broken",
    DATABASE,
    "    if ((this.accountCalls[account] ?? 0) >= (this.accountLimits[account] ?? 0)) return false;\n",
    "",
  ),
  mutant(
    "a node whose lease was taken redeems no token",
    "what is counted is true",
    DATABASE,
    "    if (!this.hasLease(to)) return false;\n",
    "",
  ),
  mutant(
    "the calls of a node whose lease has ended are taken",
    "calls of a dead node are recorded within 12 s",
    DATABASE,
    "      expired.push(node);\n",
    "",
  ),
];

/** The file of a mutant without its guard. */
export function edited(root: string, { file, from, to }: Mutant): string {
  const text = readFileSync(join(root, file), "utf8");
  assert.equal(text.split(from).length, 2, `${file} has this text once: ${from}`);
  return text.replace(from, () => to);
}

const TIMEOUT_MS = 120_000;
/** Small enough for a test: an address for each node, and then a shared one. */
const SIZE = ["--nodes", "40", "--calls", "8000", "--seeds", "4"];

/** Simulates a copy of the cluster without a guard. */
export async function simulateMutant(
  mutated: Mutant,
): Promise<{ isSeen: boolean; seed: number | undefined; output: string }> {
  const root = mkdtempSync(join(tmpdir(), "trunkline-mutant-"));
  try {
    const project = fileURLToPath(new URL("../../..", import.meta.url));
    for (const part of ["src/core", "src/cli/command.ts", "src/cluster", "test/sim/cluster", "package.json"]) {
      cpSync(join(project, part), join(root, part), { recursive: true });
    }
    symlinkSync(join(project, "node_modules"), join(root, "node_modules"));
    writeFileSync(join(root, mutated.file), edited(project, mutated));
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
    const args = ["--import", tsx, "test/sim/cluster/run.ts", ...SIZE, "--until", mutated.seen];
    const output = await new Promise<string>((resolve) => {
      const options = { cwd: root, timeout: TIMEOUT_MS };
      execFile(process.execPath, args, options, (_, stdout, stderr) => resolve(stdout + stderr));
    });
    const seed = /^seen at seed (\d+)$/m.exec(output)?.[1];
    return { isSeen: seed !== undefined, seed: seed === undefined ? undefined : Number(seed), output };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
