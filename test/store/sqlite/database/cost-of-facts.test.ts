import { join } from "node:path";
import Libsql from "libsql";
import { expect, onTestFinished, test } from "vitest";
import { openSqliteStores } from "../../../../src/store/sqlite/open-stores.ts";
import { createCall, endAt } from "../../../support/calls/stored-calls.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { watchTransactions } from "../../../support/services/sqlite-transactions.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";
import { ageClockOf, redeemedBy } from "../../../support/tokens.ts";

const OF_EVENTS = /"(event_streams|stream_events|webhooks|webhook_events|webhook_deliveries)"/;

test("a fact of an account without a webhook and a stream is looked for in both, each by an index, and writes nothing", async () => {
  const [directory, clock] = [temporaryDirectory(), new ManualClock()];
  const stores = await openSqliteStores(directory, clock, { ageClock: ageClockOf(clock) });
  onTestFinished(() => stores.close());
  const accountId = await stores.accounts.ensure("first");
  const { statements } = watchTransactions();
  const { id, tokenHash } = await createCall(stores, accountId);
  await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
  await stores.calls.finish(id, endAt(clock));
  const asked = statements.filter((statement) => OF_EVENTS.test(statement));
  const facts = ["call.created", "call.started", "call.ended"];
  const both = expect.stringMatching(
    /exists \(select 1 from event_streams where account_id = \? and kept_until > \?\).* from "webhooks" where "account_id" = \? and "disabled_reason" is null/,
  );
  expect(asked).toEqual(facts.map(() => both));

  const file = new Libsql(join(directory, "trunkline.db"));
  onTestFinished(() => void file.close());
  const plans = asked.flatMap((statement) => file.prepare(`EXPLAIN QUERY PLAN ${statement}`).all());
  const details = new Set(plans.map((plan) => (plan as { detail: string }).detail));
  expect([...details].filter((detail) => detail.startsWith("SEARCH"))).toEqual([
    expect.stringMatching(/^SEARCH webhooks USING INDEX /),
    "SEARCH event_streams USING INDEX sqlite_autoindex_event_streams_1 (account_id=?)",
  ]);
  // The row that is there in any case.
  expect([...details].filter((detail) => detail.startsWith("SCAN"))).toEqual(["SCAN CONSTANT ROW", "SCAN always"]);
});
