import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { GeneratorQuestions } from "../../bench/generator/protocol.ts";
import { Child } from "../../bench/rig/child-process.ts";
import { benchLine } from "../../bench/rig/lines.ts";
import { BELOW_WORKERS, isRealtimeAllowed, whereIdle, withoutSessionsFirst } from "../../bench/rig/priority.ts";
import { type BenchService, type BenchServiceOptions, withService } from "../../bench/rig/service.ts";
import { renderSpeech } from "../../bench/rig/speech.ts";
import { interferenceOf, isUndisturbed, LOOP_P99_MS_MAX } from "../../bench/stores/goals.ts";
import { LiveCalls } from "../../bench/stores/interference/live-calls.ts";
import type { FrameRound } from "../../bench/stores/result.ts";
import { formatsOf } from "../../src/simulator/lines.ts";
import type { Proof } from "./proof.ts";

// What live calls notice of other work of the service: quiet and loaded rounds take turns.

const FULL = { calls: 50, pairs: 7, seconds: 10 };
const REDUCED = { calls: 10, pairs: 2, seconds: 4 };
const WARM_UP_MS = 4_000;
const SETTLE_MS = 3_000;
/** A loaded round takes longer where the machine is slow, and the agents must still speak in the last one. */
const ROUNDS_SLACK = 1.5;

/** The work of loaded rounds. The service has three accounts; the calls are of the first one. */
export interface OtherWork {
  /** More than is done at once. */
  fill(): Promise<void>;
  /** Gives more work as it is done, for so long. */
  keepFull(seconds: number): Promise<void>;
  /** Takes back what was not done. */
  clear(): Promise<void>;
  /** How much was given in all. */
  readonly taken: number;
}

export interface InterferenceResult {
  calls: number;
  pairs: readonly { quiet: FrameRound; loaded: FrameRound }[];
  taken: number;
  losses: readonly string[];
}

export interface InterferenceOptions {
  /** Before the calls begin. */
  makeWork: (service: BenchService) => OtherWork | Promise<OtherWork>;
  /** What the work is given as, in the lines of progress: "files". */
  work: string;
  /** The calls may be recorded, and so be listened to. */
  recordsCalls?: boolean;
  /** Settings of the service. */
  env?: Readonly<Record<string, string>>;
  reduced: boolean;
  print: (line: string) => void;
}

/** The same calls with the work and without it. Rejects where the calls cannot be held. */
export async function measureInterference(options: InterferenceOptions): Promise<InterferenceResult> {
  buildProbe();
  return await withoutSessionsFirst(() =>
    withProbedService({ accounts: 3, ...(options.env && { env: options.env }) }, (service, probeFolder) =>
      compare(service, probeFolder, options),
    ),
  );
}

/** Frames are timed in a service that is compiled together with its probe. */
export const buildProbe = (): void =>
  void execFileSync("npm", ["run", "--silent", "bench:build"], { stdio: "inherit" });

/** Starts a service whose workers answer in the probe's folder when frames were due and written; stops it when `work` is over. */
export async function withProbedService<T>(
  { env, ...options }: Omit<BenchServiceOptions, "program">,
  work: (service: BenchService, probeFolder: string) => Promise<T>,
): Promise<T> {
  const probeFolder = mkdtempSync(join(tmpdir(), "trunkline-probe-"));
  const probed = {
    STT: "reference",
    TTS: "reference",
    PROBE_FOLDER: probeFolder,
    NODE_OPTIONS: `--import ${compiled("bench/stores/interference/probe")}`,
    ...env,
  };
  const program = { path: compiled("src/main"), execArgv: [] };
  try {
    return await withService({ ...options, env: probed, program }, (service) => work(service, probeFolder));
  } finally {
    rmSync(probeFolder, { recursive: true, force: true });
  }
}

const compiled = (module: string): string => fileURLToPath(new URL(`../../bench/dist/${module}.js`, import.meta.url));

