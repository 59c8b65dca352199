import "../core/runtime/node-version.ts";
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { readDataDir, readServiceAccess } from "../config/environment.ts";
import { isoTime, systemClock } from "../core/clock.ts";
import { firstApiKeyPath } from "../store/data-dir/first-api-key.ts";
import { CALL_USAGE, type CallPlan, planCall } from "./call/arguments.ts";
import { callDocument, callFaults, callSummary } from "./call/report.ts";
import { runCall } from "./call/run.ts";
import { abortOnSignals, runCommand, UsageError } from "./command.ts";
import { printable, Terminal } from "./terminal.ts";

/** `npm run call -- ...`: one simulated call. Returns the exit code; CALL_USAGE explains it. */
async function run(args: readonly string[]): Promise<number> {
  const { localUrl, ...access } = readServiceAccess();
  const plan = planCall(args, access);
  requireRecordingFolder(plan);
  const out = plan.json ? process.stderr : process.stdout;
  const terminal = new Terminal({ write: (text) => out.write(text), colour: out.isTTY });
  const stop = abortOnSignals();
  const startedAt = isoTime(systemClock.epochMs()).replaceAll(/[:.]/g, "-");
  const dataDir = resolve("data", "call", startedAt);
  const local = { apiUrl: localUrl, firstKeyPath: firstApiKeyPath(readDataDir()) };
  try {
    const result = await runCall(plan, { dataDir, local, clock: systemClock, terminal }, stop.signal);
    if (plan.json) process.stdout.write(`${JSON.stringify(callDocument(result))}\n`);
    else process.stdout.write(`\n${printable(callSummary(result))}\n`);
    const faults = callFaults(result);
    for (const fault of faults) process.stderr.write(`${printable(fault)}\n`);
    return faults.length === 0 ? 0 : 1;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    terminal.note(`The call failed: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
}

/** A call is not placed when its recording could not be written. */
function requireRecordingFolder({ recordPath }: CallPlan): void {
  if (recordPath === undefined || existsSync(dirname(resolve(recordPath)))) return;
  throw new UsageError([`--record: there is no folder ${dirname(recordPath)}`]);
}

await runCommand({
  help: CALL_USAGE,
  example: 'npm run call -- --wire carrier_b --say "What time do you open?"',
  run,
});
