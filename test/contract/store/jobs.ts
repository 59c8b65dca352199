import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JobId } from "../../../src/core/ids.ts";
import {
  JOB_LEASE_MS,
  JOB_LOSSES_TOGETHER_MAX,
  JOB_SEPARATION_MS_FIRST,
  JOBS_PASSED_PER_CLAIM_MAX,
} from "../../../src/core/limits/service/jobs.ts";
import type { JobClaim, JobOutcome, NewJob } from "../../../src/store/job-store.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { StoresUnderTest } from "./calls.ts";

const KIND = "test.work";

/** What every JobStore must do. */
export function jobStoreContract(name: string, make: () => StoresUnderTest): void {
  describe(`JobStore contract: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;

    beforeEach(async () => {
      under = make();
      stores = await under.open();
    });
    afterEach(() => stores.close());

    const enqueue = async (job: Partial<NewJob> = {}): Promise<JobId> => {
      const id = await stores.jobs.enqueue({ kind: KIND, payload: { n: 1 }, ...job });
      if (id === undefined) throw new Error("not stored");
      return id;
    };
    const claim = (claim: Partial<JobClaim> = {}) =>
      stores.jobs.claim({ runnerId: "runner-1", kinds: [KIND], fullLanes: [], limit: 10, ...claim });
    const claimIds = async (changes?: Partial<JobClaim>) => (await claim(changes)).map(({ id }) => id);
    const settle = (id: JobId, outcome: JobOutcome, runnerId = "runner-1") =>
      stores.jobs.settle(runnerId, new Map([[id, outcome]]));

    test("a job is claimed once, with its payload, and is gone when it is done", async () => {
      const accountId = await stores.accounts.ensure("first");
      const id = await enqueue({ payload: { text: "né \u0000 👋" }, accountId });
      expect(await claim()).toEqual([
        {
          id,
          kind: KIND,
          lane: KIND,
          accountId,
          payload: { text: "né \u0000 👋" },
          attempt: 1,
          losses: 0,
          createdAtMs: under.clock.epochMs(),
        },
      ]);
      expect(await claimIds({ runnerId: "runner-2" })).toEqual([]);
      await settle(id, { kind: "done" });
      expect(await stores.jobs.get(id)).toBeUndefined();
    });

    test("of many concurrent claims each job is in exactly one", async () => {
      const ids = new Set<JobId>();
      for (let n = 0; n < 40; n++) ids.add(await enqueue({ payload: { n } }));
      const claims = await Promise.all(
        Array.from({ length: 8 }, (_, at) => claimIds({ runnerId: `runner-${at}`, limit: 7 })),
      );
      const rest = await claimIds({ limit: 100 });
      const all = [...claims.flat(), ...rest];
      expect(all).toHaveLength(40);
      expect(new Set(all)).toEqual(ids);
    });

    test("a job is claimed when it is due, the longest due first, and not those of full lanes or unknown kinds", async () => {
      const later = await enqueue({ delayMs: 500 });
      const soon = await enqueue({ delayMs: 100 });
      const other = await enqueue({ lane: "other" });
      await enqueue({ kind: "test.unknown" });
      expect(await claimIds({ fullLanes: ["other"] })).toEqual([]);
      under.clock.advance(500);
      expect(await claimIds({ limit: 1 })).toEqual([other]);
      expect((await claimIds()).sort()).toEqual([later, soon].sort());
      expect((await stores.jobs.list({ kind: "test.unknown", limit: 5 })).jobs).toMatchObject([{ status: "pending" }]);
    });

    test("jobs of other lanes are claimed however many jobs of full lanes are due for longer", async () => {
      const stuck = { lane: "endpoint 1", payload: {} };
      for (let n = 0; n <= JOBS_PASSED_PER_CLAIM_MAX; n += 50) {
        await Promise.all(Array.from({ length: 50 }, () => enqueue(stuck)));
      }
      under.clock.advance(10);
      const [first, second] = [await enqueue({ lane: "endpoint 2" }), await enqueue({ lane: "endpoint 0" })];
      await enqueue({ lane: "endpoint 3", delayMs: 1 });
      await enqueue({ lane: "endpoint 4", kind: "test.unknown" });
      expect((await claimIds({ fullLanes: ["endpoint 1"] })).sort()).toEqual([first, second].sort());
      expect(await claimIds({ fullLanes: ["endpoint 1"] })).toEqual([]);
      expect(await claimIds()).toHaveLength(10);
    });

    test("one claim takes jobs of other lanes that are due before and after those of full lanes, of many lanes and many of one", async () => {
      const before = [await enqueue({ lane: "endpoint 2" }), await enqueue({ lane: "endpoint 3" })];
      const limit = 60;
      for (let n = 0; n < 2 * limit + JOBS_PASSED_PER_CLAIM_MAX; n += 20) {
        await Promise.all(Array.from({ length: 20 }, () => enqueue({ lane: "endpoint 1" })));
      }
      under.clock.advance(10);
      const lanes = await Promise.all(Array.from({ length: 40 }, (_, n) => enqueue({ lane: `endpoint 4 ${n}` })));
      under.clock.advance(10);
      const ofOne = await Promise.all(Array.from({ length: 30 }, () => enqueue({ lane: "endpoint 5" })));
      under.clock.advance(1);
      const claim = { fullLanes: ["endpoint 1"], limit };
      const first = await claimIds(claim);
      expect(first).toHaveLength(limit);
      expect(first).toEqual(expect.arrayContaining([...before, ...lanes]));
      expect([...first, ...(await claimIds(claim))].sort()).toEqual([...before, ...lanes, ...ofOne].sort());
    });

    test("of the live jobs of one kind one has a key, and another may have it afterwards", async () => {
      const first = await enqueue({ key: "call-1" });
      expect(await stores.jobs.enqueue({ kind: KIND, payload: {}, key: "call-1" })).toBeUndefined();
      expect(await stores.jobs.enqueue({ kind: "test.other", payload: {}, key: "call-1" })).toBeDefined();
      await claim();
      await settle(first, { kind: "dead", error: "no" });
      const second = await enqueue({ key: "call-1" });
      await claim();
      await settle(second, { kind: "done" });
      expect(await stores.jobs.enqueue({ kind: KIND, payload: {}, key: "call-1" })).toBeDefined();
    });

    test("a failed attempt is followed by another one after its delay, and its error is kept", async () => {
      const id = await enqueue();
      await claim();
      await settle(id, { kind: "retry", delayMs: 1_000, error: "the endpoint\u0000 failed" });
      expect(await claimIds()).toEqual([]);
      under.clock.advance(999);
      expect(await claimIds()).toEqual([]);
      under.clock.advance(1);
      expect(await claim()).toMatchObject([{ id, attempt: 2, losses: 0 }]);
      expect(await stores.jobs.get(id)).toMatchObject({
        status: "running",
        attempts: 2,
        lastError: "the endpoint\u0000 failed",
      });
    });

    test("a job that runs again starts over, with the same key", async () => {
      const id = await enqueue({ key: "schedule" });
      await claim();
      under.clock.advance(JOB_LEASE_MS);
      await claim();
      await stores.jobs.reportProgress("runner-1", id, { calls: 3 });
      await settle(id, { kind: "again", delayMs: 60_000 });
      under.clock.advance(60_000);
      const [again] = await claim();
      expect(again).toMatchObject({ id, attempt: 1, losses: 0 });
      expect(again?.progress).toBeUndefined();
      expect(await stores.jobs.get(id)).toMatchObject({ key: "schedule" });
      expect(await stores.jobs.enqueue({ kind: KIND, payload: {}, key: "schedule" })).toBeUndefined();
    });

    test("a dead job is listed until it is replayed or deleted", async () => {
      const [replayed, deleted] = [await enqueue(), await enqueue()];
      await claim();
      for (const id of [replayed, deleted]) await settle(id, { kind: "dead", error: "x".repeat(10_000) });
      const { jobs, more } = await stores.jobs.list({ status: "dead", limit: 1 });
      expect([jobs.map(({ id }) => id), more]).toEqual([[deleted], true]);
      expect(jobs[0]?.lastError).toHaveLength(500);
      const next = await stores.jobs.list({ status: "dead", afterJobId: deleted, limit: 1 });
      expect([next.jobs.map(({ id }) => id), next.more]).toEqual([[replayed], false]);
      expect(await stores.jobs.replay({ ids: [replayed] })).toBe(1);
      expect(await claim()).toMatchObject([{ id: replayed, attempt: 1 }]);
      expect(await stores.jobs.deleteDead(under.clock.epochMs())).toBe(0);
      under.clock.advance(1);
      expect(await stores.jobs.deleteDead(under.clock.epochMs())).toBe(1);
      expect(await stores.jobs.get(deleted)).toBeUndefined();
      expect(await stores.jobs.replay({ kind: KIND })).toBe(0);
    });

    test("a job whose runner is lost is claimed again when its claim ends, and its attempt does not count", async () => {
      const id = await enqueue();
      await claim();
      under.clock.advance(JOB_LEASE_MS - 1);
      expect(await claimIds({ runnerId: "runner-2" })).toEqual([]);
      expect(await stores.jobs.extend("runner-1", [id])).toEqual([]);
      under.clock.advance(JOB_LEASE_MS - 1);
      expect(await claimIds({ runnerId: "runner-2" })).toEqual([]);
      under.clock.advance(1);
      expect(await claim({ runnerId: "runner-2" })).toMatchObject([{ id, attempt: 1, losses: 1 }]);
      // The first runner was only slow. Nothing that it says counts.
      expect(await stores.jobs.extend("runner-1", [id])).toEqual([id]);
      await settle(id, { kind: "done" });
      await stores.jobs.reportProgress("runner-1", id, { done: 99 });
      expect(await stores.jobs.get(id)).toMatchObject({ status: "running" });
      expect((await stores.jobs.get(id))?.progress).toBeUndefined();
    });

    test("jobs that are lost together again and again are claimed apart from each other", async () => {
      for (let n = 0; n < 20; n++) await enqueue({ payload: { n } });
      for (let losses = 0; losses <= JOB_LOSSES_TOGETHER_MAX; losses++) {
        expect(await claimIds({ limit: 100 })).toHaveLength(20);
        under.clock.advance(JOB_LEASE_MS);
      }
      const first = await claimIds({ limit: 100 });
      under.clock.advance(JOB_SEPARATION_MS_FIRST / 2);
      const second = await claimIds({ limit: 100 });
      under.clock.advance(JOB_SEPARATION_MS_FIRST / 2);
      const third = await claimIds({ limit: 100 });
      expect(first.length + second.length + third.length).toBe(20);
      expect([first.length < 20, second.length > 0, third.length > 0]).toEqual([true, true, true]);
    });

    test("jobs of a runner that stops are pending at once", async () => {
      const id = await enqueue();
      await claim();
      await stores.jobs.release("runner-1");
      expect(await claim({ runnerId: "runner-2" })).toMatchObject([{ id, attempt: 1, losses: 0 }]);
    });

    test("a cancelled job is not claimed, and its runner notices", async () => {
      const [pending, running] = [await enqueue({ delayMs: 1_000 }), await enqueue()];
      await claim();
      expect([await stores.jobs.cancel(pending), await stores.jobs.cancel(running)]).toEqual([true, true]);
      expect(await stores.jobs.cancel(pending)).toBe(false);
      expect(await stores.jobs.extend("runner-1", [running])).toEqual([running]);
      under.clock.advance(1_000);
      expect(await claimIds()).toEqual([]);
    });

    test("progress is shown, and given to the next attempt", async () => {
      const id = await enqueue();
      await claim();
      await stores.jobs.reportProgress("runner-1", id, { bytes: 17 });
      await settle(id, { kind: "retry", delayMs: 0, error: "x" });
      expect(await claim()).toMatchObject([{ id, progress: { bytes: 17 } }]);
    });

    test("a job knows how long it has until its deadline", async () => {
      await enqueue({ deadlineMs: 5_000 });
      under.clock.advance(2_000);
      expect(await claim()).toMatchObject([{ remainingMs: 3_000 }]);
    });

    test("K12: a step of the wall clock neither delays a job nor ends a claim, and a reboot keeps the time that is left", async () => {
      const [waiting, running] = [await enqueue({ delayMs: 60_000 }), await enqueue()];
      await claim();
      await stores.close();
      stores = await under.open({ wallMs: 3_600_000 });
      expect(await claimIds({ runnerId: "runner-2" })).toEqual([]);
      await stores.close();
      stores = await under.open({ bootId: "boot-2" });
      // The reboot has ended every claim.
      expect(await claimIds({ runnerId: "runner-3" })).toEqual([running]);
      under.clock.advance(59_999);
      expect(await claimIds({ runnerId: "runner-3" })).not.toContain(waiting);
      under.clock.advance(1);
      expect(await claimIds({ runnerId: "runner-4" })).toContain(waiting);
    });

    test("new jobs wake the listeners after their commit", async () => {
      let woken = 0;
      stores.jobs.onEnqueued(() => {
        woken += 1;
      });
      await enqueue();
      expect(woken).toBe(1);
    });

    test("the statistics count jobs by kind and status, and how long the oldest is due", async () => {
      await enqueue();
      under.clock.advance(3_000);
      await enqueue({ delayMs: 1_000 });
      expect(await stores.jobs.load(10)).toEqual({
        counts: { pending: 2, running: 0, dead: 0 },
        byKind: [{ kind: KIND, status: "pending", jobs: 2 }],
        oldestDueMs: 3_000,
      });
      expect((await stores.jobs.load(1)).counts.pending).toBe(1);
      expect(await stores.jobs.statistics()).toEqual({
        counts: [{ kind: KIND, status: "pending", jobs: 2 }],
        oldestDueMs: 3_000,
      });
    });
  });
}
