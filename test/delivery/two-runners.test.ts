import { describe, expect, test } from "vitest";
import { createCall } from "../support/calls/stored-calls.ts";
import { ManualClock, sleep } from "../support/manual-clock.ts";
import { addWebhook, answered, deliveringProcess, playUntil } from "../support/stores/delivering-process.ts";
import { EVERY_SHARED_DATABASE } from "../support/stores/killable-stores.ts";

const CALLS = 100;
const HOOKS = ["https://one.example/", "https://two.example/", "https://three.example/"];

describe.each(EVERY_SHARED_DATABASE)("two runners on $name", ({ isHere, isShared, make }) => {
  test.skipIf(!isHere)("H10: send each delivery once, where neither of them dies", async () => {
    const clock = new ManualClock();
    const database = await make();
    const sent: string[][] = [[], []];
    const recordedBy = (runner: number) => async (message: { url: string; eventId: string }, stop: AbortSignal) => {
      sent[runner]?.push(`${message.url} ${message.eventId}`);
      await sleep(clock, 200, stop);
      return answered(204);
    };
    const first = await deliveringProcess(database, clock, { send: recordedBy(0) });
    const second = await deliveringProcess(database, clock, {
      send: recordedBy(1),
      ...(!isShared && { stores: first.stores }),
    });
    const accountId = await first.stores.accounts.ensure("first");
    for (const url of HOOKS) await addWebhook(first, accountId, url, "call.created");
    for (const { runner } of [first, second]) await runner.start();
    for (let n = 0; n < CALLS; n++) await createCall(first.stores, accountId);
    const isIdle = async () => (await first.stores.jobs.statistics()).counts.length === 0;
    await playUntil(clock, () => [first, second], isIdle);
    await second.close();
    await first.close();
    expect(sent.flat()).toHaveLength(CALLS * HOOKS.length);
    expect(new Set(sent.flat()).size).toBe(CALLS * HOOKS.length);
    // Otherwise one of them would have been idle.
    for (const bySender of sent) expect(bySender.length).toBeGreaterThan(CALLS / 10);
  });
});
