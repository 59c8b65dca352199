import { interferenceOf, isUndisturbed, LOOP_P99_MS_MAX } from "../../../bench/stores/goals.ts";
import { hasNamespaces, NetworkNamespaces } from "../../support/network/namespaces.ts";
import { hasPostgres } from "../../support/postgres/server.ts";
import { setup as build } from "../../support/services/build.ts";
import { olderBuild } from "../checkout.ts";
import { type ProofPart, runParts } from "../parts.ts";
import type { Proof } from "../proof.ts";
import { deployTrial } from "./deploy-trial.ts";
import { KillTrial, type KillTrialResult, NODES, RECORDED_MS_MAX } from "./kill-trial.ts";
import { mediaTrial } from "./media-trial.ts";
import { messagesTrial } from "./messages-trial.ts";
import { limitTrial, statementTrial } from "./race-trials.ts";
import { rollingTrial } from "./rolling-trial.ts";
import { isAccepted, type StartsStep, startsTrial } from "./starts-trial.ts";
import { type StoreStarts, storeStartsTrial } from "./store-starts-trial.ts";
import { TelephonyTrial, type TelephonyTrialResult } from "./telephony-trial.ts";
import { upgradeTrial } from "./upgrade-trial.ts";

// Many machines: three whole nodes on one Postgres and one bucket, under kills, partitions and races, a rolling restart,
// and a deploy over an older build.

const FULL = {
  ...{
    calls: 1_000,
    kills: 100,
    partitions: 50,
    cutCalls: 500,
    cuts: 50,
    beginCuts: 25,
    limitRounds: 10,
    statementCalls: 200,
  },
  upgrades: 10_000,
  ...{ startsPerS: [5, 10, 15, 20, 30, 40, 50, 60, 80, 100], startsMs: 20_000, storeCalls: 5_000, messageCalls: 400 },
  ...{ phoneCalls: 300, phoneKills: 60, phonePartitions: 20 },
  media: { calls: 50, rounds: 7, seconds: 10 },
};
const REDUCED: typeof FULL = {
  ...{ calls: 60, kills: 5, partitions: 3, cutCalls: 60, cuts: 8, beginCuts: 4, limitRounds: 2, statementCalls: 40 },
  upgrades: 1_000,
  ...{ startsPerS: [5, 10, 20, 40], startsMs: 5_000, storeCalls: 1_000, messageCalls: 60 },
  ...{ phoneCalls: 30, phoneKills: 4, phonePartitions: 1 },
  media: { calls: 10, rounds: 2, seconds: 4 },
};
/** Distinguishes the network of the nodes from those of other proofs. */
const NETWORK = 77;
const SHOWN_MAX = 10;
const STATEMENTS_MAX = 25;
const CPU_MS_MAX = 15;
const STARTS_PER_S_MIN = 50;
const MESSAGE_MS_MAX = 250;
const STATEMENT_CHARS = 150;

/** The media path comes first: it is judged by its time. */
const PARTS: Readonly<Record<string, ProofPart>> = {
  media: mediaPath,
  kills: underKills,
  partitions: underPartitions,
  cuts: underCutsAtBegin,
  telephony: telephoneCalls,
  limits: limitsUnderRace,
  upgrades: upgradesUnderRace,
  rolling: rollingRestart,
  deploys: deployOverOlder,
  statements: statementsPerCall,
  starts: startsASecond,
  messages: messagesOfNodes,
};

export const MACHINES_PARTS: readonly string[] = Object.keys(PARTS);

/** Writes a section of bench/RESULTS.md for each part. */
export async function proveMachines(proof: Proof): Promise<void> {
  if (!hasPostgres) {
    proof.checks.skipped("three nodes", "PostgreSQL is not installed", MACHINES_PARTS.length);
    return;
  }
  build();
  await runParts(proof, { area: "machines", title: "Machines", parts: PARTS });
}

const sizes = ({ reduced }: Proof): typeof FULL => (reduced ? REDUCED : FULL);
const shown = (list: readonly string[]): string =>
  list.length === 0 ? "" : `${list.length}: ${[...new Set(list)].slice(0, SHOWN_MAX).join("; ")}`;

