import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { asAccountId } from "../../../src/core/ids.ts";
import type { Account, AccountUpdate } from "../../../src/store/accounts/account-store.ts";
import type { Act } from "../../../src/store/accounts/audit-store.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { createCall } from "../../support/calls/stored-calls.ts";
import { redeemedBy } from "../../support/tokens.ts";
import type { StoresUnderTest } from "./calls.ts";

const ACT: Act = { actor: { kind: "operator", id: "root" } };

/** What every AccountStore must do. */
export function accountStoreContract(name: string, make: () => StoresUnderTest): void {
  describe(`AccountStore contract: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;
    beforeEach(async () => {
      under = make();
      stores = await under.open();
    });
    afterEach(() => stores.close());

    async function create(settings: Account["settings"] = {}): Promise<Account> {
      const account = await stores.accounts.create("acme", settings, ACT);
      if (account === "name_taken") throw new Error("the name is taken");
      return account;
    }
    const changed = (update: AccountUpdate | undefined): Account => {
      if (update === undefined || typeof update === "string") throw new Error(`not changed: ${update}`);
      return update;
    };
    const actions = async (id: Account["id"]): Promise<unknown[]> =>
      (await stores.audit.list(id, { limit: 100 })).events.map(({ action, details }) => [action, details]);

    test("an account has its settings from the beginning, and each name belongs to one account", async () => {
      const account = await create({ limits: { concurrentCalls: 3 } });
      const nowMs = under.clock.epochMs();
      expect(account).toEqual({
        id: expect.stringMatching(/^account_[0-9a-f-]{36}$/),
        name: "acme",
        settings: { limits: { concurrentCalls: 3 } },
        version: 1,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      });
      expect(await stores.accounts.create("acme", {})).toBe("name_taken");
      expect(await stores.accounts.ensure("acme")).toBe(account.id);
      expect([await stores.accounts.get(account.id), await stores.accounts.list()]).toEqual([account, [account]]);
      expect(await stores.accounts.get(asAccountId("account_unknown"))).toBeUndefined();
    });

    test("an account of an earlier version has empty settings, and its first version", async () => {
      const id = await stores.accounts.ensure("earlier");
      expect(await stores.accounts.get(id)).toMatchObject({ settings: {}, version: 1 });
    });

    test("a change replaces what it gives, null removes it, and the rest stays", async () => {
      const { id } = await create({ limits: { concurrentCalls: 3, creationsPerMinute: 60 }, voices: ["a/1"] });
      under.clock.advance(1_000);
      const update = { limits: { concurrentCalls: null }, providers: { tts: ["espeak"] }, languages: ["en"] };
      const account = changed(await stores.accounts.update(id, update, ACT));
      expect(account).toMatchObject({ version: 2, updatedAtMs: under.clock.epochMs() });
      expect(account.settings).toEqual({
        limits: { creationsPerMinute: 60 },
        providers: { tts: ["espeak"] },
        voices: ["a/1"],
        languages: ["en"],
      });
      const emptied = { limits: { creationsPerMinute: null }, providers: { tts: null }, voices: null, languages: null };
      expect(changed(await stores.accounts.update(id, emptied)).settings).toEqual({});
      expect((await stores.accounts.get(id))?.settings).toEqual({});
    });

    test("a change that changes nothing makes no version and no event", async () => {
      const account = await create({ voices: ["a/1"] });
      expect(
        await stores.accounts.update(account.id, { voices: ["a/1"], limits: { concurrentCalls: null } }, ACT),
      ).toEqual(account);
      expect(await actions(account.id)).toHaveLength(1);
    });

    test("a change for another version is stale, and concurrent changes for one version leave one", async () => {
      const { id } = await create();
      const change = (days: number) => stores.accounts.update(id, { retention: { recording: days } }, ACT, 1);
      const outcomes = await Promise.all([1, 2, 3, 4].map(change));
      expect(outcomes.filter((outcome) => outcome !== "stale")).toHaveLength(1);
      expect(await stores.accounts.update(id, { name: "other" }, ACT, 1)).toBe("stale");
      expect(await actions(id)).toHaveLength(2);
    });

    test("a name is changed unless another account has it; an unknown account is changed by nothing", async () => {
      const { id } = await create();
      await stores.accounts.ensure("second");
      expect(await stores.accounts.update(id, { name: "second" })).toBe("name_taken");
      expect(changed(await stores.accounts.update(id, { name: "third" })).name).toBe("third");
      expect(await stores.accounts.update(asAccountId("account_unknown"), { name: "x" })).toBeUndefined();
    });

    test("the audit log of the account names the settings that were given, without their values", async () => {
      const { id } = await create({ limits: { concurrentCalls: 3 } });
      await stores.accounts.update(id, { name: "acme 2", retention: { recording: 7 }, voices: ["a/1"] }, ACT);
      expect(await actions(id)).toEqual([
        ["account.updated", { changed: ["name", "retention.recording", "voices"] }],
        ["account.created", { settings: ["limits.concurrentCalls"] }],
      ]);
      const made = await stores.accounts.ensure("by the operator", ACT);
      expect(await actions(made)).toEqual([["account.created", { settings: [] }]]);
    });

    test("an API key authenticates with the name and the settings of its account, as they are now", async () => {
      const { id } = await create({ limits: { concurrentCalls: 3 } });
      const { key } = await stores.apiKeys.create({ accountId: id, name: "laptop" });
      const state = async () => (await stores.apiKeys.authenticate(key))?.account;
      expect(await state()).toEqual({ name: "acme", settings: { limits: { concurrentCalls: 3 } }, version: 1 });
      await stores.accounts.update(id, { limits: { concurrentCalls: 4 } });
      expect(await state()).toEqual({ name: "acme", settings: { limits: { concurrentCalls: 4 } }, version: 2 });
    });

    test("a redeemed call has the providers that its account may use now, and none where it may use all", async () => {
      const { id } = await create({ providers: { llm: ["openai"] } });
      const redeemed = async () => {
        const { tokenHash } = await createCall(stores, id);
        return await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
      };
      expect((await redeemed())?.providers).toEqual({ allowed: { llm: ["openai"] } });
      await stores.accounts.update(id, { providers: { llm: null, tts: ["espeak"] } });
      expect((await redeemed())?.providers).toEqual({ allowed: { tts: ["espeak"] } });
      await stores.accounts.update(id, { providers: { tts: null } });
      expect(await redeemed()).not.toHaveProperty("providers");
    });
  });
}
