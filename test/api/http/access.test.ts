import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_SCOPES, SCOPES, type Scope } from "../../../src/core/accounts/scopes.ts";
import { addMs } from "../../../src/core/clocks.ts";
import { asAgentId } from "../../../src/core/ids.ts";
import { existingId, isAbout, sendRequest, unknownId } from "../../support/api/requests.ts";
import { EXPECTED, everyRoute, expectedOf, nameOf } from "../../support/api/routes.ts";
import { Scene } from "../../support/api/scene.ts";
import type { GivenAnswer } from "../../support/openapi/document.ts";

const routes = await everyRoute();

let scene: Scene;
let otherAccountKey: string;
beforeEach(async () => {
  scene = await Scene.make();
  const { accounts, apiKeys } = scene.api.stores;
  otherAccountKey = (
    await apiKeys.create({ accountId: await accounts.ensure("second"), name: "other", scopes: SCOPES })
  ).key;
});
afterEach(() => scene.api.close());

/** Invalid API keys, by what is wrong with them. */
async function deadKeys(): Promise<Record<string, string | null>> {
  const { key, accountId, stores, clock } = scene.api;
  const revoked = await stores.apiKeys.create({ accountId, name: "revoked" });
  await stores.apiKeys.revoke(accountId, revoked.record.id);
  const expiresAtMs = addMs(clock.epochMs(), 1_000);
  const expired = await stores.apiKeys.create({ accountId, name: "expired", expiresAtMs });
  const rotated = await stores.apiKeys.create({ accountId, name: "rotated" });
  await stores.apiKeys.rotate(accountId, rotated.record.id, 1_000);
  clock.advance(1_000);
  return {
    none: null,
    empty: "",
    malformed: "x",
    "longer by one": `${key}x`,
    "shorter by one": key.slice(0, -1),
    "in capitals": key.toUpperCase(),
    "sent twice": `${key}, ${key}`,
    unknown: `${key.slice(0, -8)}AAAAAAAA`,
    revoked: revoked.key,
    expired: expired.key,
    "rotated, after the overlap": rotated.key,
  };
}

/** A response without the parts that differ between any two. */
function comparable({ status, headers, text }: GivenAnswer): unknown {
  const { "x-request-id": requestId, date: _, ratelimit: __, ...same } = headers;
  return { status, headers: same, text: text.replace(String(requestId), "") };
}

test("A1: the table has every route and nothing else", () => {
  const missing = routes.filter((route) => expectedOf(route) === undefined);
  expect(missing.map(nameOf)).toEqual([]);
  expect(Object.keys(EXPECTED).filter((name) => !routes.some((route) => nameOf(route) === name))).toEqual([]);
});

describe.each(routes.map((route) => [nameOf(route), route] as const))("A1: %s", (_name, route) => {
  const expected = expectedOf(route) ?? { scope: "read", owner: 0, otherAccount: 0 };

  if ("anyone" in expected) {
    test("responds alike with any API key or none", async () => {
      const keys = [...Object.values(await deadKeys()), scene.api.key];
      for (const key of keys) expect((await sendRequest(scene, route, { key })).status).toBe(expected.anyone);
    });
    return;
  }

  test("is 401 without a valid API key, always with the same body", async () => {
    const given = await existingId(scene, route);
    const bodies = new Set<string>();
    for (const [what, key] of Object.entries(await deadKeys())) {
      const answer = await sendRequest(scene, route, { ...given, key });
      expect([what, answer.status]).toEqual([what, 401]);
      bodies.add(answer.text.replace(String(answer.headers["x-request-id"]), ""));
    }
    expect(bodies.size).toBe(1);
  });

  test("responds as in the table to the owner's API key and to another account's", async () => {
    const given = await existingId(scene, route);
    // The other account first: the owner then sees anything that it should not have changed.
    expect((await sendRequest(scene, route, { ...given, key: otherAccountKey })).status).toBe(expected.otherAccount);
    expect((await sendRequest(scene, route, given)).status).toBe(expected.owner);
  });
});

