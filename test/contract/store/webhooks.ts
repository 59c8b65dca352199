import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addMs } from "../../../src/core/clocks.ts";
import { type AccountId, asAccountId, asDeliveryId, asWebhookId, type DeliveryId } from "../../../src/core/ids.ts";
import type { WebhookEventType } from "../../../src/core/webhook-events.ts";
import { Keyring, sealingKeyOf } from "../../../src/store/sealing/seal.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { AttemptResult, WebhookSettings, WebhookStore } from "../../../src/store/webhook-store.ts";
import { createCall, endAt, SPEC, TTL_MS } from "../../support/calls/stored-calls.ts";
import { redeemedBy } from "../../support/tokens.ts";
import type { StoresUnderTest } from "./calls.ts";

const key = (byte: number) => sealingKeyOf(Buffer.alloc(32, byte));
const KEYS = new Keyring([key(1)]);
const SETTINGS: WebhookSettings = {
  url: "https://example.com/hook",
  description: "né \u0000",
  eventTypes: ["call.created", "call.started", "call.ended", "call.expired", "recording.ready"],
  enabled: true,
};
const ANSWER = { status: 500, excerpt: "no", tookMs: 5 };
const DAY_MS = 86_400_000;

/** What every WebhookStore must do, and what the other stores must write for it. */
export function webhookStoreContract(name: string, make: () => StoresUnderTest): void {
  describe(`WebhookStore contract: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;
    let webhooks: WebhookStore;
    let accountId: AccountId;

    beforeEach(async () => {
      under = make();
      stores = await under.open();
      webhooks = stores.openWebhooks(KEYS);
      accountId = await stores.accounts.ensure("first");
    });
    afterEach(() => stores.close());

    const create = async (changes: Partial<WebhookSettings> = {}, account = accountId) => {
      const created = await webhooks.create(account, { ...SETTINGS, ...changes });
      if (created === undefined) throw new Error("not created");
      return created;
    };
    /** Claims the delivery jobs that are due. */
    const dueDeliveries = async (): Promise<DeliveryId[]> => {
      const claim = { runnerId: "runner-1", kinds: ["webhook.deliver"], fullLanes: [], limit: 100 };
      const jobs = await stores.jobs.claim(claim);
      await stores.jobs.settle("runner-1", new Map(jobs.map(({ id }) => [id, { kind: "done" }])));
      return jobs.map(({ payload }) => (payload as { deliveryId: DeliveryId }).deliveryId);
    };
    const typesOf = async (ids: readonly DeliveryId[]): Promise<WebhookEventType[]> => {
      const due = await Promise.all(ids.map((id) => webhooks.due(id)));
      return due.flatMap((found) => found?.event.type ?? []);
    };
    const failed = (changes: Partial<Extract<AttemptResult, { kind: "failed" }>> = {}): AttemptResult => ({
      kind: "failed",
      answer: ANSWER,
      nextAttemptAtMs: addMs(under.clock.epochMs(), 1_000),
      isGone: false,
      ...changes,
    });

    test("a webhook is stored with its secret sealed, and shown without it", async () => {
      const { webhook, secret } = await create();
      const { enabled: _, ...settings } = SETTINGS;
      expect(webhook).toEqual({
        id: webhook.id,
        accountId,
        ...settings,
        createdAtMs: under.clock.epochMs(),
        updatedAtMs: under.clock.epochMs(),
      });
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(await webhooks.get(accountId, webhook.id)).toEqual(webhook);
      expect(await webhooks.list(accountId)).toEqual([webhook]);
      expect(await stores.sealingKeyIds()).toEqual([key(1).id]);
    });

    test("A2: another account sees, changes, deletes and replays nothing", async () => {
      const { webhook } = await create();
      const other = await stores.accounts.ensure("second");
      const { id } = webhook;
      expect(await webhooks.get(other, id)).toBeUndefined();
      expect(await webhooks.list(other)).toEqual([]);
      expect(await webhooks.update(other, id, { url: "https://evil.example" })).toBeUndefined();
      expect(await webhooks.rotateSecret(other, id, 0)).toBeUndefined();
      expect(await webhooks.listDeliveries(other, id, { limit: 1 })).toBeUndefined();
      expect(await webhooks.getDelivery(other, id, asDeliveryId("delivery_x"))).toBeUndefined();
      expect(await webhooks.replay(other, id, { query: { limit: 1 } })).toBeUndefined();
      expect(await webhooks.remove(other, id)).toBe(false);
      expect(await webhooks.get(accountId, id)).toEqual(webhook);
      expect(await webhooks.get(accountId, asWebhookId("webhook_x"))).toBeUndefined();
    });

    test("an account has a limited number of webhooks", async () => {
      for (let n = 0; n < 50; n++) await create();
      expect(await webhooks.create(accountId, SETTINGS)).toBeUndefined();
    });

    test("every fact of a call is one event for every webhook that wants it", async () => {
      await create();
      await create({ eventTypes: ["call.ended"] });
      await create({ enabled: false });
      await create({}, await stores.accounts.ensure("second"));
      const { id, tokenHash } = await createCall(stores, accountId);
      expect(await typesOf(await dueDeliveries())).toEqual(["call.created"]);
      await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
      expect(await typesOf(await dueDeliveries())).toEqual(["call.started"]);
      await stores.calls.finish(id, endAt(under.clock));
      await stores.calls.finish(id, endAt(under.clock));
      expect(await typesOf(await dueDeliveries())).toEqual(["call.ended", "call.ended"]);
      await stores.calls.setRecording(id, { channels: 2, sampleRateHz: 8_000, durationMs: 5_000, complete: true });
      expect(await typesOf(await dueDeliveries())).toEqual(["recording.ready"]);
      const { id: waiting } = await createCall(stores, accountId);
      await createCall(stores, accountId);
      await stores.calls.cancel(accountId, waiting);
      under.clock.advance(TTL_MS);
      await stores.calls.expire();
      expect((await typesOf(await dueDeliveries())).sort()).toEqual([
        "call.created",
        "call.created",
        "call.ended",
        "call.ended",
        "call.expired",
      ]);
    });

    test("H3: a fact has one id in all its deliveries", async () => {
      await create();
      await create();
      await createCall(stores, accountId);
      const due = await Promise.all((await dueDeliveries()).map((id) => webhooks.due(id)));
      expect(new Set(due.map((found) => found?.event.id)).size).toBe(1);
      expect(new Set(due.map((found) => found?.delivery.id)).size).toBe(2);
    });

    test("nothing is stored where no webhook wants it", async () => {
      await create({ eventTypes: ["recording.ready"] });
      await createCall(stores, accountId);
      expect(await dueDeliveries()).toEqual([]);
    });

    test("the data of an event has the facts of its time", async () => {
      await create({ eventTypes: ["call.created", "call.started"] });
      const { id, tokenHash } = await createCall(stores, accountId);
      const call = { id, agentId: null, connectionType: "carrier_a", endedAt: null, endReason: null };
      const { metadata } = SPEC;
      await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
      const events = (await Promise.all((await dueDeliveries()).map((due) => webhooks.due(due)))).map(
        (due) => due?.event,
      );
      expect(events.map((event) => event?.data)).toMatchObject([
        { call: { ...call, status: "created", startedAt: null, metadata } },
        { call: { ...call, status: "active", startedAt: expect.any(String), metadata } },
      ]);
    });

    test("a delivery that was delivered is not due again, until it is replayed with the same event", async () => {
      const { webhook } = await create({ eventTypes: ["call.created"] });
      await createCall(stores, accountId);
      const [id] = await dueDeliveries();
      if (id === undefined) throw new Error("nothing is due");
      const first = await webhooks.due(id);
      const answer = { status: 204, excerpt: "", tookMs: 3 };
      await webhooks.recordAttempt(id, { kind: "delivered", answer });
      expect(await webhooks.due(id)).toBeUndefined();
      expect(await webhooks.getDelivery(accountId, webhook.id, id)).toMatchObject({
        status: "delivered",
        attempts: 1,
        answer,
      });
      expect(await webhooks.replay(accountId, webhook.id, { ids: [id] })).toMatchObject({ replayed: 1 });
      expect(await webhooks.replay(accountId, webhook.id, { ids: [id] })).toMatchObject({ replayed: 0 });
      expect(await dueDeliveries()).toEqual([id]);
      expect((await webhooks.due(id))?.event).toEqual(first?.event);
    });

    test("deliveries are listed by every filter, newest first, and a range of them is replayed page by page", async () => {
      const { webhook } = await create({ eventTypes: ["call.created", "call.ended"] });
      const calls = [];
      for (let n = 0; n < 5; n++) {
        const { id } = await createCall(stores, accountId);
        await stores.calls.cancel(accountId, id);
        calls.push(id);
        under.clock.advance(1_000);
      }
      for (const id of await dueDeliveries()) await webhooks.recordAttempt(id, failed({ nextAttemptAtMs: undefined }));
      const list = async (query = {}) =>
        (await webhooks.listDeliveries(accountId, webhook.id, { limit: 100, ...query }))?.deliveries ?? [];
      const all = await list();
      expect(all).toHaveLength(10);
      expect(all.map(({ id }) => id)).toEqual([...all.map(({ id }) => id)].sort().reverse());
      expect(await list({ eventType: "call.ended" })).toHaveLength(5);
      expect(await list({ callId: calls[2] })).toHaveLength(2);
      expect(await list({ status: "delivered" })).toHaveLength(0);
      const createdFromMs = addMs(under.clock.epochMs(), -2_000);
      expect(await list({ createdFromMs })).toHaveLength(4);
      const page = await webhooks.replay(accountId, webhook.id, { query: { status: "failed", limit: 7 } });
      expect(page).toMatchObject({ replayed: 7, more: true });
      const rest = { status: "failed" as const, limit: 7, afterDeliveryId: page?.last };
      expect(await webhooks.replay(accountId, webhook.id, { query: rest })).toMatchObject({ replayed: 3, more: false });
      expect(await dueDeliveries()).toHaveLength(10);
    });

    test("H5: two secrets sign until the overlap ends", async () => {
      const { webhook, secret } = await create({ eventTypes: ["call.created"] });
      const rotated = await webhooks.rotateSecret(accountId, webhook.id, 5_000);
      await createCall(stores, accountId);
      const [id] = await dueDeliveries();
      if (id === undefined) throw new Error("nothing is due");
      expect((await webhooks.due(id))?.secrets).toEqual([rotated?.secret, secret]);
      under.clock.advance(5_000);
      expect((await webhooks.due(id))?.secrets).toEqual([rotated?.secret]);
    });

    test("H6: what waits goes to the new address, and nowhere after its webhook is disabled or deleted", async () => {
      const { webhook } = await create({ eventTypes: ["call.created"] });
      await createCall(stores, accountId);
      const [id] = await dueDeliveries();
      if (id === undefined) throw new Error("nothing is due");
      await webhooks.update(accountId, webhook.id, { url: "https://example.com/new" });
      expect((await webhooks.due(id))?.webhook.url).toBe("https://example.com/new");
      await webhooks.update(accountId, webhook.id, { enabled: false });
      expect(await webhooks.due(id)).toBeUndefined();
      await webhooks.update(accountId, webhook.id, { enabled: true });
      expect(await webhooks.due(id)).toBeDefined();
      expect(await webhooks.remove(accountId, webhook.id)).toBe(true);
      expect(await webhooks.due(id)).toBeUndefined();
      expect(await webhooks.recordAttempt(id, failed())).toBeUndefined();
    });

    test("H2: an endpoint that answers 410 disables its webhook at once, and the others get an event", async () => {
      const { webhook } = await create({ eventTypes: ["call.created"] });
      await create({ eventTypes: ["webhook.disabled"] });
      await createCall(stores, accountId);
      const [id] = await dueDeliveries();
      if (id === undefined) throw new Error("nothing is due");
      expect(await webhooks.recordAttempt(id, failed({ isGone: true, nextAttemptAtMs: undefined }))).toBe("gone");
      expect(await webhooks.get(accountId, webhook.id)).toMatchObject({ disabledReason: "gone" });
      const notices = await Promise.all((await dueDeliveries()).map((notice) => webhooks.due(notice)));
      expect(notices.map((notice) => notice?.event.data)).toEqual([
        { webhook: { id: webhook.id, url: SETTINGS.url, reason: "gone" } },
      ]);
      await webhooks.update(accountId, webhook.id, { enabled: true });
      expect((await webhooks.get(accountId, webhook.id))?.failingSinceMs).toBeUndefined();
    });

    test("H4: an endpoint that fails for days without one success is disabled", async () => {
      const { webhook } = await create({ eventTypes: ["call.created"] });
      await createCall(stores, accountId);
      const [id] = await dueDeliveries();
      if (id === undefined) throw new Error("nothing is due");
      const since = under.clock.epochMs();
      expect(await webhooks.recordAttempt(id, failed())).toBeUndefined();
      under.clock.advance(5 * DAY_MS - 1);
      expect(await webhooks.recordAttempt(id, failed())).toBeUndefined();
      expect(await webhooks.get(accountId, webhook.id)).toMatchObject({ failingSinceMs: since });
      under.clock.advance(1);
      expect(await webhooks.recordAttempt(id, failed())).toBe("failing");
      expect(await webhooks.due(id)).toBeUndefined();
      expect(await webhooks.getDelivery(accountId, webhook.id, id)).toMatchObject({ status: "failed" });
    });

    test("a deleted call takes its events with it", async () => {
      const { webhook } = await create({ eventTypes: ["call.created"] });
      const { id } = await createCall(stores, accountId);
      const [delivery] = await dueDeliveries();
      await stores.calls.remove(accountId, id);
      expect(delivery && (await webhooks.due(delivery))).toBeUndefined();
      expect(await webhooks.listDeliveries(accountId, webhook.id, { limit: 5 })).toEqual({
        deliveries: [],
        more: false,
      });
    });

    test("secrets are sealed again with a new key, and the old key is then not needed", async () => {
      const created = [await create(), await create({ eventTypes: ["call.created"] })];
      const [first] = created;
      if (first === undefined) throw new Error("not created");
      await webhooks.rotateSecret(accountId, first.webhook.id, 60_000);
      const both = stores.openWebhooks(new Keyring([key(2), key(1)]));
      expect(await both.reseal(10)).toBe(2);
      expect(await both.reseal(10)).toBe(0);
      expect(await stores.sealingKeyIds()).toEqual([key(2).id]);
      const renewed = stores.openWebhooks(new Keyring([key(2)]));
      await createCall(stores, accountId);
      const secrets = await Promise.all((await dueDeliveries()).map(async (id) => (await renewed.due(id))?.secrets));
      expect(secrets.flat()).toContain(created[1]?.secret);
      expect(secrets.flat()).toHaveLength(3);
    });

    test("old events and deliveries are deleted, but not those that wait", async () => {
      const { webhook } = await create({ eventTypes: ["call.created"] });
      for (let n = 0; n < 3; n++) await createCall(stores, accountId);
      const [done] = await dueDeliveries();
      if (done === undefined) throw new Error("nothing is due");
      await webhooks.recordAttempt(done, { kind: "delivered", answer: ANSWER });
      under.clock.advance(1);
      expect(await webhooks.deleteOld(under.clock.epochMs())).toBe(1);
      expect(await webhooks.deleteOld(under.clock.epochMs())).toBe(0);
      const left = await webhooks.listDeliveries(accountId, webhook.id, { limit: 5 });
      expect(left?.deliveries.map(({ status }) => status)).toEqual(["pending", "pending"]);
    });

    test("unknown accounts have no webhooks", async () => {
      expect(await webhooks.list(asAccountId("account_x"))).toEqual([]);
    });
  });
}
