import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { existingId, isAbout, openapiDocument, sendRequest, unknownId } from "../../support/api/requests.ts";
import { Scene } from "../../support/api/scene.ts";
import { type GivenAnswer, type Operation, routesOf } from "../../support/openapi/document.ts";

/** Each route's status for a valid request, by the account of the API key. A new route belongs here. */
const EXPECTED: Readonly<Record<string, { owner: number; otherAccount: number } | { anyone: number }>> = {
  "GET /healthz": { anyone: 200 },
  "GET /readyz": { anyone: 200 },
  "GET /api/v1/openapi.json": { anyone: 200 },
  "POST /api/v1/calls": { owner: 201, otherAccount: 201 },
  "GET /api/v1/calls": { owner: 200, otherAccount: 200 },
  "GET /api/v1/calls/{id}": { owner: 200, otherAccount: 404 },
  "DELETE /api/v1/calls/{id}": { owner: 204, otherAccount: 404 },
  "POST /api/v1/calls/{id}/end": { owner: 200, otherAccount: 404 },
  "GET /api/v1/calls/{id}/transcript": { owner: 200, otherAccount: 404 },
  "GET /api/v1/calls/{id}/events": { owner: 200, otherAccount: 404 },
  "GET /api/v1/calls/{id}/recording": { owner: 200, otherAccount: 404 },
  "HEAD /api/v1/calls/{id}/recording": { owner: 200, otherAccount: 404 },
  "POST /api/v1/agents": { owner: 201, otherAccount: 201 },
  "GET /api/v1/agents": { owner: 200, otherAccount: 200 },
  "GET /api/v1/agents/{id}": { owner: 200, otherAccount: 404 },
  "POST /api/v1/agents/{id}/calls": { owner: 201, otherAccount: 404 },
  "GET /api/v1/voices": { owner: 200, otherAccount: 200 },
  "GET /api/v1/languages": { owner: 200, otherAccount: 200 },
};

const document = await openapiDocument();

/** Every route of the app as the document describes it, including the HEAD of each GET. */
const routes: readonly Operation[] = await (async () => {
  const { api } = await Scene.make();
  const found = routesOf(api.app);
  await api.app.ready();
  await api.close();
  return found.map((route) => {
    const path = route.url.replace(/:(\w+)/g, "{$1}");
    const alike = document.operations.filter((operation) => operation.path === path);
    const method = String(route.method);
    const operation = alike.find((one) => one.method === method) ?? alike.find((one) => one.method === "GET");
    if (operation === undefined) throw new Error(`${method} ${path} is not documented`);
    return { ...operation, method };
  });
})();

const nameOf = ({ method, path }: Operation): string => `${method} ${path}`;

/** A HEAD route without a handler of its own responds like its GET. */
const expectedOf = (route: Operation) => EXPECTED[nameOf(route)] ?? EXPECTED[`GET ${route.path}`];

let scene: Scene;
let otherAccountKey: string;
beforeEach(async () => {
  scene = await Scene.make();
  const { accounts, apiKeys } = scene.api.stores;
  otherAccountKey = (await apiKeys.create({ accountId: await accounts.ensure("second"), name: "other" })).key;
});
afterEach(() => scene.api.close());

/** Invalid API keys, by what is wrong with them. */
async function deadKeys(): Promise<Record<string, string | null>> {
  const { key, accountId, stores } = scene.api;
  const revoked = await stores.apiKeys.create({ accountId, name: "revoked" });
  await stores.apiKeys.revoke(revoked.record.id);
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
  };
}

/** A response without the parts that differ between any two. */
function comparable({ status, headers, text }: GivenAnswer): unknown {
  const { "x-request-id": requestId, date: _, ...same } = headers;
  return { status, headers: same, text: text.replace(String(requestId), "") };
}

test("A1: the table has every route and nothing else", () => {
  const missing = routes.filter((route) => expectedOf(route) === undefined);
  expect(missing.map(nameOf)).toEqual([]);
  expect(Object.keys(EXPECTED).filter((name) => !routes.some((route) => nameOf(route) === name))).toEqual([]);
});

describe.each(routes.map((route) => [nameOf(route), route] as const))("A1: %s", (_name, route) => {
  const expected = expectedOf(route) ?? { owner: 0, otherAccount: 0 };

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

const WITH_ID = routes.filter(({ path }) => path.includes("{id}"));

test.each(
  WITH_ID.map((route) => [nameOf(route), route] as const),
)("A2: %s responds to another account's id exactly as to an unknown one", async (_name, route) => {
  const nobodys = await sendRequest(scene, route, { ...unknownId(route), key: otherAccountKey });
  expect(nobodys.status).toBe(404);
  const theirs = isAbout(route, "calls") ? await scene.callOfEveryKind() : [await scene.agent()];
  for (const id of theirs) {
    expect(comparable(await sendRequest(scene, route, { id, key: otherAccountKey }))).toEqual(comparable(nobodys));
  }
});
