import "../core/runtime/node-version.ts";
import { resolve } from "node:path";
import { isoTime, systemClock } from "../core/clock.ts";
import { unavailable } from "../core/errors.ts";
import { abortOnSignals, runCommand } from "./command.ts";
import { DEMO_HELP, type DemoPlan, planDemo } from "./demo/arguments.ts";
import { findMismatches } from "./demo/comparison.ts";
import { HUMAN } from "./demo/human.ts";
import { localSttFailure } from "./demo/local-stt-failure.ts";
import { findPhoneMismatches } from "./demo/phone/comparison.ts";
import { phoneDemoDocument, phoneDemoSummary } from "./demo/phone/report.ts";
import { runPhoneDemo } from "./demo/phone/run.ts";
import { demoDocument, demoSummary } from "./demo/report.ts";
import { type DemoOptions, runDemo } from "./demo/run.ts";
import { BAKERY, type Scenario } from "./demo/scenario.ts";
import { Terminal } from "./terminal.ts";

/** From the end of the script's time to the end of the demo: the start before the call, and the record after it. */
const AROUND_CALL_MS_MAX = 30_000;
/** Both calls of the telephone demo. */
const PHONE_MS_MAX = 120_000;

/** What a demo leaves: its document, its summary, and where it went otherwise than scripted. */
interface Outcome {
  document: object;
  summary: string;
  mismatches: readonly string[];
}

type Surroundings = Omit<DemoOptions, "scenario">;

/** `npm run demo [-- --human --phone --json]`. Returns the exit code; DEMO_HELP explains it. */
async function run(args: readonly string[]): Promise<number> {
  const plan = planDemo(args);
  const scenario = plan.human ? HUMAN : BAKERY;
  const out = plan.json ? process.stderr : process.stdout;
  const terminal = new Terminal({ write: (text) => out.write(text), colour: out.isTTY });
  const stop = abortOnSignals();
  const demoMsMax = (plan.phone === undefined ? scenario.hangUpAfterMs : PHONE_MS_MAX) + AROUND_CALL_MS_MAX;
  const cancel = systemClock.after(demoMsMax, () => stop.abort(unavailable(`not over after ${demoMsMax} ms`)));
  try {
    const startedAt = isoTime(systemClock.epochMs()).replaceAll(/[:.]/g, "-");
    const surroundings = { dataDir: resolve("data", "demo", startedAt), clock: systemClock, terminal };
    const outcome = await outcomeOf(plan, scenario, surroundings, stop.signal);
    if (plan.json) process.stdout.write(`${JSON.stringify(outcome.document)}\n`);
    else process.stdout.write(`\n${outcome.summary}\n`);
    for (const mismatch of outcome.mismatches) process.stderr.write(`${mismatch}\n`);
    return outcome.mismatches.length === 0 ? 0 : 1;
  } catch (error) {
    terminal.note(`The demo failed: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  } finally {
    cancel();
  }
}

async function outcomeOf(
  { phone }: DemoPlan,
  scenario: Scenario,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<Outcome> {
  if (phone !== undefined) {
    const result = await runPhoneDemo({ carrier: phone, ...surroundings }, signal);
    const document = phoneDemoDocument(result);
    return { document, summary: phoneDemoSummary(result), mismatches: findPhoneMismatches(result) };
  }
  const result = await runDemo({ scenario, ...surroundings }, signal);
  const mismatches = findMismatches(result);
  const failure = scenario.stt === "local" ? localSttFailure(surroundings.dataDir) : undefined;
  if (mismatches.length > 0 && failure !== undefined) mismatches.push(failure);
  return { document: demoDocument(result), summary: demoSummary(result), mismatches };
}

await runCommand({ help: DEMO_HELP, example: "npm run demo", run });