async function mediaPath(proof: Proof): Promise<string> {
  const { checks, reduced } = proof;
  const result = await mediaTrial(sizes(proof).media, checks.print);
  const { calls, pairs, losses, shipped } = result;
  const interference = interferenceOf({ pairs });
  const { times, addedMs, loopP99Ms } = interference;
  const measured = `${times.toFixed(2)}x, + ${addedMs.toFixed(2)} ms; event loop p99 ${loopP99Ms.toFixed(1)} ms`;
  const of = `${calls} recorded calls on the shared stores, beside ${calls} on SQLite`;
  checks.print(`  ${measured}; ${shipped} objects in the bucket`);
  checks.check(`${of}: none lost`, losses.join("; "));
  checks.check(`${of}: their journals are shipped meanwhile`, shipped < calls ? `${shipped} objects` : "");
  if (!reduced)
    checks.check(
      `${of}: frames are undisturbed`,
      isUndisturbed(interference) && loopP99Ms <= LOOP_P99_MS_MAX ? "" : measured,
    );
  return `${of}, both at the same time, ${pairs.length} rounds: frames due to written p99 ${measured}. ${shipped} objects were shipped to the bucket.`;
}

async function underKills(proof: Proof): Promise<string> {
  const { checks, seed } = proof;
  const { calls, kills, partitions } = sizes(proof);
  const result = await new KillTrial({ calls, kills, partitions, seed }, checks.print).run();
  const p99Ms = checkTrial(proof, result, `${result.begun} calls under ${kills} kills and ${partitions} partitions`);
  return killTable(
    result,
    p99Ms,
    "A killed node is back after 0 to 9 s, three times in ten on an empty disk. A partition is a node that stands still for 3, 7 or 30 s " +
      "(SIGSTOP), or that reaches Postgres no more for 3 to 12 s (a proxy); not a network namespace.",
  );
}

async function underPartitions(proof: Proof): Promise<string> {
  const { checks, seed } = proof;
  if (!hasNamespaces()) {
    checks.skipped("partitions", "namespaces of the network need root, ip and nft");
    return "Not run: namespaces of the network need root, ip and nft.";
  }
  const { cutCalls: calls, cuts: partitions } = sizes(proof);
  const network = new NetworkNamespaces(NETWORK, NODES);
  try {
    const result = await new KillTrial({ calls, kills: 0, partitions, seed, network }, checks.print).run();
    const p99Ms = checkTrial(proof, result, `${result.begun} calls under ${partitions} partitions of the network`);
    return killTable(
      result,
      p99Ms,
      "Each node is in a network namespace of its own, and nftables drops what it sends to Postgres, the bucket or the other nodes, or " +
        "gets from them, or both, for 3 to 12 s; one time in five it stands still for 3, 7 or 30 s (SIGSTOP).",
    );
  } finally {
    network.remove();
  }
}

async function underCutsAtBegin(proof: Proof): Promise<string> {
  const { seed, checks } = proof;
  const { beginCuts: partitions } = sizes(proof);
  const options = { calls: 0, kills: 0, partitions, seed, cutsAsCallsBegin: true };
  const result = await new KillTrial(options, checks.print).run();
  const p99Ms = checkTrial(proof, result, `${result.begun} calls, ${partitions} nodes cut off as a call began on them`);
  return killTable(
    result,
    p99Ms,
    "A node on which a call has begun within the last 0.3 s reaches Postgres no more for 3 to 12 s (a proxy), when the one before has been back for 4 s.",
  );
}

/** Returns how long after a death calls were recorded, at p99; undefined where no call was live at one. */
function checkTrial({ checks }: Proof, result: KillTrialResult, under: string): number | undefined {
  checks.check(`${under}: records lost 0`, shown(result.lost));
  checks.check(`${under}: records doubled 0`, shown(result.doubled));
  checks.check(`${under}: calls stuck 0`, shown(result.stuck));
  checks.check(`${under}: tokens redeemed twice 0, ${result.raced} raced`, shown(result.redeemedTwice));
  checks.check(`${under}: audio lost at most one segment`, shown(result.audioLost));
  const p99Ms = percentile(
    result.recordings.map(({ tookMs }) => tookMs),
    0.99,
  );
  if (result.kills === 0) return p99Ms;
  checks.check(
    `${under}: a node dead to its calls recorded within ${RECORDED_MS_MAX / 1_000} s at p99`,
    p99Ms === undefined
      ? "no call was live at a death"
      : p99Ms <= RECORDED_MS_MAX
        ? ""
        : `${(p99Ms / 1_000).toFixed(1)} s`,
  );
  return p99Ms;
}

