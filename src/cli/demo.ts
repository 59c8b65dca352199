import "../core/node-version.ts";
import { resolve } from "node:path";
import { isoTime, systemClock } from "../core/clock.ts";
import { unavailable } from "../core/errors.ts";
import { abortOnSignals, readArguments, runCommand } from "./command.ts";
import { findMismatches } from "./demo/comparison.ts";
import { demoDocument, demoSummary } from "./demo/report.ts";
import { runDemo } from "./demo/run.ts";
import { Terminal } from "./terminal.ts";

/** The call is aborted after this time; stopping the service takes at most five seconds more. */
const DEMO_MS_MAX = 40_000;

const HELP = `Places one telephone call from end to end on this machine: starts a service and connects a simulated caller to it.

  npm run demo
  npm run --silent demo -- --json

  --json   prints one JSON document and nothing else; the conversation goes to standard error

Data, log and recording go to a folder of data/demo. The exit code is 0 when the call went as scripted, 1 otherwise, 2 for a
usage error.
`;

/** `npm run demo [-- --json]`. Returns the exit code; HELP explains it. */
async function run(args: readonly string[]): Promise<number> {
  const json = readArguments(args, { json: { type: "boolean" } }).values.json === true;
  const out = json ? process.stderr : process.stdout;
  const terminal = new Terminal({ write: (text) => out.write(text), colour: out.isTTY });
  const stop = abortOnSignals();
  const cancel = systemClock.after(DEMO_MS_MAX, () => stop.abort(unavailable(`not over after ${DEMO_MS_MAX} ms`)));
  try {
    const startedAt = isoTime(systemClock.epochMs()).replaceAll(/[:.]/g, "-");
    const dataDir = resolve("data", "demo", startedAt);
    const result = await runDemo({ dataDir, clock: systemClock, terminal }, stop.signal);
    if (json) process.stdout.write(`${JSON.stringify(demoDocument(result))}\n`);
    else process.stdout.write(`\n${demoSummary(result)}\n`);
    const mismatches = findMismatches(result);
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
