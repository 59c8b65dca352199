import { fork } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describeMachine } from "../../bench/harness/machine.ts";
import { textTable } from "../../bench/report/text-table.ts";
import { readArguments, runCommand, UsageError } from "../../src/cli/command.ts";
import { childModule } from "../../src/core/child-processes/child-module.ts";
import type { Outcome } from "./attacks/attack.ts";
import { ATTACKS } from "./attacks/attacks.ts";
import { type AttackerMessage, type AttackRequest, READY } from "./messages.ts";
import { type Attacker, runStage } from "./stage.ts";
import type { StageResult } from "./stage-result.ts";

const USAGE = `Attacks the service in every way of the fault catalogue, at full size, while calls go on that must not notice.

  npm run attack -- [--only D1] [--share 1] [--calls 20] [--quiet-s 5] [--out bench/results]

  --only    attacks of this row, for example B5
  --share   of the full size, for example 0.1

Each attack has a service of its own, with one worker. What the calls lost, what an attacker cost and when it was closed is printed as a
table, and as attack.json in the folder. Exits with 1 when a frame was lost, a good stream refused, an attacker not closed at all, a
call ended otherwise than it should, memory grew without bound, streams opened too slowly for ADV-M1, or an attack could not be carried
out. What was only late is shown, and fails nothing.
`;

const DEFAULTS = { only: "", share: "1", calls: "20", "quiet-s": "5", out: "bench/results" };

type Given = Record<keyof typeof DEFAULTS, string>;

function readOptions(args: readonly string[]): Given {
  const options = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, { type: "string" } as const]));
  const given: Given = { ...DEFAULTS, ...readArguments(args, options).values };
  const problems = (["share", "calls", "quiet-s"] as const)
    .filter((name) => !(Number(given[name]) > 0))
    .map((name) => `--${name} must be a number above 0, not ${JSON.stringify(given[name])}`);
  if (!ATTACKS.some(({ id }) => id.includes(given.only))) {
    problems.push(`--only must be a row that is attacked, for example B5, not ${JSON.stringify(given.only)}`);
  }
  if (problems.length > 0) throw new UsageError(problems);
  return given;
}

/** Attackers have the processor only where no other process wants it. */
const NICE = ["nice", "-n", "19"] as const;

/** Has the attack carried out by a process of its own, which is gone when it is over, however it ends. */
const elsewhere: Attacker = async (attack, target, size, ready) => {
  const { path, execArgv } = childModule(import.meta.url, "attacker");
  const [execPath, ...niceArgs] = NICE;
  const child = fork(path, [], { execPath, execArgv: [...niceArgs, process.execPath, ...execArgv] });
  try {
    return await new Promise<Outcome>((resolve, reject) => {
      child.on("message", (message: AttackerMessage) => {
        if (message === READY) ready().then(() => child.send(READY), reject);
        else if ("error" in message) reject(new Error(message.error));
        else resolve(message.outcome);
      });
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`the attackers ended with ${code}`)));
      child.send({ attack: ATTACKS.indexOf(attack), target, size } satisfies AttackRequest);
    });
  } finally {
    if (child.connected) child.disconnect();
  }
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const ms = (value: number): string => (Number.isNaN(value) ? "-" : value.toFixed(1));
const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([what, count]) => `${count} ${what}`)
    .join(", ");

const HEAD = [
  "attack",
  "attackers",
  "answers, ends",
  "LLM requests, input tokens of a call",
  "closed",
  "longest s",
  "KiB each",
  "CPU s worker, control",
  "frames lost",
  "quiet p99 ms",
  "during p99 ms",
  "stream p99 ms",
  "loop p99 ms",
];

function row({
  attacks,
  perAttackerBytes,
  workerCpuMs,
  controlCpuMs,
  control,
  quiet,
  during,
  upgrades,
  loopDelay,
}: StageResult): string[] {
  const [attack] = attacks;
  if (attack === undefined) throw new Error("there was no attack");
  return [
    `${attack.id} ${attack.name}`,
    String(attack.attackers),
    [countsText(attack.answers), countsText(attack.endReasons)].filter((text) => text !== "").join("; "),
    attack.llmRequests === 0 ? "-" : `${attack.llmRequests}, ${attack.inputTokens}`,
    String(attack.closed),
    (attack.longestMs / 1_000).toFixed(1),
    (perAttackerBytes / 1_024).toFixed(1),
    `${(workerCpuMs / 1_000).toFixed(1)}, ${(controlCpuMs / 1_000).toFixed(1)}`,
    `${control.lostIn} of ${control.sent}, ${control.lostOut} of ${control.heard + control.lostOut}`,
    ms(quiet.p99),
    ms(during.p99),
    ms(upgrades.p99),
    ms(loopDelay.p99),
  ];
}

async function run(args: readonly string[]): Promise<number> {
  const given = readOptions(args);
  const program = { path: fileURLToPath(new URL("../../dist/main.js", import.meta.url)), execArgv: [] };
  const results: StageResult[] = [];
  let failed = false;
  for (const attack of ATTACKS.filter(({ id }) => id.includes(given.only))) {
    const dataDir = mkdtempSync(join(tmpdir(), "trunkline-attack-"));
    const size = { ...attack.full, attackers: Math.ceil(attack.full.attackers * Number(given.share)) };
    const [calls, quietMs] = [Number(given.calls), Number(given["quiet-s"]) * 1_000];
    let result: StageResult;
    try {
      const options = { program, dataDir, calls, quietMs, judgesSpeed: true, attacker: elsewhere };
      result = await runStage(options, [{ attack, size }]);
    } catch (error) {
      failed = true;
      console.log(`${attack.id} ${attack.name}: could not be carried out\n  ${messageOf(error)}`);
      console.log(`  what is left of it is in ${dataDir}`);
      continue;
    }
    results.push(result);
    console.log(`${attack.id} ${attack.name}: ${result.problems.length === 0 ? "withstood" : "NOT withstood"}`);
    for (const problem of result.problems) console.log(`  ${problem}`);
    for (const late of result.late) console.log(`  late: ${late}`);
    if (result.problems.length === 0) rmSync(dataDir, { recursive: true, force: true });
    else console.log(`  what is left of it is in ${dataDir}`);
  }
  mkdirSync(given.out, { recursive: true });
  const file = join(given.out, "attack.json");
  writeFileSync(file, `${JSON.stringify({ machine: describeMachine(), results }, null, 2)}\n`);
  console.log(`\n${textTable(HEAD, results.map(row))}\n\nwritten: ${file}`);
  return !failed && results.every(({ problems }) => problems.length === 0) ? 0 : 1;
}

await runCommand({ help: USAGE, example: "npm run attack -- --only B5 --share 0.1", run });
