import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AccountId, asCarrierId } from "../../../src/core/ids.ts";
import type { Act } from "../../../src/store/accounts/audit-store.ts";
import { hangUpKey, hangUpLane, PHONE_CALL_JOB } from "../../../src/store/job-kinds.ts";
import { Keyring, sealingKeyOf } from "../../../src/store/sealing/seal.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { SEALING_KEYS } from "../../support/stores/keys.ts";
import {
  AUTH_TOKEN,
  createCarrier,
  importNumber,
  NEW_CARRIER,
  queuedCall,
  stepAt,
} from "../../support/telephony/stored.ts";
import type { StoresUnderTest } from "./calls.ts";

const SECOND = sealingKeyOf(Buffer.alloc(32, 2));
const ROTATED = new Keyring([SECOND, SEALING_KEYS.current]);
const ACT: Act = { actor: { kind: "operator", id: "root" } };

/** What every CarrierStore must do. */
export function carrierStoreContract(name: string, make: () => StoresUnderTest): void {
  describe(`CarrierStore contract: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;
    let accountId: AccountId;
    beforeEach(async () => {
      under = make();
      stores = await under.open();
      accountId = await stores.accounts.ensure("first");
    });
    afterEach(() => stores.close());

    const carriers = (keys = SEALING_KEYS) => stores.openCarriers(keys);

    test("a carrier is shown without its secrets, and opened with them by its id and by its webhook key", async () => {
      const carrier = await createCarrier(stores, accountId, { maxConcurrentCalls: 5, allowedCountries: ["DE"] });
      const nowMs = under.clock.epochMs();
      const { credentials, ...shown } = NEW_CARRIER;
      expect(carrier).toEqual({
        ...shown,
        id: expect.stringMatching(/^carrier_[0-9a-f-]{36}$/),
        accountId,
        maxConcurrentCalls: 5,
        allowedCountries: ["DE"],
        webhookKey: expect.stringMatching(/^[\w-]{32}$/),
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
        verifiedAtMs: nowMs,
      });
      expect(await carriers().get(accountId, carrier.id)).toEqual(carrier);
      expect(await carriers().open(carrier.id)).toEqual({ carrier, credentials });
      expect(await carriers().openByWebhookKey(carrier.webhookKey)).toEqual({ carrier, credentials });
      expect(await carriers().openByWebhookKey(carrier.webhookKey.toLowerCase().slice(1))).toBeUndefined();
      expect(await carriers().open(asCarrierId("carrier_unknown"))).toBeUndefined();
    });

    test("carriers are listed oldest first, in pages, and each account has its own", async () => {
      const [first, second] = [await createCarrier(stores, accountId), await createCarrier(stores, accountId)];
      const other = await stores.accounts.ensure("second");
      expect(first.webhookKey).not.toBe(second.webhookKey);
      expect(await carriers().list(accountId, { limit: 1 })).toEqual({ carriers: [first], more: true });
      expect(await carriers().list(accountId, { limit: 1, afterId: first.id })).toEqual({
        carriers: [second],
        more: false,
      });
      expect(await carriers().list(other, { limit: 10 })).toEqual({ carriers: [], more: false });
      expect(await carriers().get(other, first.id)).toBeUndefined();
      expect(await carriers().update(other, first.id, { name: "mine" })).toBeUndefined();
      expect(await carriers().remove(other, first.id)).toBeUndefined();
    });

    test("a change replaces what it gives, null removes a limit, and new credentials count as verified", async () => {
      const { id } = await createCarrier(stores, accountId, { maxConcurrentCalls: 5, allowedNumbers: ["+4990"] });
      under.clock.advance(1_000);
      const renamed = await carriers().update(accountId, id, { name: "spare", maxConcurrentCalls: null });
      const later = under.clock.epochMs();
      expect(renamed).toMatchObject({ name: "spare", allowedNumbers: ["+4990"], updatedAtMs: later });
      expect(renamed).not.toHaveProperty("maxConcurrentCalls");
      expect(renamed).not.toMatchObject({ verifiedAtMs: later });
      const credentials = { ...NEW_CARRIER.credentials, authToken: "f".repeat(32) };
      expect(await carriers().update(accountId, id, { credentials })).toMatchObject({ verifiedAtMs: later });
      expect((await carriers().open(id))?.credentials).toEqual(credentials);
    });

    test("a carrier is in use while a number is attached or a call is not over, and takes its numbers along", async () => {
      const carrier = await createCarrier(stores, accountId);
      const number = await importNumber(stores, carrier);
      const made = await stores.phoneCalls.create(queuedCall(accountId, carrier.id, under.clock.epochMs()));
      if (made.kind !== "created") throw new Error("not created");
      expect(await carriers().remove(accountId, carrier.id)).toBe("in_use");
      const end = { status: "ended", endReason: "carrier_failed" } as const;
      const dueAtMs = under.clock.epochMs();
      await stores.phoneCalls.step(made.call.id, 1, stepAt(under.clock.epochMs(), { end, dueAtMs }));
      // Its record has ended, and the carrier may still have to be asked what to do with the caller.
      expect(await carriers().remove(accountId, carrier.id)).toBe("in_use");
      await stores.phoneCalls.step(made.call.id, 2, stepAt(under.clock.epochMs(), { isOver: true }));
      await stores.phoneNumbers.setAttached(accountId, number.id, {});
      expect(await carriers().remove(accountId, carrier.id)).toBe("in_use");
      await stores.phoneNumbers.setDetached(accountId, number.id);
      expect(await carriers().remove(accountId, carrier.id)).toEqual(carrier);
      expect(await stores.phoneNumbers.get(accountId, number.id)).toBeUndefined();
      expect(await carriers().openByWebhookKey(carrier.webhookKey)).toBeUndefined();
      expect((await stores.calls.get(accountId, made.call.id))?.phone).toMatchObject({ carrierId: carrier.id });
    });

    test("is not deleted while a hang-up is pending, not even one of a deleted call; that of another carrier counts for itself", async () => {
      const [carrier, other] = [await createCarrier(stores, accountId), await createCarrier(stores, accountId)];
      const made = await stores.phoneCalls.create(queuedCall(accountId, carrier.id, under.clock.epochMs()));
      if (made.kind !== "created") throw new Error("not created");
      const end = { status: "ended", endReason: "carrier_failed" } as const;
      const key = hangUpKey(carrier.id, made.call.id);
      const hangUp = { kind: PHONE_CALL_JOB, lane: hangUpLane(carrier.id), key, payload: {} };
      const isOver = true;
      await stores.phoneCalls.step(made.call.id, 1, stepAt(under.clock.epochMs(), { end, isOver, jobs: [hangUp] }));
      expect(await stores.calls.remove(accountId, made.call.id)).toBe(true);
      expect(await carriers().remove(accountId, carrier.id)).toBe("in_use");
      expect(await carriers().remove(accountId, other.id)).toEqual(other);
      const [job] = await stores.jobs.claim({ runnerId: "r", kinds: [PHONE_CALL_JOB], fullLanes: [], limit: 1 });
      if (job === undefined) throw new Error("no job");
      expect(await carriers().remove(accountId, carrier.id)).toBe("in_use");
      await stores.jobs.settle("r", new Map([[job.id, { kind: "done" }]]));
      expect(await carriers().remove(accountId, carrier.id)).toEqual(carrier);
    });

    test("names no other account at the carrier while it is in use; its secrets may change", async () => {
      const carrier = await createCarrier(stores, accountId);
      const number = await importNumber(stores, carrier);
      const accountSid = "AC9999999999abcdef9999999999abcdef";
      const publicCredentials = { accountSid };
      const credentials = { accountSid, authToken: AUTH_TOKEN };
      await stores.phoneNumbers.setAttached(accountId, number.id, {});
      const change = { publicCredentials, credentials };
      expect(await carriers().update(accountId, carrier.id, change)).toBe("in_use");
      expect((await carriers().open(carrier.id))?.credentials).toEqual(NEW_CARRIER.credentials);
      const secrets = { ...NEW_CARRIER.credentials, authToken: "0".repeat(32) };
      const own = { publicCredentials: NEW_CARRIER.publicCredentials, credentials: secrets };
      expect(await carriers().update(accountId, carrier.id, own)).toMatchObject({ id: carrier.id });
      await stores.phoneNumbers.setDetached(accountId, number.id);
      expect(await carriers().update(accountId, carrier.id, change)).toMatchObject({ publicCredentials });
    });

    test("gets another value of a credential that names no account, also while it is in use", async () => {
      const publicCredentials = { connectionId: "1", publicKey: "first" };
      const carrier = await createCarrier(stores, accountId, { carrier: "carrier_b", publicCredentials });
      const number = await importNumber(stores, carrier);
      await stores.phoneNumbers.setAttached(accountId, number.id, {});
      const update = (change: Record<string, string>) =>
        carriers().update(accountId, carrier.id, { publicCredentials: { ...publicCredentials, ...change } }, ACT, [
          "connectionId",
        ]);
      expect(await update({ publicKey: "second" })).toMatchObject({ publicCredentials: { publicKey: "second" } });
      expect(await update({ connectionId: "2" })).toBe("in_use");
    });

    test("the audit log names what was changed, and never a credential; no export has one", async () => {
      const { id } = await carriers().create(accountId, NEW_CARRIER, ACT);
      await carriers().update(accountId, id, { credentials: NEW_CARRIER.credentials, name: "spare" }, ACT);
      await carriers().remove(accountId, id, ACT);
      const { events } = await stores.audit.list(accountId, { limit: 10 });
      expect(events.map(({ action, details }) => [action, details])).toEqual([
        ["carrier.deleted", { carrier: "carrier_a" }],
        ["carrier.updated", { changed: ["credentials", "name"] }],
        ["carrier.created", { carrier: "carrier_a" }],
      ]);
      await createCarrier(stores, accountId);
      const rows: unknown[] = [];
      await stores.transfer.export(async (row) => {
        rows.push(row);
      });
      expect(JSON.stringify(rows)).toContain('"carriers"');
      expect(JSON.stringify([events, rows])).not.toContain(AUTH_TOKEN);
    });

    test("after a rotation credentials are sealed with the current key, which alone opens them", async () => {
      const { id } = await createCarrier(stores, accountId);
      const page = await carriers(ROTATED).reseal({ limit: 2 });
      expect(page).toEqual({ resealed: 1, unsealable: [], lastId: id });
      expect((await carriers(new Keyring([SECOND])).open(id))?.credentials).toEqual(NEW_CARRIER.credentials);
    });

    test("credentials of one carrier are of no use in the row of another", async () => {
      const [one, other] = [await createCarrier(stores, accountId), await createCarrier(stores, accountId)];
      const rows: { id: string; sealed_credentials: string }[] = [];
      await stores.transfer.export(async ({ table, row }) => {
        if (table === "carriers") rows.push(row as (typeof rows)[number]);
      });
      const sealed = rows.find(({ id }) => id === one.id)?.sealed_credentials ?? "";
      const place = { table: "carriers", rowId: other.id, column: "sealed_credentials" };
      expect(() => SEALING_KEYS.open(sealed, place)).toThrow();
    });

    test("credentials whose key is lost can be forgotten: the carrier keeps its numbers until it gets new ones", async () => {
      const carrier = await createCarrier(stores, accountId);
      const number = await importNumber(stores, carrier);
      const lost = new Keyring([SECOND]);
      await expect(carriers(lost).open(carrier.id)).rejects.toMatchObject({ code: "unsealable" });
      expect((await carriers(lost).reseal({ limit: 10 })).unsealable).toEqual([carrier.id]);
      const withoutCredentials = [{ id: carrier.id, accountId, name: "main" }];
      for (const dryRun of [true, false]) {
        const forgotten = await stores.forgetLostSecrets(lost, dryRun);
        expect(forgotten).toMatchObject({ withoutCredentials, keyIds: [SEALING_KEYS.current.id] });
      }
      expect(await stores.forgetLostSecrets(lost, false)).toMatchObject({ withoutCredentials: [] });
      expect((await carriers(lost).reseal({ limit: 10 })).unsealable).toEqual([]);
      await expect(carriers(lost).open(carrier.id)).rejects.toMatchObject({ code: "unsealable" });
      await carriers(lost).update(accountId, carrier.id, { credentials: NEW_CARRIER.credentials });
      expect((await carriers(lost).open(carrier.id))?.credentials).toEqual(NEW_CARRIER.credentials);
      expect(await stores.phoneNumbers.get(accountId, number.id)).toEqual(number);
    });
  });
}
