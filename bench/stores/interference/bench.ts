import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { childModule } from "../../../src/core/child-processes/child-module.ts";
import { formatsOf } from "../../../src/simulator/lines.ts";
import type { GeneratorQuestions } from "../../generator/protocol.ts";
import { Child, type Questions } from "../../rig/child-process.ts";
import { benchLine } from "../../rig/lines.ts";
import { BELOW_WORKERS, isRealtimeAllowed, lower, WHERE_IDLE } from "../../rig/priority.ts";
import { type BenchService, sendRequest } from "../../rig/service.ts";
import { renderSpeech } from "../../rig/speech.ts";
import type { RedeemerQuestions, RedemptionLoad } from "../clients/redeemer.ts";
import type { ClientQuestions } from "../clients/requests.ts";
import type { InterferenceResult, LoadDone, StoreName } from "../result.ts";
import { failuresOf, NEW_CALL, type Scene, withStore } from "../scene.ts";
import { addWebhooks, WEBHOOK_ENV } from "../webhooks/add-webhooks.ts";
import type { EndpointQuestions } from "../webhooks/endpoints.ts";
import { LiveCalls } from "./live-calls.ts";

// Live calls in a service that has all it can have to do besides: new calls, lists, deliveries, recorded calls that end and are
// rendered. Quiet and loaded rounds take turns. The programs that cause the load have the lowest priority.

const CALLS = 50;
const PAIRS = 7;
const SECONDS = 10;
const REDUCED = { calls: 10, pairs: 2, seconds: 4 };
const WARM_UP_MS = 4_000;
/** What a loaded round leaves is done within this time. */
const SETTLE_MS = 4_000;
/**
 * What two processors keep up with beside the calls, the callers and Postgres: with twice as much, requests are refused, and what is
 * left over disturbs the quiet rounds. The endpoint gets an event of every new call.
 */
const NEW_CALLS_PER_SECOND = 50;
const LISTS_PER_SECOND = 2;
const RENDERS_PER_SECOND = 1;
const RENDERED_MS = 1_000;
/** Of Postgres on the machine of the service, as docs/scaling.md says. */
const POSTGRES_NICE = 10;
const POSTGRES_LOWERED_MS = 500;

interface Given {
  store: StoreName;
  realtime: boolean;
  load: Load;
  /** Where the workers answer what they have seen. */
  probeFolder: string;
}

interface Load {
  service: BenchService;
  client: Child<ClientQuestions>;
  lister: Child<ClientQuestions>;
  redeemer: Child<RedeemerQuestions>;
  endpoints: Child<EndpointQuestions>;
  callers: Child<GeneratorQuestions>;
}

/** Once with the usual priority, and once with `WORKER_REALTIME=true` where the system allows it. */
export async function measureInterference(scene: Scene, store: StoreName): Promise<InterferenceResult[]> {
  const results = [await measureWith(scene, store, false)];
  if (isRealtimeAllowed()) results.push(await measureWith(scene, store, true));
  else scene.write("interference: WORKER_REALTIME is not measured, because the system does not allow it");
  return results;
}

async function measureWith(scene: Scene, store: StoreName, realtime: boolean): Promise<InterferenceResult> {
  const probeFolder = mkdtempSync(join(tmpdir(), "trunkline-probe-"));
  const { path, execArgv } = childModule(import.meta.url, "./probe");
  const options = [...execArgv, "--import", path].join(" ");
  const env = {
    ...WEBHOOK_ENV,
    PROBE_FOLDER: probeFolder,
    NODE_OPTIONS: options,
    WORKER_REALTIME: String(realtime),
  };
  // Each of its connections is a process.
  const lowerPostgres = (): void => {
    for (const pid of scene.postgres?.pids ?? []) lower(pid, POSTGRES_NICE);
  };
  const lowering = setInterval(lowerPostgres, POSTGRES_LOWERED_MS);
  try {
    return await withStore(scene, store, { accounts: 3, env }, (service) =>
      withLoad(service, (load) => compare(scene, { store, realtime, load, probeFolder })),
    );
  } finally {
    clearInterval(lowering);
    rmSync(probeFolder, { recursive: true, force: true });
  }
}

/**
 * Starts the programs that cause the load, which have the processor only where no other process wants it, and the callers. Those
 * would send nothing for a while and then everything at once, if the control process could take the processor from them.
 */
async function withLoad<T>(service: BenchService, work: (load: Load) => Promise<T>): Promise<T> {
  const started: { stop(): void }[] = [];
  const start = async <Q extends Questions>(path: string, through = WHERE_IDLE): Promise<Child<Q>> => {
    const child = await Child.start<Q>(import.meta.url, path, { through });
    started.push(child);
    return child;
  };
  try {
    const load = {
      service,
      client: await start<ClientQuestions>("../clients/client"),
      lister: await start<ClientQuestions>("../clients/client"),
      redeemer: await start<RedeemerQuestions>("../clients/redeemer"),
      endpoints: await start<EndpointQuestions>("../webhooks/endpoints"),
      callers: await start<GeneratorQuestions>("../../generator/generator", BELOW_WORKERS),
    };
    const address = await load.endpoints.ask("address", undefined);
    await addWebhooks({ ...service, keys: [keyOfLoad(service)] }, 1, `${address}/quick/`);
    return await work(load);
  } finally {
    for (const child of started) child.stop();
  }
}