/** An account's API keys by what they may do: each scope alone, all but one, and those of an API key without scopes. */
const SETS_OF_SCOPES: readonly (readonly Scope[])[] = [
  ...SCOPES.map((scope) => [scope]),
  ...SCOPES.map((scope) => SCOPES.filter((other) => other !== scope)),
  DEFAULT_SCOPES,
];

test.each(
  routes.flatMap((route) => {
    const expected = expectedOf(route);
    return expected !== undefined && "scope" in expected ? [[nameOf(route), route, expected] as const] : [];
  }),
)("A1: %s is 403 unless the API key has the scope of the table, which the document names", async (_name, route, expected) => {
  expect(route.scope).toBe(expected.scope);
  for (const scopes of SETS_OF_SCOPES) {
    const isAllowed = [expected.scope, ...(expected.grants ?? [])].every((scope) => scopes.includes(scope));
    const key = await scene.keyWith(scopes);
    const answer = await sendRequest(scene, route, { ...(await existingId(scene, route)), key });
    expect([scopes, answer.status]).toEqual([scopes, isAllowed ? expected.owner : 403]);
    if (isAllowed || answer.text === "") continue;
    const { error } = JSON.parse(answer.text);
    expect(error.code).toBe("forbidden");
    if (!scopes.includes(expected.scope)) expect(error.message).toBe(`this API key lacks the scope ${expected.scope}`);
  }
});

test("A1: no route of the API is without a scope, and an API key for every route needs all four", () => {
  const scopes = routes.flatMap((route) => expectedOf(route) ?? []).flatMap((row) => ("scope" in row ? row.scope : []));
  expect(new Set(scopes)).toEqual(new Set(SCOPES));
  expect(routes.filter(({ needsKey, scope }) => needsKey !== (scope !== undefined)).map(nameOf)).toEqual([]);
});

test.each(
  routes.flatMap((route) => {
    const expected = expectedOf(route);
    return expected === undefined || "anyone" in expected ? [] : [[nameOf(route), route] as const];
  }),
)("A1: %s is 403 with a publishable key, unless it starts web calls, and 401 when that is revoked", async (name, route) => {
  const { accountId, stores } = scene.api;
  const origin = "https://shop.example";
  const given = await existingId(scene, route);
  const agentIds = [asAgentId(given.id ?? "")];
  const limits = { startsPerMinute: 9, startsPerMinutePerAddress: 9, concurrentCalls: 9, concurrentCallsPerAddress: 9 };
  const { id, key } = await stores.publishableKeys.create({
    accountId,
    name: "shop",
    agentIds,
    origins: [origin],
    limits: { ...limits, maxCostPerDay: null, maxCostPerDayPerAddress: null },
  });
  const send = () => sendRequest(scene, route, { ...given, key, headers: { origin } });
  expect((await send()).status).toBe(name === "POST /api/v1/agents/{id}/web-calls" ? 201 : 403);
  await stores.publishableKeys.revoke(accountId, id);
  expect((await send()).status).toBe(401);
});

const WITH_ID = routes.filter(({ path }) => path.includes("{id}"));

test.each(
  WITH_ID.map((route) => [nameOf(route), route] as const),
)("A2: %s responds to another account's id exactly as to an unknown one", async (_name, route) => {
  const nobodys = await sendRequest(scene, route, { ...unknownId(route), key: otherAccountKey });
  expect(nobodys.status).toBe(404);
  const theirs = isAbout(route, "calls")
    ? (await scene.callOfEveryKind()).map((id) => ({ id }))
    : [await existingId(scene, route)];
  for (const given of theirs) {
    const answer = await sendRequest(scene, route, { ...given, key: otherAccountKey });
    expect(comparable(answer)).toEqual(comparable(nobodys));
  }
});