const percentile = (ascending: readonly number[], share: number): number | undefined =>
  ascending[Math.min(ascending.length - 1, Math.floor(share * ascending.length))];

function killTable(result: KillTrialResult, p99Ms: number | undefined, how: string): string {
  const { begun, kills, partitions, lost, doubled, stuck, raced, redeemedTwice, audioLost, recordings, endReasons } =
    result;
  return [
    `Seed ${result.seed}, ${result.tookS.toFixed(0)} s. ${how}`,
    "",
    "| what | found |",
    "| --- | --- |",
    `| calls, kills, partitions | ${begun}, ${kills}, ${partitions} |`,
    `| records lost, doubled, stuck | ${lost.length}, ${doubled.length}, ${stuck.length} |`,
    `| tokens redeemed twice, of those raced over all nodes | ${redeemedTwice.length} of ${raced} |`,
    `| calls that lost more than one segment of audio | ${audioLost.length} |`,
    `| node dead to calls recorded, p99 of ${recordings.length}; nodes that start leave the others the processors | ${p99Ms === undefined ? "none" : `${(p99Ms / 1_000).toFixed(1)} s`} |`,
    `| partitions | ${counted(result.cuts)} |`,
    `| end reasons | ${counted(endReasons)} |`,
  ].join("\n");
}

async function telephoneCalls(proof: Proof): Promise<string> {
  const { checks, seed, reduced } = proof;
  const { phoneCalls: calls, phoneKills: kills, phonePartitions: partitions } = sizes(proof);
  const result = await new TelephonyTrial({ calls, kills, partitions, seed, isShort: reduced }, checks.print).run();
  const { verdict, lost, doubled, stuck } = result;
  const under = `${calls} telephone calls under ${kills} kills and ${partitions} partitions`;
  const claims: [string, readonly string[]][] = [
    ["placed twice 0", verdict.placedTwice],
    ["dialled again in doubt 0", verdict.dialledAgain],
    ["lost 0", lost],
    ["doubled 0", doubled],
    ["stuck 0", stuck],
    ["`unknown` only where it cannot be known", verdict.wronglyUnknown],
    ["undisturbed ones end as the carrier saw", verdict.wrongEnds],
    ["no token before the answer, and none readable in a log", verdict.leakedTokens],
  ];
  for (const [claim, problems] of claims) checks.check(`${under}: ${claim}`, problems.slice(0, SHOWN_MAX).join("\n"));
  checks.print(
    `  ${result.placed} placed, ${result.atDial} accidents at a request to dial; ${counted(result.reasons)}`,
  );
  return telephonyTable(result);
}

const telephonyTable = ({ verdict, ...result }: TelephonyTrialResult): string =>
  [
    `Seed ${result.seed}, ${result.tookS.toFixed(0)} s. Outbound calls at emulated carriers, as in the proof of telephony, each ordered at any node; a balancer ` +
      "leads each webhook to the next node that is up. A killed node is back after 0 to 9 s; a partition cuts it off from Postgres for 3 to 12 s. " +
      "Half of them befall the node whose request to dial is at a carrier.",
    "",
    "| what | found |",
    "| --- | --- |",
    `| orders, kills, partitions | ${result.calls}, ${result.kills}, ${result.partitions} |`,
    `| of those at a request to dial | ${result.atDial} |`,
    `| calls that the carriers placed | ${result.placed} |`,
    `| placed twice, dialled again in doubt | ${verdict.placedTwice.length}, ${verdict.dialledAgain.length} |`,
    `| lost, doubled, stuck | ${result.lost.length}, ${result.doubled.length}, ${result.stuck.length} |`,
    `| \`unknown\` although it could be known, wrong ends, tokens that leaked | ${verdict.wronglyUnknown.length}, ${verdict.wrongEnds.length}, ${verdict.leakedTokens.length} |`,
    `| requests of carriers by node | ${result.webhooks.join(", ")} |`,
    `| end reasons | ${counted(result.reasons)} |`,
  ].join("\n");

