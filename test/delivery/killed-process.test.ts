import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AccountId, CallId } from "../../src/core/ids.ts";
import type { Stores } from "../../src/store/stores.ts";
import { createCall, endAt, TURNS } from "../support/calls/stored-calls.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { hookEndpoint } from "../support/network/hook-endpoint.ts";
import {
  addWebhook,
  type DeliveringProcess,
  deliveringProcess,
  playUntil,
} from "../support/stores/delivering-process.ts";
import { SEALING_KEYS } from "../support/stores/keys.ts";
import { EVERY_SHARED_DATABASE, Lifetime, type SharedDatabase } from "../support/stores/killable-stores.ts";
import { redeemedBy } from "../support/tokens.ts";

/** A call whose process was killed at one of its steps, and which the next process has brought to its end. */
interface Trial {
  /** What the first process has done. */
  steps: readonly string[];
  wasKilled: boolean;
  /** The ids of the messages that the endpoint received. */
  ids: readonly string[];
}

/** The steps that a kill must have come before, each of them once at least: what the fault is about. */
const STEPS = [
  /^update "calls"/,
  // One statement may do several.
  /insert into "webhook_events"/,
  /insert into "jobs"/,
  /^commit$/i,
  /^send$/,
  /^the endpoint answers$/,
  /^update "webhook_deliveries"/,
  /^delete from "jobs"/,
];

/** Whether a process was killed after it had sent its message, and before the result was committed. */
function mayRepeat(steps: readonly string[]): boolean {
  const isSent = steps.includes("send");
  const recordedAt = steps.findIndex((step) => /^update "webhook_deliveries"/.test(step));
  const isCommitted = recordedAt >= 0 && steps.slice(recordedAt).some((step) => /^commit$/i.test(step));
  return isSent && !isCommitted;
}

describe.each(EVERY_SHARED_DATABASE)("a call that ends on $name", ({ isHere, make }) => {
  let database: SharedDatabase;
  let clock: ManualClock;
  let observer: Stores;
  let accountId: AccountId;
  /** The process that lives at present. */
  let current: DeliveringProcess | undefined;
  let rendered: CallId[];

  beforeEach(async () => {
    clock = new ManualClock();
    rendered = [];
    if (!isHere) return;
    database = await make();
    observer = await database.open(new Lifetime(), clock);
    accountId = await observer.accounts.ensure("first");
  });
  afterEach(() => observer?.close());

  /** Starts a process, in which an ended call is recorded from its journal. Resolves when that is done or the process is dead. */
  async function process(callId: CallId, stepsMax?: number): Promise<DeliveringProcess> {
    const started = await deliveringProcess(database, clock, {
      life: new Lifetime(stepsMax),
      render: async ({ payload }) => void rendered.push((payload as { callId: CallId }).callId),
    });
    current = started;
    const { stores, runner, life } = started;
    const work = async (): Promise<void> => {
      await stores.calls.finish(callId, endAt(clock, { hasJournal: true }));
      await runner.start();
    };
    // A dead process fails at whatever it does next.
    await work().catch((error: unknown) => {
      if (!life.isOver) throw error;
    });
    return started;
  }

  const isSettled = async (callId: CallId): Promise<boolean> => {
    if (!rendered.includes(callId)) return false;
    const call = await observer.calls.get(accountId, callId);
    return call?.status === "ended" && (await observer.jobs.statistics()).counts.length === 0;
  };

  /** One call, whose process is killed at its step of this number. */
  async function trial(stepsMax: number, received: { headers: Record<string, unknown> }[]): Promise<Trial> {
    received.length = 0;
    const { id, tokenHash } = await createCall(observer, accountId);
    await observer.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
    const first = await process(id, stepsMax);
    const { life } = first;
    await playUntil(
      clock,
      () => [first],
      async () => life.isOver || (await isSettled(id)),
    );
    if (life.isOver) {
      const [call, turns] = [await observer.calls.get(accountId, id), await observer.calls.transcript(accountId, id)];
      // No reader sees a half of it.
      expect(turns).toEqual(call?.status === "ended" ? TURNS : []);
      const second = await process(id);
      await playUntil(
        clock,
        () => [second],
        () => isSettled(id),
      );
      await second.close();
    }
    await first.close();
    expect(await observer.calls.transcript(accountId, id)).toEqual(TURNS);
    return {
      steps: life.steps,
      wasKilled: life.isOver,
      ids: received.map(({ headers }) => String(headers["webhook-id"])),
    };
  }

  const name =
    "K2, H3: is delivered and rendered, and repeats only its own message, whichever step its process is killed before";
  test.skipIf(!isHere)(name, { timeout: 180_000 }, async () => {
    const { url, received } = await hookEndpoint((response) => {
      try {
        current?.life.begin("the endpoint answers");
        response.writeHead(204).end();
      } catch {
        response.destroy();
      }
    });
    const webhooks = observer.openWebhooks(SEALING_KEYS);
    const webhook = await addWebhook({ webhooks }, accountId, url, "call.ended");
    const trials: Trial[] = [];
    do trials.push(await trial(trials.length, received));
    while (trials.at(-1)?.wasKilled);
    // Every call is one fact: one delivery, and all its messages have one id.
    for (const { ids } of trials) expect(new Set(ids).size).toBe(1);
    const { deliveries = [] } = (await webhooks.listDeliveries(accountId, webhook.id, { limit: 1_000 })) ?? {};
    expect(deliveries.map(({ status }) => status)).toEqual(trials.map(() => "delivered"));
    expect(new Set(deliveries.map(({ callId }) => callId)).size).toBe(trials.length);
    // The last process lived: what it did is what the others were killed before.
    const steps = trials.at(-1)?.steps ?? [];
    expect(STEPS.filter((step) => !steps.some((text) => step.test(text)))).toEqual([]);
    // A message is repeated where its result was not stored, and nowhere else.
    for (const { steps: done, ids } of trials) expect([1, mayRepeat(done) ? 2 : 1]).toContain(ids.length);
    expect(trials.filter(({ ids }) => ids.length === 2).length).toBeGreaterThan(2);
  });
});
