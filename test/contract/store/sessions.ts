import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addMs } from "../../../src/core/clocks.ts";
import { type AccountId, asUserId, type UserId } from "../../../src/core/ids.ts";
import {
  DEVICE_MS,
  INVITATION_MS,
  RESET_MS,
  SESSION_MS,
  SESSIONS_MAX,
} from "../../../src/core/limits/accounts/people.ts";
import { BY_SERVICE } from "../../../src/store/accounts/audit-store.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { NewSession } from "../../../src/store/users/session-store.ts";
import type { NewLink } from "../../../src/store/users/user-store.ts";
import type { StoresUnderTest } from "./calls.ts";

const EMAIL = "kim@example.com";

/** What every SessionStore must do. */
export function sessionStoreContract(name: string, make: () => StoresUnderTest): void {
  describe(`SessionStore contract: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;
    let accountId: AccountId;

    beforeEach(async () => {
      under = make();
      stores = await under.open();
      accountId = await stores.accounts.ensure("first");
    });
    afterEach(() => stores.close());

    async function invite(email = EMAIL, account = accountId): Promise<{ id: UserId; link: NewLink }> {
      const user = { accountId: account, email, name: "Kim", role: "owner" } as const;
      const invited = await stores.users.invite(user, BY_SERVICE);
      if (invited === "exists") throw new Error(`${email} exists`);
      return { id: invited.record.id, link: invited.link };
    }
    const use = ({ token }: NewLink, hash = "hash 1") => stores.sessions.useLink(token, hash, "req_1");
    const given = <T>(value: T | undefined): T => {
      if (value === undefined) throw new Error("there is a value");
      return value;
    };
    /** A person who has accepted, with their first session. */
    async function member(email = EMAIL, account = accountId): Promise<{ id: UserId; session: NewSession }> {
      const { id, link } = await invite(email, account);
      return { id, session: given(await use(link)) };
    }
    const signIn = (userId: UserId, changes: object = {}) =>
      stores.sessions.signIn({ userId, passwordHash: "hash 1", requestId: "req_2", ...changes });
    const isAlive = async ({ secret }: NewSession): Promise<boolean> =>
      (await stores.sessions.authenticate(secret)) !== undefined;
    const actions = async (): Promise<string[]> =>
      (await stores.audit.list(accountId, { limit: 100, actorKind: "user" })).events.map(({ action }) => action);
    const resetOf = async (id: UserId): Promise<NewLink> =>
      given(await stores.users.createLink(accountId, id, BY_SERVICE)).link;

    test("a link sets the password, and begins a session of 12 hours and a device of 180 days", async () => {
      const { id, link } = await invite();
      expect(await stores.sessions.findCandidate({ email: EMAIL })).toBeUndefined();
      expect(await stores.sessions.findLink(link.token)).toMatchObject({ kind: "invitation", user: { id } });
      const session = given(await use(link));
      const nowMs = under.clock.epochMs();
      expect(session).toEqual({
        user: expect.objectContaining({ id, status: "active", lastSignInAtMs: nowMs }),
        secret: expect.stringMatching(/^tls_[\w-]{43}$/),
        expiresAtMs: addMs(nowMs, SESSION_MS),
        device: { secret: expect.stringMatching(/^tld_[\w-]{43}$/), expiresAtMs: addMs(nowMs, DEVICE_MS) },
      });
      expect(await stores.sessions.findCandidate({ email: EMAIL })).toEqual({
        userId: id,
        accountId,
        passwordHash: "hash 1",
        isKnownDevice: false,
      });
      expect(await actions()).toEqual(["user.invitation_accepted"]);
    });

    test("a link works once: used twice, or by ten at once, one succeeds", async () => {
      const { link } = await invite();
      const results = await Promise.all(Array.from({ length: 10 }, (_, index) => use(link, `hash ${index}`)));
      expect(results.filter((session) => session !== undefined)).toHaveLength(1);
      expect(await use(link)).toBeUndefined();
      expect(await stores.sessions.findLink(link.token)).toBeUndefined();
      const winner = results.findIndex((session) => session !== undefined);
      expect(await stores.sessions.findCandidate({ email: EMAIL })).toMatchObject({ passwordHash: `hash ${winner}` });
    });

    test("a link works until the moment of its end", async () => {
      const { id, link } = await invite();
      under.clock.advance(INVITATION_MS);
      expect(await stores.sessions.findLink(link.token)).toBeUndefined();
      expect(await use(link)).toBeUndefined();
      await use(await resetOf(id));
      const [late, inTime] = [await resetOf(id), RESET_MS - 1];
      under.clock.advance(inTime);
      expect(await stores.sessions.findLink(late.token)).toMatchObject({ kind: "reset" });
      under.clock.advance(1);
      expect(await use(late)).toBeUndefined();
    });

    test("a secret of one kind is none of another", async () => {
      const { id, session } = await member();
      const link = await resetOf(id);
      for (const secret of ["", "x", session.device.secret, link.token, `${session.secret}x`]) {
        expect(await stores.sessions.authenticate(secret)).toBeUndefined();
      }
      for (const token of [session.secret, session.device.secret]) {
        expect(await stores.sessions.findLink(token)).toBeUndefined();
        expect(await stores.sessions.useLink(token, "hash", "req_1")).toBeUndefined();
      }
    });

    test("a reset ends all sessions and devices of the person, and of no other", async () => {
      const [one, other] = [await member(), await member("other@example.com")];
      const device = one.session.device.secret;
      expect(await stores.sessions.findCandidate({ email: EMAIL, device })).toMatchObject({ isKnownDevice: true });
      const session = given(await use(await resetOf(one.id), "hash 2"));
      expect(await Promise.all([one.session, other.session, session].map(isAlive))).toEqual([false, true, true]);
      expect(await stores.sessions.findCandidate({ email: EMAIL, device })).toMatchObject({ isKnownDevice: false });
      expect(await signIn(one.id)).toBeUndefined();
      expect(await signIn(one.id, { passwordHash: "hash 2" })).toBeDefined();
      expect(await actions()).toEqual([
        "user.signed_in",
        "user.password_reset",
        "user.invitation_accepted",
        "user.invitation_accepted",
      ]);
    });

    test("a session lasts until its end, or until its person signs out of it", async () => {
      const { id, session } = await member();
      under.clock.advance(1_000);
      const second = given(await signIn(id));
      expect(await stores.sessions.authenticate(second.secret)).toEqual({
        user: second.user,
        account: { name: "first", settings: {}, version: 1 },
        expiresAtMs: second.expiresAtMs,
      });
      await stores.sessions.signOut(second.secret, "req_3");
      await stores.sessions.signOut(second.secret, "req_4");
      expect(await Promise.all([session, second].map(isAlive))).toEqual([true, false]);
      under.clock.advance(SESSION_MS - 1_001);
      expect(await isAlive(session)).toBe(true);
      under.clock.advance(1);
      expect(await isAlive(session)).toBe(false);
      expect((await actions()).filter((action) => action === "user.signed_out")).toHaveLength(1);
    });

    test("several sessions are looked up at once, without those that have ended", async () => {
      const [one, other] = [await member(), await member("other@example.com")];
      const left = given(await signIn(one.id));
      await stores.sessions.signOut(left.secret, "req_3");
      const secrets = [one.session.secret, other.session.secret, left.secret, "tls_unknown"];
      const found = await stores.sessions.authenticateAll(secrets);
      expect([...found.keys()].sort()).toEqual([one.session.secret, other.session.secret].sort());
      for (const { secret } of [one.session, other.session])
        expect(found.get(secret)).toEqual(await stores.sessions.authenticate(secret));
    });

    test("a person sees their sessions, and ends all but the one that asks", async () => {
      const { id, session } = await member();
      const other = await member("other@example.com");
      const begunMs = under.clock.epochMs();
      under.clock.advance(1_000);
      const second = given(await signIn(id));
      const listed = async () => await stores.sessions.list(id, second.secret);
      expect(await listed()).toEqual([
        { createdAtMs: under.clock.epochMs(), expiresAtMs: second.expiresAtMs, isCurrent: true },
        { createdAtMs: begunMs, expiresAtMs: session.expiresAtMs, isCurrent: false },
      ]);
      await stores.sessions.signOutOthers(id, second.secret, "req_7");
      await stores.sessions.signOutOthers(id, second.secret, "req_8");
      expect(await Promise.all([session, second, other.session].map(isAlive))).toEqual([false, true, true]);
      expect(await listed()).toHaveLength(1);
      expect((await actions()).filter((action) => action === "user.signed_out")).toHaveLength(1);
    });

    test("a session has the person as they are now, and none when they were removed", async () => {
      const { id, session } = await member();
      await member("other@example.com");
      await stores.users.update(accountId, id, { role: "viewer" }, BY_SERVICE);
      expect((await stores.sessions.authenticate(session.secret))?.user.role).toBe("viewer");
      await stores.users.remove(accountId, id, BY_SERVICE);
      expect(await isAlive(session)).toBe(false);
      expect(await signIn(id)).toBeUndefined();
      expect(await stores.sessions.findCandidate({ email: EMAIL })).toBeUndefined();
    });

    test("another password ends the other sessions and the links, and needs the current one", async () => {
      const { id, session } = await member();
      const [second, link] = [given(await signIn(id)), await resetOf(id)];
      const change = { from: "hash 1", to: "hash 2", sessionSecret: second.secret, requestId: "req_5" };
      expect(await stores.sessions.passwordHashOf(id)).toBe("hash 1");
      expect(await stores.sessions.changePassword(id, change)).toBe(true);
      expect(await stores.sessions.changePassword(id, change)).toBe(false);
      expect(await stores.sessions.passwordHashOf(id)).toBe("hash 2");
      expect(await Promise.all([session, second].map(isAlive))).toEqual([false, true]);
      expect(await use(link)).toBeUndefined();
      expect((await actions())[0]).toBe("user.password_changed");
      expect(await stores.sessions.passwordHashOf(asUserId("user_unknown"))).toBeUndefined();
    });

    test("an email in two accounts is that of the first one, unless the account is named", async () => {
      const otherAccountId = await stores.accounts.ensure("second");
      const [first, second] = [await member(), await member(EMAIL, otherAccountId)];
      const find = async (query: object) => (await stores.sessions.findCandidate({ email: EMAIL, ...query }))?.userId;
      expect(await find({})).toBe(first.id);
      expect(await find({ accountId })).toBe(first.id);
      expect(await find({ accountId: otherAccountId })).toBe(second.id);
      const device = first.session.device.secret;
      const other = await stores.sessions.findCandidate({ email: EMAIL, accountId: otherAccountId, device });
      expect(other?.isKnownDevice).toBe(false);
    });

    test("a person has a bounded number of sessions, and one more ends the oldest; a device is replaced", async () => {
      const { id, session } = await member();
      const begun = [session];
      for (let count = 0; count < SESSIONS_MAX; count++) {
        under.clock.advance(1);
        begun.push(given(await signIn(id, { device: begun.at(-1)?.device.secret })));
      }
      expect((await Promise.all(begun.map(isAlive))).indexOf(true)).toBe(1);
      const isKnown = async (device: string) =>
        (await stores.sessions.findCandidate({ email: EMAIL, device }))?.isKnownDevice;
      expect(await isKnown(session.device.secret)).toBe(false);
      expect(await isKnown(given(begun.at(-1)).device.secret)).toBe(true);
    });
  });
}
