import { describe, expect, onTestFinished, test } from "vitest";
import type { AccountLimits } from "../../../src/core/accounts/account-settings.ts";
import {
  asAccountId,
  asApiKeyId,
  asCallId,
  asNodeName,
  asPublishableKeyId,
  asWorkerId,
  type CallId,
  type NodeName,
} from "../../../src/core/ids.ts";
import { CallAdmission, followCalls } from "../../../src/store/admission/call-admission.ts";
import { Capacity } from "../../../src/store/admission/capacity.ts";
import { CreationRates } from "../../../src/store/admission/creation-rates.ts";
import type { IdempotentRequest, NewCall } from "../../../src/store/calls/call-store.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import { endAt, SPEC } from "../../support/calls/stored-calls.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { Random } from "../../support/random.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf, mintToken, redeemedBy } from "../../support/tokens.ts";

const OPERATIONS = 1_000;
const CALLS_PER_API_KEY = 8;
const CALLS_MAX = 12;
const WORKERS = ["a", "b", "c"];
const LOAD = { callCount: 0, callsMax: CALLS_MAX, loopLagMs: 0, acceptsCalls: true };

/** Stores whose calls take slots, with two API keys; `restart` replaces the control process. */
async function scene(options: { callsPerKey?: number } = {}) {
  const [directory, clock] = [temporaryDirectory(), new ManualClock()];
  const stores = await openSqliteStores(directory, clock, { ageClock: ageClockOf(clock) });
  onTestFinished(() => stores.close());
  const accountId = await stores.accounts.ensure("first");
  const keys = await Promise.all(
    ["one", "two"].map(async (name) => (await stores.apiKeys.create({ accountId, name })).record.id),
  );
  const begin = async () => {
    const capacity = new Capacity({ clock, callsPerApiKey: options.callsPerKey });
    capacity.restore(await stores.calls.listWaiting(), await stores.calls.listActive());
    stores.calls.subscribe(followCalls(capacity));
    return { capacity, admission: new CallAdmission(stores.calls, capacity, new CreationRates(clock)) };
  };
  const newCall = (change: Partial<NewCall> = {}): NewCall => ({
    accountId,
    apiKeyId: keys[0],
    spec: SPEC,
    tokenHash: hashSecret(mintToken()),
    tokenTtlMs: 60_000,
    ...change,
  });
  return { clock, stores, accountId, keys, newCall, begin };
}

const NAMED: IdempotentRequest = { keyHash: "name", fingerprint: "body", sealedToken: "sealed" };

