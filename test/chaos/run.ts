import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readArguments, runCommand, UsageError, wholeNumber } from "../../src/cli/command.ts";
import type { ChildModule } from "../../src/core/child-module.ts";
import { type ChaosOptions, type ChaosResult, runChaos } from "./chaos.ts";
import { faketimeLibrary, runClockStep } from "./clock-step.ts";

const USAGE = `Kills, or replaces, media workers under live calls, again and again, and looks whether anything is missing afterwards.

  npm run chaos -- --scenario ADV-M2
  npm run chaos -- [--calls 200] [--workers 2] [--kills 50] [--rolls 0] [--every-s 3] [--call-s 30]

  --scenario  ADV-M2: the wall clock steps back by an hour, and processes are killed behind it; needs Debian's faketime. In place of
             all else
  --rolls    how often all workers are replaced as \`npm run admin -- roll\` does, behind the kills; no stream may be refused then
  --call-s   the longest that a call lasts: shorter calls are more streams to open

Every caller knows what it sent and what it heard; calls of workers that were not killed must have lost no frame, those of killed
ones must have a record, a transcript and a recording within 5 s. Exits with 1 when anything is wrong.
`;

type Given = Pick<ChaosOptions, "calls" | "workers" | "kills" | "rolls" | "everyMs" | "callMsMax">;

const DEFAULTS = { calls: "200", workers: "2", kills: "50", rolls: "0", "every-s": "3", "call-s": "30" };
/** A caller's frames are made before. */
const CALL_S_MAX = 60;

function readOptions(args: readonly string[]): Given {
  const options = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, { type: "string" } as const]));
  const given = { ...DEFAULTS, ...readArguments(args, options).values };
  return {
    calls: wholeNumber("calls", given.calls, 1),
    workers: wholeNumber("workers", given.workers, 1),
    kills: wholeNumber("kills", given.kills),
    rolls: wholeNumber("rolls", given.rolls),
    everyMs: wholeNumber("every-s", given["every-s"]) * 1_000,
    callMsMax: wholeNumber("call-s", given["call-s"], 0, CALL_S_MAX) * 1_000,
  };
}

/** Of sorted figures. */
const spread = (sorted: readonly number[]): string => {
  const at = (share: number): string =>
    String(Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN));
  return sorted.length === 0 ? "none" : `p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}`;
};

function table(result: ChaosResult): string {
  const rows: [string, string | number][] = [
    ["calls begun by clients", result.begun],
    ["  hung up by their callers", result.hungUp],
    ["  lost with their worker", result.lost],
    [
      "streams refused",
      Object.entries(result.refused)
        .map(([why, count]) => `${count}: ${why}`)
        .join("; ") || "none",
    ],
    ["creations put off (503)", result.overloaded],
    ["frames sent, frames heard", `${result.framesSent}, ${result.framesReceived}`],
    ["kill to record of a lost call, ms", spread(result.recoveriesMs)],
    ["death to next worker ready, ms", spread(result.restartsMs)],
    ["our own ticks late by at most, ms", Math.round(result.ownLatenessMs)],
    ["problems", result.problems.length],
  ];
  return rows.map(([name, value]) => `${name.padEnd(36)}${value}`).join("\n");
}

const SCENARIOS: Readonly<Record<string, typeof clockStep>> = { "ADV-M2": clockStep };

async function clockStep(program: ChildModule, dataDir: string): Promise<readonly string[]> {
  const library = faketimeLibrary();
  if (library !== undefined) return await runClockStep({ program, dataDir, say: (line) => console.log(line) }, library);
  console.log("ADV-M2 was skipped: libfaketime is not installed (apt-get install faketime)");
  return [];
}

async function runScenario(name: string, program: ChildModule, dataDir: string): Promise<readonly string[]> {
  const scenario = Object.hasOwn(SCENARIOS, name) ? SCENARIOS[name] : undefined;
  if (scenario !== undefined) return await scenario(program, dataDir);
  throw new UsageError([`--scenario must be ${Object.keys(SCENARIOS).join(" or ")}, not ${JSON.stringify(name)}`]);
}

async function run(args: readonly string[]): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), "trunkline-chaos-"));
  const program = { path: fileURLToPath(new URL("../../dist/main.js", import.meta.url)), execArgv: [] };
  if (args[0] === "--scenario") {
    const problems = await runScenario(args[1] ?? "", program, dataDir);
    for (const problem of problems) console.log(problem);
    console.log(`problems: ${problems.length}`);
    return problems.length === 0 ? 0 : 1;
  }
  const given = readOptions(args);
  const result = await runChaos({ ...given, program, dataDir, sampled: 10, say: (line) => console.log(line) });
  console.log(`\n${table(result)}`);
  for (const problem of result.problems.slice(0, 50)) console.log(problem);
  if (result.problems.length === 0) rmSync(dataDir, { recursive: true, force: true });
  else console.log(`what is left of it is in ${dataDir}`);
  return result.problems.length === 0 ? 0 : 1;
}

await runCommand({ help: USAGE, example: "npm run chaos -- --calls 50 --kills 5", run });
