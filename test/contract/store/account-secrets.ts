import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AccountId, asAccountSecretId } from "../../../src/core/ids.ts";
import { ACCOUNT_SECRETS_MAX } from "../../../src/core/limits/accounts/accounts.ts";
import type { AccountSecret } from "../../../src/store/accounts/account-secret-store.ts";
import type { Act } from "../../../src/store/accounts/audit-store.ts";
import { Keyring, sealingKeyOf } from "../../../src/store/sealing/seal.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { createCall, SPEC } from "../../support/calls/stored-calls.ts";
import { present } from "../../support/present.ts";
import { redeemedBy } from "../../support/tokens.ts";
import type { StoresUnderTest } from "./calls.ts";

const keyOf = (byte: number) => sealingKeyOf(Buffer.alloc(32, byte));
const [FIRST, SECOND, THIRD] = [keyOf(1), keyOf(2), keyOf(3)];
const KEYS = new Keyring([FIRST]);
const ROTATED = new Keyring([SECOND, FIRST]);
const ACT: Act = { actor: { kind: "operator", id: "root" } };
const KIND = "provider_credential";
const TEXT = "sk-0123456789abcdef";

/** What every AccountSecretStore must do, and every redemption with its secrets. */
export function accountSecretContract(name: string, make: () => StoresUnderTest): void {
  describe(`AccountSecretStore contract: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;
    let accountId: AccountId;
    beforeEach(async () => {
      under = make();
      stores = await under.open({ secretsKeys: KEYS });
      accountId = await stores.accounts.ensure("first");
    });
    afterEach(() => stores.close());

    const put = async (of: string, text = TEXT, account = accountId): Promise<AccountSecret> =>
      present(await stores.openAccountSecrets(KEYS).put(account, { kind: KIND, name: of, text }, ACT));
    const listed = async (account = accountId): Promise<readonly AccountSecret[]> =>
      (await stores.openAccountSecrets(KEYS).list(account, KIND, { limit: 100 })).secrets;

    /** What the next redeemed call of the account gets. */
    async function handedOver(account = accountId) {
      const { tokenHash } = await createCall(stores, account);
      return (await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1")))?.providers;
    }
    const reopen = async (secretsKeys: Keyring): Promise<void> => {
      await stores.close();
      stores = await under.open({ secretsKeys });
    };

    test("a secret is listed by its name and its last characters, and a short one by its name alone", async () => {
      const openai = await put("openai");
      expect(openai).toEqual({
        id: expect.stringMatching(/^credential_[0-9a-f-]{36}$/),
        accountId,
        kind: KIND,
        name: "openai",
        lastCharacters: "cdef",
        createdAtMs: under.clock.epochMs(),
      });
      const short = await put("deepgram", "0123456789abcde");
      expect(short.lastCharacters).toBe("");
      expect(await listed()).toEqual([openai, short]);
      expect(await stores.openAccountSecrets(KEYS).get(accountId, KIND, openai.id)).toEqual(openai);
      const first = await stores.openAccountSecrets(KEYS).list(accountId, KIND, { limit: 1 });
      expect([first.secrets, first.more]).toEqual([[openai], true]);
      const rest = { limit: 1, afterId: openai.id };
      expect(await stores.openAccountSecrets(KEYS).list(accountId, KIND, rest)).toEqual({
        secrets: [short],
        more: false,
      });
    });

    test("D10: an account has no more of a kind than the limit, also where several are stored at the same time", async () => {
      for (let count = 0; count < ACCOUNT_SECRETS_MAX - 1; count += 1) await put(`provider-${count}`);
      const secrets = stores.openAccountSecrets(KEYS);
      const putNew = (of: string) => secrets.put(accountId, { kind: KIND, name: of, text: TEXT }, ACT);
      const last = await Promise.all(["a", "b", "c"].map(putNew));
      expect(last.filter((secret) => secret !== undefined)).toHaveLength(1);
      expect(await listed()).toHaveLength(ACCOUNT_SECRETS_MAX);
      // In place of one of them, of another kind, and of another account there is room.
      await put("provider-0");
      const ofTools = { kind: "tool_secret", name: "SHOP", text: TEXT, hosts: ["x.example"] } as const;
      expect(await secrets.put(accountId, ofTools, ACT)).toBeDefined();
      await put("openai", TEXT, await stores.accounts.ensure("second"));
    });

    test("a transcription gets the account's credentials of providers, and nothing else", async () => {
      const other = await stores.accounts.ensure("second");
      await put("openai");
      await put("deepgram", "another", other);
      const secrets = stores.openAccountSecrets(KEYS);
      await secrets.put(
        accountId,
        { kind: "tool_secret", name: "TOKEN", text: "a tool's secret", hosts: ["a.example"] },
        ACT,
      );
      expect(await secrets.open(accountId, KIND)).toEqual({ openai: TEXT });
      expect(await secrets.open(other, KIND)).toEqual({ deepgram: "another" });
    });

    test("a call whose tools name a tool secret of its account gets that one, with its servers, and no other", async () => {
      const ofTools = { kind: "tool_secret", hosts: ["x.example", "x.example:8443"] } as const;
      const secrets = stores.openAccountSecrets(KEYS);
      await secrets.put(accountId, { ...ofTools, name: "SHOP", text: TEXT }, ACT);
      await secrets.put(accountId, { ...ofTools, name: "OTHER", text: "never asked for" }, ACT);
      const other = await stores.accounts.ensure("second");
      await secrets.put(other, { ...ofTools, name: "SHOP", text: "of-another-account" }, ACT);
      const redeemed = async (headers: Record<string, string>) => {
        const tool = {
          kind: "http",
          name: "orders",
          description: "",
          parameters: {},
          fixedArguments: {},
          timeoutMs: 1_000,
        } as const;
        const tools = [{ ...tool, method: "GET", url: "https://x.example/", headers }] as const;
        const { tokenHash } = await createCall(stores, accountId, { ...SPEC, tools });
        return await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
      };
      expect((await redeemed({ authorization: "Bearer {{SHOP}}" }))?.toolSecrets).toEqual({
        SHOP: { value: TEXT, hosts: ["x.example", "x.example:8443"] },
      });
      expect(await redeemed({ authorization: "none" })).not.toHaveProperty("toolSecrets");
      expect(await redeemed({ authorization: "{{UNKNOWN}}" })).not.toHaveProperty("toolSecrets");
    });

    test("a call that is redeemed gets the secrets of its account, and after their deletion none", async () => {
      const openai = await put("openai");
      await put("deepgram", "dg-0123456789abcdef");
      const other = await stores.accounts.ensure("second");
      await put("openai", "sk-of-another-account", other);
      expect(await handedOver()).toEqual({ credentials: { openai: TEXT, deepgram: "dg-0123456789abcdef" } });
      await stores.accounts.update(accountId, { providers: { llm: ["openai"] } });
      expect(await handedOver()).toMatchObject({ allowed: { llm: ["openai"] }, credentials: { openai: TEXT } });
      await stores.accounts.update(accountId, { providers: { llm: null } });
      for (const { id } of await listed()) await stores.openAccountSecrets(KEYS).remove(accountId, KIND, id);
      expect(await handedOver()).toBeUndefined();
      expect(await handedOver(other)).toEqual({ credentials: { openai: "sk-of-another-account" } });
      expect(openai.accountId).toBe(accountId);
    });

    test("a second secret of one name takes the place of the first, also when several come at once", async () => {
      await put("openai");
      await Promise.all(["sk-a", "sk-b", "sk-c"].map((text) => put("openai", text)));
      expect(await listed()).toHaveLength(1);
      await put("openai", "sk-last");
      expect(await handedOver()).toEqual({ credentials: { openai: "sk-last" } });
    });

    test("A2: a secret of another account, and an unknown one, can be neither read nor deleted", async () => {
      const { id } = await put("openai");
      const other = await stores.accounts.ensure("second");
      const secrets = stores.openAccountSecrets(KEYS);
      expect(await secrets.get(other, KIND, id)).toBeUndefined();
      expect(await secrets.remove(other, KIND, id)).toBeUndefined();
      expect(await secrets.remove(accountId, KIND, asAccountSecretId("credential_unknown"))).toBeUndefined();
      expect([await listed(), await listed(other)]).toEqual([[expect.objectContaining({ id })], []]);
    });

    test("the audit log names the provider, and never the secret", async () => {
      const first = await put("openai");
      const second = await put("openai", "sk-second-0123456789");
      await stores.openAccountSecrets(KEYS).remove(accountId, KIND, second.id, ACT);
      const { events } = await stores.audit.list(accountId, { limit: 10 });
      expect(events.map(({ action, details }) => [action, details])).toEqual([
        ["provider_credential.deleted", { name: "openai" }],
        ["provider_credential.created", { name: "openai", replaced: first.id }],
        ["provider_credential.created", { name: "openai" }],
      ]);
      expect(JSON.stringify(events)).not.toMatch(/sk-|cdef/);
    });

    test("L1: no export has the text of a secret", async () => {
      await put("openai");
      const rows: unknown[] = [];
      await stores.transfer.export(async (row) => {
        rows.push(row);
      });
      expect(JSON.stringify(rows)).toContain("account_secrets");
      expect(JSON.stringify(rows)).not.toContain(TEXT);
    });

    test("after a rotation the secrets are sealed with the current key, which alone opens them, in pages", async () => {
      for (const provider of ["openai", "deepgram", "anthropic"]) await put(provider);
      await reopen(ROTATED);
      expect((await handedOver())?.credentials).toMatchObject({ openai: TEXT });
      const secrets = stores.openAccountSecrets(ROTATED);
      let resealed = 0;
      for (let afterId: string | undefined; ; ) {
        const page = await secrets.reseal({ limit: 2, afterId });
        resealed += page.resealed;
        expect(page.unsealable).toEqual([]);
        if (page.lastId === undefined) break;
        afterId = page.lastId;
      }
      expect(resealed).toBe(3);
      await reopen(new Keyring([SECOND]));
      expect((await handedOver())?.credentials).toEqual({ openai: TEXT, deepgram: TEXT, anthropic: TEXT });
    });

    test("a secret whose key is lost lets no call begin, is reported as unsealable, and can be forgotten", async () => {
      const { id } = await put("openai");
      const lost = new Keyring([THIRD]);
      await reopen(lost);
      await expect(handedOver()).rejects.toMatchObject({ code: "unavailable" });
      expect((await stores.openAccountSecrets(lost).reseal({ limit: 10 })).unsealable).toEqual([id]);
      const deleted = [{ id, accountId, kind: KIND, name: "openai" }];
      expect(await stores.forgetLostSecrets(lost, true)).toMatchObject({ deleted, keyIds: [FIRST.id] });
      expect(await listed()).toHaveLength(1);
      expect(await stores.forgetLostSecrets(lost, false)).toMatchObject({ deleted, keyIds: [FIRST.id] });
      expect([await listed(), await handedOver()]).toEqual([[], undefined]);
      expect(await stores.sealingKeyIds()).not.toContain(FIRST.id);
    });
  });
}
