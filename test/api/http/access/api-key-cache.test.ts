import { expect, test } from "vitest";
import { ApiKeyCache } from "../../../../src/api/http/access/api-key-cache.ts";
import { addMs } from "../../../../src/core/clocks.ts";
import { asAccountId, asApiKeyId } from "../../../../src/core/ids.ts";
import {
  API_KEY_CACHE_ENTRIES_MAX,
  API_KEY_CACHE_MS,
  API_KEY_REFRESH_MS,
} from "../../../../src/core/limits/accounts/api-keys.ts";
import type { Principal } from "../../../../src/store/accounts/api-key-store.ts";
import { ManualClock, settled } from "../../../support/manual-clock.ts";

const KEY = "tlk_one";
const PRINCIPAL: Principal = {
  accountId: asAccountId("account_1"),
  apiKeyId: asApiKeyId("key_1"),
  scopes: ["read"],
  account: { name: "acme", settings: {}, version: 1 },
};

/** A cache over a store whose answers can be changed and held back. */
function cacheUnderTest() {
  const clock = new ManualClock();
  const state = { answer: PRINCIPAL as Principal | undefined, lookups: 0, gate: Promise.resolve(), fails: false };
  const cache = new ApiKeyCache({
    clock,
    apiKeys: {
      authenticate: async () => {
        const { answer } = state;
        state.lookups += 1;
        await state.gate;
        if (state.fails) throw new Error("away");
        return answer;
      },
    },
  });
  /** Look-ups from now on do not return before the function that it returns is called. */
  const hold = (): (() => void) => {
    let open = (): void => {};
    state.gate = new Promise((resolve) => {
      open = resolve;
    });
    return open;
  };
  return { clock, state, cache, hold };
}

test("the store is asked once for many requests, and again when the answer is too old", async () => {
  const { clock, state, cache } = cacheUnderTest();
  for (let request = 0; request < 10; request++) expect(await cache.authenticate(KEY)).toBe(PRINCIPAL);
  expect(state.lookups).toBe(1);
  clock.advance(API_KEY_CACHE_MS + 1);
  expect(await cache.authenticate(KEY)).toBe(PRINCIPAL);
  expect(state.lookups).toBe(2);
});

test("requests that come during a look-up share it", async () => {
  const { state, cache, hold } = cacheUnderTest();
  const open = hold();
  const answers = Promise.all(Array.from({ length: 10 }, () => cache.authenticate(KEY)));
  open();
  expect(new Set(await answers)).toEqual(new Set([PRINCIPAL]));
  expect(state.lookups).toBe(1);
});

test("an API key in use is looked up beside its requests, which never wait", async () => {
  const { clock, state, cache, hold } = cacheUnderTest();
  await cache.authenticate(KEY);
  clock.advance(API_KEY_REFRESH_MS + 1);
  const open = hold();
  expect(await cache.authenticate(KEY)).toBe(PRINCIPAL);
  expect(state.lookups).toBe(2);
  open();
  await settled();
  clock.advance(API_KEY_CACHE_MS);
  hold();
  expect(await cache.authenticate(KEY)).toBe(PRINCIPAL);
});

test("A1: an API key that another process revoked is refused half a second after its last look-up began, however often it is used", async () => {
  const { clock, state, cache } = cacheUnderTest();
  await cache.authenticate(KEY);
  state.answer = undefined;
  let acceptedMs = 0;
  for (let ms = 0; ms <= 1_000; ms += 10) {
    if ((await cache.authenticate(KEY)) !== undefined) acceptedMs = ms;
    await settled();
    clock.advance(10);
  }
  expect(acceptedMs).toBeLessThanOrEqual(API_KEY_CACHE_MS);
});

test("A1: an API key that is forgotten is looked up again at once", async () => {
  const { state, cache } = cacheUnderTest();
  await cache.authenticate(KEY);
  state.answer = undefined;
  cache.forget(PRINCIPAL.apiKeyId);
  expect(await cache.authenticate(KEY)).toBeUndefined();
});

test("A1: an answer that was asked for before the API key was revoked counts for no later request", async () => {
  const { state, cache, hold } = cacheUnderTest();
  const open = hold();
  const before = cache.authenticate(KEY);
  await settled();
  state.answer = undefined;
  cache.forget(PRINCIPAL.apiKeyId);
  const after = cache.authenticate(KEY);
  open();
  expect([await before, await after, await cache.authenticate(KEY)]).toEqual([PRINCIPAL, undefined, undefined]);
});

test("A1: an API key counts until its expiry and not longer", async () => {
  const { clock, state, cache } = cacheUnderTest();
  state.answer = { ...PRINCIPAL, validUntilMs: addMs(clock.epochMs(), 100) };
  await cache.authenticate(KEY);
  state.answer = undefined;
  clock.advance(99);
  expect(await cache.authenticate(KEY)).toBeDefined();
  clock.advance(1);
  expect(await cache.authenticate(KEY)).toBeUndefined();
});

test("a store that is away is met when the answer is too old, and not before", async () => {
  const { clock, state, cache } = cacheUnderTest();
  await cache.authenticate(KEY);
  state.fails = true;
  clock.advance(API_KEY_REFRESH_MS + 1);
  expect(await cache.authenticate(KEY)).toBe(PRINCIPAL);
  await settled();
  clock.advance(API_KEY_CACHE_MS);
  await expect(cache.authenticate(KEY)).rejects.toThrow("away");
});

test("wrong API keys are not kept, and only so many right ones are", async () => {
  const { state, cache } = cacheUnderTest();
  state.answer = undefined;
  for (let request = 0; request < 2; request++) expect(await cache.authenticate("x")).toBeUndefined();
  expect(state.lookups).toBe(2);
  state.answer = PRINCIPAL;
  await cache.authenticate(KEY);
  for (let other = 1; other < API_KEY_CACHE_ENTRIES_MAX; other++) await cache.authenticate(`tlk_${other}`);
  const before = state.lookups;
  await cache.authenticate(KEY);
  expect(state.lookups).toBe(before);
  await cache.authenticate("tlk_one more");
  await cache.authenticate(KEY);
  expect(state.lookups).toBe(before + 2);
});

test("after a change of its account an API key is looked up again, and an answer from before it is not kept", async () => {
  const { state, cache, hold } = cacheUnderTest();
  await cache.authenticate(KEY);
  cache.forgetAccount(asAccountId("account_2"));
  expect([await cache.authenticate(KEY), state.lookups]).toEqual([PRINCIPAL, 1]);
  const changed = { ...PRINCIPAL, account: { ...PRINCIPAL.account, version: 2 } };
  cache.forgetAccount(PRINCIPAL.accountId);
  const open = hold();
  const before = cache.authenticate(KEY);
  cache.forgetAccount(PRINCIPAL.accountId);
  state.answer = changed;
  open();
  await before;
  expect([await cache.authenticate(KEY), state.lookups]).toEqual([changed, 3]);
});
