import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import type { AccountId } from "../../../src/core/ids.ts";
import { openPostgresStores } from "../../../src/store/postgres/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { numbersReadWhileWriting } from "../../contract/store/event-streams.ts";
import { hasPostgres } from "../../support/postgres/server.ts";
import { migratedDatabase } from "../../support/stores/every-store.ts";

describe.skipIf(!hasPostgres)("event streams of several processes (only where postgresql is installed)", () => {
  let processes: [Stores, Stores];
  let accountId: AccountId;
  beforeEach(async () => {
    const url = await migratedDatabase();
    processes = [await openPostgresStores(url, systemClock), await openPostgresStores(url, systemClock)];
    accountId = await processes[0].accounts.ensure("first");
    await processes[0].eventStreams.open(accountId);
  });
  afterEach(() => Promise.all(processes.map((one) => one.close())));

  test("two processes that number events at once give every number once, and no event appears before one that was read", async () => {
    expect(await numbersReadWhileWriting(processes, accountId)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
  });
});