async function compare(
  service: BenchService,
  probeFolder: string,
  { makeWork, work: name, recordsCalls = false, reduced, print }: InterferenceOptions,
): Promise<InterferenceResult> {
  const { calls, pairs: count, seconds } = reduced ? REDUCED : FULL;
  const work = await makeWork(service);
  const callers = await startCallers();
  try {
    const { callerAudio: audio } = await renderSpeech(formatsOf(benchLine("carrier_a")).inbound);
    const lastS = ROUNDS_SLACK * (WARM_UP_MS / 1_000 + (count + 1) * (2 * seconds + (2 * SETTLE_MS) / 1_000));
    const live = await LiveCalls.begin(service, {
      ...{ callers, audio, probeFolder, count: calls, seconds: lastS },
      recordingEnabled: recordsCalls,
    });
    const pairs = await whereIdle(() =>
      roundsInTurn({ live, work, count, seconds }, (done) =>
        print(`  ${done} of ${count} pairs of rounds beside ${name}`),
      ),
    );
    return { calls, pairs, taken: work.taken, losses: await live.end() };
  } finally {
    callers.stop();
  }
}

/** A process whose callers send and receive the audio of calls. */
export const startCallers = (): Promise<Child<GeneratorQuestions>> =>
  Child.start<GeneratorQuestions>(import.meta.url, "../../bench/generator/generator", { through: BELOW_WORKERS });

/** Quiet and loaded rounds. Who gives the work is not of this machine in earnest, and takes no processor from the service. */
async function roundsInTurn(
  { live, work, count, seconds }: { live: LiveCalls; work: OtherWork; count: number; seconds: number },
  onPair: (done: number) => void,
): Promise<{ quiet: FrameRound; loaded: FrameRound }[]> {
  const quiet = () => live.measure(seconds, () => delay(seconds * 1_000));
  const loaded = async (): Promise<FrameRound> => {
    await work.fill();
    const round = await live.measure(seconds, () => work.keepFull(seconds));
    await work.clear();
    await delay(SETTLE_MS);
    return round;
  };
  await delay(WARM_UP_MS);
  // In the first one the service starts what does the work, and compiles what it runs.
  await loaded();
  const pairs: { quiet: FrameRound; loaded: FrameRound }[] = [];
  while (pairs.length < count) {
    // Each kind of round is the first one every other time.
    const isQuietFirst = pairs.length % 2 === 0;
    const first = isQuietFirst ? await quiet() : await loaded();
    const second = isQuietFirst ? await loaded() : await quiet();
    pairs.push(isQuietFirst ? { quiet: first, loaded: second } : { quiet: second, loaded: first });
    onPair(pairs.length);
  }
  return pairs;
}

/**
 * Checks that no call was lost and, in the full form, that the calls were undisturbed by the work, which goes by `work`: "files". `beside`
 * is what there was always of it.
 */
export function checkUndisturbed(
  { checks, reduced }: Proof,
  result: InterferenceResult,
  work: string,
  beside = `a full queue of ${work}`,
): void {
  const { pairs, calls, taken, losses } = result;
  const interference = interferenceOf({ pairs });
  const { times, addedMs, loopP99Ms } = interference;
  const measured = `${times.toFixed(2)}x, + ${addedMs.toFixed(2)} ms, event loop p99 ${loopP99Ms.toFixed(1)} ms`;
  checks.print(`  frames of ${calls} calls beside ${taken} ${work}: ${measured}`);
  checks.check(`${calls} calls beside ${beside}: none lost`, losses.join("; "));
  if (reduced) return;
  checks.check(
    `${calls} calls are undisturbed by ${beside}`,
    isUndisturbed(interference) && loopP99Ms <= LOOP_P99_MS_MAX ? "" : measured,
  );
}

/** What bench/RESULTS.md says of it. */
export function interferenceLine(result: InterferenceResult, work: string): string {
  const { times, addedMs, loopP99Ms } = interferenceOf(result);
  return (
    `**Calls beside ${work}**: ${result.calls} calls, ${result.pairs.length} pairs of rounds, ${result.taken} ${work}: frames due to written p99 ` +
    `${times.toFixed(2)}x, + ${addedMs.toFixed(2)} ms; event loop p99 ${loopP99Ms.toFixed(1)} ms. The media workers had ` +
    `${isRealtimeAllowed() ? "a real-time priority" : "the usual priority: the system allowed no other"}.`
  );
}
