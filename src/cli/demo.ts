import "../core/node-version.ts";
import { resolve } from "node:path";
import { isoTime, systemClock } from "../core/clock.ts";
import { unavailable } from "../core/errors.ts";
import { abortOnSignals, readArguments, runCommand } from "./command.ts";
import { findMismatches } from "./demo/comparison.ts";
import { HUMAN } from "./demo/human.ts";
import { localSttFailure } from "./demo/local-stt-failure.ts";
import { demoDocument, demoSummary } from "./demo/report.ts";
import { runDemo } from "./demo/run.ts";
import { BAKERY } from "./demo/scenario.ts";
import { Terminal } from "./terminal.ts";

/** From the end of the script's time to the end of the demo: the start before the call, and the record after it. */
const AROUND_CALL_MS_MAX = 30_000;

const HELP = `Places one telephone call from end to end on this machine: starts a service and connects a simulated caller to it.

  npm run demo
  npm run demo -- --human
  npm run --silent demo -- --json

  --human  the caller is a person: recordings of a reader of Sense and Sensibility, which the local STT understands. The call
           takes a minute, and at most two of the reader's words may be understood otherwise
  --json   prints one JSON document and nothing else; the conversation goes to standard error

Data, log and recording go to a folder of data/demo. The exit code is 0 when the call went as scripted, 1 otherwise, 2 for a
usage error.
`;

/** `npm run demo [-- --human --json]`. Returns the exit code; HELP explains it. */
async function run(args: readonly string[]): Promise<number> {
  const { values } = readArguments(args, { json: { type: "boolean" }, human: { type: "boolean" } });
  const json = values.json === true;
  const scenario = values.human === true ? HUMAN : BAKERY;
  const out = json ? process.stderr : process.stdout;
  const terminal = new Terminal({ write: (text) => out.write(text), colour: out.isTTY });
  const stop = abortOnSignals();
  const demoMsMax = scenario.hangUpAfterMs + AROUND_CALL_MS_MAX;
  const cancel = systemClock.after(demoMsMax, () => stop.abort(unavailable(`not over after ${demoMsMax} ms`)));
  try {
    const startedAt = isoTime(systemClock.epochMs()).replaceAll(/[:.]/g, "-");
    const dataDir = resolve("data", "demo", startedAt);
    const result = await runDemo({ scenario, dataDir, clock: systemClock, terminal }, stop.signal);
    if (json) process.stdout.write(`${JSON.stringify(demoDocument(result))}\n`);
    else process.stdout.write(`\n${demoSummary(result)}\n`);
    const mismatches = findMismatches(result);
    const failure = scenario.stt === "local" ? localSttFailure(dataDir) : undefined;
    if (mismatches.length > 0 && failure !== undefined) mismatches.push(failure);
    for (const mismatch of mismatches) process.stderr.write(`${mismatch}\n`);
    return mismatches.length === 0 ? 0 : 1;
  } catch (error) {
    terminal.note(`The demo failed: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  } finally {
    cancel();
  }
}

await runCommand({ help: HELP, example: "npm run demo", run });