describe("calls with slots", () => {
  test("a repeated request is answered without a free slot, and takes none; a new one is refused", async () => {
    const { newCall, begin } = await scene();
    const { capacity, admission } = await begin();
    capacity.workerConnected(asWorkerId("a"), [], { ...LOAD, callsMax: 1 });
    expect(await admission.create(newCall({ idempotency: NAMED }))).toMatchObject({ kind: "created" });
    expect(await admission.create(newCall({ idempotency: NAMED }))).toMatchObject({ kind: "replayed" });
    expect(await admission.create(newCall({ idempotency: { ...NAMED, fingerprint: "other" } }))).toEqual({
      kind: "mismatch",
    });
    const full = { kind: "refused", reason: "overloaded" };
    expect(await admission.create(newCall())).toEqual(full);
    expect(await admission.create(newCall({ idempotency: { ...NAMED, keyHash: "other" } }))).toEqual(full);
    expect(capacity.available).toBe(0);
  });

  test("of many concurrent creations no more succeed than there are slots", async () => {
    const { newCall, begin, stores, accountId } = await scene();
    const { capacity, admission } = await begin();
    capacity.workerConnected(asWorkerId("a"), [], { ...LOAD, callsMax: 5 });
    const named = (index: number): IdempotentRequest => ({ ...NAMED, keyHash: `name-${index}` });
    const made = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        admission.create(newCall(index % 2 === 0 ? {} : { idempotency: named(index) })),
      ),
    );
    expect(made.filter(({ kind }) => kind === "created")).toHaveLength(5);
    expect(made.filter(({ kind }) => kind === "refused")).toHaveLength(35);
    expect((await stores.calls.list(accountId, { limit: 100 })).calls).toHaveLength(5);
    expect(capacity.available).toBe(0);
  });

  test("A11: of many concurrent requests with one idempotency key one takes the last slot, and the others repeat it", async () => {
    const { newCall, begin } = await scene();
    const { capacity, admission } = await begin();
    capacity.workerConnected(asWorkerId("a"), [], { ...LOAD, callsMax: 1 });
    const made = await Promise.all(Array.from({ length: 40 }, () => admission.create(newCall({ idempotency: NAMED }))));
    expect(made.map(({ kind }) => kind)).toEqual(["created", ...Array<string>(39).fill("replayed")]);
    expect(capacity.available).toBe(0);
  });

  test("repeated requests take the last slot from no other request, not even while they are answered", async () => {
    const { newCall, begin } = await scene();
    const { capacity, admission } = await begin();
    capacity.workerConnected(asWorkerId("a"), [], { ...LOAD, callsMax: 2 });
    await admission.create(newCall({ idempotency: NAMED }));
    const repeated = Array.from({ length: 10 }, () => admission.create(newCall({ idempotency: NAMED })));
    expect((await admission.create(newCall())).kind).toBe("created");
    for (const { kind } of await Promise.all(repeated)) expect(kind).toBe("replayed");
  });

  test("an account has at most its own limits of calls and of creations, and a refused call is no creation", async () => {
    const { newCall, begin, clock } = await scene();
    const { capacity, admission } = await begin();
    capacity.workerConnected(asWorkerId("a"), [], LOAD);
    const create = async (limits: AccountLimits, change: Partial<NewCall> = {}) => {
      const creation = await admission.create(newCall(change), { limits });
      return creation.kind === "refused" ? creation.reason : creation.kind;
    };
    const two = { concurrentCalls: 2, creationsPerMinute: 3 };
    expect([await create(two, { idempotency: NAMED }), await create(two)]).toEqual(["created", "created"]);
    expect([await create(two), await create(two)]).toEqual(["account_calls", "account_calls"]);
    expect(await create({ ...two, concurrentCalls: 3 })).toBe("created");
    const refused = await admission.create(newCall(), { limits: { creationsPerMinute: 3 } });
    expect(refused).toEqual({ kind: "refused", reason: "account_creations", waitMs: 20_000 });
    expect(await create(two, { idempotency: NAMED })).toBe("replayed");
    clock.advance(20_000);
    capacity.loadReported(asWorkerId("a"), LOAD);
    expect(await create({ creationsPerMinute: 3 })).toBe("created");
  });

  test("a call that is not stored is no creation: neither one that its publishable key may not start, nor one that fails", async () => {
    const { newCall, begin } = await scene();
    const { capacity, admission } = await begin();
    capacity.workerConnected(asWorkerId("a"), [], LOAD);
    const limits = { creationsPerMinute: 1 };
    const web = { publishableKeyId: asPublishableKeyId("publishable_key_unknown"), addressHash: "address" };
    for (let count = 0; count < 3; count += 1) {
      expect(await admission.create(newCall({ web }), { limits })).toMatchObject({ kind: "web-call-refused" });
    }
    const broken = newCall({ accountId: asAccountId("account_unknown") });
    await expect(admission.create(broken, { limits })).rejects.toThrow();
    expect((await admission.create(newCall(), { limits })).kind).toBe("created");
  });

  test("the limits of an account count all of its calls that a restart finds, whatever API key created them", async () => {
    const { newCall, begin, keys } = await scene();
    const limits = { concurrentCalls: 2 };
    const first = await begin();
    first.capacity.workerConnected(asWorkerId("a"), [], LOAD);
    for (const apiKeyId of keys) await first.admission.create(newCall({ apiKeyId }), { limits });
    const second = await begin();
    second.capacity.workerConnected(asWorkerId("a"), [], LOAD);
    expect(await second.admission.create(newCall(), { limits })).toEqual({ kind: "refused", reason: "account_calls" });
  });

  test("a refusal known before refuses a new call without a reservation, and no repeated request", async () => {
    const { newCall, begin, stores, accountId } = await scene();
    const { capacity, admission } = await begin();
    capacity.workerConnected(asWorkerId("a"), [], LOAD);
    const refused = { kind: "refused", reason: "spend_limit" };
    for (const idempotency of [undefined, NAMED]) {
      expect(await admission.create(newCall({ idempotency }), { refusal: "spend_limit" })).toEqual(refused);
    }
    expect((await stores.calls.list(accountId, { limit: 9 })).calls).toEqual([]);
    expect(capacity.available).toBe(CALLS_MAX);
    await admission.create(newCall({ idempotency: NAMED }));
    expect((await admission.create(newCall({ idempotency: NAMED }), { refusal: "spend_limit" })).kind).toBe("replayed");
  });

  test("a call that cannot be stored takes no slot", async () => {
    const { newCall, begin, keys } = await scene();
    const { capacity, admission } = await begin();
    capacity.workerConnected(asWorkerId("a"), [], LOAD);
    await expect(admission.create(newCall({ accountId: asAccountId("unknown") }))).rejects.toThrow();
    await expect(
      admission.create(newCall({ accountId: asAccountId("unknown"), idempotency: NAMED })),
    ).rejects.toThrow();
    expect([capacity.available, capacity.callsOf(keys[0] ?? asApiKeyId(""))]).toEqual([CALLS_MAX, 0]);
  });
});

