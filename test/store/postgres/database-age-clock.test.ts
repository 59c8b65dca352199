import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { addMs, epochMs } from "../../../src/core/clocks.ts";
import { DatabaseAgeClock } from "../../../src/store/postgres/database-age-clock.ts";
import { openPostgresRedemptions, openPostgresStores } from "../../../src/store/postgres/open-stores.ts";
import { createCall } from "../../support/calls/stored-calls.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { hasPostgres } from "../../support/postgres/server.ts";
import { migratedDatabase } from "../../support/stores/every-store.ts";
import { redeemedBy } from "../../support/tokens.ts";

const SERVER_MS = 1_800_000_000_000;

describe("the age clock of a shared database", () => {
  /** A reading of the server's clock that takes `roundTripMs`, half of it each way. */
  function reading(clock: ManualClock, age: DatabaseAgeClock, serverMs: number, roundTripMs: number): void {
    const sentMs = clock.nowMs();
    clock.advance(roundTripMs);
    age.follow(epochMs(serverMs), sentMs);
  }

  test("is the server's time, and goes on between two readings", () => {
    const clock = new ManualClock();
    const age = new DatabaseAgeClock(clock);
    reading(clock, age, SERVER_MS, 0);
    expect(age.nowMs()).toBe(SERVER_MS);
    clock.advance(500);
    expect(age.nowMs()).toBe(SERVER_MS + 500);
  });

  test("is not moved by an answer that takes two seconds", () => {
    const clock = new ManualClock();
    const age = new DatabaseAgeClock(clock);
    reading(clock, age, SERVER_MS, 0);
    // The server reads its clock as soon as it is asked; the answer is late.
    reading(clock, age, SERVER_MS, 2_000);
    expect(age.nowMs()).toBe(SERVER_MS + 2_000);
  });

  test("K12: follows the server of a promoted standby whose clock is 5 s apart", () => {
    const clock = new ManualClock();
    const age = new DatabaseAgeClock(clock);
    reading(clock, age, SERVER_MS, 2);
    reading(clock, age, SERVER_MS + 5_000, 2);
    expect(age.nowMs()).toBe(SERVER_MS + 5_001);
  });

  test("cannot be read before the server's clock was", () => {
    expect(() => new DatabaseAgeClock(new ManualClock()).nowMs()).toThrow("not read yet");
  });
});

describe.skipIf(!hasPostgres)("two machines with one Postgres (only where postgresql is installed)", () => {
  async function twoMachines() {
    const url = await migratedDatabase();
    // Their own clocks are five seconds apart, and began at different times.
    const late = {
      ...systemClock,
      nowMs: () => addMs(systemClock.nowMs(), 77_000),
      epochMs: () => addMs(systemClock.epochMs(), -5_000),
    };
    const [one, other] = [await openPostgresStores(url, systemClock), await openPostgresStores(url, late)];
    onTestFinished(async () => {
      await one.close();
      await other.close();
    });
    return { url, late, one, other, accountId: await one.accounts.ensure("first") };
  }

  test("H10: neither takes a job that the other has in progress, and each does what the other stored", async () => {
    const { one, other } = await twoMachines();
    const claim = (runnerId: string) => ({ runnerId, kinds: ["test.work"], fullLanes: [], limit: 10 });
    const id = await one.jobs.enqueue({ kind: "test.work", payload: {} });
    expect((await one.jobs.claim(claim("one"))).map((job) => job.id)).toEqual([id]);
    expect(await other.jobs.claim(claim("other"))).toEqual([]);
    expect(id && (await one.jobs.get(id))).toMatchObject({ status: "running", attempts: 1 });
    const second = await one.jobs.enqueue({ kind: "test.work", payload: {} });
    // Each machine knows the server's clock to half a round trip, so the other may see the job as due a little later.
    await expect
      .poll(async () => (await other.jobs.claim(claim("other"))).map((job) => job.id), { timeout: 5_000 })
      .toEqual([second]);
  });

  test("a token that one has made is redeemed by the other, once", async () => {
    const { url, late, one, accountId } = await twoMachines();
    const { id, tokenHash } = await createCall(one, accountId);
    const { redemptions, close } = await openPostgresRedemptions(url, late, new Map());
    onTestFinished(close);
    expect(await redemptions.redeem(tokenHash, redeemedBy("worker-2"))).toMatchObject({ callId: id });
    expect(await redemptions.redeem(tokenHash, redeemedBy("worker-3"))).toBeUndefined();
  });
});
