import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addMs } from "../../../src/core/clocks.ts";
import { type AccountId, asAccountId, asDeliveryId, asWebhookId, type DeliveryId } from "../../../src/core/ids.ts";
import { eventIdOf } from "../../../src/core/new-id.ts";
import type { WebhookEventType } from "../../../src/core/webhook-events.ts";
import { Keyring, sealingKeyOf } from "../../../src/store/sealing/seal.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { AttemptResult, WebhookSettings, WebhookStore } from "../../../src/store/webhooks/webhook-store.ts";
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

    test("H3: a fact has one id in all its deliveries, and would have it in another database", async () => {
      await create();
      await create();
      const call = await createCall(stores, accountId);
      const due = await Promise.all((await dueDeliveries()).map((id) => webhooks.due(id)));
      expect(new Set(due.map((found) => found?.event.id))).toEqual(new Set([eventIdOf(`call.created ${call.id}`)]));
      expect(new Set(due.map((found) => found?.delivery.id)).size).toBe(2);
    });

    test("H3: the id of a fact never changes: this is that of one", () => {
      expect(eventIdOf("call.ended call_1")).toBe("event_3996828e-9e80-5281-a4b7-4693e02f81ff");
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
      if (first === undefined) throw new Error("it is not due");
      expect(await webhooks.getEvent(accountId, first.event.id)).toEqual(first.event);
      expect(await webhooks.getEvent(await stores.accounts.ensure("second"), first.event.id)).toBeUndefined();
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
      expect((await webhooks.due(id))?.event).toEqual(first.event);
    });

    test("a delivery has the answers to all of its attempts that failed, also once it is delivered", async () => {
      const { webhook } = await create({ eventTypes: ["call.created"] });
      await createCall(stores, accountId);
      const [id] = (await dueDeliveries()) as [DeliveryId];
      const read = () => webhooks.getDelivery(accountId, webhook.id, id);
      expect((await read())?.failedAttempts).toEqual([]);
      const answers = [
        { status: 503, excerpt: "busy\0, later", tookMs: 3 },
        { excerpt: "it timed out", tookMs: 15_000 },
      ];
      const attempts = [];
      for (const answer of answers) {
        const atMs = under.clock.epochMs();
        await webhooks.recordAttempt(id, { kind: "failed", answer, nextAttemptAtMs: atMs, isGone: false });
        attempts.push({ atMs, ...answer });
        under.clock.advance(1_000);
      }
      await webhooks.recordAttempt(id, { kind: "delivered", answer: ANSWER });
      expect(await read()).toMatchObject({
        status: "delivered",
        attempts: 3,
        answer: ANSWER,
        failedAttempts: attempts,
      });
    });

    test("of very many failed attempts a delivery has the latest", async () => {
      const { webhook } = await create({ eventTypes: ["call.created"] });
      await createCall(stores, accountId);
      const [id] = (await dueDeliveries()) as [DeliveryId];
      const nextAttemptAtMs = under.clock.epochMs();
      for (let tookMs = 0; tookMs < 30; tookMs += 1) {
        const answer = { status: 500, excerpt: "x".repeat(500), tookMs };
        await webhooks.recordAttempt(id, { kind: "failed", answer, nextAttemptAtMs, isGone: false });
      }
      const kept = (await webhooks.getDelivery(accountId, webhook.id, id))?.failedAttempts ?? [];
      expect(kept.map(({ tookMs }) => tookMs)).toEqual(
        Array.from({ length: kept.length }, (_, at) => 30 - kept.length + at),
      );
      expect(kept.length).toBeLessThan(30);
    });

    test("a delivery whose job is cancelled has failed, and can be replayed", async () => {
      const { webhook } = await create({ eventTypes: ["call.created"] });
      await createCall(stores, accountId);
      const [job] = (await stores.jobs.list({ kind: "webhook.deliver", limit: 1 })).jobs;
      if (job === undefined) throw new Error("nothing waits");
      expect(await stores.jobs.cancel(job.id)).toBe(true);
      const { deliveryId: id } = job.payload as { deliveryId: DeliveryId };
      expect(await webhooks.due(id)).toBeUndefined();
      expect(await webhooks.getDelivery(accountId, webhook.id, id)).toMatchObject({ status: "failed", attempts: 0 });
      expect(await webhooks.replay(accountId, webhook.id, { ids: [id] })).toMatchObject({ replayed: 1 });
      expect(await dueDeliveries()).toEqual([id]);
    });

    test("a delivery whose job is dead has failed, and is sent again when the job or the delivery is replayed", async () => {
      const { webhook } = await create({ eventTypes: ["call.created"] });
      await createCall(stores, accountId);
      const claim = { runnerId: "runner-1", kinds: ["webhook.deliver"], fullLanes: [], limit: 1 };
      const [job] = await stores.jobs.claim(claim);
      if (job === undefined) throw new Error("nothing is due");
      const { deliveryId: id } = job.payload as { deliveryId: DeliveryId };
      await stores.jobs.settle("runner-1", new Map([[job.id, { kind: "dead", error: "its runner was lost" }]]));
      expect(await webhooks.getDelivery(accountId, webhook.id, id)).toMatchObject({ status: "failed" });
      expect(await stores.jobs.replay({ ids: [job.id] })).toBe(1);
      expect(await webhooks.getDelivery(accountId, webhook.id, id)).toMatchObject({ status: "pending" });
      expect(await dueDeliveries()).toEqual([id]);
      expect(await webhooks.due(id)).toBeDefined();
    });

    test("a delivery that finds its webhook disabled has failed", async () => {
      const { webhook } = await create({ eventTypes: ["call.created"] });
      await createCall(stores, accountId);
      const [id] = await dueDeliveries();
      if (id === undefined) throw new Error("nothing is due");
      await webhooks.abandon(id);
      expect(await webhooks.getDelivery(accountId, webhook.id, id)).toMatchObject({ status: "failed", attempts: 0 });
      await webhooks.replay(accountId, webhook.id, { ids: [id] });
      await webhooks.recordAttempt(id, { kind: "delivered", answer: ANSWER });
      await webhooks.abandon(id);
      expect(await webhooks.getDelivery(accountId, webhook.id, id)).toMatchObject({ status: "delivered" });
    });

    test("of a webhook for which too many deliveries wait, further ones have failed until it has caught up", async () => {
      const { webhook } = await create({ eventTypes: ["call.created"] });
      const other = await create({ eventTypes: ["call.created"] });
      for (let n = 0; n < 3; n++) await createCall(stores, accountId);
      expect(await webhooks.noteFull(4)).toEqual([]);
      await createCall(stores, accountId);
      expect((await webhooks.noteFull(4)).toSorted()).toEqual([webhook.id, other.webhook.id].toSorted());
      expect(await webhooks.noteFull(4)).toEqual([]);
      await createCall(stores, accountId);
      const page = await webhooks.listDeliveries(accountId, webhook.id, { limit: 10 });
      expect(page?.deliveries.map(({ status }) => status)).toEqual(["failed", ...Array(4).fill("pending")]);
      expect(page?.deliveries[0]?.answer?.excerpt).toContain("not sent");
      expect(await dueDeliveries()).toHaveLength(8);
      expect(await webhooks.noteFull(4)).toEqual([]);
      await createCall(stores, accountId);
      expect(await dueDeliveries()).toHaveLength(2);
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

    test("attempts that end at the same time are recorded each with its own result", async () => {
      const healthy = (await create({ eventTypes: ["call.created"] })).webhook;
      const failing = (await create({ eventTypes: ["call.created"] })).webhook;
      for (let n = 0; n < 3; n++) await createCall(stores, accountId);
      const due = await dueDeliveries();
      const found = await Promise.all(due.map((id) => webhooks.due(id)));
      expect(found.map((each) => each?.delivery.id)).toEqual(due);
      await Promise.all(
        found.map((each, at) => {
          const id = due[at] ?? asDeliveryId("");
          if (each?.webhook.id === failing.id) return webhooks.recordAttempt(id, failed({ isGone: at === 3 }));
          return webhooks.recordAttempt(id, { kind: "delivered", answer: { ...ANSWER, tookMs: at } });
        }),
      );
      for (const [at, id] of due.entries()) {
        const delivery = await webhooks.getDelivery(accountId, healthy.id, id);
        if (found[at]?.webhook.id === healthy.id)
          expect(delivery).toMatchObject({ status: "delivered", answer: { tookMs: at } });
      }
      expect(await webhooks.get(accountId, healthy.id)).not.toHaveProperty("failingSinceMs");
      expect(await webhooks.get(accountId, failing.id)).toHaveProperty("failingSinceMs");
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
      expect(await webhooks.remove(accountId, webhook.id)).toBe(false);
      expect(await webhooks.due(id)).toBeUndefined();
      expect(await webhooks.list(accountId)).toEqual([]);
      expect(await webhooks.update(accountId, webhook.id, { enabled: true })).toBeUndefined();
      expect(await webhooks.listDeliveries(accountId, webhook.id, { limit: 1 })).toBeUndefined();
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
      // The first failure of an event after five quiet days says nothing; the last one of its schedule does.
      expect(await webhooks.recordAttempt(id, failed())).toBeUndefined();
      expect(await webhooks.recordAttempt(id, failed({ nextAttemptAtMs: undefined }))).toBe("failing");
      expect(await webhooks.due(id)).toBeUndefined();
      expect(await webhooks.getDelivery(accountId, webhook.id, id)).toMatchObject({ status: "failed" });
    });

    test("a removed webhook is deleted with its deliveries, some at a time, while calls go on", async () => {
      const { webhook } = await create({ eventTypes: ["call.created"] });
      for (let n = 0; n < 3; n++) await createCall(stores, accountId);
      await Promise.all([
        webhooks.remove(accountId, webhook.id),
        ...Array.from({ length: 5 }, () => createCall(stores, accountId)),
      ]);
      let deleted = 0;
      for (let rows = 1; rows > 0; deleted += rows) rows = await webhooks.deleteRemoved();
      expect(deleted).toBeGreaterThanOrEqual(1 + 3);
      expect(await webhooks.deleteRemoved()).toBe(0);
    });

    test("an endpoint's answer about a call is deleted with its transcript", async () => {
      const { webhook } = await create({ eventTypes: ["call.ended"] });
      const { id: callId, tokenHash } = await createCall(stores, accountId);
      await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
      await stores.calls.finish(callId, endAt(under.clock));
      const [id] = await dueDeliveries();
      if (id === undefined) throw new Error("nothing is due");
      await webhooks.recordAttempt(id, failed());
      expect((await webhooks.getDelivery(accountId, webhook.id, id))?.answer).toEqual(ANSWER);
      await stores.retention.deleteTranscript(callId);
      expect((await webhooks.getDelivery(accountId, webhook.id, id))?.answer).toBeUndefined();
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
      const lastId = created[1]?.webhook.id;
      expect(await both.reseal({ limit: 10 })).toEqual({ resealed: 2, unsealable: [], lastId });
      expect(await both.reseal({ limit: 10 })).toEqual({ resealed: 0, unsealable: [] });
      expect(await stores.sealingKeyIds()).toEqual([key(2).id]);
      const renewed = stores.openWebhooks(new Keyring([key(2)]));
      await createCall(stores, accountId);
      const secrets = await Promise.all((await dueDeliveries()).map(async (id) => (await renewed.due(id))?.secrets));
      expect(secrets.flat()).toContain(created[1]?.secret);
      expect(secrets.flat()).toHaveLength(3);
    });

    test("a secret that cannot be opened keeps no other from being sealed again, and no other webhook waits for it", async () => {
      await create();
      const lost = await stores.openWebhooks(new Keyring([key(3)])).create(accountId, SETTINGS);
      await create();
      await createCall(stores, accountId);
      const due = await Promise.allSettled((await dueDeliveries()).map((id) => webhooks.due(id)));
      expect(due.map(({ status }) => status).sort()).toEqual(["fulfilled", "fulfilled", "rejected"]);
      const both = stores.openWebhooks(new Keyring([key(2), key(1)]));
      const first = await both.reseal({ limit: 2 });
      expect(first).toMatchObject({ resealed: 1, unsealable: [lost?.webhook.id] });
      expect(await both.reseal({ limit: 2, afterId: first.lastId })).toMatchObject({ resealed: 1, unsealable: [] });
      expect(await both.reseal({ limit: 2, afterId: asWebhookId("webhook_x") })).toEqual({
        resealed: 0,
        unsealable: [],
      });
      expect([...(await stores.sealingKeyIds())].sort()).toEqual([key(2).id, key(3).id].sort());
    });

    test("of a rotated secret the current one signs, and is sealed again, though the previous one is lost", async () => {
      const old = stores.openWebhooks(new Keyring([key(3)]));
      const created = await old.create(accountId, SETTINGS);
      const id = created?.webhook.id ?? asWebhookId("");
      const secret = (await stores.openWebhooks(new Keyring([key(1), key(3)])).rotateSecret(accountId, id, 60_000))
        ?.secret;
      const both = await create();
      await old.rotateSecret(accountId, both.webhook.id, 60_000).catch(() => {});
      const renewed = stores.openWebhooks(new Keyring([key(2), key(1)]));
      await renewed.reseal({ limit: 10 });
      await createCall(stores, accountId);
      const alone = stores.openWebhooks(new Keyring([key(2)]));
      const due = await Promise.all((await dueDeliveries()).map((delivery) => alone.due(delivery)));
      expect(due.find((one) => one?.webhook.id === id)?.secrets[0]).toBe(secret);
      const gone = stores.openWebhooks(new Keyring([key(4)]));
      expect(await gone.reseal({ limit: 10 })).toMatchObject({ resealed: 0, unsealable: [id, both.webhook.id].sort() });
    });

    test("old events and deliveries are deleted, but not those that wait", async () => {
      const { webhook } = await create({ eventTypes: ["call.created"] });
      for (let n = 0; n < 3; n++) await createCall(stores, accountId);
      const [done] = await dueDeliveries();
      if (done === undefined) throw new Error("nothing is due");
      await webhooks.recordAttempt(done, { kind: "delivered", answer: ANSWER });
      under.clock.advance(1);
      // The delivery, and its event.
      expect(await webhooks.deleteOld(under.clock.epochMs())).toBe(2);
      expect(await webhooks.deleteOld(under.clock.epochMs())).toBe(0);
      const left = await webhooks.listDeliveries(accountId, webhook.id, { limit: 5 });
      expect(left?.deliveries.map(({ status }) => status)).toEqual(["pending", "pending"]);
    });

    test("unknown accounts have no webhooks", async () => {
      expect(await webhooks.list(asAccountId("account_x"))).toEqual([]);
    });
  });
}
