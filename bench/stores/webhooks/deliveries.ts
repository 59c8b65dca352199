import { setTimeout as delay } from "node:timers/promises";
import { processCpuMs } from "../../../test/attack/resource-usage.ts";
import { spreadOf } from "../../harness/statistics.ts";
import type { Child } from "../../rig/child-process.ts";
import type { BenchService } from "../../rig/service.ts";
import type { ClientQuestions } from "../clients/requests.ts";
import type { DeliveryRateResult, StoreName } from "../result.ts";
import { failuresOf, NEW_CALL, pooled, type Scene, withChild, withStore } from "../scene.ts";
import { addWebhooks, WEBHOOK_ENV } from "./add-webhooks.ts";
import type { EndpointQuestions } from "./endpoints.ts";

// How many deliveries a second the service sustains: each call that is created is an event for every endpoint.

export const DELIVERED_PER_SECOND = 500;
const ENDPOINTS = 20;
const SECONDS = 60;
const REDUCED_SECONDS = 8;
const WARM_UP_S = 3;
/** How long what is left may take when no more events are made. */
const DRAIN_MS_MAX = 60_000;
const POLL_MS = 100;

export function measureDeliveries(scene: Scene, store: StoreName): Promise<DeliveryRateResult> {
  return withStore(scene, store, { accounts: 1, env: WEBHOOK_ENV }, (service) =>
    withChild<EndpointQuestions, DeliveryRateResult>("./webhooks/endpoints", (endpoints) =>
      withChild<ClientQuestions, DeliveryRateResult>("./clients/client", async (client) => {
        const address = await endpoints.ask("address", undefined);
        await addWebhooks(service, ENDPOINTS, `${address}/quick/`);
        return await run(scene, store, service, endpoints, client);
      }),
    ),
  );
}

async function run(
  scene: Scene,
  store: StoreName,
  { apiUrl, keys: [key], pids }: BenchService,
  endpoints: Child<EndpointQuestions>,
  client: Child<ClientQuestions>,
): Promise<DeliveryRateResult> {
  const body = JSON.stringify({ ...NEW_CALL, recordingEnabled: false });
  const perSecond = DELIVERED_PER_SECOND / ENDPOINTS;
  const load = { method: "POST", path: "/api/v1/calls", body, apiUrl, key, perSecond } as const;
  const seconds = scene.options.reduced ? REDUCED_SECONDS : SECONDS;
  await client.ask("openLoad", { ...load, seconds: WARM_UP_S });
  await takeAll(endpoints, WARM_UP_S * DELIVERED_PER_SECOND);
  const cpu = () => ({ control: processCpuMs(pids.control), database: scene.postgres?.cpuMs ?? 0 });
  const [startMs, before] = [performance.now(), cpu()];
  const created = await client.ask("openLoad", { ...load, seconds });
  const [tookMs, after] = [performance.now() - startMs, cpu()];
  const { delaysMs: during } = await endpoints.ask("take", undefined);
  const offered = seconds * DELIVERED_PER_SECOND;
  const rest = await takeAll(endpoints, offered - during.length);
  scene.problems.push(...failuresOf(`POST /calls for deliveries, ${store}`, created));
  if (during.length + rest.length < offered) {
    scene.problems.push(`deliveries, ${store}: ${offered - during.length - rest.length} were not delivered at all`);
  }
  const result: DeliveryRateResult = {
    store,
    endpoints: ENDPOINTS,
    seconds,
    offeredPerSecond: (1_000 * offered) / tookMs,
    deliveredPerSecond: (1_000 * during.length) / tookMs,
    delayMs: spreadOf(pooled([during, rest])),
    leftOver: offered - during.length,
    controlCores: (after.control - before.control) / tookMs,
    databaseCores: store === "Postgres" ? (after.database - before.database) / tookMs : 0,
  };
  scene.write(
    `deliveries, ${store}: ${result.deliveredPerSecond.toFixed(0)} a second, ${result.delayMs.p95.toFixed(0)} ms p95`,
  );
  return result;
}

/** Waits until so many deliveries have come; returns the delays of all that came. */
async function takeAll(endpoints: Child<EndpointQuestions>, count: number): Promise<Float32Array> {
  const parts: Float32Array[] = [];
  let taken = 0;
  for (const untilMs = performance.now() + DRAIN_MS_MAX; taken < count && performance.now() < untilMs; ) {
    await delay(POLL_MS);
    const { delaysMs } = await endpoints.ask("take", undefined);
    parts.push(delaysMs);
    taken += delaysMs.length;
  }
  return pooled(parts);
}
