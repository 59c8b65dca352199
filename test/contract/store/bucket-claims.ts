import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Stores } from "../../../src/store/stores.ts";
import type { StoresUnderTest } from "./calls.ts";

/** What every BucketClaimStore must do. */
export function bucketClaimContract(name: string, make: () => StoresUnderTest): void {
  describe(`BucketClaimStore contract: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;

    beforeEach(async () => {
      under = make();
      stores = await under.open();
    });
    afterEach(() => stores.close());

    test("all who claim get one id, also those at the same time", async () => {
      const claims = await Promise.all(Array.from({ length: 5 }, () => stores.bucketClaims.claim()));
      expect(new Set(claims.map(({ databaseId }) => databaseId)).size).toBe(1);
      expect(claims[0]).toEqual({ databaseId: expect.stringMatching(/^[\da-f-]{36}$/), isConfirmed: false });
    });

    test("a claim is found once it was made, and finding makes none", async () => {
      expect(await stores.bucketClaims.find()).toBeUndefined();
      expect(await stores.bucketClaims.find()).toBeUndefined();
      const claim = await stores.bucketClaims.claim();
      expect(await stores.bucketClaims.find()).toEqual(claim);
    });

    test("a confirmed claim stays, also after a restart", async () => {
      const { databaseId } = await stores.bucketClaims.claim();
      await stores.bucketClaims.confirm();
      await stores.close();
      stores = await under.open();
      expect(await stores.bucketClaims.claim()).toEqual({ databaseId, isConfirmed: true });
    });
  });
}
