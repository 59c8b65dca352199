import { expect, test } from "vitest";
import { IDEMPOTENCY_MS } from "../../../src/core/limits.ts";
import { TRANSACTION_ROWS_MAX } from "../../../src/core/write-limits.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { openStores } from "../../../src/store/sqlite/stores.ts";
import { SPEC, TTL_MS } from "../../contract/call-store-contract.ts";
import { redemptionContract } from "../../contract/redemption-contract.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf, mintToken } from "../../support/tokens.ts";

redemptionContract("SQLite", () => {
  const [directory, clock] = [temporaryDirectory(), new ManualClock()];
  return {
    clock,
    open: ({ wallMs = 0, bootId } = {}) => {
      const wall = {
        ...clock,
        nowMs: () => clock.nowMs(),
        epochMs: () => clock.epochMs() + wallMs,
        after: clock.after,
      };
      return openStores(directory, wall, { ageClock: ageClockOf(clock, bootId) });
    },
  };
});

test("ADV-M1: names of requests whose day is over are deleted a few at a time, so that no redemption waits for all of them", async () => {
  const [directory, clock] = [temporaryDirectory(), new ManualClock()];
  const stores = await openStores(directory, clock, { ageClock: ageClockOf(clock) });
  const accountId = await stores.accounts.ensure("first");
  const count = TRANSACTION_ROWS_MAX + 1;
  const named = (index: number) =>
    stores.calls.create({
      accountId,
      spec: SPEC,
      tokenHash: hashSecret(mintToken()),
      tokenTtlMs: TTL_MS,
      idempotency: { keyHash: `name-${index}`, fingerprint: "body", sealedToken: "sealed" },
    });
  for (let index = 0; index < count; index += 1) await named(index);
  clock.advance(IDEMPOTENCY_MS);
  let isOver = false;
  let turns = 0;
  const expiring = stores.calls.expire().then(() => {
    isOver = true;
  });
  while (!isOver) {
    turns += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expiring;
  // The loop has turned between the statements.
  expect(turns).toBeGreaterThan(1);
  expect(await named(0)).toMatchObject({ kind: "created" });
  await stores.close();
});
