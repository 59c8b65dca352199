import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import type { AccountId } from "../../../src/core/ids.ts";
import type { CallQuery, IdempotentRequest, NewCall } from "../../../src/store/calls/call-store.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { createCall, endAt, listedIds, SPEC, TTL_MS } from "../../support/calls/stored-calls.ts";
import type { ManualClock } from "../../support/manual-clock.ts";
import { mintToken, redeemedBy } from "../../support/tokens.ts";
import type { StoresUnderTest } from "./calls.ts";

/** What every CallStore must do with requests that have an idempotency key. */
export function idempotentRequestContract(name: string, make: () => StoresUnderTest): void {
  describe(`CallStore contract, requests with an idempotency key: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;
    let clock: ManualClock;
    let accountId: AccountId;

    beforeEach(async () => {
      under = make();
      clock = under.clock;
      stores = await under.open();
      accountId = await stores.accounts.ensure("first");
    });
    afterEach(() => stores.close());

    const create = (spec?: CallSpec, more?: Partial<NewCall>) => createCall(stores, accountId, spec, more);
    const idsOf = (query?: Partial<CallQuery>) => listedIds(stores, accountId, query);

    const restart = async () => {
      await stores.close();
      stores = await under.open();
    };
    const end = () => endAt(clock);

    const request = { keyHash: hashSecret("first"), fingerprint: "f1", sealedToken: "sealed-1" };
    const ask = (idempotency: IdempotentRequest, account = accountId) =>
      stores.calls.create({
        accountId: account,
        spec: SPEC,
        tokenHash: hashSecret(mintToken()),
        tokenTtlMs: TTL_MS,
        idempotency,
      });

    test("creates one call, and returns it again as it was created, whatever its state", async () => {
      const tokenHash = hashSecret(mintToken());
      const { record, id } = await create(SPEC, { tokenHash, idempotency: request });
      const again = { kind: "replayed", call: record, sealedToken: "sealed-1" };
      expect(await ask({ ...request, sealedToken: "sealed-2" })).toEqual(again);
      expect(await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"))).toMatchObject({ callId: id });
      clock.advance(5_000);
      expect(await ask(request)).toEqual(again);
      await stores.calls.finish(id, end());
      await restart();
      expect(await ask(request)).toEqual(again);
      expect(await idsOf()).toEqual([id]);
    });

    test("restores the words of an unrecorded call that a restart has lost", async () => {
      const spec = { ...SPEC, recordingEnabled: false };
      const again = { spec, idempotency: request, accountId, tokenHash: hashSecret("unused"), tokenTtlMs: TTL_MS };
      const { id, tokenHash } = await create(spec, { idempotency: request });
      await restart();
      expect(await stores.calls.create(again)).toMatchObject({ kind: "replayed", call: { id } });
      expect(await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"))).toMatchObject({ callId: id, spec });
      expect(await stores.calls.create(again)).toMatchObject({ kind: "replayed", call: { id } });
      expect(await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"))).toBeUndefined();
    });

    test("is a mismatch when its contents differ, and creates nothing", async () => {
      const { id } = await create(SPEC, { idempotency: request });
      expect(await ask({ ...request, fingerprint: "f2" })).toEqual({ kind: "mismatch" });
      expect(await idsOf()).toEqual([id]);
    });

    test("A11: a hundred concurrent repetitions create one call", async () => {
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) => ask({ ...request, sealedToken: `sealed-${index}` })),
      );
      expect(answers.filter((answer) => answer.kind === "created")).toHaveLength(1);
      const sealed = new Set(answers.flatMap((answer) => (answer.kind === "replayed" ? [answer.sealedToken] : [])));
      const calls = new Set(answers.map((answer) => ("call" in answer ? answer.call.id : "")));
      expect([sealed.size, [...calls]]).toEqual([1, await idsOf()]);
    });

    test("is remembered for 24 hours to the millisecond, and its key is free then", async () => {
      const { id } = await create(SPEC, { idempotency: request });
      for (const notice of [async () => [], () => stores.calls.expire()]) {
        clock.advance(12 * 3_600_000 - 1);
        await notice();
        expect(await ask(request)).toMatchObject({ kind: "replayed", call: { id } });
      }
      clock.advance(1);
      expect(await ask(request)).toMatchObject({ kind: "replayed" });
      clock.advance(1);
      const next = await ask({ ...request, fingerprint: "f2", sealedToken: "sealed-2" });
      expect(next.kind).toBe("created");
      expect(await ask({ ...request, fingerprint: "f2" })).toMatchObject({
        kind: "replayed",
        sealedToken: "sealed-2",
      });
      expect(await idsOf()).toHaveLength(2);
    });

    test("has a separate key in every account", async () => {
      const otherAccountId = await stores.accounts.ensure("second");
      expect((await ask(request)).kind).toBe("created");
      expect((await ask({ ...request, fingerprint: "f2" }, otherAccountId)).kind).toBe("created");
    });

    test("is deleted with its call", async () => {
      const { id } = await create(SPEC, { idempotency: request });
      expect(await stores.calls.remove(accountId, id)).toBe(true);
      expect((await ask({ ...request, fingerprint: "f2" })).kind).toBe("created");
    });
  });
}