test(`after each of ${OPERATIONS} random operations the slots match the store's calls`, async () => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  const random = new Random(seed);
  const { clock, stores, accountId, keys, newCall, begin } = await scene({ callsPerKey: CALLS_PER_API_KEY });
  let { capacity, admission } = await begin();
  /** Live workers, and the calls of each. */
  const workers = new Map<string, Set<CallId>>();
  const made: { id: CallId; tokenHash: string }[] = [];
  const anyCall = () => (made.length === 0 ? undefined : random.pick(made.slice(-30)));
  const carrierOf = (callId: CallId) => [...workers].find(([, carried]) => carried.has(callId));
  const kinds = new Set<string>();

  const operations: Record<string, () => Promise<unknown>> = {
    async create() {
      const apiKeyId = random.pick(keys);
      const idempotency = random.chance(0.3) ? { ...NAMED, keyHash: `${random.whole(0, 9)}` } : undefined;
      const call = newCall({ apiKeyId, tokenTtlMs: random.pick([500, 5_000, 60_000]), idempotency });
      const creation = await admission.create(call);
      kinds.add(creation.kind === "refused" ? creation.reason : creation.kind);
      if (creation.kind === "created") made.push({ id: creation.call.id, tokenHash: call.tokenHash });
    },
    async redeem() {
      const [workerId, carried] = workers.size === 0 ? [] : random.pick([...workers]);
      if (workerId === undefined) return;
      const [{ tokenHash } = { tokenHash: "unknown" }, redeemer] = [anyCall(), redeemedBy(workerId)];
      const redeemed = await stores.redemptions.redeem(tokenHash, redeemer);
      if (redeemed === undefined) return;
      capacity.assign(redeemed.callId, asWorkerId(workerId));
      if (random.chance(0.8)) carried?.add(redeemed.callId);
      else {
        const returned = await stores.redemptions.returnRedemption(tokenHash, redeemer.nonce);
        if (returned === undefined) throw new Error("the redemption was not taken back");
        capacity.returned(returned.callId, returned.remainingMs);
      }
    },
    async end() {
      const callId = anyCall()?.id ?? asCallId("unknown");
      // Its worker reports first, if it has one; the record is made later.
      if (carrierOf(callId)?.[1].delete(callId)) capacity.release(callId);
      await stores.calls.finish(callId, endAt(clock));
    },
    async cancel() {
      await stores.calls.cancel(accountId, anyCall()?.id ?? asCallId("unknown"));
    },
    async remove() {
      await stores.calls.remove(accountId, anyCall()?.id ?? asCallId("unknown"));
    },
    async expire() {
      await stores.calls.expire();
    },
    async time() {
      clock.advance(random.pick([1, 100, 1_000, 6_000]));
      for (const workerId of workers.keys()) capacity.loadReported(asWorkerId(workerId), LOAD);
    },
    async comes() {
      const workerId = asWorkerId(random.pick(WORKERS));
      workers.set(workerId, workers.get(workerId) ?? new Set());
      capacity.workerConnected(workerId, [...(workers.get(workerId) ?? [])], LOAD);
    },
    async dies() {
      const [workerId, carried] = workers.size === 0 ? [] : random.pick([...workers]);
      if (workerId === undefined) return;
      workers.delete(workerId);
      capacity.workerDisconnected(asWorkerId(workerId));
      for (const callId of carried ?? []) {
        await stores.calls.finish(callId, endAt(clock, { status: "failed", endReason: "worker_lost" }));
      }
    },
    async restart() {
      ({ capacity, admission } = await begin());
      for (const [workerId, carried] of workers) capacity.workerConnected(asWorkerId(workerId), [...carried], LOAD);
    },
  };
  const often = ["create", "create", "create", "create", "redeem", "redeem", "end", "end", "time"];
  for (let count = 0; count < OPERATIONS; count += 1) {
    const name = random.chance(0.75) ? random.pick(often) : random.pick(Object.keys(operations));
    await operations[name]?.();
    const living = [...(await stores.calls.listWaiting()), ...(await stores.calls.listActive())];
    const ofKeys = keys.map((key) => living.filter(({ apiKeyId }) => apiKeyId === key).length);
    const where = `seed ${seed}, operation ${count}: ${name}`;
    expect([capacity.available, ...keys.map((key) => capacity.callsOf(key))], where).toEqual([
      workers.size * CALLS_MAX - living.length,
      ...ofKeys,
    ]);
  }
  expect([...kinds].sort(), `seed ${seed}`).toEqual(["api_key_calls", "created", "overloaded", "replayed"]);
}, 30_000);

