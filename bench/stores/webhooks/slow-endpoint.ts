import { setTimeout as delay } from "node:timers/promises";
import { spreadOf } from "../../harness/statistics.ts";
import type { Child } from "../../rig/child-process.ts";
import type { BenchService } from "../../rig/service.ts";
import type { ClientQuestions } from "../clients/requests.ts";
import type { DeliveryRound, SlowEndpointResult, StoreName } from "../result.ts";
import { failuresOf, NEW_CALL, type Scene, withChild, withStore } from "../scene.ts";
import { addWebhooks, WEBHOOK_ENV } from "./add-webhooks.ts";
import type { EndpointQuestions } from "./endpoints.ts";

// What one endpoint that hangs does to the deliveries to others: two services in turn, one of which has such an endpoint. Its
// deliveries hang for as long as an attempt may take, and accumulate from round to round.

const QUICK_ENDPOINTS = 19;
const CALLS_PER_SECOND = 10;
const PAIRS = 7;
const SECONDS = 10;
const REDUCED = { pairs: 2, seconds: 4 };
/** What was made last is delivered within this time. */
const SETTLE_MS = 1_500;

interface Side {
  service: BenchService;
  endpoints: Child<EndpointQuestions>;
  client: Child<ClientQuestions>;
}

export function measureSlowEndpoint(scene: Scene, store: StoreName): Promise<SlowEndpointResult> {
  return withSide(scene, store, false, (without) =>
    withSide(scene, store, true, (hanging) => compare(scene, store, without, hanging)),
  );
}

function withSide<T>(scene: Scene, store: StoreName, hasSlow: boolean, work: (side: Side) => Promise<T>): Promise<T> {
  return withStore(scene, store, { accounts: 1, env: WEBHOOK_ENV }, (service) =>
    withChild<EndpointQuestions, T>("./webhooks/endpoints", (endpoints) =>
      withChild<ClientQuestions, T>("./clients/client", async (client) => {
        const address = await endpoints.ask("address", undefined);
        await addWebhooks(service, QUICK_ENDPOINTS, `${address}/quick/`);
        if (hasSlow) await addWebhooks(service, 1, `${address}/slow/`);
        return await work({ service, endpoints, client });
      }),
    ),
  );
}

async function compare(scene: Scene, store: StoreName, without: Side, hanging: Side): Promise<SlowEndpointResult> {
  const { pairs: count, seconds } = scene.options.reduced ? REDUCED : { pairs: PAIRS, seconds: SECONDS };
  const result: SlowEndpointResult = { store, quickEndpoints: QUICK_ENDPOINTS, pairs: [], slowAttempts: 0 };
  const problems: string[] = [];
  const run = async (side: Side): Promise<DeliveryRound> => {
    const { round, slowAttempts, failures } = await deliver(side, seconds);
    result.slowAttempts += slowAttempts;
    problems.push(...failures);
    return round;
  };
  await run(without);
  await run(hanging);
  for (let pair = 1; pair <= count; pair += 1) {
    // Each side is the first one every other time.
    const first = await run(pair % 2 === 1 ? without : hanging);
    const second = await run(pair % 2 === 1 ? hanging : without);
    const rounds = pair % 2 === 1 ? { without: first, with: second } : { without: second, with: first };
    result.pairs.push(rounds);
    const p95 = ({ delayMs }: DeliveryRound): string => `${delayMs.p95.toFixed(1)} ms`;
    scene.write(
      `slow endpoint, ${store}, ${pair} of ${count}: p95 ${p95(rounds.without)} without, ${p95(rounds.with)} with`,
    );
  }
  scene.problems.push(...problems);
  return result;
}

async function deliver(
  {
    service: {
      apiUrl,
      keys: [key],
    },
    endpoints,
    client,
  }: Side,
  seconds: number,
): Promise<{ round: DeliveryRound; slowAttempts: number; failures: string[] }> {
  const body = JSON.stringify({ ...NEW_CALL, recordingEnabled: false });
  const load = { method: "POST", path: "/api/v1/calls", body, apiUrl, key } as const;
  await endpoints.ask("take", undefined);
  const created = await client.ask("openLoad", { ...load, perSecond: CALLS_PER_SECOND, seconds });
  await delay(SETTLE_MS);
  const { delaysMs, slowAttempts } = await endpoints.ask("take", undefined);
  const expected = CALLS_PER_SECOND * seconds * QUICK_ENDPOINTS;
  const failures = failuresOf("POST /calls beside a slow endpoint", created);
  if (delaysMs.length < expected)
    failures.push(`${expected - delaysMs.length} deliveries took longer than ${SETTLE_MS} ms`);
  return { round: { delivered: delaysMs.length, delayMs: spreadOf(delaysMs) }, slowAttempts, failures };
}
