import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_SCOPES, SCOPES } from "../../../src/core/accounts/scopes.ts";
import { addMs, type EpochMs } from "../../../src/core/clocks.ts";
import { type AccountId, type ApiKeyId, asApiKeyId } from "../../../src/core/ids.ts";
import type { ApiKeyRecord, ApiKeyStatus, ApiKeyWithText } from "../../../src/store/accounts/api-key-store.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { StoresUnderTest } from "./calls.ts";

const UNKNOWN = asApiKeyId("key_unknown");
/** The account of the API keys, as their principals have it. */
const FIRST = { name: "first", settings: {}, version: 1 };

/** What every ApiKeyStore must do. */
export function apiKeyStoreContract(name: string, make: () => StoresUnderTest): void {
  describe(`ApiKeyStore contract: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;
    let accountId: AccountId;

    beforeEach(async () => {
      under = make();
      stores = await under.open();
      accountId = await stores.accounts.ensure("first");
    });
    afterEach(() => stores.close());

    const later = (ms: number): EpochMs => addMs(under.clock.epochMs(), ms);
    const create = (options: object = {}): Promise<ApiKeyWithText> =>
      stores.apiKeys.create({ accountId, name: "laptop", ...options });
    const works = async (key: string): Promise<boolean> => (await stores.apiKeys.authenticate(key)) !== undefined;

    async function rotate(id: ApiKeyId, overlapMs: number): Promise<ApiKeyWithText> {
      const rotated = await stores.apiKeys.rotate(accountId, id, overlapMs);
      if (rotated === undefined || rotated === "revoked") throw new Error("the API key cannot be rotated");
      return rotated;
    }

    test("an account is created once, also by concurrent requests", async () => {
      const ids = await Promise.all(Array.from({ length: 10 }, () => stores.accounts.ensure("second")));
      expect(new Set(ids).size).toBe(1);
      expect(ids[0]).not.toBe(accountId);
      expect(await stores.accounts.list()).toEqual([
        expect.objectContaining({ id: accountId, name: "first" }),
        expect.objectContaining({ id: ids[0], name: "second" }),
      ]);
    });

    test("an API key is a prefix and 32 random bytes, and authenticates its own account", async () => {
      const { key, record } = await create();
      expect(key).toMatch(/^tlk_[A-Za-z0-9_-]{43}$/);
      expect(record).toEqual({
        id: expect.stringMatching(/^key_[0-9a-f-]{36}$/),
        accountId,
        name: "laptop",
        visiblePrefix: key.slice(0, 12),
        scopes: DEFAULT_SCOPES,
        createdAtMs: under.clock.epochMs(),
        updatedAtMs: under.clock.epochMs(),
      });
      const principal = { accountId, apiKeyId: record.id, scopes: ["read", "calls", "write"], account: FIRST };
      expect(await stores.apiKeys.authenticate(key)).toEqual(principal);
    });

    test("an API key has the scopes that it was created with", async () => {
      const { key, record } = await create({ scopes: ["read"] });
      expect([record.scopes, (await stores.apiKeys.authenticate(key))?.scopes]).toEqual([["read"], ["read"]]);
      expect((await create({ scopes: SCOPES })).record.scopes).toEqual(SCOPES);
    });

    test("A5: only the complete API key authenticates", async () => {
      const { key } = await create();
      const swapped = key.slice(0, -1) + (key.endsWith("A") ? "B" : "A");
      for (const wrong of [
        "",
        " ",
        key.slice(0, -1),
        `${key} `,
        ` ${key}`,
        swapped,
        key.slice(0, 12),
        "tlk_",
        "%",
        "x",
      ]) {
        expect(await stores.apiKeys.authenticate(wrong)).toBeUndefined();
      }
    });

    test("A1: a revoked API key never authenticates again, also not by its previous text, and the others still do", async () => {
      const [first, second] = [await create({ name: "first" }), await create({ name: "second" })];
      const { key: current } = await rotate(first.record.id, 60_000);
      const revokedAtMs = under.clock.epochMs();
      const revoked = { name: "first", revokedAtMs, updatedAtMs: revokedAtMs };
      expect(await stores.apiKeys.revoke(accountId, first.record.id)).toMatchObject(revoked);
      under.clock.advance(1_000);
      expect(await stores.apiKeys.revoke(accountId, first.record.id)).toMatchObject(revoked);
      expect(await stores.apiKeys.revoke(accountId, UNKNOWN)).toBeUndefined();
      expect([await works(first.key), await works(current), await works(second.key)]).toEqual([false, false, true]);
      const listed = (await stores.apiKeys.listAll()).map(({ id, revokedAtMs: at }) => [id, at]);
      expect(listed).toEqual([
        [first.record.id, revokedAtMs],
        [second.record.id, undefined],
      ]);
    });

    test("A1: an API key authenticates until the moment of its expiry, and again when that is moved or removed", async () => {
      const expiresAtMs = later(60_000);
      const { key, record } = await create({ expiresAtMs });
      expect(record.expiresAtMs).toBe(expiresAtMs);
      under.clock.advance(59_999);
      expect((await stores.apiKeys.authenticate(key))?.validUntilMs).toBe(expiresAtMs);
      under.clock.advance(1);
      expect(await works(key)).toBe(false);
      const change = (to: EpochMs | null) => stores.apiKeys.update(accountId, record.id, { expiresAtMs: to });
      await change(later(1_000));
      expect(await works(key)).toBe(true);
      under.clock.advance(1_000);
      expect(await works(key)).toBe(false);
      expect(await change(null)).not.toHaveProperty("expiresAtMs");
      expect(await works(key)).toBe(true);
    });

    test("after a rotation both texts work until the overlap ends, and then the new one alone", async () => {
      const { key: first, record } = await create();
      const { key: second, record: rotated } = await rotate(record.id, 60_000);
      expect(second).not.toBe(first);
      expect(rotated).toEqual({
        ...record,
        visiblePrefix: second.slice(0, 12),
        previousUntilMs: later(60_000),
        updatedAtMs: under.clock.epochMs(),
      });
      const principals = await Promise.all([first, second].map((key) => stores.apiKeys.authenticate(key)));
      expect(principals).toEqual([
        { accountId, apiKeyId: record.id, scopes: DEFAULT_SCOPES, account: FIRST, validUntilMs: later(60_000) },
        { accountId, apiKeyId: record.id, scopes: DEFAULT_SCOPES, account: FIRST },
      ]);
      under.clock.advance(60_000);
      expect([await works(first), await works(second)]).toEqual([false, true]);
      expect(await stores.apiKeys.get(accountId, record.id)).not.toHaveProperty("previousUntilMs");
    });

    test("another rotation within the overlap ends it for the oldest text, and one without overlap for every earlier one", async () => {
      const { key: first, record } = await create();
      const { key: second } = await rotate(record.id, 60_000);
      const { key: third } = await rotate(record.id, 60_000);
      expect([await works(first), await works(second), await works(third)]).toEqual([false, true, true]);
      const { key: fourth } = await rotate(record.id, 0);
      expect([await works(second), await works(third), await works(fourth)]).toEqual([false, false, true]);
    });

    test("a change applies to what it names and nothing else, from the next look-up on", async () => {
      const { key, record } = await create({ expiresAtMs: later(60_000) });
      under.clock.advance(1_000);
      const renamed = { ...record, name: "desk", updatedAtMs: under.clock.epochMs() };
      expect(await stores.apiKeys.update(accountId, record.id, { name: "desk" })).toEqual(renamed);
      const scopes = ["read"] as const;
      expect(await stores.apiKeys.update(accountId, record.id, { scopes })).toEqual({ ...renamed, scopes });
      expect((await stores.apiKeys.authenticate(key))?.scopes).toEqual(scopes);
      expect(await stores.apiKeys.get(accountId, record.id)).toEqual({ ...renamed, scopes });
    });

    test("a revoked API key is neither changed nor rotated", async () => {
      const { record } = await create();
      const revoked = await stores.apiKeys.revoke(accountId, record.id);
      expect(await stores.apiKeys.update(accountId, record.id, { name: "desk" })).toBe("revoked");
      expect(await stores.apiKeys.rotate(accountId, record.id, 60_000)).toBe("revoked");
      expect(await stores.apiKeys.get(accountId, record.id)).toEqual(revoked);
    });

    test("A2: another account's API key is unknown to every operation", async () => {
      const otherId = await stores.accounts.ensure("second");
      const { key, record } = await create();
      for (const [account, id] of [
        [otherId, record.id],
        [accountId, UNKNOWN],
      ] as const) {
        expect(await stores.apiKeys.get(account, id)).toBeUndefined();
        expect(await stores.apiKeys.update(account, id, { scopes: SCOPES })).toBeUndefined();
        expect(await stores.apiKeys.rotate(account, id, 0)).toBeUndefined();
        expect(await stores.apiKeys.revoke(account, id)).toBeUndefined();
      }
      expect(await stores.apiKeys.get(accountId, record.id)).toEqual(record);
      expect(await works(key)).toBe(true);
      expect(await stores.apiKeys.list(otherId, { limit: 10 })).toEqual({ apiKeys: [], more: false });
      expect([await stores.apiKeys.count(accountId), await stores.apiKeys.count(otherId)]).toEqual([1, 0]);
    });

    test("an account's API keys are listed in pages, oldest first, and by status", async () => {
      const made: ApiKeyRecord[] = [];
      for (let count = 0; count < 5; count++) made.push((await create({ expiresAtMs: later(60_000) })).record);
      const [first, second, third] = made.map(({ id }) => id) as [ApiKeyId, ApiKeyId, ApiKeyId];
      await stores.apiKeys.revoke(accountId, second);
      await stores.apiKeys.update(accountId, third, { expiresAtMs: later(1_000) });
      under.clock.advance(1_000);
      const ids = async (status: ApiKeyStatus | undefined, limit: number): Promise<ApiKeyId[][]> => {
        const pages: ApiKeyId[][] = [];
        for (let afterApiKeyId: ApiKeyId | undefined, more = true; more; afterApiKeyId = pages.at(-1)?.at(-1)) {
          const page = await stores.apiKeys.list(accountId, { status, limit, afterApiKeyId });
          pages.push(page.apiKeys.map(({ id }) => id));
          more = page.more;
        }
        return pages;
      };
      const all = made.map(({ id }) => id);
      expect(await ids(undefined, 2)).toEqual([all.slice(0, 2), all.slice(2, 4), all.slice(4)]);
      expect(await ids("active", 10)).toEqual([[first, ...all.slice(3)]]);
      expect(await ids("expired", 10)).toEqual([[third]]);
      expect(await ids("revoked", 10)).toEqual([[second]]);
      expect(await stores.apiKeys.count(accountId)).toBe(4);
    });

    test("the last use is shown and given to who authenticates", async () => {
      const [used, unused] = [await create(), await create()];
      const atMs = under.clock.epochMs();
      await stores.apiKeys.recordUse([], atMs);
      await stores.apiKeys.recordUse([used.record.id], atMs);
      expect(await stores.apiKeys.get(accountId, used.record.id)).toEqual({ ...used.record, lastUsedAtMs: atMs });
      expect((await stores.apiKeys.authenticate(used.key))?.lastUsedAtMs).toBe(atMs);
      expect(await stores.apiKeys.get(accountId, unused.record.id)).toEqual(unused.record);
    });

    test("API keys survive a restart", async () => {
      const { key } = await create();
      await stores.close();
      stores = await under.open();
      expect((await stores.apiKeys.authenticate(key))?.accountId).toBe(accountId);
      expect(await stores.accounts.ensure("first")).toBe(accountId);
    });
  });
}
