import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../../../src/core/clock.ts";
import { type AccountId, asCarrierCallId, asNodeName } from "../../../src/core/ids.ts";
import { JobRunner } from "../../../src/jobs/runner.ts";
import type { CallEnd, RecordingInfo } from "../../../src/store/calls/call-store.ts";
import type { NodeHolder } from "../../../src/store/cluster/node-store.ts";
import { RENDER_JOB } from "../../../src/store/job-kinds.ts";
import { openPostgresStores } from "../../../src/store/postgres/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { createCall, SPEC, TURNS } from "../../support/calls/stored-calls.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { PostgresServer } from "../../support/postgres/server.ts";
import { redeemedBy } from "../../support/tokens.ts";
import { cpuMsOf } from "./postgres-costs.ts";

const LINES = 16;
const WAIT_MS = 20;
const RECORDING: RecordingInfo = { channels: 2, sampleRateHz: 8_000, durationMs: 5_000, complete: true };

/** What Postgres bears when nothing but its stores is there. */
export interface StoreStarts {
  linesAtOnce: number;
  callsPerS: number;
  cpuMsPerCall: number;
  createdP95Ms: number;
}

/** Creates, redeems, records and renders so many calls by the stores of one node, as fast as Postgres answers. Nothing is carried. */
export async function storeStartsTrial(calls: number): Promise<StoreStarts> {
  const postgres = await PostgresServer.start();
  const databaseUrl = await postgres.createDatabase();
  let holder: NodeHolder | undefined;
  const stores = await openPostgresStores(databaseUrl, systemClock, { holderOf: () => holder });
  try {
    const accountId = await stores.accounts.ensure("proof");
    holder = { name: asNodeName("node-1"), incarnation: await stores.epochs.next() };
    await stores.nodes.register({
      ...{ holder, installation: "proof", mediaUrl: "ws://127.0.0.1", webrtcUrl: undefined, relayUrl: undefined },
      ...{ version: "proof", ipcVersion: 1, journalVersion: 1 },
    });
    return await measured(postgres, stores, { accountId, epoch: holder.incarnation, calls });
  } finally {
    await stores.close();
    await postgres.remove();
  }
}

async function measured(
  postgres: PostgresServer,
  stores: Stores,
  { accountId, epoch, calls }: { accountId: AccountId; epoch: number; calls: number },
): Promise<StoreStarts> {
  let rendered = 0;
  const render = async (job: { payload: unknown }): Promise<void> => {
    const { callId } = job.payload as { callId: Parameters<Stores["calls"]["setRecording"]>[0] };
    if (await stores.calls.awaitsRecording(callId)) await stores.calls.setRecording(callId, RECORDING);
    rendered += 1;
  };
  const handlers = { [RENDER_JOB]: { attemptMsMax: 60_000, retryDelaysMs: [], run: render } };
  const runner = new JobRunner({ jobs: stores.jobs, handlers, clock: systemClock, log: memoryLog().log });
  runner.start();
  const createdMs: number[] = [];
  let begun = 0;
  const [cpuMs, startedMs] = [cpuMsOf(postgres), performance.now()];
  const line = async (): Promise<void> => {
    while (begun < calls) {
      begun += 1;
      createdMs.push(await oneCall(stores, accountId, epoch));
    }
  };
  await Promise.all(Array.from({ length: LINES }, line));
  while (rendered < calls) await delay(WAIT_MS);
  const tookMs = performance.now() - startedMs;
  await runner.stop(0);
  const ascending = createdMs.toSorted((one, other) => one - other);
  return {
    linesAtOnce: LINES,
    callsPerS: (1_000 * calls) / tookMs,
    cpuMsPerCall: (cpuMsOf(postgres) - cpuMs) / calls,
    createdP95Ms: ascending[Math.floor(0.95 * ascending.length)] ?? Number.NaN,
  };
}

/** How long its creation took, ms. */
async function oneCall(stores: Stores, accountId: AccountId, epoch: number): Promise<number> {
  const askedMs = performance.now();
  const { id, tokenHash } = await createCall(stores, accountId, SPEC);
  const tookMs = performance.now() - askedMs;
  const redeemed = await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1", { epoch }));
  if (redeemed === undefined) throw new Error("a token could not be redeemed");
  await stores.calls.setCarrierCallId(id, asCarrierCallId("CA0123456789"));
  const end: CallEnd = {
    ...{ status: "ended", endReason: "caller_hangup", endedAtMs: systemClock.epochMs(), durationMs: 5_000 },
    ...{ turns: TURNS, hasJournal: true },
  };
  if (!(await stores.calls.finish(id, end))) throw new Error("an end was not stored");
  return tookMs;
}