describe("calls of a cluster", () => {
  const [one, two] = [asNodeName("one"), asNodeName("two")];

  /** Creations at node `one`, of which `places` says where each is placed. */
  async function creating(places: readonly (NodeName | undefined)[], callsPerApiKey?: number) {
    const left = [...places];
    const { stores, clock, newCall } = await scene();
    const capacity = new Capacity({ clock, callsPerApiKey: undefined });
    capacity.workerConnected(asWorkerId("a"), [], { ...LOAD, callsMax: 1 });
    stores.calls.subscribe(followCalls(capacity, one));
    const placement = { own: one, place: () => left.shift(), callsPerApiKey };
    const admission = new CallAdmission(stores.calls, capacity, new CreationRates(clock), placement);
    return { admission, capacity, newCall };
  }

  test("take a slot here only where they are placed here, and are refused where no node has room", async () => {
    const { admission, capacity, newCall } = await creating([two, one, two, one, undefined]);
    const create = async () => await admission.create(newCall());
    expect(await create()).toMatchObject({ kind: "created", node: two });
    expect(capacity.available).toBe(1);
    expect(await create()).toMatchObject({ kind: "created", node: one });
    expect(capacity.available).toBe(0);
    expect(await create()).toMatchObject({ kind: "created", node: two });
    for (let left = 0; left < 2; left += 1) expect(await create()).toEqual({ kind: "refused", reason: "overloaded" });
  });

  test("count for their limits in the store, wherever they are placed", async () => {
    const { admission, newCall } = await creating([two, two, two, two], 2);
    const limits = { concurrentCalls: 1 };
    expect(await admission.create(newCall(), { limits })).toMatchObject({ kind: "created" });
    expect(await admission.create(newCall(), { limits })).toEqual({ kind: "refused", reason: "account_calls" });
    expect(await admission.create(newCall())).toMatchObject({ kind: "created" });
    expect(await admission.create(newCall())).toEqual({ kind: "refused", reason: "api_key_calls" });
  });

  test("stay at this node where their words are only in its memory", async () => {
    const { admission, newCall } = await creating([two]);
    const spec = { ...SPEC, recordingEnabled: false };
    expect(await admission.create(newCall({ spec }))).toMatchObject({ kind: "created", node: one });
  });

  test("a repeated request has the node of the first one", async () => {
    const { admission, newCall } = await creating([two, one]);
    expect(await admission.create(newCall({ idempotency: NAMED }))).toMatchObject({ kind: "created", node: two });
    expect(await admission.create(newCall({ idempotency: NAMED }))).toMatchObject({ kind: "replayed", node: two });
  });
});
