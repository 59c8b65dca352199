import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addMs } from "../../../src/core/clocks.ts";
import type { AccountId, AuditEventId } from "../../../src/core/ids.ts";
import type { Act, AuditEvent, AuditQuery, NewAuditEvent } from "../../../src/store/accounts/audit-store.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { AGENT } from "../../support/calls/stored-calls.ts";
import { SEALING_KEYS } from "../../support/stores/keys.ts";
import type { StoresUnderTest } from "./calls.ts";

const ACT: Act = { actor: { kind: "api_key", id: "key_1" }, requestId: "req_1" };

/** What every AuditStore must do, and what the other stores append to it. */
export function auditStoreContract(name: string, make: () => StoresUnderTest): void {
  describe(`AuditStore contract: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;
    let accountId: AccountId;
    let otherAccountId: AccountId;

    beforeEach(async () => {
      under = make();
      stores = await under.open();
      accountId = await stores.accounts.ensure("first");
      otherAccountId = await stores.accounts.ensure("second");
    });
    afterEach(() => stores.close());

    const append = (event: Partial<NewAuditEvent> = {}): Promise<AuditEvent> =>
      stores.audit.append({
        ...ACT,
        accountId,
        action: "api_key.revoked",
        target: { kind: "api_key", id: "key_2" },
        ...event,
      });
    const ids = async (query: Partial<AuditQuery> = {}): Promise<AuditEventId[]> =>
      (await stores.audit.list(accountId, { limit: 100, ...query })).events.map(({ id }) => id);

    test("an event is stored as it was appended, and only its account can read it", async () => {
      const details = { changed: ["name"], scopes: ["read"], overlapSeconds: 60, enabled: false, expiresAt: null };
      const event = await append({ details });
      expect(event).toEqual({
        ...ACT,
        id: expect.stringMatching(/^audit_[0-9a-f-]{36}$/),
        accountId,
        action: "api_key.revoked",
        target: { kind: "api_key", id: "key_2" },
        details,
        createdAtMs: under.clock.epochMs(),
      });
      expect(await stores.audit.list(accountId, { limit: 10 })).toEqual({ events: [event], more: false });
      expect(await stores.audit.list(otherAccountId, { limit: 10 })).toEqual({ events: [], more: false });
      const operator = await append({ actor: { kind: "operator", id: "root" }, requestId: undefined });
      expect(operator).not.toHaveProperty("requestId");
      expect(operator.details).toEqual({});
      expect(await ids()).toEqual([operator.id, event.id]);
    });

    test("the store can append and list, and has no operation that changes or deletes an event", () => {
      const operations = Object.getOwnPropertyNames(Object.getPrototypeOf(stores.audit));
      expect(operations.sort()).toEqual(["append", "constructor", "insert", "list"]);
    });

    test("pages are newest first, without gaps and repeats, while events are appended", async () => {
      const made: AuditEventId[] = [];
      for (let count = 0; count < 5; count++) made.unshift((await append()).id);
      const seen: AuditEventId[] = [];
      let afterAuditEventId: AuditEventId | undefined;
      for (let more = true; more; ) {
        const page = await stores.audit.list(accountId, { limit: 2, afterAuditEventId });
        seen.push(...page.events.map(({ id }) => id));
        afterAuditEventId = seen.at(-1);
        more = page.more;
        await append();
      }
      expect(seen).toEqual(made);
    });

    test("filters by action, actor, target and time find what matches all of them", async () => {
      const first = (await append()).id;
      under.clock.advance(1_000);
      const created = under.clock.epochMs();
      const second = (await append({ action: "agent.created", target: { kind: "agent", id: "agent_1" } })).id;
      under.clock.advance(1_000);
      const third = (await append({ actor: { kind: "operator", id: "root" } })).id;
      for (const [query, expected] of [
        [{ action: "agent.created" }, [second]],
        [{ actorKind: "api_key" }, [second, first]],
        [{ actorId: "root" }, [third]],
        [{ targetKind: "api_key" }, [third, first]],
        [{ targetId: "agent_1" }, [second]],
        [{ createdFromMs: created }, [third, second]],
        [{ createdBeforeMs: created }, [first]],
        [{ createdFromMs: created, createdBeforeMs: addMs(created, 1) }, [second]],
        [{ targetKind: "api_key", actorKind: "operator" }, [third]],
        [{ targetKind: "agent", actorKind: "operator" }, []],
      ] as const) {
        expect([query, await ids(query)]).toEqual([query, expected]);
      }
    });

    /** Every act that the stores record, in order, on things that are made for it. */
    async function everyAct(act?: Act): Promise<void> {
      const { record } = await stores.apiKeys.create({ accountId, name: "laptop" }, act);
      await stores.apiKeys.update(accountId, record.id, { name: "desk", scopes: ["read"] }, act);
      await stores.apiKeys.rotate(accountId, record.id, 60_000, act);
      await stores.apiKeys.revoke(accountId, record.id, act);
      const agent = await stores.agents.create(accountId, AGENT, act);
      const draft = { definition: { ...AGENT, name: "Night desk" }, publish: false };
      await stores.agents.addVersion(accountId, agent.id, draft, act);
      await stores.agents.publish(accountId, agent.id, 2, act);
      await stores.agents.remove(accountId, agent.id, act);
      const webhooks = stores.openWebhooks(SEALING_KEYS);
      const settings = { url: "https://example.com/x", description: "", eventTypes: [], enabled: true };
      const { id = "" as never } = (await webhooks.create(accountId, settings, act))?.webhook ?? {};
      await webhooks.update(accountId, id, { url: "https://example.com/y", enabled: false }, act);
      await webhooks.rotateSecret(accountId, id, 1_000, act);
      await webhooks.remove(accountId, id, act);
    }

    test("what the stores do is in the log with its actor, and with names of fields instead of texts", async () => {
      await everyAct(ACT);
      const { events } = await stores.audit.list(accountId, { limit: 100 });
      const acts = events.toReversed();
      expect(acts.map(({ action, details }) => [action, details])).toEqual([
        ["api_key.created", { scopes: ["read", "calls", "write"], expiresAt: null }],
        ["api_key.updated", { changed: ["name", "scopes"], scopes: ["read"] }],
        ["api_key.rotated", { overlapSeconds: 60 }],
        ["api_key.revoked", {}],
        ["agent.created", {}],
        ["agent.updated", { version: 2 }],
        ["agent.published", { version: 2 }],
        ["agent.deleted", {}],
        ["webhook.created", { eventTypes: [], enabled: true }],
        ["webhook.updated", { changed: ["url", "enabled"], enabled: false }],
        ["webhook.secret_rotated", { overlapSeconds: 1 }],
        ["webhook.deleted", {}],
      ]);
      for (const { actor, requestId } of acts) expect({ actor, requestId }).toEqual(ACT);
      for (const { action, target } of acts) expect(action.startsWith(`${target.kind}.`)).toBe(true);
    });

    test("without an act the service itself is the actor", async () => {
      await everyAct();
      const { events } = await stores.audit.list(accountId, { limit: 100 });
      expect(events).toHaveLength(12);
      for (const event of events) {
        expect(event.actor).toEqual({ kind: "service", id: "service" });
        expect(event).not.toHaveProperty("requestId");
      }
    });

    test("what changes nothing leaves no event", async () => {
      const { record } = await stores.apiKeys.create({ accountId, name: "laptop" });
      await stores.apiKeys.revoke(accountId, record.id);
      const before = await ids();
      const webhooks = stores.openWebhooks(SEALING_KEYS);
      await stores.apiKeys.revoke(accountId, record.id);
      await stores.apiKeys.update(accountId, record.id, { name: "desk" });
      await stores.apiKeys.rotate(otherAccountId, record.id, 0);
      await webhooks.update(accountId, "webhook_unknown" as never, { enabled: true });
      await webhooks.remove(accountId, "webhook_unknown" as never);
      await stores.calls.remove(accountId, "call_unknown" as never);
      expect(await ids()).toEqual(before);
    });

    test("the text of an API key is in no event", async () => {
      const { key, record } = await stores.apiKeys.create({ accountId, name: "laptop" });
      await stores.apiKeys.rotate(accountId, record.id, 0);
      const { events } = await stores.audit.list(accountId, { limit: 100 });
      for (const secret of [key, hashSecret(key)]) expect(JSON.stringify(events)).not.toContain(secret);
    });
  });
}
