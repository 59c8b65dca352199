import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Role } from "../../../src/core/accounts/roles.ts";
import { addMs } from "../../../src/core/clocks.ts";
import { type AccountId, asUserId } from "../../../src/core/ids.ts";
import type { Act } from "../../../src/store/accounts/audit-store.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { UserWithLink } from "../../../src/store/users/user-store.ts";
import type { StoresUnderTest } from "./calls.ts";

const ACT: Act = { actor: { kind: "api_key", id: "key_1" }, requestId: "req_1" };
const UNKNOWN = asUserId("user_unknown");

/** What every UserStore must do. */
export function userStoreContract(name: string, make: () => StoresUnderTest): void {
  describe(`UserStore contract: ${name}`, () => {
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

    async function invite(email: string, role: Role = "owner", account = accountId): Promise<UserWithLink> {
      const invited = await stores.users.invite({ accountId: account, email, name: "Kim", role }, ACT);
      if (invited === "exists") throw new Error(`${email} exists`);
      return invited;
    }
    const accept = ({ link }: UserWithLink) => stores.sessions.useLink(link.token, "hash", "req_2");
    const actions = async () =>
      (await stores.audit.list(accountId, { limit: 100, targetKind: "user" })).events.map(({ action }) => action);

    test("a person is invited once in an account, with a link of 72 hours, and may be in another account", async () => {
      const { record, link } = await invite("kim@example.com", "editor");
      expect(record).toEqual({
        id: expect.stringMatching(/^user_[0-9a-f-]{36}$/),
        accountId,
        email: "kim@example.com",
        name: "Kim",
        role: "editor",
        status: "invited",
        createdAtMs: under.clock.epochMs(),
        updatedAtMs: under.clock.epochMs(),
      });
      const expiresAtMs = addMs(under.clock.epochMs(), 72 * 3_600_000);
      expect(link).toEqual({ kind: "invitation", token: expect.stringMatching(/^tll_[\w-]{43}$/), expiresAtMs });
      const again = { accountId, email: "kim@example.com", name: "Other", role: "owner" } as const;
      expect(await stores.users.invite(again, ACT)).toBe("exists");
      await invite("kim@example.com", "owner", otherAccountId);
      expect(await stores.users.get(accountId, record.id)).toEqual(record);
      expect([await stores.users.count(accountId), await stores.users.count(otherAccountId)]).toEqual([1, 1]);
      expect(await actions()).toEqual(["user.invited"]);
    });

    test("an owner exists once one has a password: in the account, and in any", async () => {
      const exists = async () => [
        await stores.users.ownerExists(),
        await stores.users.ownerExists(accountId),
        await stores.users.ownerExists(otherAccountId),
      ];
      await accept(await invite("editor@example.com", "editor"));
      const invited = await invite("kim@example.com");
      expect(await exists()).toEqual([false, false, false]);
      await accept(invited);
      expect(await exists()).toEqual([true, true, false]);
    });

    test("ten invitations of one email at once make one person", async () => {
      const given = { accountId, email: "kim@example.com", name: "Kim", role: "owner" } as const;
      const made = await Promise.all(Array.from({ length: 10 }, () => stores.users.invite(given, ACT)));
      expect(made.filter((one) => one !== "exists")).toHaveLength(1);
      expect(await stores.users.count(accountId)).toBe(1);
    });

    test("A2: the people of another account are not found, changed, removed or given a link", async () => {
      const { record } = await invite("kim@example.com");
      for (const [account, id] of [
        [otherAccountId, record.id],
        [accountId, UNKNOWN],
      ] as const) {
        expect(await stores.users.get(account, id)).toBeUndefined();
        expect(await stores.users.update(account, id, { name: "x" }, ACT)).toBeUndefined();
        expect(await stores.users.remove(account, id, ACT)).toBeUndefined();
        expect(await stores.users.createLink(account, id, ACT)).toBeUndefined();
      }
      expect(await stores.users.get(accountId, record.id)).toEqual(record);
      expect((await stores.users.list(otherAccountId, { limit: 10 })).users).toEqual([]);
    });

    test("a list has the account's people in order, by role and by status, in pages", async () => {
      const [first, second, third] = [
        await invite("a@example.com"),
        await invite("b@example.com", "viewer"),
        await invite("c@example.com", "viewer"),
      ];
      await accept(third);
      const emails = async (query: object = {}) =>
        (await stores.users.list(accountId, { limit: 10, ...query })).users.map(({ email }) => email[0]);
      expect(await emails()).toEqual(["a", "b", "c"]);
      expect(await emails({ role: "viewer" })).toEqual(["b", "c"]);
      expect(await emails({ status: "invited" })).toEqual(["a", "b"]);
      expect(await emails({ status: "active" })).toEqual(["c"]);
      expect(await emails({ afterUserId: first.record.id })).toEqual(["b", "c"]);
      expect(await stores.users.list(accountId, { limit: 2 })).toMatchObject({ more: true });
      expect(await stores.users.list(accountId, { limit: 3 })).toMatchObject({ more: false });
      expect((await stores.users.listAll()).map(({ id }) => id)).toEqual([
        first.record.id,
        second.record.id,
        third.record.id,
      ]);
    });

    test("the last owner stays an owner, and with a password the last one who has one", async () => {
      const [owner, editor] = [await invite("a@example.com"), await invite("b@example.com", "editor")];
      const demote = ({ record }: UserWithLink) => stores.users.update(accountId, record.id, { role: "viewer" }, ACT);
      const remove = ({ record }: UserWithLink) => stores.users.remove(accountId, record.id, ACT);
      expect([await demote(owner), await remove(owner)]).toEqual(["last_owner", "last_owner"]);
      expect(await stores.users.update(accountId, owner.record.id, { name: "New", role: "owner" }, ACT)).toMatchObject({
        name: "New",
      });
      await accept(owner);
      const invited = await invite("c@example.com");
      // Whether the invitation is ever accepted is not known.
      expect([await demote(owner), await remove(owner)]).toEqual(["last_owner", "last_owner"]);
      expect(await remove(invited)).toBe("removed");
      await stores.users.update(accountId, editor.record.id, { role: "owner" }, ACT);
      const relinked = await stores.users.createLink(accountId, editor.record.id, ACT);
      if (relinked === undefined) throw new Error("the person was removed");
      await accept(relinked);
      expect(await demote(owner)).toMatchObject({ role: "viewer" });
      expect(await remove(owner)).toBe("removed");
      expect(await remove(editor)).toBe("last_owner");
    });

    test("of two owners who demote or remove each other at once one stays", async () => {
      for (const act of ["update", "remove"] as const) {
        const account = await stores.accounts.ensure(act);
        const owners = [
          await invite("a@example.com", "owner", account),
          await invite("b@example.com", "owner", account),
        ];
        for (const owner of owners) await accept(owner);
        const results = await Promise.all(
          owners.map(({ record }) =>
            act === "update"
              ? stores.users.update(account, record.id, { role: "viewer" }, ACT)
              : stores.users.remove(account, record.id, ACT),
          ),
        );
        expect(results.filter((result) => result === "last_owner")).toHaveLength(1);
        expect((await stores.users.list(account, { limit: 10, role: "owner" })).users).toHaveLength(1);
      }
    });

    test("a new link ends the earlier ones; after the invitation it is one of an hour that resets the password", async () => {
      const invited = await invite("a@example.com");
      const second = await stores.users.createLink(accountId, invited.record.id, ACT);
      expect(second?.link.kind).toBe("invitation");
      expect(await accept(invited)).toBeUndefined();
      expect(await accept(second as UserWithLink)).toBeDefined();
      const reset = await stores.users.createLink(accountId, invited.record.id, ACT);
      expect(reset?.link).toMatchObject({ kind: "reset", expiresAtMs: addMs(under.clock.epochMs(), 3_600_000) });
    });

    test("every act leaves one event with its actor, and one that changes nothing leaves none", async () => {
      const { record } = await invite("a@example.com", "viewer");
      await stores.users.update(accountId, record.id, { role: "editor" }, ACT);
      await stores.users.createLink(accountId, record.id, ACT);
      await stores.users.remove(accountId, record.id, ACT);
      await stores.users.remove(accountId, record.id, ACT);
      const { events } = await stores.audit.list(accountId, { limit: 10 });
      expect(events.map(({ action, details }) => [action, details])).toEqual([
        ["user.removed", {}],
        ["user.link_created", { kind: "invitation" }],
        ["user.updated", { changed: ["role"], role: "editor" }],
        ["user.invited", { role: "viewer" }],
      ]);
      for (const event of events) expect(event).toMatchObject({ ...ACT, target: { kind: "user", id: record.id } });
    });
  });
}
