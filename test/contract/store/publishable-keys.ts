import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import { type AccountId, asAgentId, asPublishableKeyId, type CallId } from "../../../src/core/ids.ts";
import type { PublishableKey, PublishableKeyLimits } from "../../../src/store/accounts/publishable-key-store.ts";
import type { NewCall } from "../../../src/store/calls/call-store.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { endAt, SPEC, TTL_MS } from "../../support/calls/stored-calls.ts";
import { mintToken, redeemedBy } from "../../support/tokens.ts";
import type { StoresUnderTest } from "./calls.ts";

const SHOP = "https://shop.example";
const LIMITS: PublishableKeyLimits = {
  startsPerMinute: 60,
  startsPerMinutePerAddress: 6,
  concurrentCalls: 100,
  concurrentCallsPerAddress: 100,
  maxCostPerDay: null,
  maxCostPerDayPerAddress: null,
};

/** What every PublishableKeyStore must do, and the CallStore with calls that web pages start. */
export function publishableKeyContract(name: string, make: () => StoresUnderTest): void {
  describe(`PublishableKeyStore contract: ${name}`, () => {
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

    const create = (changes: Partial<PublishableKey> = {}): Promise<PublishableKey> =>
      stores.publishableKeys.create({
        accountId,
        name: "shop",
        agentIds: [asAgentId("agent_1")],
        origins: [SHOP],
        limits: LIMITS,
        ...changes,
      });

    test("is found by its text until it is revoked, and belongs to its account", async () => {
      const key = await create();
      expect(key.key).toMatch(/^pk_[A-Za-z0-9_-]{43}$/);
      const { publishableKeys } = stores;
      const account = { name: "first", settings: {}, version: 1 };
      expect(await publishableKeys.find(key.key)).toEqual({ ...key, account });
      expect(await publishableKeys.find(`${key.key}x`)).toBeUndefined();
      expect([await publishableKeys.get(accountId, key.id), await publishableKeys.get(otherAccountId, key.id)]).toEqual(
        [key, undefined],
      );
      expect(await publishableKeys.revoke(otherAccountId, key.id)).toBeUndefined();
      under.clock.advance(1_000);
      const revoked = await publishableKeys.revoke(accountId, key.id);
      const revokedAtMs = under.clock.epochMs();
      expect(revoked).toEqual({ ...key, revokedAtMs, updatedAtMs: revokedAtMs });
      under.clock.advance(1_000);
      expect(await publishableKeys.revoke(accountId, key.id)).toEqual(revoked);
      expect(await publishableKeys.find(key.key)).toBeUndefined();
      expect(await publishableKeys.update(accountId, key.id, { name: "x" })).toBe("revoked");
      expect(await publishableKeys.update(accountId, asPublishableKeyId("x"), { name: "x" })).toBeUndefined();
    });

    test("keeps what a change does not give, each limit by itself", async () => {
      const { id } = await create();
      under.clock.advance(1_000);
      const changes = { limits: { maxCostPerDay: 5, startsPerMinute: undefined }, origins: ["https://other.example"] };
      const changed = await stores.publishableKeys.update(accountId, id, changes);
      expect(changed).toMatchObject({
        name: "shop",
        origins: ["https://other.example"],
        updatedAtMs: under.clock.epochMs(),
      });
      expect(changed).toMatchObject({ limits: { ...LIMITS, maxCostPerDay: 5 } });
      expect(await stores.publishableKeys.get(accountId, id)).toEqual(changed);
    });

    test("A7: an origin is known as long as any publishable key that is not revoked names it", async () => {
      const names = (origin: string) => stores.publishableKeys.namesOrigin(origin);
      const first = await create();
      const second = await create({ accountId: otherAccountId, origins: ["https://other.example", SHOP] });
      await stores.publishableKeys.revoke(accountId, first.id);
      expect([await names(SHOP), await names("https://other.example"), await names(`${SHOP}.evil`)]).toEqual([
        true,
        true,
        false,
      ]);
      await stores.publishableKeys.update(otherAccountId, second.id, { origins: [SHOP] });
      expect([await names(SHOP), await names("https://other.example")]).toEqual([true, false]);
      await stores.publishableKeys.revoke(otherAccountId, second.id);
      expect(await names(SHOP)).toBe(false);
    });

    test("A3: are listed in pages, oldest first, by status, and only those of the account", async () => {
      const made = [await create({ name: "one" }), await create({ name: "two" }), await create({ name: "three" })];
      await create({ accountId: otherAccountId });
      const { publishableKeys } = stores;
      const names = async (query: object) => {
        const page = await publishableKeys.list(accountId, { limit: 2, ...query });
        return [page.publishableKeys.map((key) => key.name), page.more];
      };
      expect(await names({})).toEqual([["one", "two"], true]);
      expect(await names({ afterId: made[1]?.id })).toEqual([["three"], false]);
      await publishableKeys.revoke(accountId, made[0]?.id as never);
      expect(await names({ status: "revoked" })).toEqual([["one"], false]);
      expect(await names({ status: "active" })).toEqual([["two", "three"], false]);
      expect([await publishableKeys.count(accountId), await publishableKeys.count(otherAccountId)]).toEqual([2, 1]);
    });

    describe("with a web call", () => {
      const start = (key: PublishableKey, changes: { spec?: CallSpec; address?: string } = {}) => {
        const { spec = SPEC, address = "a" } = changes;
        const tokenHash = hashSecret(mintToken());
        const web = { publishableKeyId: key.id, addressHash: address };
        const call: NewCall = { accountId, spec, tokenHash, tokenTtlMs: TTL_MS, web };
        return stores.calls.create(call).then((creation) => ({ creation, tokenHash }));
      };
      const outcome = async (...args: Parameters<typeof start>): Promise<string> => {
        const { creation } = await start(...args);
        return creation.kind === "web-call-refused" ? creation.reason : creation.kind;
      };
      const started = async (...args: Parameters<typeof start>): Promise<{ id: CallId; tokenHash: string }> => {
        const { creation, tokenHash } = await start(...args);
        if (creation.kind !== "created") throw new Error(creation.kind);
        return { id: creation.call.id, tokenHash };
      };
      const finish = async ({ id, tokenHash }: { id: CallId; tokenHash: string }, total: number) => {
        await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
        await stores.calls.finish(id, endAt(under.clock, { cost: { currency: "USD", total, complete: true } }));
      };

      test("A8: starts at once take no more than the places that there are", async () => {
        const key = await create({ limits: { ...LIMITS, concurrentCalls: 4 } });
        const outcomes = await Promise.all(Array.from({ length: 16 }, () => outcome(key)));
        expect(outcomes.filter((kind) => kind === "created")).toHaveLength(4);
        expect(outcomes.filter((kind) => kind === "concurrent_calls")).toHaveLength(12);
      });

      test("a place is free again when the call ends, is cancelled, expires or is deleted", async () => {
        const key = await create({ limits: { ...LIMITS, concurrentCallsPerAddress: 1 } });
        await finish(await started(key), 0);
        await stores.calls.cancel(accountId, (await started(key)).id);
        await stores.calls.remove(accountId, (await started(key)).id);
        await started(key);
        expect([await outcome(key), await outcome(key, { address: "b" })]).toEqual([
          "concurrent_calls_of_address",
          "created",
        ]);
        under.clock.advance(TTL_MS);
        expect(await outcome(key)).toBe("created");
        await stores.calls.expire();
        expect(await outcome(key)).toBe("concurrent_calls_of_address");
      });

      test("the day's cost and the live calls survive a restart", async () => {
        const key = await create({
          limits: { ...LIMITS, maxCostPerDay: 1, maxCostPerDayPerAddress: 0.75, concurrentCalls: 1 },
        });
        await finish(await started(key), 0.75);
        await started(key, { address: "b" });
        await stores.close();
        stores = await under.open();
        expect(await outcome(key, { address: "b" })).toBe("concurrent_calls");
        under.clock.advance(TTL_MS);
        await stores.close();
        stores = await under.open();
        expect(await outcome(key)).toBe("cost_of_address");
        await finish(await started(key, { address: "b" }), 0.25);
        expect(await outcome(key, { address: "c" })).toBe("cost");
      });

      test("an end that is stored twice counts its cost once", async () => {
        const key = await create({ limits: { ...LIMITS, maxCostPerDay: 1 } });
        const call = await started(key);
        await finish(call, 0.6);
        await finish(call, 0.6);
        expect(await outcome(key)).toBe("created");
      });

      test("costs of days before yesterday are deleted, and those of today are not", async () => {
        const key = await create({ limits: { ...LIMITS, maxCostPerDay: 1 } });
        await finish(await started(key), 1);
        await stores.calls.expire();
        expect(await outcome(key)).toBe("cost");
        under.clock.advance(2 * 24 * 3_600_000);
        await stores.calls.expire();
        const exported: string[] = [];
        await stores.transfer.export(async ({ table }) => void exported.push(table));
        expect(exported).not.toContain("web_call_costs");
      });

      test("A1: a revoked publishable key starts nothing", async () => {
        const key = await create();
        await stores.publishableKeys.revoke(accountId, key.id);
        expect(await outcome(key)).toBe("revoked");
        expect((await stores.calls.list(accountId, { limit: 1 })).calls).toEqual([]);
      });
    });
  });
}
