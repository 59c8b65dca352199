import { expect, test } from "vitest";
import { CONNECTION_TYPES } from "../../../src/carriers/list.ts";
import { ControlMetrics } from "../../../src/core/metrics/control-metrics.ts";
import { countCalls } from "../../../src/store/calls/call-metrics.ts";
import type { NewCall } from "../../../src/store/calls/call-store.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import { SPEC } from "../../support/calls/stored-calls.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { readExposition, sampleOf } from "../../support/metrics/exposition.ts";
import { NO_WORKERS } from "../../support/metrics/workers-metrics.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf, mintToken, redeemedBy } from "../../support/tokens.ts";

test("each call is counted once when it is created, and once when it is over, whatever the way", async () => {
  const metrics = new ControlMetrics(CONNECTION_TYPES);
  const clock = new ManualClock();
  const { accounts, calls, redemptions, close } = await openSqliteStores(temporaryDirectory(), clock, {
    ageClock: ageClockOf(clock),
  });
  calls.subscribe(countCalls(metrics));
  const accountId = await accounts.ensure("first");
  const idempotency = { keyHash: "name", fingerprint: "body", sealedToken: "sealed" };
  const create = async (change: Partial<NewCall> = {}) => {
    const tokenHash = hashSecret(mintToken());
    const creation = await calls.create({ accountId, spec: SPEC, tokenHash, tokenTtlMs: 60_000, ...change });
    if (!("call" in creation)) throw new Error("nothing was created");
    return { callId: creation.call.id, tokenHash };
  };
  const [cancelled, held, lost] = [await create({ idempotency }), await create(), await create()];
  await create({ idempotency });
  await create();
  for (const { tokenHash } of [held, lost]) await redemptions.redeem(tokenHash, redeemedBy("worker"));
  const over = { endedAtMs: clock.epochMs(), durationMs: 0, turns: [] };
  for (let times = 0; times < 2; times += 1) {
    await calls.cancel(accountId, cancelled.callId);
    await calls.cancel(accountId, held.callId);
    await calls.finish(held.callId, { ...over, status: "ended", endReason: "caller_hangup" });
    await calls.finish(lost.callId, { ...over, status: "failed", endReason: "worker_lost" });
    clock.advance(60_000);
    await calls.expire();
  }
  const samples = readExposition(await metrics.exposition(NO_WORKERS, true));
  expect(sampleOf(samples, "trunkline_calls_created_total", { connection_type: "carrier_a" })).toBe(4);
  const counted = samples.get("trunkline_call_records_total")?.samples.filter(({ value }) => value > 0);
  const records = counted?.map(({ labels, value }) => [labels.status, labels.reason, value]);
  expect(records?.sort()).toEqual([
    ["ended", "api_hangup", 1],
    ["ended", "caller_hangup", 1],
    ["expired", "token_expired", 1],
    ["failed", "worker_lost", 1],
  ]);
  await close();
});
