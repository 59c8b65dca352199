import { setTimeout as delay } from "node:timers/promises";
import { CountingCaller } from "../../callers/counting-caller.ts";
import { hasBegun, NEW_CALL } from "./callers.ts";
import { ProofCluster, type ProofNode } from "./nodes.ts";
import { cpuMsOf } from "./postgres-costs.ts";

const NODES = 2;
const FRAME_MS = 20;
/** How long a call is live, and how long its end may take. */
const CALL_MS = 300;
const HANG_UP_MS_MAX = 10_000;
const POLL_MS = 50;
/** After each step recordings are rendered; records that are later than this do not keep up with the calls. */
const SETTLE_MS = 3_000;
const RECORDS_MS_MAX = 60_000;
const RECORDS_POLL_MS = 250;
const IDLE_MS = 5_000;
const RESPONSE_MS_MAX = 500;

/** Calls that were started at one rate. */
export interface StartsStep {
  startsPerS: number;
  calls: number;
  /** Creations that were refused or not answered, and streams that were not taken. */
  failed: readonly string[];
  /** Of `POST /calls`. */
  p95Ms: number;
  /** Of Postgres, for a call from its creation to its record, less what idle nodes take. */
  cpuMsPerCall: number;
  /** From the end of the last call to the last record. */
  recordsMs: number;
}

/** Nothing failed, answers came in time, and the records kept up with the calls. */
export const isAccepted = ({ failed, p95Ms, recordsMs }: StartsStep): boolean =>
  failed.length === 0 && p95Ms <= RESPONSE_MS_MAX && recordsMs <= SETTLE_MS;

/** Starts calls at two nodes at each of these rates, for so long each, until one is not accepted. */
export async function startsTrial(ratesPerS: readonly number[], stepMs: number): Promise<readonly StartsStep[]> {
  const cluster = await ProofCluster.start(NODES, {}, { isCutOff: false });
  try {
    const steps: StartsStep[] = [];
    await oneStep(cluster, { startsPerS: ratesPerS[0] ?? 1, stepMs: IDLE_MS, idleCpuMsPerS: 0 });
    const idleCpuMsPerS = await idleCpu(cluster);
    for (const startsPerS of ratesPerS) {
      const step = await oneStep(cluster, { startsPerS, stepMs, idleCpuMsPerS });
      steps.push(step);
      if (!isAccepted(step)) break;
    }
    return steps;
  } finally {
    await cluster.remove();
  }
}

/** Processor time of Postgres in a second without calls, ms. */
async function idleCpu({ postgres }: ProofCluster): Promise<number> {
  const before = cpuMsOf(postgres);
  await delay(IDLE_MS);
  return ((cpuMsOf(postgres) - before) * 1_000) / IDLE_MS;
}

async function oneStep(
  cluster: ProofCluster,
  { startsPerS, stepMs, idleCpuMsPerS }: { startsPerS: number; stepMs: number; idleCpuMsPerS: number },
): Promise<StartsStep> {
  const { postgres, nodes } = cluster;
  const tookMs: number[] = [];
  const failed: string[] = [];
  const calls = Math.round((startsPerS * stepMs) / 1_000);
  const [cpuMs, startedMs] = [cpuMsOf(postgres), performance.now()];
  const running: Promise<string | undefined>[] = [];
  for (let call = 0; call < calls; call += 1) {
    // At its own time, however long the calls before it take.
    await delay(startedMs + (call * 1_000) / startsPerS - performance.now());
    running.push(oneCall(cluster, nodes[call % nodes.length] as ProofNode, { tookMs, failed }));
  }
  const begun = (await Promise.all(running)).filter((id) => id !== undefined);
  const recordsMs = await msUntilRecorded(cluster, begun, failed);
  await delay(SETTLE_MS - recordsMs);
  const idleMs = (idleCpuMsPerS * (performance.now() - startedMs)) / 1_000;
  const ascending = tookMs.toSorted((one, other) => one - other);
  return {
    startsPerS,
    calls,
    failed,
    p95Ms: ascending[Math.floor(0.95 * ascending.length)] ?? Number.NaN,
    cpuMsPerCall: (cpuMsOf(postgres) - cpuMs - idleMs) / calls,
    recordsMs,
  };
}

/** How long it takes until each of the calls has its record. Those that never have one are failures. */
async function msUntilRecorded({ nodes }: ProofCluster, ids: readonly string[], failed: string[]): Promise<number> {
  const fromMs = performance.now();
  for (;;) {
    const missing = new Set(ids);
    for (const { log } of nodes)
      for (const [, id = ""] of log.matchAll(/"callId":"([^"]+)"[^\n]*"msg":"call record stored"/g)) missing.delete(id);
    const waitedMs = performance.now() - fromMs;
    if (missing.size > 0 && waitedMs < RECORDS_MS_MAX) await delay(RECORDS_POLL_MS);
    else {
      for (const id of missing) failed.push(`no record of ${id}`);
      return waitedMs;
    }
  }
}

/** The id of the call, where its stream was taken. */
async function oneCall(
  cluster: ProofCluster,
  node: ProofNode,
  { tookMs, failed }: { tookMs: number[]; failed: string[] },
): Promise<string | undefined> {
  const askedMs = performance.now();
  const response = await cluster.fetch(node, "/calls", NEW_CALL);
  tookMs.push(performance.now() - askedMs);
  if (response?.status !== 201) {
    failed.push(response === undefined ? "no answer" : `${response.status}: ${await response.text()}`);
    return undefined;
  }
  const { id, websocketUrl } = (await response.json()) as { id: string; websocketUrl: string };
  const caller = new CountingCaller(id, websocketUrl, () => performance.now());
  for (let ms = 0; ms < CALL_MS && !caller.isOver; ms += FRAME_MS) {
    caller.sendFrames(1);
    await delay(FRAME_MS);
  }
  caller.hangUp();
  for (let ms = 0; ms < HANG_UP_MS_MAX && !caller.isOver; ms += POLL_MS) await delay(POLL_MS);
  if (hasBegun(caller)) return id;
  failed.push(`stream: ${caller.story.why}`);
  return undefined;
}
