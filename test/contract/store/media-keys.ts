import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { mediaKeyOf, mediaKeyText, newMediaKey } from "../../../src/core/encryption/chunks.ts";
import { type AccountId, asCallId, type CallId } from "../../../src/core/ids.ts";
import { Keyring, sealingKeyOf } from "../../../src/store/sealing/seal.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { createCall, endAt } from "../../support/calls/stored-calls.ts";
import { redeemedBy } from "../../support/tokens.ts";
import type { StoresUnderTest } from "./calls.ts";

const keyOf = (byte: number) => sealingKeyOf(Buffer.alloc(32, byte));
const [FIRST, SECOND, THIRD] = [keyOf(1), keyOf(2), keyOf(3)];
const KEYS = new Keyring([FIRST]);
const ROTATED = new Keyring([SECOND, FIRST]);

/** What every store must do with the keys of encrypted media. */
export function mediaKeyContract(name: string, make: () => StoresUnderTest): void {
  describe(`MediaKeyStore contract: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;
    let accountId: AccountId;

    beforeEach(async () => {
      under = make();
      stores = await under.open({ mediaSealing: KEYS });
      accountId = await stores.accounts.ensure("first");
    });
    afterEach(() => stores.close());

    const reopen = async (mediaSealing?: Keyring): Promise<void> => {
      await stores.close();
      stores = await under.open({ mediaSealing });
    };

    async function redeemed(): Promise<{ callId: CallId; key: string | undefined }> {
      const { id, tokenHash } = await createCall(stores, accountId);
      const call = await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
      return { callId: id, key: call?.mediaKey };
    }

    const found = async (callId: CallId, keys = KEYS): Promise<string | undefined> => {
      const key = await stores.openMediaKeys(keys).find(callId);
      return key && mediaKeyText(key);
    };

    test("each redemption gives its call a key of its own, which is found again, also after a restart", async () => {
      const calls = [await redeemed(), await redeemed()];
      expect(new Set(calls.map(({ key }) => key)).size).toBe(2);
      await reopen();
      for (const { callId, key } of calls) {
        expect(Buffer.from(key ?? "", "base64url").length).toBe(32);
        expect(await found(callId)).toBe(key);
      }
      expect(await stores.sealingKeyIds()).toEqual([FIRST.id]);
    });

    test("a key that a database has lost is stored again, and one that it has stays", async () => {
      const { callId, key } = await redeemed();
      await stores.retention.deleteMediaKey(callId);
      const mediaKeys = stores.openMediaKeys(KEYS);
      await mediaKeys.restore(accountId, mediaKeyOf(callId, key ?? ""));
      expect(await found(callId)).toBe(key);
      await mediaKeys.restore(accountId, newMediaKey(callId));
      expect(await found(callId)).toBe(key);
    });

    test("a call that waits for its stream has none, nor one whose media are not encrypted, nor an unknown one", async () => {
      const { id: waiting } = await createCall(stores, accountId);
      await reopen();
      const plain = await redeemed();
      expect(plain.key).toBeUndefined();
      for (const callId of [waiting, plain.callId, asCallId("call_unknown")])
        expect(await found(callId)).toBeUndefined();
      expect(await stores.sealingKeyIds()).toEqual([]);
    });

    test("a returned redemption takes its key with it, and the next one has another", async () => {
      const { id, tokenHash } = await createCall(stores, accountId);
      const redeemer = redeemedBy("worker-1");
      const first = await stores.redemptions.redeem(tokenHash, redeemer);
      await stores.redemptions.returnRedemption(tokenHash, redeemer.nonce);
      expect(await found(id)).toBeUndefined();
      const second = await stores.redemptions.redeem(tokenHash, redeemedBy("worker-2"));
      expect(second?.mediaKey).not.toBe(first?.mediaKey);
      expect(await found(id)).toBe(second?.mediaKey);
    });

    test("a key is deleted by itself, and with its call", async () => {
      const [alone, removed, other] = [await redeemed(), await redeemed(), await redeemed()];
      for (const { callId } of [alone, removed]) await stores.calls.finish(callId, endAt(under.clock));
      await stores.retention.deleteMediaKey(alone.callId);
      await stores.retention.deleteMediaKey(alone.callId);
      expect(await stores.calls.remove(accountId, removed.callId)).toBe(true);
      for (const { callId } of [alone, removed]) expect(await found(callId)).toBeUndefined();
      expect(await found(other.callId)).toBe(other.key);
      expect((await stores.calls.get(accountId, alone.callId))?.status).toBe("ended");
    });

    test("after a rotation keys are sealed again, some at a time, and stay the same; then the old one is not needed", async () => {
      const calls = [await redeemed(), await redeemed(), await redeemed()];
      await reopen(ROTATED);
      calls.push(await redeemed());
      const mediaKeys = stores.openMediaKeys(ROTATED);
      expect(await stores.sealingKeyIds()).toEqual([FIRST.id, SECOND.id].sort());
      const first = await mediaKeys.reseal({ limit: 2 });
      const rest = await mediaKeys.reseal({ limit: 2, afterId: first.lastId });
      const end = await mediaKeys.reseal({ limit: 2, afterId: rest.lastId });
      expect([first.resealed, rest.resealed, end]).toEqual([2, 1, { resealed: 0, unsealable: [] }]);
      // This forgets the keys that seal nothing any more.
      expect((await stores.openWebhooks(ROTATED).reseal({ limit: 10 })).resealed).toBe(0);
      expect(await stores.sealingKeyIds()).toEqual([SECOND.id]);
      expect((await mediaKeys.reseal({ limit: 2 })).resealed).toBe(0);
      for (const { callId, key } of calls) expect(await found(callId, new Keyring([SECOND]))).toBe(key);
    });

    test("a key that media still need is not forgotten", async () => {
      await redeemed();
      await stores.openWebhooks(ROTATED).reseal({ limit: 10 });
      expect(await stores.sealingKeyIds()).toEqual([FIRST.id]);
    });

    test("a key that cannot be opened keeps no other from being sealed again", async () => {
      const first = await redeemed();
      await reopen(new Keyring([THIRD]));
      const lost = await redeemed();
      await reopen(ROTATED);
      const mediaKeys = stores.openMediaKeys(ROTATED);
      expect(await mediaKeys.reseal({ limit: 10 })).toMatchObject({ resealed: 1, unsealable: [lost.callId] });
      expect(await found(first.callId, new Keyring([SECOND]))).toBe(first.key);
    });

    test("without the key that sealed it, a media key is not opened", async () => {
      const { callId } = await redeemed();
      await expect(found(callId, new Keyring([SECOND]))).rejects.toMatchObject({ code: "unsealable" });
    });
  });
}
