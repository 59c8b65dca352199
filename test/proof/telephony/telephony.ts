import { Child } from "../../../bench/rig/child-process.ts";
import { interferenceOf, isUndisturbed, LOOP_P99_MS_MAX } from "../../../bench/stores/goals.ts";
import { percentile } from "../../../src/core/calls/latency.ts";
import { hasPostgres } from "../../support/postgres/server.ts";
import { setup as build } from "../../support/services/build.ts";
import type { StoreName } from "../killed-service.ts";
import type { Proof } from "../proof.ts";
import { writeSection } from "../results.ts";
import { type FloodResult, flood, forge } from "./forgeries/flood.ts";
import { KillTrial, type KillTrialResult } from "./kill-trial.ts";
import type { LatencyQuestions } from "./latency/process.ts";
import type { LatencyResult } from "./latency/trial.ts";
import { resultTables } from "./tables.ts";
import type { TransferQuestions } from "./transfers/process.ts";
import type { TransferResult } from "./transfers/trial.ts";

// Telephone calls of the whole service at emulated carriers: under kills, transferred, under load, and with forged webhooks.

const FULL = {
  trial: { calls: 500, kills: 200 },
  transfers: { callers: 500, callersAtOnce: 25, kills: 20 },
  // The goal is that of the last rate. It is beyond what two cores bear together with the carriers, so the lower ones say how far it is.
  latency: {
    inbound: [
      { calls: 150, perSecond: 5 },
      { calls: 300, perSecond: 10 },
      { calls: 600, perSecond: 20 },
      { calls: 1_500, perSecond: 50 },
    ],
    greetings: 60,
  },
  forgeries: 10_000,
};
/** Without what takes a minute because the service waits for a carrier: the full form is for that. */
const REDUCED = {
  trial: { calls: 12, kills: 4 },
  transfers: { callers: 12, callersAtOnce: 12, kills: 1 },
  latency: { inbound: [{ calls: 20, perSecond: 10 }], greetings: 3 },
  forgeries: 400,
};
const PROBLEMS_SHOWN_MAX = 5;
const DOCUMENT_MS_MAX = 100;
const GREETING_MS_MAX = 300;

/** Everything that was found. */
export interface TelephonyResult {
  trials: readonly KillTrialResult[];
  transfers: readonly TransferResult[];
  latencies: readonly LatencyResult[];
  floods: readonly FloodResult[];
}

/** Places, receives and transfers calls. Writes the section "proof -- telephony" of bench/RESULTS.md. */
export async function proveTelephony(proof: Proof): Promise<void> {
  const { reduced, checks } = proof;
  // The services are those of the build.
  build();
  const stores = (["SQLite", "Postgres"] as const).filter((store) => store === "SQLite" || hasPostgres);
  const result = reduced ? await runReduced(proof, stores) : await runFull(proof, stores);
  for (const latency of result.latencies) checkLatency(proof, latency);
  for (const forged of result.floods) checkFlood(proof, forged);
  for (const trial of result.trials) checkTrial(proof, trial);
  for (const transfers of result.transfers) checkTransfers(proof, transfers);
  if (!hasPostgres) checks.skipped("Postgres: calls under kills, transfers", "PostgreSQL is not installed", 7);
  await writeSection(proof, "Telephony", "telephony", resultTables(result));
}

/** What is judged by its time is measured first, one after the other. */
async function runFull(proof: Proof, stores: readonly StoreName[]): Promise<TelephonyResult> {
  const { checks, seed } = proof;
  const latencies: LatencyResult[] = [];
  const floods: FloodResult[] = [];
  for (const store of stores) {
    await attempt(proof, `${store}: latency`, async () => latencies.push(await measureLatency(store, FULL.latency)));
  }
  for (const store of stores) {
    const options = { store, seed, forgeries: FULL.forgeries };
    await attempt(proof, `${store}: forged webhooks`, async () => floods.push(await flood(options, checks.print)));
  }
  const trials: KillTrialResult[] = [];
  const transfers: TransferResult[] = [];
  await Promise.all(
    stores.map((store) =>
      attempt(proof, `${store}: kills`, async () => trials.push(...(await runTrials(proof, [store], FULL)))),
    ),
  );
  await attempt(proof, "transfers", async () => transfers.push(...(await runTransfers(proof, stores, FULL))));
  return { latencies, floods, trials, transfers };
}

/** What cannot be measured fails by itself: it took long to get to the others. */
async function attempt({ checks }: Proof, what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    checks.failed(`${what} runs to its end`, error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
}

/** Two chains at once: nothing is judged by its time. */
async function runReduced(proof: Proof, stores: readonly StoreName[]): Promise<TelephonyResult> {
  const { seed, checks } = proof;
  const measure = async (): Promise<Omit<TelephonyResult, "trials">> => {
    const latency = await measureLatency("SQLite", REDUCED.latency);
    checks.print("  calls were received and greeted");
    const forged = await forge({ store: "SQLite", seed, forgeries: REDUCED.forgeries });
    checks.print("  forged webhooks were sent");
    const transfers = await runTransfers(proof, stores.slice(-1), REDUCED);
    return { latencies: [latency], floods: [forged], transfers };
  };
  const [trials, measured] = await both(runTrials(proof, stores, REDUCED), measure());
  return { trials, ...measured };
}

/** All stores at once: most of the time each waits for what is in doubt. */
async function runTrials(
  { checks, seed, reduced }: Proof,
  stores: readonly StoreName[],
  { trial }: Pick<typeof FULL, "trial">,
): Promise<readonly KillTrialResult[]> {
  const run = (store: StoreName) => new KillTrial({ store, ...trial, seed, isShort: reduced }, checks.print).run();
  const [first, second] = stores;
  if (first === undefined || second === undefined) return await Promise.all(stores.map(run));
  return await both(run(first), run(second));
}

async function runTransfers(
  { seed, reduced }: Proof,
  stores: readonly StoreName[],
  { transfers }: Pick<typeof FULL, "transfers">,
): Promise<readonly TransferResult[]> {
  const results: TransferResult[] = [];
  for (const store of stores) {
    const options = { store, seed, ...transfers, isShort: reduced };
    results.push(
      await inChild<TransferQuestions, TransferResult>("./transfers/process", (child) => child.ask("run", options)),
    );
  }
  return results;
}

/** Rejects only when both are over: they stop what they have started. */
async function both<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return [await one, await other];
}

