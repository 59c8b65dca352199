import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AccountId, asPhoneNumberId } from "../../../src/core/ids.ts";
import { Keyring, sealingKeyOf } from "../../../src/store/sealing/seal.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { Carrier } from "../../../src/store/telephony/carrier-store.ts";
import type { NewPhoneNumber } from "../../../src/store/telephony/phone-number-store.ts";
import { AGENT } from "../../support/calls/stored-calls.ts";
import { SEALING_KEYS } from "../../support/stores/keys.ts";
import { createCarrier, importNumber } from "../../support/telephony/stored.ts";
import type { StoresUnderTest } from "./calls.ts";

/** What every PhoneNumberStore must do. */
export function phoneNumberContract(name: string, make: () => StoresUnderTest): void {
  describe(`PhoneNumberStore contract: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;
    let accountId: AccountId;
    let carrier: Carrier;
    beforeEach(async () => {
      under = make();
      stores = await under.open();
      accountId = await stores.accounts.ensure("first");
      carrier = await createCarrier(stores, accountId);
    });
    afterEach(() => stores.close());

    const newNumber = (number: string, of = carrier): NewPhoneNumber => ({
      number,
      carrierId: of.id,
      carrierNumberId: `PN${number}`,
      name: number,
    });

    test("an import stores what the account does not have, once, and returns all of it", async () => {
      const first = await importNumber(stores, carrier, "+15550100");
      const nowMs = under.clock.epochMs();
      expect(first).toEqual({
        id: expect.stringMatching(/^number_[0-9a-f-]{36}$/),
        accountId,
        number: "+15550100",
        carrierId: carrier.id,
        carrierNumberId: `PN${"15550100".padStart(32, "0")}`,
        name: "+15550100",
        isAttached: false,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      });
      const again = ["+15550101", "+15550100", "+15550101"].map((number) => newNumber(number));
      const both = await stores.phoneNumbers.import(accountId, again);
      expect(both.map(({ number }) => number)).toEqual(["+15550100", "+15550101"]);
      expect(both[0]).toEqual(first);
      expect(await stores.phoneNumbers.import(accountId, [])).toEqual([]);
    });

    test("concurrent imports of one number store it once", async () => {
      const imports = Array.from({ length: 4 }, () => stores.phoneNumbers.import(accountId, [newNumber("+15550100")]));
      const ids = (await Promise.all(imports)).flatMap((numbers) => numbers.map(({ id }) => id));
      expect(new Set(ids).size).toBe(1);
    });

    test("numbers are found by id, by text, by carrier, and in pages; those of another account are not", async () => {
      const other = await stores.accounts.ensure("second");
      const theirs = await createCarrier(stores, other);
      const [first, second] = [
        await importNumber(stores, carrier, "+15550100"),
        await importNumber(stores, carrier, "+15550101"),
      ];
      const foreign = await importNumber(stores, theirs, "+15550100");
      expect(await stores.phoneNumbers.get(accountId, second.id)).toEqual(second);
      expect(await stores.phoneNumbers.find(accountId, "+15550100")).toEqual(first);
      expect(await stores.phoneNumbers.findOfCarrier(theirs.id, "+15550100")).toEqual(foreign);
      expect(await stores.phoneNumbers.findOfCarrier(theirs.id, "+15550101")).toBeUndefined();
      expect(await stores.phoneNumbers.get(accountId, foreign.id)).toBeUndefined();
      expect(await stores.phoneNumbers.list(accountId, { limit: 1 })).toEqual({ numbers: [first], more: true });
      const rest = { limit: 5, afterId: first.id, carrierId: carrier.id };
      expect(await stores.phoneNumbers.list(accountId, rest)).toEqual({ numbers: [second], more: false });
      expect((await stores.phoneNumbers.list(accountId, { limit: 5, carrierId: theirs.id })).numbers).toEqual([]);
    });

    test("a change replaces what it gives, and null removes it", async () => {
      const { id } = await importNumber(stores, carrier);
      const { id: agentId } = await stores.agents.create(accountId, AGENT);
      under.clock.advance(1_000);
      const change = { agentId, maxConcurrentCalls: 3, refusalText: "a\0b" };
      const changed = await stores.phoneNumbers.update(accountId, id, change);
      expect(changed).toMatchObject({ ...change, updatedAtMs: under.clock.epochMs() });
      const bare = await stores.phoneNumbers.update(accountId, id, {
        name: "front desk",
        agentId: null,
        inboundWebhookUrl: null,
        maxConcurrentCalls: null,
        refusalText: null,
      });
      expect(Object.keys(bare ?? {})).not.toContain("agentId");
      expect(bare).toEqual(await stores.phoneNumbers.get(accountId, id));
      expect(bare?.name).toBe("front desk");
      expect(await stores.phoneNumbers.update(accountId, asPhoneNumberId("number_unknown"), {})).toBeUndefined();
    });

    test("an inbound webhook has a secret of its own, another one whenever it is set, and none once it is removed", async () => {
      const { id } = await importNumber(stores, carrier);
      const webhooks = stores.openInboundWebhooks(SEALING_KEYS);
      expect(await webhooks.open(id)).toBeUndefined();
      const url = "https://x.example/in";
      const first = await webhooks.set(accountId, id, url, { name: "desk" });
      expect(first).toMatchObject({
        number: { inboundWebhookUrl: url, name: "desk" },
        secret: expect.stringMatching(/^whsec_/),
      });
      expect(await webhooks.open(id)).toEqual({ url, secret: first?.secret });
      const second = await webhooks.set(accountId, id, url, {});
      expect(second?.secret).not.toBe(first?.secret);
      expect(await webhooks.open(id)).toEqual({ url, secret: second?.secret });
      const other = await stores.accounts.ensure("second");
      expect(await webhooks.set(other, id, url, {})).toBeUndefined();
      expect(await stores.phoneNumbers.update(accountId, id, { inboundWebhookUrl: null })).not.toHaveProperty(
        "inboundWebhookUrl",
      );
      expect(await webhooks.open(id)).toBeUndefined();
    });

    test("the secret of an inbound webhook is sealed again with a new key; with a lost key the webhook is removed", async () => {
      const { id } = await importNumber(stores, carrier);
      const set = await stores.openInboundWebhooks(SEALING_KEYS).set(accountId, id, "https://x.example/in", {});
      const [key, another] = [sealingKeyOf(randomBytes(32)), sealingKeyOf(randomBytes(32))];
      const renewed = stores.openInboundWebhooks(new Keyring([key, SEALING_KEYS.current]));
      expect(await renewed.reseal({ limit: 10 })).toMatchObject({ resealed: 1, unsealable: [] });
      expect((await stores.openInboundWebhooks(new Keyring([key])).open(id))?.secret).toBe(set?.secret);
      const lost = new Keyring([another]);
      await expect(stores.openInboundWebhooks(lost).open(id)).rejects.toMatchObject({ code: "unsealable" });
      expect((await stores.openInboundWebhooks(lost).reseal({ limit: 10 })).unsealable).toEqual([id]);
      for (const dryRun of [true, false]) {
        expect(await stores.forgetLostSecrets(lost, dryRun)).toMatchObject({
          withoutInboundWebhook: [{ id, accountId }],
        });
      }
      expect(await stores.openInboundWebhooks(lost).open(id)).toBeUndefined();
      expect(await stores.phoneNumbers.get(accountId, id)).not.toHaveProperty("inboundWebhookUrl");
    });

    test("what the carrier did before is stored by the first attachment, and until the number is detached", async () => {
      const { id } = await importNumber(stores, carrier);
      expect(await stores.phoneNumbers.setAttached(accountId, id, { voiceUrl: "https://old.example/" })).toMatchObject({
        isAttached: true,
        routingBefore: { voiceUrl: "https://old.example/" },
      });
      expect(await stores.phoneNumbers.setAttached(accountId, id, { voiceUrl: "https://ours.example/" })).toMatchObject(
        {
          routingBefore: { voiceUrl: "https://old.example/" },
        },
      );
      expect(await stores.phoneNumbers.remove(accountId, id)).toBe("attached");
      const detached = await stores.phoneNumbers.setDetached(accountId, id);
      expect(detached).toMatchObject({ isAttached: false });
      expect(detached).not.toHaveProperty("routingBefore");
      expect(await stores.phoneNumbers.setAttached(accountId, id, { voiceUrl: "new" })).toMatchObject({
        routingBefore: { voiceUrl: "new" },
      });
    });

    test("a number that is not attached can be removed, and only by its account", async () => {
      const number = await importNumber(stores, carrier);
      const other = await stores.accounts.ensure("second");
      expect(await stores.phoneNumbers.remove(other, number.id)).toBeUndefined();
      expect(await stores.phoneNumbers.remove(accountId, number.id)).toEqual(number);
      expect(await stores.phoneNumbers.remove(accountId, number.id)).toBeUndefined();
    });

    test("the audit log has each act, without the numbers themselves", async () => {
      const { id } = await importNumber(stores, carrier);
      await stores.phoneNumbers.update(accountId, id, { name: "x", refusalText: null });
      await stores.phoneNumbers.setAttached(accountId, id, {});
      await stores.phoneNumbers.setDetached(accountId, id);
      await stores.phoneNumbers.remove(accountId, id);
      const { events } = await stores.audit.list(accountId, { limit: 10, targetKind: "phone_number" });
      expect(events.map(({ action, details }) => [action, details])).toEqual([
        ["phone_number.deleted", {}],
        ["phone_number.detached", {}],
        ["phone_number.attached", {}],
        ["phone_number.updated", { changed: ["name", "refusalText"] }],
        ["phone_number.imported", { carrierId: carrier.id }],
      ]);
      expect(JSON.stringify(events)).not.toContain("5550100");
    });
  });
}
