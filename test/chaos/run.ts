import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { notOneOf, readArguments, runCommand, UsageError, wholeNumber } from "../../src/cli/command.ts";
import { ACCIDENTS as ON_DISK } from "./accidents.ts";
import { type ChaosOptions, type ChaosResult, runChaos } from "./chaos.ts";
import { steppedClock } from "./clock-step.ts";

const USAGE = `Kills, or replaces, media workers under live calls, again and again, and looks whether anything is missing afterwards.

  npm run chaos -- [--calls 200] [--workers 2] [--kills 50] [--control-kills 0] [--renderer-kills 0] [--rolls 0] [--every-s 3] [--call-s 30]
                   [--only ADV-M4]

  --control-kills   how often the control process is killed, after the kills of workers; no live call may notice
  --renderer-kills  how often the renderer of recordings is killed, after the kills of workers; no recording may be missing then
  --rolls    how often all workers are replaced as \`npm run admin -- roll\` does, after the kills; no stream may be refused then
  --call-s   the longest that a call lasts: shorter calls are more streams to open
  --only     one part: kills, or an accident under at most 20 live calls. ADV-M4: the disk is full (needs root for a small tmpfs).
             ADV-L5: the supervisor is killed and the service started again. ADV-L7: the database file is removed and put back.
             ADV-M2: the wall clock steps back by an hour, and processes are killed after it (needs Debian's faketime)

Every caller knows what it sent and what it heard; calls of workers that were not killed must have lost no frame, those of killed
ones must have a record, a transcript and a recording within 5 s. After an accident every call has the record of its hang-up. Exits with 1 when anything is wrong.
`;

type Given = Pick<
  ChaosOptions,
  "calls" | "workers" | "kills" | "controlKills" | "rendererKills" | "rolls" | "everyMs" | "callMsMax"
>;

const ACCIDENTS = { ...ON_DISK, "ADV-M2": steppedClock } as const;

const DEFAULTS = {
  calls: "200",
  workers: "2",
  kills: "50",
  "control-kills": "0",
  "renderer-kills": "0",
  rolls: "0",
  "every-s": "3",
  "call-s": "30",
};
/** A caller's frames are made before. */
const CALL_S_MAX = 60;

function readOptions(args: readonly string[]): Given & { only: string | undefined } {
  const names = [...Object.keys(DEFAULTS), "only"];
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" } as const]));
  const given: typeof DEFAULTS & { only?: string } = { ...DEFAULTS, ...readArguments(args, options).values };
  const parts: readonly string[] = [KILLS, ...Object.keys(ACCIDENTS)];
  if (given.only !== undefined && !parts.includes(given.only)) {
    throw new UsageError([notOneOf("--only", parts, given.only)]);
  }
  return {
    only: given.only,
    calls: wholeNumber("calls", given.calls, 1),
    workers: wholeNumber("workers", given.workers, 1),
    kills: wholeNumber("kills", given.kills),
    controlKills: wholeNumber("control-kills", given["control-kills"]),
    rendererKills: wholeNumber("renderer-kills", given["renderer-kills"]),
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

const KILLS = "kills";
const ACCIDENT_CALLS_MAX = 20;
const program = { path: fileURLToPath(new URL("../../dist/main.js", import.meta.url)), execArgv: [] };

async function run(args: readonly string[]): Promise<number> {
  const { only, ...given } = readOptions(args);
  let exitCode = only === undefined || only === KILLS ? await runKills(given) : 0;
  for (const [id, accident] of Object.entries(ACCIDENTS)) {
    if (only !== undefined && only !== id) continue;
    const { skipped, figures, problems } = await accident({
      program,
      calls: Math.min(given.calls, ACCIDENT_CALLS_MAX),
    });
    const result = skipped === undefined ? `${problems.length} problems` : `skipped: ${skipped}`;
    console.log(`\n${id.padEnd(36)}${result}`);
    for (const [name, value] of figures) console.log(`  ${name.padEnd(34)}${Math.round(value)}`);
    for (const problem of problems) console.log(problem);
    if (problems.length > 0) exitCode = 1;
  }
  return exitCode;
}

async function runKills(given: Given): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), "trunkline-chaos-"));
  const result = await runChaos({ ...given, program, dataDir, sampled: 10, say: (line) => console.log(line) });
  console.log(`\n${table(result)}`);
  for (const problem of result.problems.slice(0, 50)) console.log(problem);
  if (result.problems.length === 0) rmSync(dataDir, { recursive: true, force: true });
  else console.log(`what is left of it is in ${dataDir}`);
  return result.problems.length === 0 ? 0 : 1;
}

await runCommand({ help: USAGE, example: "npm run chaos -- --calls 50 --kills 5", run });