const counted = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");

async function limitsUnderRace(proof: Proof): Promise<string> {
  const { limit, asked, created, over } = await limitTrial(sizes(proof).limitRounds);
  proof.checks.check(
    `${asked} creations raced over three nodes against a limit of ${limit} calls: over by 0`,
    over > 0 ? `over by ${over}` : created === 0 ? "no call was created" : "",
  );
  return `${asked} creations at once over three nodes, in rounds of ${3 * limit}, against a limit of ${limit}: ${created} created, over by ${over}.`;
}

async function upgradesUnderRace(proof: Proof): Promise<string> {
  const { tokens, upgrades, answers, wrong, unrecorded, tookMs } = await upgradeTrial(sizes(proof).upgrades);
  const raced = `${upgrades} upgrades raced over three nodes with ${tokens} tokens`;
  proof.checks.check(`${raced}: each token opened one stream`, shown(wrong));
  proof.checks.check(`${raced}: each call has one record`, shown(unrecorded));
  proof.checks.check(
    `${raced}: each other upgrade was answered`,
    answers.none === undefined ? "" : `${answers.none} were not`,
  );
  const took = `${(tookMs / 1_000).toFixed(1)} s`;
  return `${raced}, all of a token at once, in ${took}: ${wrong.length} tokens redeemed other than once; answers by status: ${counted(answers)}.`;
}

async function rollingRestart(proof: Proof): Promise<string> {
  const { begun, refused, unbegun, cut } = await rollingTrial(proof.seed);
  const under = `each of three nodes restarted under ${begun} calls`;
  proof.checks.check(`${under}: calls cut 0`, shown(cut));
  proof.checks.check(`${under}: created calls without a stream 0`, shown(unbegun));
  proof.checks.check(`${under}: creations refused 0`, shown(refused));
  return `Each of three nodes was drained and started again under load: ${begun} calls, ${cut.length} cut, ${unbegun.length} created whose stream no node took, ${refused.length} creations refused.`;
}

async function deployOverOlder(proof: Proof): Promise<string> {
  const { checks, seed, cache } = proof;
  const older = await olderBuild(cache);
  if (older === undefined) {
    const why = "the history does not go back to the commit before the newest migration";
    checks.skipped("deploys", why);
    return `Not run: ${why}.`;
  }
  const result = await deployTrial(seed, older);
  const { begun, lost, doubled, stuck, cut, unbegun, refused, asked, ended, unanswered } = result;
  const under = `${begun} calls while three nodes of ${older.commit} become this build, two of them killed`;
  checks.check(`${under}: records lost 0`, shown(lost));
  checks.check(`${under}: records doubled 0`, shown(doubled));
  checks.check(`${under}: calls stuck 0`, shown(stuck));
  checks.check(`${under}: calls cut 0 where no node was killed`, shown(cut));
  checks.check(
    `${under}: created calls without a stream 0 at nodes of this build that were not killed`,
    shown(unbegun),
  );
  checks.check(`${under}: creations refused 0`, shown(refused));
  const { recordedByOlder, recordedByNewer } = result;
  checks.check(
    `${under}: each build recorded calls of a dead node of the other`,
    recordedByOlder > 0 && recordedByNewer > 0 ? "" : `older ${recordedByOlder}, this ${recordedByNewer}`,
  );
  checks.check(
    `${under}: calls are looked at and ended at nodes of the other build`,
    asked === 0 || ended === 0 ? `${asked} looked at, ${ended} ended` : shown(unanswered),
  );
  return (
    `Three nodes of ${older.commit}, from before the newest migration, became this build under load, one after the other: the first one was killed ` +
    "beside two of the older build, the last one beside two of this one. " +
    `${begun} calls: records lost ${lost.length}, doubled ${doubled.length}, stuck ${stuck.length}; ${cut.length} cut where no node was killed, ` +
    `${unbegun.length} created whose stream a node of this build did not take, ${refused.length} creations refused. Calls of the dead nodes that the older build recorded: ` +
    `${recordedByOlder}; that this one recorded: ${recordedByNewer}. At nodes of the other build than their own ${asked} live calls were looked at and ` +
    `${ended} ended; ${unanswered.length} requests failed.`
  );
}

