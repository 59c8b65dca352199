import { sql } from "kysely";
import { systemClock } from "../../../src/core/clock.ts";
import type { AccountId, AgentId, CallId } from "../../../src/core/ids.ts";
import { openStores, type StorePlace } from "../../../src/store/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { callIdsAt, insertManyCalls, openSqlDatabase } from "../../../test/support/stores/many-calls.ts";
import { spreadOf } from "../../harness/statistics.ts";
import { accountName, sendRequest } from "../../rig/service.ts";
import type { ClientQuestions, RequestSpec } from "../clients/requests.ts";
import type { ListTimes, StoreName } from "../result.ts";
import { type Scene, withChild, withStore } from "../scene.ts";
import { filterCases, pathOf } from "./filters.ts";

// `GET /calls` with each filter while the account has many calls: the first page, and one after nine tenths of the calls.

export const LISTED_CALLS = 100_000;
const REDUCED_CALLS = 10_000;
const AGENTS = 20;
const TIMES = 200;
const REDUCED_TIMES = 10;
const LIMIT = 20;
/** The longest page, whose calls are found in several parts. */
const LIMIT_MAX = 100;
const LONG_PAGES: readonly string[] = ["none", "metadata of 2,000", "two metadata that never meet, half each"];

/** What the pages need to know of the calls. */
interface Filled {
  accountId: AccountId;
  agents: readonly AgentId[];
  deepCallId: CallId;
}

export async function measureLists(scene: Scene, store: StoreName): Promise<ListTimes[]> {
  const { reduced } = scene.options;
  const calls = reduced ? REDUCED_CALLS : LISTED_CALLS;
  scene.write(`lists, ${store}: ${calls} calls are written`);
  let filled: Filled | undefined;
  const prepare = async (place: StorePlace): Promise<void> => {
    filled = await fill(place, calls);
  };
  return await withStore(scene, store, { accounts: 1, prepare }, ({ apiUrl, keys: [key] }) =>
    withChild<ClientQuestions, ListTimes[]>("./clients/client", async (client) => {
      const pages = pagesOf(filled as Filled);
      const requests: RequestSpec[] = pages.map(({ path }) => ({ method: "GET", apiUrl, key, path }));
      await client.ask("inTurn", { requests, times: 2 });
      const timesMs = await client.ask("inTurn", { requests, times: reduced ? REDUCED_TIMES : TIMES });
      const results: ListTimes[] = [];
      for (const [index, { filter, place, path }] of pages.entries()) {
        const { data } = JSON.parse((await sendRequest({ apiUrl, key }, "GET", path, 200)).toString()) as {
          data: unknown[];
        };
        results.push({ store, filter, place, items: data.length, tookMs: spreadOf(timesMs[index] as Float32Array) });
      }
      const [worst] = results.toSorted((one, other) => other.tookMs.p99 - one.tookMs.p99) as [ListTimes];
      scene.write(
        `lists, ${store}: ${worst.filter}, ${worst.place}: ${worst.tookMs.p99.toFixed(1)} ms p99, the longest of all`,
      );
      return results;
    }),
  );
}

function pagesOf({ accountId, agents, deepCallId }: Filled): { filter: string; place: string; path: string }[] {
  return Object.entries(filterCases(agents)).flatMap(([filter, filters]) => [
    { filter, place: "first page", path: pathOf(accountId, filters, LIMIT) },
    { filter, place: "after nine tenths", path: pathOf(accountId, filters, LIMIT, deepCallId) },
    ...(LONG_PAGES.includes(filter)
      ? [{ filter, place: `first page of ${LIMIT_MAX}`, path: pathOf(accountId, filters, LIMIT_MAX) }]
      : []),
  ]);
}

/** The calls of the account whose key the service makes, with those of another account in between. */
async function fill(place: StorePlace, calls: number): Promise<Filled> {
  const stores = await openStores(place, systemClock);
  const database = openSqlDatabase(place);
  try {
    const accountId = await stores.accounts.ensure(accountName(0));
    const agents = await makeAgents(stores, accountId);
    await insertManyCalls(database, { calls, accounts: [accountId, await stores.accounts.ensure("another")], agents });
    // What autovacuum does a minute later.
    if (database.locksRows) await sql`VACUUM ANALYZE`.execute(database.db);
    const [deepCallId] = (await callIdsAt(database.db, accountId, [Math.floor(0.9 * calls)])) as [CallId];
    return { accountId, agents, deepCallId };
  } finally {
    await database.db.destroy();
    await stores.close();
  }
}

async function makeAgents({ agents }: Stores, accountId: AccountId): Promise<readonly AgentId[]> {
  const agent = { name: "Baker", basePrompt: "", context: "", customInstructions: "", languageId: "en-US" };
  const fields = {
    ...agent,
    voiceId: "reference/gmw/en-US",
    callSettings: {},
    toolIds: [],
    corpusIds: [],
    variables: [],
    allowedOverrides: [],
  };
  const made: AgentId[] = [];
  while (made.length < AGENTS) made.push((await agents.create(accountId, fields)).id);
  return made;
}
