import { setTimeout as delay } from "node:timers/promises";
import { ApiKeyCache } from "../../../src/api/http/access/api-key-cache.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { openStores, type StorePlace } from "../../../src/store/open-stores.ts";
import { spreadOf } from "../../harness/statistics.ts";
import { sendRequest } from "../../rig/service.ts";
import type { ClientQuestions, RequestSpec } from "../clients/requests.ts";
import type { AccountsResult, StoreName } from "../result.ts";
import { type Scene, withChild, withStore } from "../scene.ts";
import { type Filled, fillAccounts, type Size } from "./fill.ts";

// Every list, the start and the authentication of requests in an installation of 10,000 accounts.

const SIZE: Size = {
  accounts: 9_999,
  agentsPerAccount: 9,
  ownAgents: 10_009,
  versionsPerAgent: 10,
  sentences: 10,
  calls: 10_000,
  auditEvents: 100_000,
};
const REDUCED: Size = { ...SIZE, accounts: 499, ownAgents: 509, calls: 1_000, auditEvents: 5_000 };
const TIMES = 200;
const REDUCED_TIMES = 10;
/** Requests with one API key, so far apart that some of them have it looked up. */
const AUTHENTICATIONS = 2_000;
const AUTHENTICATION_PAUSE_MS = 2;
/** API keys that are used for the first time. */
const FIRST_USES = 1_000;

export async function measureAccounts(scene: Scene, store: StoreName): Promise<AccountsResult> {
  const { reduced } = scene.options;
  const size = reduced ? REDUCED : SIZE;
  const [accounts, agents] = [size.accounts + 1, size.accounts * size.agentsPerAccount + size.ownAgents];
  scene.write(`accounts, ${store}: ${accounts} accounts and ${agents} agents are written`);
  let filled: Filled | undefined;
  let authentication: AccountsResult["authentication"] | undefined;
  let startedMs = 0;
  const prepare = async (place: StorePlace): Promise<void> => {
    filled = await fillAccounts(place, size);
    authentication = await measureAuthentication(place, filled.apiKeys);
    startedMs = performance.now();
  };
  return await withStore(scene, store, { accounts: 1, prepare }, async ({ apiUrl, keys: [key] }) => {
    const startMs = performance.now() - startedMs;
    if (filled === undefined || authentication === undefined) throw new Error("the database was not filled");
    const paths = pathsOf(filled, await callOf(apiUrl, key));
    const requests: RequestSpec[] = paths.map((path) => ({ method: "GET", apiUrl, key, path: `/api/v1${path}` }));
    const timesMs = await withChild<ClientQuestions, Float32Array[]>("./clients/client", async (client) => {
      await client.ask("inTurn", { requests, times: 2 });
      return await client.ask("inTurn", { requests, times: reduced ? REDUCED_TIMES : TIMES });
    });
    const lists = paths.map((path, index) => ({
      path: path.replace(/_[0-9a-f-]{36}/, "_…"),
      tookMs: spreadOf(timesMs[index] as Float32Array),
    }));
    const [worst] = lists.toSorted((one, other) => other.tookMs.p99 - one.tookMs.p99);
    scene.write(
      `accounts, ${store}: started in ${startMs.toFixed(0)} ms; GET ${worst?.path}: ${worst?.tookMs.p99.toFixed(1)} ms p99, ` +
        `the longest of all; authentication ${authentication.inUse.p99.toFixed(2)} ms p99`,
    );
    return { store, accounts, agents, startMs, lists, authentication };
  });
}

async function callOf(apiUrl: string, key: string): Promise<string> {
  const page = await sendRequest({ apiUrl, key }, "GET", "/api/v1/calls?limit=1", 200);
  const { data } = JSON.parse(page.toString()) as { data: [{ id: string }] };
  return data[0].id;
}

/** Every list of the API, with each of its filters. */
const pathsOf = ({ agentId }: Filled, callId: string): readonly string[] => [
  "/account",
  "/agents?limit=100",
  "/agents?name=desk%209",
  "/agents?name=unknown",
  "/agents?languageId=de",
  "/agents?languageId=fr",
  "/agents?voiceId=voice%201",
  "/agents?voiceId=unknown",
  `/agents/${agentId}`,
  `/agents/${agentId}/versions?limit=100`,
  "/api-keys?limit=100",
  "/api-keys?status=expired",
  "/audit-events?limit=100",
  "/audit-events?action=agent.published",
  "/audit-events?actorId=key_7",
  "/audit-events?targetId=agent_7",
  "/audit-events?actorKind=operator",
  "/calls?limit=100",
  `/calls/${callId}`,
  `/calls?agentId=${agentId}`,
  "/languages",
  "/provider-credentials",
  "/usage?groupBy=day,agent,provider",
  "/voices",
  "/webhooks",
];

/** What authentication takes of a request: of one API key in use, and of API keys that are used for the first time. */
async function measureAuthentication(
  place: StorePlace,
  apiKeys: readonly string[],
): Promise<AccountsResult["authentication"]> {
  const stores = await openStores(place, systemClock);
  try {
    const cache = new ApiKeyCache({ apiKeys: stores.apiKeys, clock: systemClock });
    const [first = "", ...others] = apiKeys;
    const timed = async (key: string): Promise<number> => {
      const startMs = performance.now();
      if ((await cache.authenticate(key)) === undefined) throw new Error("an API key was refused");
      return performance.now() - startMs;
    };
    const firstUse = new Float32Array(Math.min(FIRST_USES, others.length));
    for (const index of firstUse.keys()) firstUse[index] = await timed(others[index] ?? "");
    const inUse = new Float32Array(AUTHENTICATIONS);
    for (const index of inUse.keys()) {
      inUse[index] = await timed(first);
      await delay(AUTHENTICATION_PAUSE_MS);
    }
    return { inUse: spreadOf(inUse), firstUse: spreadOf(firstUse) };
  } finally {
    await stores.close();
  }
}
