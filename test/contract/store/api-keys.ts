import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AccountId, asApiKeyId } from "../../../src/core/ids.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { StoresUnderTest } from "./calls.ts";

/** What every ApiKeyStore and AccountStore must do. */
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

    test("an account is created once, also by concurrent requests", async () => {
      const ids = await Promise.all(Array.from({ length: 10 }, () => stores.accounts.ensure("second")));
      expect(new Set(ids).size).toBe(1);
      expect(ids[0]).not.toBe(accountId);
      expect(await stores.accounts.list()).toEqual([
        { id: accountId, name: "first" },
        { id: ids[0], name: "second" },
      ]);
    });

    test("an API key is a prefix and 32 random bytes, and authenticates its own account", async () => {
      const { key, record } = await stores.apiKeys.create({ accountId, name: "laptop" });
      expect(key).toMatch(/^tlk_[A-Za-z0-9_-]{43}$/);
      expect(record).toEqual({
        id: expect.stringMatching(/^key_[0-9a-f-]{36}$/),
        accountId,
        name: "laptop",
        visiblePrefix: key.slice(0, 12),
        createdAtMs: under.clock.epochMs(),
      });
      expect(await stores.apiKeys.authenticate(key)).toEqual({ accountId, apiKeyId: record.id });
    });

    test("A5: only the complete API key authenticates", async () => {
      const { key } = await stores.apiKeys.create({ accountId, name: "laptop" });
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

    test("a revoked API key never authenticates again, and the others still do", async () => {
      const first = await stores.apiKeys.create({ accountId, name: "first" });
      const second = await stores.apiKeys.create({ accountId, name: "second" });
      const revokedAtMs = under.clock.epochMs();
      expect(await stores.apiKeys.revoke(first.record.id)).toBe(true);
      under.clock.advance(1_000);
      expect(await stores.apiKeys.revoke(first.record.id)).toBe(true);
      expect(await stores.apiKeys.revoke(asApiKeyId("key_unknown"))).toBe(false);
      expect(await stores.apiKeys.authenticate(first.key)).toBeUndefined();
      expect(await stores.apiKeys.authenticate(second.key)).toBeDefined();
      expect(await stores.apiKeys.list()).toEqual([{ ...first.record, revokedAtMs }, second.record]);
    });

    test("API keys survive a restart", async () => {
      const { key } = await stores.apiKeys.create({ accountId, name: "laptop" });
      await stores.close();
      stores = await under.open();
      expect((await stores.apiKeys.authenticate(key))?.accountId).toBe(accountId);
      expect(await stores.accounts.ensure("first")).toBe(accountId);
    });
  });
}