const measureLatency = (store: StoreName, size: typeof FULL.latency): Promise<LatencyResult> =>
  inChild<LatencyQuestions, LatencyResult>("./latency/process", (child) => child.ask("measure", { store, ...size }));

async function inChild<Q extends LatencyQuestions | TransferQuestions, T>(
  path: string,
  work: (child: Child<Q>) => Promise<T>,
): Promise<T> {
  const child = await Child.start<Q>(import.meta.url, path);
  try {
    return await work(child);
  } finally {
    child.stop();
  }
}

function checkTrial({ checks, seed }: Proof, { store, verdict, kills, calls }: KillTrialResult): void {
  const under = `${store}, seed ${seed}: ${calls} calls under ${kills} kills`;
  const claims: [string, readonly string[]][] = [
    ["placed twice 0", verdict.placedTwice],
    ["dialled again in doubt 0", verdict.dialledAgain],
    ["lost without a state 0", verdict.lost],
    ["`unknown` only where it cannot be known", verdict.wronglyUnknown],
    ["undisturbed ones end as the carrier saw", verdict.wrongEnds],
    ["no token before the answer, and none readable", verdict.leakedTokens],
  ];
  for (const [claim, problems] of claims) {
    checks.check(`${under}: ${claim}`, problems.slice(0, PROBLEMS_SHOWN_MAX).join("\n"));
  }
}

function checkTransfers({ checks, seed }: Proof, { store, callers, kills, results, open }: TransferResult): void {
  const under = `${store}, seed ${seed}: ${callers} callers transferred, ${kills} kills`;
  const lost = results
    .filter(({ outcome }) => outcome === "lost")
    .map(
      ({ callId, carrier, target, met, emptyMs, waitMs }) =>
        `${callId} (${carrier}): ${[target, ...met].join(", ")}; ${emptyMs} ms empty, ${waitMs} ms in all`,
    );
  checks.check(`${under}: callers lost 0`, lost.slice(0, PROBLEMS_SHOWN_MAX).join("\n"));
  checks.check(`${under}: every call ends`, open.slice(0, PROBLEMS_SHOWN_MAX).join(", "));
}

/** The goals hold on a machine with nothing else to do, so only the full form is held to them. */
function checkLatency({ checks, reduced }: Proof, { store, inbound, greetingMs, ungreeted }: LatencyResult): void {
  for (const { calls, perSecond, unanswered, documentMs } of inbound) {
    const p99 = percentile(documentMs, 99);
    const what = `${store}: inbound webhook to its answer, ${perSecond} a second`;
    checks.print(`  ${what}: p99 ${Math.round(p99)} ms of ${documentMs.length}`);
    // A busy machine may have no slot for a call.
    const isEnough = reduced ? documentMs.length > 0 : unanswered === 0;
    checks.check(
      `${store}: ${calls} inbound calls, ${perSecond} a second, are answered`,
      isEnough ? "" : `${unanswered} are not`,
    );
    if (!reduced)
      checks.check(`${what}: p99 at most ${DOCUMENT_MS_MAX} ms`, p99 <= DOCUMENT_MS_MAX ? "" : `${p99.toFixed(1)} ms`);
  }
  const greetingP90 = percentile(greetingMs, 90);
  checks.print(
    `  ${store}: answer to the greeting's first frame: p90 ${Math.round(greetingP90)} ms of ${greetingMs.length}`,
  );
  const isEnough = reduced ? greetingMs.length > 0 : ungreeted === 0;
  checks.check(`${store}: outbound calls are greeted`, isEnough ? "" : `${ungreeted} are not`);
  if (reduced) return;
  checks.check(
    `${store}: answer to the greeting's first frame: p90 at most ${GREETING_MS_MAX} ms`,
    greetingP90 <= GREETING_MS_MAX ? "" : `${greetingP90} ms`,
  );
}

function checkFlood({ checks, seed }: Proof, { store, perSecond, forged, pairs, calls, losses }: FloodResult): void {
  checks.print(`  ${store}: forged webhooks by the status of their answers: ${JSON.stringify(forged.statuses)}`);
  checks.check(
    `${store}, seed ${seed}: ${forged.sent} forged webhooks, accepted 0`,
    forged.accepted.slice(0, PROBLEMS_SHOWN_MAX).join("; "),
  );
  if (pairs.length === 0) return;
  const interference = interferenceOf({ pairs });
  const { times, addedMs, loopP99Ms } = interference;
  const measured = `${times.toFixed(2)}x, + ${addedMs.toFixed(2)} ms, event loop p99 ${loopP99Ms.toFixed(1)} ms`;
  checks.print(`  ${store}: frames of ${calls} live calls with ${perSecond} forged webhooks a second: ${measured}`);
  checks.check(`${store}: no live call lost meanwhile`, losses.join("\n"));
  checks.check(
    `${store}: ${calls} live calls undisturbed by ${perSecond} forged webhooks a second`,
    isUndisturbed(interference) && loopP99Ms <= LOOP_P99_MS_MAX ? "" : measured,
  );
}
