import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { childModule } from "../../src/core/child-processes/child-module.ts";
import { runCommand } from "../harness/command.ts";
import { describeMachine } from "../harness/machine.ts";
import { inProject } from "../harness/project.ts";
import { readLines } from "./read-results.ts";
import { checkPage, checkText } from "./report.ts";
import type { CheckResult, Source } from "./result.ts";
import type { SimResult } from "./sim-result.ts";

const USAGE = `Whether the budgets hold: runs each bench as long as its budgets require, and prints one line a budget.

  npm run bench:check -- [--from-results] [--out DIR]

  --from-results  runs nothing, and reads the results of the last 24 hours from the folder
  --out           where the results are, and where check.json and check.html go; default bench/results

Takes about half an hour on a quiet machine. Exits with 1 unless every budget is shown to hold.
`;

/** What each bench is run with, in this order: the shortest that can decide its budgets. */
const RUNS: Readonly<Record<Exclude<Source, "sim">, { module: string; args: readonly string[] }>> = {
  compare: { module: "../compare/run", args: ["--calls", "200", "--seconds", "10", "--rounds", "3"] },
  load: { module: "../load/run", args: ["--steps", "100,500,1000", "--seconds", "20", "--rounds", "2"] },
  stall: { module: "../stall/run", args: ["--calls", "500", "--times", "10"] },
  "barge-in": { module: "../barge-in/run", args: ["--calls", "8", "--interruptions", "15"] },
  "turn-latency": { module: "../turn-latency/run", args: ["--calls", "8", "--turns", "25"] },
  frame: { module: "../frame/run", args: [] },
  soak: { module: "../soak/run", args: ["--calls", "500", "--minutes", "10"] },
};
const SEEDS = 1_000;

const NPM = process.platform === "win32" ? "npm.cmd" : "npm";

/** Resolves with the exit code; what the program prints is seen. */
function run(program: string, args: readonly string[]): Promise<number> {
  const child = spawn(program, args, { stdio: "inherit", cwd: fileURLToPath(inProject("./")) });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

async function runAll(out: URL, write: (line: string) => void): Promise<void> {
  for (const [source, { module, args }] of Object.entries(RUNS)) {
    write(`\n--- ${source}`);
    const { path, execArgv } = childModule(import.meta.url, module);
    await run(process.execPath, [...execArgv, path, ...args, "--out", fileURLToPath(out)]);
  }
  write("\n--- sim");
  const startMs = performance.now();
  const clean = (await run(NPM, ["run", "--silent", "sim", "--", "--seeds", String(SEEDS)])) === 0;
  const tookS = (performance.now() - startMs) / 1_000;
  const result: SimResult = { machine: describeMachine(), seeds: SEEDS, tookS, clean };
  writeFileSync(new URL("sim.json", out), `${JSON.stringify(result, null, 2)}\n`);
}

await runCommand<{ fromResults: boolean }, CheckResult>({
  name: "check",
  usage: USAGE,
  defaults: {},
  flags: ["from-results"],
  read: (given) => ({ fromResults: given["from-results"] !== undefined }),
  async run({ fromResults }, write, out) {
    if (!fromResults) await runAll(out, write);
    return { machine: describeMachine(), fromResults, lines: readLines(out, Date.now()) };
  },
  text: checkText,
  page: checkPage,
  failed: ({ lines }) => lines.some(({ verdict }) => verdict !== "holds"),
});
