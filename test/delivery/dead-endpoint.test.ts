import { describe, expect, test } from "vitest";
import { type EpochMs, elapsedMs, millisecondsOf, monotonicMs } from "../../src/core/clocks.ts";
import type { EventId } from "../../src/core/ids.ts";
import { DELIVERY_RETRY_DELAYS_MS } from "../../src/core/limits/control-api/webhooks.ts";
import { JOB_POLL_MS } from "../../src/core/limits/service/jobs.ts";
import type { DeliveryStatus } from "../../src/store/webhooks/webhook-store.ts";
import { createCall } from "../support/calls/stored-calls.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { addWebhook, answered, deliveringProcess, playUntil } from "../support/stores/delivering-process.ts";
import { EVERY_SHARED_DATABASE } from "../support/stores/killable-stores.ts";
import { PlannedAttempts } from "../support/stores/planned-attempts.ts";

const HOUR_MS = 3_600_000;
const DOWN_MS = 72 * HOUR_MS;
const CALL_EVERY_MS = 8 * HOUR_MS;
const OTHERS = Array.from({ length: 49 }, (_, n) => `https://other-${n}.example/`);
const DEAD = "https://dead.example/";

describe.each(EVERY_SHARED_DATABASE)("an endpoint that is down for three days, beside 49 others, on $name", ({
  isHere,
  make,
}) => {
  test.skipIf(!isHere)(
    "H4: gets what is not older than a day by itself, and the rest by a replay; no other waits",
    {
      timeout: 120_000,
    },
    async () => {
      const clock = new ManualClock();
      const planned = new PlannedAttempts(clock);
      let isDown = true;
      let attempts = 0;
      const got = new Map<string, EventId[]>([DEAD, ...OTHERS].map((url) => [url, []]));
      const delaysMs: number[] = [];
      let createdAtMs: EpochMs = clock.epochMs();
      const process = await deliveringProcess(await make(), clock, {
        jobs: (jobs) => planned.observe(jobs),
        send: async ({ url, eventId }) => {
          if (url === DEAD) attempts += 1;
          else delaysMs.push(elapsedMs(createdAtMs, clock.epochMs()));
          if (url === DEAD && isDown) return answered(503);
          got.get(url)?.push(eventId);
          return answered(204);
        },
      });
      const { stores, webhooks, runner } = process;
      const accountId = await stores.accounts.ensure("first");
      const { id } = await addWebhook(process, accountId, DEAD, "call.created");
      for (const url of OTHERS) await addWebhook(process, accountId, url, "call.created");
      await runner.start();
      /** Lets time pass to this moment, and plays what is due then. */
      const playFrom = async (atMs: number): Promise<void> => {
        const nowMs = millisecondsOf(clock.nowMs());
        clock.stall(Math.max(0, atMs - nowMs));
        const untilMs = monotonicMs(Math.max(atMs, nowMs) + 3 * JOB_POLL_MS);
        await playUntil(
          clock,
          () => [process],
          () => clock.nowMs() >= untilMs,
        );
      };
      const deliveries = async (status: DeliveryStatus) =>
        (await webhooks.listDeliveries(accountId, id, { status, limit: 100 }))?.deliveries ?? [];

      let calls = 0;
      for (let nextCallMs = 0; nextCallMs < DOWN_MS; nextCallMs += CALL_EVERY_MS) {
        while (planned.nextMs < monotonicMs(nextCallMs)) await playFrom(millisecondsOf(planned.nextMs));
        await playFrom(nextCallMs);
        createdAtMs = clock.epochMs();
        await createCall(stores, accountId);
        calls += 1;
        await playFrom(0);
      }
      expect(delaysMs).toHaveLength(calls * OTHERS.length);
      expect(Math.max(...delaysMs)).toBeLessThanOrEqual(JOB_POLL_MS);
      expect(await webhooks.get(accountId, id)).not.toHaveProperty("disabledReason");
      const [failed, pending] = [await deliveries("failed"), await deliveries("pending")];
      expect([failed.length > 0, failed.length + pending.length]).toEqual([true, calls]);
      for (const delivery of failed) expect(delivery.attempts).toBe(DELIVERY_RETRY_DELAYS_MS.length + 1);

      isDown = false;
      while ((await deliveries("pending")).length > 0) await playFrom(millisecondsOf(planned.nextMs));
      expect(got.get(DEAD)).toHaveLength(pending.length);
      expect(await deliveries("failed")).toEqual(failed);

      const before = attempts;
      const [first, ...rest] = failed.toReversed();
      if (first === undefined) throw new Error("none failed");
      expect(await webhooks.replay(accountId, id, { ids: [first.id] })).toMatchObject({ replayed: 1 });
      await playFrom(0);
      expect(got.get(DEAD)?.at(-1)).toBe(first.eventId);
      const range = { status: "failed" as const, createdFromMs: rest[0]?.createdAtMs, limit: 100 };
      expect(await webhooks.replay(accountId, id, { query: range })).toMatchObject({
        replayed: rest.length,
        more: false,
      });
      await playFrom(0);
      expect(attempts - before).toBe(failed.length);
      expect(await deliveries("delivered")).toHaveLength(calls);
      expect(new Set(got.get(DEAD)).size).toBe(calls);
      expect(await webhooks.get(accountId, id)).not.toHaveProperty("failingSinceMs");
      await process.close();
    },
  );
});