async function statementsPerCall(proof: Proof): Promise<string> {
  const {
    calls,
    statementsPerCall: statements,
    cpuMsPerCall,
    frequent,
  } = await statementTrial(proof.seed, sizes(proof).statementCalls);
  const { checks } = proof;
  checks.check(
    `statements of Postgres per call: at most ${STATEMENTS_MAX}`,
    statements <= STATEMENTS_MAX ? "" : statements.toFixed(1),
  );
  checks.check(
    `processor time of Postgres per call: at most ${CPU_MS_MAX} ms`,
    cpuMsPerCall <= CPU_MS_MAX ? "" : `${cpuMsPerCall.toFixed(1)} ms`,
  );
  for (const { text, perCall } of frequent) {
    checks.print(`  ${perCall.toFixed(2)}: ${text.replaceAll(/\s+/g, " ").slice(0, STATEMENT_CHARS)}`);
  }
  return `${calls} calls: ${statements.toFixed(1)} statements and ${cpuMsPerCall.toFixed(1)} ms of Postgres's processor time each once the connections are in use, without what three idle nodes take.`;
}

async function startsASecond(proof: Proof): Promise<string> {
  const { startsPerS, startsMs, storeCalls } = sizes(proof);
  const store = await storeStartsTrial(storeCalls);
  const { checks } = proof;
  checks.check(
    `Postgres bears ${STARTS_PER_S_MIN} calls a second, each created, redeemed, recorded and rendered`,
    store.callsPerS >= STARTS_PER_S_MIN ? "" : store.callsPerS.toFixed(0),
  );
  const steps = await startsTrial(startsPerS, startsMs);
  const accepted = steps.filter(isAccepted).at(-1);
  checks.check(
    "two nodes accept a rate of starts",
    accepted === undefined ? shown(steps[0]?.failed ?? []) || "none" : "",
  );
  return startsTable(store, steps);
}

const startsTable = (store: StoreStarts, steps: readonly StartsStep[]): string =>
  [
    `Postgres alone, driven by the stores of one process on the same machine, ${store.linesAtOnce} calls at once: ${store.callsPerS.toFixed(0)} calls a second, ${store.cpuMsPerCall.toFixed(1)} ms of Postgres's processor time each, p95 of a creation ${store.createdP95Ms.toFixed(0)} ms.`,
    "",
    "Two whole nodes, with their callers, the bucket and Postgres on the same machine:",
    "",
    "| starts a second | calls | failed | p95 of `POST /calls` | Postgres's processor time a call | last record after the last call |",
    "| --- | --- | --- | --- | --- | --- |",
    ...steps.map(
      ({ startsPerS, calls, failed, p95Ms, cpuMsPerCall, recordsMs }) =>
        `| ${startsPerS} | ${calls} | ${shown(failed) || "0"} | ${p95Ms.toFixed(0)} ms | ${cpuMsPerCall.toFixed(1)} ms | ${(recordsMs / 1_000).toFixed(1)} s |`,
    ),
  ].join("\n");

async function messagesOfNodes(proof: Proof): Promise<string> {
  const { calls, tookMs, failed } = await messagesTrial(sizes(proof).messageCalls);
  const { checks } = proof;
  checks.check(`requests at other nodes for ${calls} live calls: all answered`, shown(failed));
  const rows = Object.entries(tookMs).map(([name, took]) => {
    const [p50Ms, p99Ms] = [percentile(took, 0.5) ?? Number.NaN, percentile(took, 0.99) ?? Number.NaN];
    checks.check(
      `${name} at another node, p99 of ${took.length}: at most ${MESSAGE_MS_MAX} ms`,
      p99Ms <= MESSAGE_MS_MAX ? "" : `${p99Ms.toFixed(0)} ms`,
    );
    return `| ${name} | ${took.length} | ${p50Ms.toFixed(0)} ms | ${p99Ms.toFixed(0)} ms |`;
  });
  return ["| request | answered | median | p99 |", "| --- | --- | --- | --- |", ...rows].join("\n");
}
