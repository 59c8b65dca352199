import { describe, expect, test } from "vitest";
import { type EpochMs, elapsedMs, monotonicMs } from "../../src/core/clocks.ts";
import { DELIVERY_MS_MAX } from "../../src/core/limits/control-api/webhooks.ts";
import {
  JOB_POLL_MS,
  JOBS_CONCURRENT_MAX,
  JOBS_PER_CLAIM_MAX,
  JOBS_PER_LANE_MAX,
  JOBS_UNSETTLED_MAX,
} from "../../src/core/limits/service/jobs.ts";
import type { Message } from "../../src/delivery/sender.ts";
import type { JobStore } from "../../src/store/job-store.ts";
import { createCall, endAt } from "../support/calls/stored-calls.ts";
import { ManualClock, sleep } from "../support/manual-clock.ts";
import { addWebhook, answered, deliveringProcess, playUntil } from "../support/stores/delivering-process.ts";
import { EVERY_SHARED_DATABASE } from "../support/stores/killable-stores.ts";
import { redeemedBy } from "../support/tokens.ts";

const CALLS = 240;
/** As many as the finalizer stores at a time. */
const CALLS_AT_ONCE = 8;
const HOOKS = ["https://one.example/", "https://two.example/", "https://three.example/", "https://four.example/"];

const QUICK = "https://quick.example/";

/** How many of something there are, and how many there were at most. */
class Gauge {
  now = 0;
  max = 0;

  add(count: number): void {
    this.now += count;
    this.max = Math.max(this.max, this.now);
  }
}

/** Counts the jobs that a runner has claimed. */
const withGauge = (jobs: JobStore, claimed: Gauge, claims: number[]): JobStore =>
  new Proxy(jobs, {
    get(target, name: keyof JobStore) {
      if (name === "claim") {
        return async (...args: Parameters<JobStore["claim"]>) => {
          const found = await target.claim(...args);
          claims.push(found.length);
          claimed.add(found.length);
          return found;
        };
      }
      if (name === "settle") {
        return async (...args: Parameters<JobStore["settle"]>) => {
          await target.settle(...args);
          claimed.add(-args[1].size);
        };
      }
      return target[name].bind(target);
    },
  });

describe.each(EVERY_SHARED_DATABASE)("deliveries from $name", ({ isHere, make }) => {
  test.skipIf(!isHere)(
    "H9: of many calls that end at once are all sent, a bounded number at a time",
    {
      timeout: 120_000,
    },
    async () => {
      const clock = new ManualClock();
      const [sending, claimed, claims] = [new Gauge(), new Gauge(), [] as number[]];
      const toEach = new Map(HOOKS.map((url) => [url, new Gauge()]));
      const sent = new Map<string, Set<string>>(HOOKS.map((url) => [url, new Set()]));
      const send = async ({ url, eventId }: Message, stop: AbortSignal) => {
        for (const gauge of [sending, toEach.get(url)]) gauge?.add(1);
        await sleep(clock, 20, stop);
        for (const gauge of [sending, toEach.get(url)]) gauge?.add(-1);
        sent.get(url)?.add(eventId);
        return answered(204);
      };
      const process = await deliveringProcess(await make(), clock, {
        send,
        jobs: (jobs) => withGauge(jobs, claimed, claims),
      });
      const { stores, runner } = process;
      const accountId = await stores.accounts.ensure("first");
      for (const url of HOOKS) await addWebhook(process, accountId, url, "call.ended");
      const line = async (): Promise<void> => {
        for (let n = 0; n < CALLS / CALLS_AT_ONCE; n++) {
          const { id, tokenHash } = await createCall(stores, accountId);
          await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
          await stores.calls.finish(id, endAt(clock, { turns: [] }));
        }
      };
      await Promise.all(Array.from({ length: CALLS_AT_ONCE }, line));
      await runner.start();
      const isIdle = async () => claimed.now === 0 && (await stores.jobs.statistics()).counts.length === 0;
      await playUntil(clock, () => [process], isIdle);
      await process.close();
      expect([...sent.values()].map((ids) => ids.size)).toEqual(HOOKS.map(() => CALLS));
      expect(sending.max).toBeLessThanOrEqual(JOBS_CONCURRENT_MAX);
      for (const { max } of toEach.values()) expect(max).toBeLessThanOrEqual(JOBS_PER_LANE_MAX);
      expect(Math.max(...claims)).toBeLessThanOrEqual(JOBS_PER_CLAIM_MAX);
      // In progress, waiting for their lanes, and those whose outcome is not stored yet.
      const unsettledMax = JOBS_UNSETTLED_MAX + JOBS_CONCURRENT_MAX;
      expect(claimed.max).toBeLessThanOrEqual(JOBS_CONCURRENT_MAX + HOOKS.length * JOBS_PER_CLAIM_MAX + unsettledMax);
    },
  );

  test.skipIf(!isHere)(
    "H4: to endpoints that hang delay none to another, though many messages wait for each",
    { timeout: 120_000 },
    async () => {
      const clock = new ManualClock();
      let sentAtMs: EpochMs | undefined;
      const process = await deliveringProcess(await make(), clock, {
        send: async ({ url }, stop) => {
          if (url === QUICK) sentAtMs = clock.epochMs();
          else await sleep(clock, DELIVERY_MS_MAX, stop);
          return answered(url === QUICK ? 204 : 504);
        },
      });
      const { stores, runner } = process;
      for (const url of HOOKS) {
        const accountId = await stores.accounts.ensure(url);
        await addWebhook(process, accountId, url, "call.created");
        for (let n = 0; n < 2 * JOBS_PER_CLAIM_MAX; n++) await createCall(stores, accountId);
      }
      const accountId = await stores.accounts.ensure(QUICK);
      await addWebhook(process, accountId, QUICK, "call.created");
      await runner.start();
      await playUntil(
        clock,
        () => [process],
        () => clock.nowMs() >= monotonicMs(1_000),
      );
      for (let n = 0; n < 10; n++) {
        const createdAtMs = clock.epochMs();
        sentAtMs = undefined;
        await createCall(stores, accountId);
        await playUntil(
          clock,
          () => [process],
          () => sentAtMs !== undefined,
        );
        // The runner is woken at once.
        expect(sentAtMs && elapsedMs(createdAtMs, sentAtMs)).toBeLessThanOrEqual(JOB_POLL_MS);
      }
      await process.close();
    },
  );
});
