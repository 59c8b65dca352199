import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { filterCases } from "../../bench/stores/lists/filters.ts";
import { systemAgeClock } from "../../src/core/age-clock.ts";
import { systemClock } from "../../src/core/clock.ts";
import type { AccountId, AgentId, CallId } from "../../src/core/ids.ts";
import type { CallQuery } from "../../src/store/calls/call-store.ts";
import { openStores } from "../../src/store/open-stores.ts";
import { listCalls } from "../../src/store/sql/calls/list.ts";
import type { SqlDatabase } from "../../src/store/sql/database.ts";
import { AGENT } from "../support/calls/stored-calls.ts";
import { insertManyCalls, openSqlDatabase } from "../support/stores/many-calls.ts";

// Pages of searches that give up early, against searches that go on to the end. The contract of the stores compares those
// with the filters themselves.

const CALLS = 600;
const FAR = { windowEntriesMax: 10_000, windowsMax: 10, metadataWindowsMax: 10, rareCallsMax: 10_000 };
const NEAR = { windowEntriesMax: 7, windowsMax: 3, metadataWindowsMax: 2, rareCallsMax: 5 };
const PAGES_MAX = 1_000;

const directory = mkdtempSync(join(tmpdir(), "trunkline-pages-"));
const place = { dataDir: directory, databaseUrl: undefined };
const agents: AgentId[] = [];
let database: SqlDatabase;
let accountId: AccountId;

beforeAll(async () => {
  const stores = await openStores(place, systemClock);
  accountId = await stores.accounts.ensure("first");
  while (agents.length < 12) agents.push((await stores.agents.create(accountId, AGENT)).id);
  database = openSqlDatabase(place);
  await insertManyCalls(database, {
    calls: CALLS,
    accounts: [accountId, await stores.accounts.ensure("second")],
    agents,
  });
  await stores.close();
});

afterAll(async () => {
  await database.db.destroy();
  rmSync(directory, { recursive: true, force: true });
});

type Filters = Omit<CallQuery, "limit" | "afterCallId">;

/** All calls, page by page, and how many pages had fewer calls than requested. */
async function walk(filters: Filters, limits: typeof FAR): Promise<{ ids: CallId[]; shortPages: number }> {
  const ids: CallId[] = [];
  let shortPages = 0;
  let afterCallId: CallId | undefined;
  for (let pages = 1; ; pages += 1) {
    if (pages > PAGES_MAX) throw new Error("the list does not end");
    const page = await listCalls(database, accountId, { ...filters, afterCallId, limit: 4 }, systemAgeClock(), limits);
    ids.push(...page.calls.map(({ id }) => id));
    if (page.continueAfterId === undefined) return { ids, shortPages };
    if (page.calls.length < 4) shortPages += 1;
    afterCallId = page.continueAfterId;
  }
}

test("a search that gives up early is continued by the next page, without gaps and repeats", {
  timeout: 120_000,
}, async () => {
  let [found, shortPages] = [0, 0];
  for (const [filter, filters] of Object.entries(filterCases(agents))) {
    const whole = await walk(filters, FAR);
    const parts = await walk(filters, NEAR);
    expect(parts.ids, filter).toEqual(whole.ids);
    expect(whole.shortPages, filter).toBe(0);
    found += whole.ids.length;
    shortPages += parts.shortPages;
  }
  // The test is meaningful only if there are both.
  expect(found).toBeGreaterThan(CALLS);
  expect(shortPages).toBeGreaterThan(50);
});