/** The accounts: of the live calls, of the load, and of the recorded calls, so that each can be counted. */
const keyOfLoad = ({ keys }: BenchService): string => keys[1] ?? keys[0];
const keyOfRecorded = ({ keys }: BenchService): string => keys[2] ?? keys[0];

async function compare(scene: Scene, given: Given): Promise<InterferenceResult> {
  const { store, realtime, load, probeFolder } = given;
  const full = { calls: CALLS, pairs: PAIRS, seconds: SECONDS };
  const { calls: count, pairs, seconds } = scene.options.reduced ? REDUCED : full;
  const { callerAudio: audio } = await renderSpeech(formatsOf(benchLine("carrier_a")).inbound);
  const result: InterferenceResult = { store, realtime, calls: count, seconds, pairs: [] };
  const lastS = WARM_UP_MS / 1_000 + (1 + pairs) * (2 * seconds + SETTLE_MS / 1_000);
  const options = { callers: load.callers, audio, probeFolder, count, seconds: lastS };
  const live = await LiveCalls.begin(load.service, options);
  await delay(WARM_UP_MS);
  let done: LoadDone | undefined;
  const quietRound = () => live.measure(seconds, () => delay(seconds * 1_000));
  const loadedRound = async (problems = scene.problems) => {
    const recorded = await prepareRecorded(load, seconds);
    const round = await live.measure(seconds, async () => {
      done = await causeLoad(problems, store, load, recorded);
    });
    await delay(SETTLE_MS);
    return round;
  };
  // Under the first load the service compiles what it runs, and may refuse requests. That is not what is asked.
  await loadedRound([]);
  for (let pair = 1; pair <= pairs; pair += 1) {
    // Each kind of round is the first one every other time.
    const first = pair % 2 === 1 ? await quietRound() : await loadedRound();
    const second = pair % 2 === 1 ? await loadedRound() : await quietRound();
    const [quiet, loaded] = pair % 2 === 1 ? [first, second] : [second, first];
    result.pairs.push({ quiet, loaded, load: done as LoadDone });
    scene.write(
      `interference, ${store}, ${pair} of ${pairs}: p99 ${quiet.writtenMs.p99.toFixed(2)} ms quiet, ${loaded.writtenMs.p99.toFixed(2)} ms loaded`,
    );
  }
  scene.problems.push(...(await live.end()).map((loss) => `interference, ${store}: a call was lost: ${loss}`));
  return result;
}

/** Creates the recorded calls of a loaded round before it begins. */
async function prepareRecorded({ service, redeemer }: Load, seconds: number): Promise<RedemptionLoad> {
  const load: RedemptionLoad = {
    apiUrl: service.apiUrl,
    key: keyOfRecorded(service),
    body: JSON.stringify(NEW_CALL),
    perSecond: RENDERS_PER_SECOND,
    seconds: seconds - RENDERED_MS / 1_000,
    holdMs: RENDERED_MS,
    sendsAudio: true,
  };
  await redeemer.ask("prepare", load);
  return load;
}

/** Everything at once for as long as the recorded calls take; resolves with what was done of it, a second. */
async function causeLoad(
  problems: string[],
  store: StoreName,
  { service, client, lister, redeemer, endpoints }: Load,
  recorded: RedemptionLoad,
): Promise<LoadDone> {
  const { apiUrl } = service;
  const key = keyOfLoad(service);
  const seconds = recorded.seconds + recorded.holdMs / 1_000;
  const body = JSON.stringify(NEW_CALL);
  const create = { method: "POST", path: "/api/v1/calls", body, apiUrl, key } as const;
  const list = { method: "GET", path: "/api/v1/calls?limit=100&status=expired", apiUrl, key } as const;
  await endpoints.ask("take", undefined);
  const [startMs, rendersBefore] = [performance.now(), await countRecordings(service)];
  const [created, listed, redeemed] = await Promise.all([
    client.ask("openLoad", { ...create, perSecond: NEW_CALLS_PER_SECOND, seconds }),
    lister.ask("openLoad", { ...list, perSecond: LISTS_PER_SECOND, seconds }),
    redeemer.ask("redeem", recorded),
  ]);
  const tookS = (performance.now() - startMs) / 1_000;
  const { delaysMs } = await endpoints.ask("take", undefined);
  const renders = (await countRecordings(service)) - rendersBefore;
  for (const [what, report] of Object.entries({
    "POST /calls": created,
    "GET /calls": listed,
    redemptions: redeemed,
  })) {
    problems.push(...failuresOf(`interference, ${store}, ${what}`, report));
  }
  return {
    callsPerSecond: created.tookMs.length / tookS,
    listsPerSecond: listed.tookMs.length / tookS,
    deliveriesPerSecond: delaysMs.length / tookS,
    rendersPerSecond: renders / tookS,
  };
}

async function countRecordings(service: BenchService): Promise<number> {
  const { apiUrl } = service;
  const key = keyOfRecorded(service);
  let count = 0;
  for (let path = "/api/v1/calls?limit=100&status=ended"; ; ) {
    const answer = await sendRequest({ apiUrl, key }, "GET", path, 200);
    const { data, nextCursor } = JSON.parse(answer.toString()) as {
      data: { recording: object | null }[];
      nextCursor: string | null;
    };
    count += data.filter(({ recording }) => recording !== null).length;
    if (nextCursor === null) return count;
    path = `/api/v1/calls?limit=100&status=ended&cursor=${nextCursor}`;
  }
}
