import { describe, expect, test } from "vitest";
import { addMs, type EpochMs, elapsedMs, type MonotonicMs } from "../../src/core/clocks.ts";
import { DELIVERY_RETRY_DELAYS_MS } from "../../src/core/limits/control-api/webhooks.ts";
import { JOB_POLL_MS } from "../../src/core/limits/service/jobs.ts";
import { createCall } from "../support/calls/stored-calls.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { addWebhook, answered, deliveringProcess, playUntil } from "../support/stores/delivering-process.ts";
import { EVERY_SHARED_DATABASE } from "../support/stores/killable-stores.ts";
import { PlannedAttempts } from "../support/stores/planned-attempts.ts";

const HOUR_MS = 3_600_000;
const JITTER_SHARE = 0.2;

/** A clock whose wall time an operator sets. */
class SteppedClock extends ManualClock {
  #steppedMs = 0;

  step(byMs: number): void {
    this.#steppedMs += byMs;
  }

  override epochMs(): EpochMs {
    return addMs(super.epochMs(), this.#steppedMs);
  }
}

describe.each(EVERY_SHARED_DATABASE)("the attempts of a delivery on $name", ({ isHere, make }) => {
  test.skipIf(!isHere)("K12: keep their delays, whichever way the wall clock steps between them", async () => {
    const clock = new SteppedClock();
    const planned = new PlannedAttempts(clock);
    const attemptsMs: MonotonicMs[] = [];
    const process = await deliveringProcess(await make(), clock, {
      jobs: (jobs) => planned.observe(jobs),
      send: async () => {
        attemptsMs.push(clock.nowMs());
        return answered(500);
      },
    });
    const { stores, webhooks, runner } = process;
    const accountId = await stores.accounts.ensure("first");
    const { id } = await addWebhook(process, accountId, "https://one.example/", "call.created");
    await createCall(stores, accountId);
    await runner.start();
    const attemptsMax = DELIVERY_RETRY_DELAYS_MS.length + 1;
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const isPlanned = () => attemptsMs.length === attempt && planned.delaysMs.length === attempt;
      const isOver = async () => (await stores.jobs.statistics()).counts.length === 0;
      await playUntil(clock, () => [process], attempt === attemptsMax ? isOver : isPlanned);
      if (attempt === attemptsMax) break;
      clock.step(attempt % 2 === 0 ? 2 * HOUR_MS : -HOUR_MS);
      // Nothing happens until shortly before the next attempt is due.
      clock.stall(elapsedMs(clock.nowMs(), planned.nextMs) - 2 * JOB_POLL_MS);
    }
    expect(attemptsMs).toHaveLength(attemptsMax);
    for (const [n, plannedMs] of DELIVERY_RETRY_DELAYS_MS.entries()) {
      const tookMs = elapsedMs(attemptsMs[n] as MonotonicMs, attemptsMs[n + 1] as MonotonicMs);
      expect(tookMs).toBeGreaterThanOrEqual(plannedMs * (1 - JITTER_SHARE));
      expect(tookMs).toBeLessThanOrEqual(plannedMs * (1 + JITTER_SHARE) + 2 * JOB_POLL_MS);
    }
    const { deliveries = [] } = (await webhooks.listDeliveries(accountId, id, { limit: 5 })) ?? {};
    expect(deliveries).toMatchObject([{ status: "failed", attempts: attemptsMax }]);
    await process.close();
  });
});
