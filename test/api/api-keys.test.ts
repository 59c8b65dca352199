import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SCOPES, type Scope } from "../../src/core/accounts/scopes.ts";
import { API_KEY_CACHE_MS, LAST_USE_BATCH_MS, LAST_USE_MS } from "../../src/core/limits/accounts/api-keys.ts";
import { type Answer, type ApiUnderTest, apiUnderTest, errorOf, pathsOf } from "../support/api/harness.ts";
import { settled } from "../support/manual-clock.ts";
import { head } from "../support/network/raw-http.ts";

const KEYS = "/api/v1/api-keys";

interface Item {
  id: string;
  name: string;
  prefix: string;
  status: string;
  scopes: string[];
  expiresAt: string | null;
  lastUsedAt: string | null;
  previousWorksUntil: string | null;
  revokedAt: string | null;
  key?: string;
}

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

const create = async (body: object = { name: "desk" }, key = api.key): Promise<Item & { key: string }> => {
  const answer = await api.post(body, { "x-api-key": key }, KEYS);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body as Item & { key: string };
};
const act = (path: string, body: object = {}, key = api.key): Promise<Answer> =>
  api.post(body, { "x-api-key": key }, `${KEYS}/${path}`);
const read = async (id: string): Promise<Item> => (await api.get(`${KEYS}/${id}`)).body as Item;
const statusOf = async (key: string, path = "/api/v1/voices"): Promise<number> =>
  (await api.get(path, { "x-api-key": key })).status;
const patch = async (id: string, payload: object, key = api.key): Promise<Answer> => {
  const answer = await api.app.inject({
    method: "PATCH",
    url: `${KEYS}/${id}`,
    headers: { "x-api-key": key },
    payload,
  });
  return { status: answer.statusCode, headers: answer.headers, text: answer.body, body: answer.json() };
};

describe("POST /api-keys", () => {
  test("creates an API key whose text is shown once and works at once", async () => {
    const { key, ...item } = await create({
      name: "front desk",
      scopes: ["read"],
      expiresAt: "2999-01-01T00:00:00+01:00",
    });
    expect(item).toMatchObject({
      prefix: key.slice(0, 12),
      status: "active",
      scopes: ["read"],
      expiresAt: "2998-12-31T23:00:00.000Z",
      lastUsedAt: null,
      revokedAt: null,
    });
    expect(await read(item.id)).toEqual(item);
    expect(await statusOf(key)).toBe(200);
    for (const path of [KEYS, `${KEYS}/${item.id}`, "/api/v1/audit-events"]) {
      expect((await api.get(path)).text).not.toContain(key);
    }
    expect(api.logged.join("")).not.toContain(key);
  });

  test("without scopes gives all but admin", async () => {
    const { key, scopes } = await create();
    expect(scopes).toEqual(["read", "calls", "write"]);
    expect(await statusOf(key, KEYS)).toBe(403);
  });

  test("reports all problems of a request together", async () => {
    const answer = await api.post(
      { name: " ", scopes: ["read", "read"], expiresAt: "2020-01-01T00:00:00Z", accountId: "x" },
      {},
      `${KEYS}?nonsense=1`,
    );
    expect(answer.status).toBe(400);
    expect(pathsOf(answer)).toEqual(["/accountId", "/expiresAt", "/name", "/nonsense", "/scopes"]);
  });

  test.each([
    { name: 5 },
    { name: "" },
    { name: "a\u0000b" },
    { name: "line\nbreak" },
    { name: "\ud800" },
    { name: "x".repeat(201) },
    { name: "x", scopes: [] },
    { name: "x", scopes: ["everything"] },
    { name: "x", scopes: "read" },
    { name: "x", expiresAt: "tomorrow" },
    { name: "x", expiresAt: 17 },
    { name: "x", expiresAt: "2999-01-01" },
    {},
  ])("refuses %j", async (body) => {
    expect((await api.post(body, {}, KEYS)).status).toBe(400);
  });
});

test("A1: an API key grants no scope that it does not have: not to a new one, not by a change, not by a rotation", async () => {
  const strong = await create({ name: "strong", scopes: SCOPES });
  const { key: admin } = await create({ name: "admin", scopes: ["admin"] });
  const { key: reader } = await create({ name: "reading admin", scopes: ["admin", "read"] });
  const grants = async (key: string, scopes: Scope[] | undefined): Promise<string> => {
    const answer = await api.post({ name: "x", scopes }, { "x-api-key": key }, KEYS);
    return answer.status === 403 ? errorOf(answer).message : String(answer.status);
  };
  expect(await grants(admin, undefined)).toBe("this API key lacks the scopes read, calls, write");
  expect(await grants(reader, ["read", "write"])).toBe("this API key lacks the scope write");
  expect(await grants(reader, ["read", "admin"])).toBe("201");
  expect((await patch(strong.id, { scopes: ["read", "calls"] }, reader)).status).toBe(403);
  expect((await act(`${strong.id}/rotate`, {}, reader)).status).toBe(403);
  expect(await read(strong.id)).toMatchObject({ scopes: SCOPES, previousWorksUntil: null });
  // Taking away is no grant.
  expect((await patch(strong.id, { scopes: ["read"] }, reader)).status).toBe(200);
});

test("A1: a change of scopes or of the expiry holds from the next request on", async () => {
  const { id, key } = await create({ name: "desk", scopes: ["read"] });
  expect(await statusOf(key)).toBe(200);
  expect((await patch(id, { scopes: ["calls"] })).status).toBe(200);
  expect(await statusOf(key)).toBe(403);
  await patch(id, { scopes: ["read"], expiresAt: "2026-01-01T00:00:01Z", name: "till" });
  expect(await read(id)).toMatchObject({ name: "till", status: "active", expiresAt: "2026-01-01T00:00:01.000Z" });
  expect(await statusOf(key)).toBe(200);
  api.clock.advance(1_000);
  expect(await statusOf(key)).toBe(401);
  expect((await read(id)).status).toBe("expired");
  expect((await patch(id, { expiresAt: "2026-01-01T00:00:01Z" })).status).toBe(400);
  expect((await patch(id, { expiresAt: null })).body).toMatchObject({ status: "active", expiresAt: null });
  expect(await statusOf(key)).toBe(200);
});

test("A1: a revoked API key is refused from the next request on, stays listed, and can be revoked again", async () => {
  const { id, key } = await create();
  expect(await statusOf(key)).toBe(200);
  const revoked = await act(`${id}/revoke`);
  expect(revoked.body).toMatchObject({ status: "revoked", revokedAt: "2026-01-01T00:00:00.000Z" });
  expect(await statusOf(key)).toBe(401);
  api.clock.advance(1_000);
  const { revokedAt, status } = (await act(`${id}/revoke`)).body as Item;
  expect([revokedAt, status]).toEqual(["2026-01-01T00:00:00.000Z", "revoked"]);
  const { data } = (await api.get(`${KEYS}?status=revoked`)).body as { data: Item[] };
  expect(data.map((item) => item.id)).toEqual([id]);
  for (const answer of [await patch(id, { name: "x" }), await act(`${id}/rotate`)]) {
    expect([answer.status, errorOf(answer).message]).toEqual([409, "the API key is revoked"]);
  }
});

test("A1: an API key may revoke itself", async () => {
  const { id, key } = await create({ name: "admin", scopes: ["admin"] });
  expect((await act(`${id}/revoke`, {}, key)).status).toBe(200);
  expect(await statusOf(key, KEYS)).toBe(401);
});

test("A1: an API key that another process revokes is refused within a second, however often it is used", async () => {
  const { id, key } = await create();
  expect(await statusOf(key)).toBe(200);
  await api.stores.apiKeys.revoke(api.accountId, id as never);
  let refusedAfterMs = Number.POSITIVE_INFINITY;
  for (let ms = 0; ms <= 1_000 && refusedAfterMs > ms; ms += 50) {
    if ((await statusOf(key)) === 401) refusedAfterMs = ms;
    await settled();
    api.clock.advance(50);
  }
  expect(refusedAfterMs).toBeLessThan(1_000);
});

test("A1: a request whose API key is revoked while its body arrives is refused", async () => {
  const { id, key } = await create();
  let wasAuthenticated = (): void => {};
  const authenticated = new Promise<void>((resolve) => {
    wasAuthenticated = resolve;
  });
  const authenticate = api.stores.apiKeys.authenticate;
  api.stores.apiKeys.authenticate = async (text) => {
    const principal = await authenticate(text);
    if (text === key) wasAuthenticated();
    return principal;
  };
  const base = new URL(await api.app.listen({ port: 0, host: "127.0.0.1" }));
  const headers = { "X-API-Key": key, "Content-Type": "application/json", "Content-Length": "2" };
  const socket = connect(Number(base.port), base.hostname);
  socket.write(`${head("POST /api/v1/calls", headers)}{`);
  await authenticated;
  await act(`${id}/revoke`);
  api.clock.advance(API_KEY_CACHE_MS + 1);
  socket.write("}");
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /);
});

test("a rotation under load loses no request: both texts work, then the new one alone", async () => {
  const { id, key: first } = await create();
  const texts = [first];
  const statuses: number[] = [];
  for (let round = 0; round < 5; round++) {
    const burst = Array.from({ length: 20 }, () => statusOf(texts.at(-1) ?? ""));
    const rotated = act(`${id}/rotate`, { overlapSeconds: 60 });
    statuses.push(...(await Promise.all(burst)));
    texts.push(((await rotated).body as { key: string }).key);
    statuses.push(...(await Promise.all(texts.slice(-2).map((key) => statusOf(key)))));
    api.clock.advance(10_000);
  }
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect((await read(id)).previousWorksUntil).toBe("2026-01-01T00:01:40.000Z");
  expect(await Promise.all(texts.map((key) => statusOf(key)))).toEqual([401, 401, 401, 401, 200, 200]);
  api.clock.advance(60_000);
  expect(await Promise.all(texts.slice(-2).map((key) => statusOf(key)))).toEqual([401, 200]);
  expect((await read(id)).previousWorksUntil).toBeNull();
});

test("a rotation without overlap ends the previous text from the next request on", async () => {
  const { id, key } = await create();
  expect(await statusOf(key)).toBe(200);
  const rotated = await act(`${id}/rotate`, { overlapSeconds: 0 });
  expect([await statusOf(key), await statusOf((rotated.body as { key: string }).key)]).toEqual([401, 200]);
});

test("the last use is stored beside the requests, at most once a minute, for all API keys in one write", async () => {
  const writes: number[] = [];
  const recordUse = api.stores.apiKeys.recordUse.bind(api.stores.apiKeys);
  api.stores.apiKeys.recordUse = async (ids, atMs) => {
    writes.push(ids.length);
    await recordUse(ids, atMs);
  };
  const made = [await create(), await create()];
  for (let request = 0; request < 10; request++) for (const { key } of made) expect(await statusOf(key)).toBe(200);
  expect(writes).toEqual([]);
  await api.clock.play(LAST_USE_BATCH_MS);
  // With the API key that created them.
  expect(writes).toEqual([3]);
  for (const { id } of made) expect((await read(id)).lastUsedAt).toBe("2026-01-01T00:00:01.000Z");
  for (let elapsedMs = 0; elapsedMs < LAST_USE_MS - 2_000; elapsedMs += 1_000) {
    await statusOf(made[0]?.key ?? "");
    await api.clock.play(1_000);
  }
  expect(writes).toEqual([3]);
  await api.clock.play(3_000);
  await statusOf(made[0]?.key ?? "");
  await api.clock.play(LAST_USE_BATCH_MS);
  expect(writes).toEqual([3, 1]);
});

test("a last use that cannot be stored costs no request, and is stored with a later one", async () => {
  const recordUse = api.stores.apiKeys.recordUse.bind(api.stores.apiKeys);
  api.stores.apiKeys.recordUse = async () => Promise.reject(new Error("the database is busy"));
  const { id, key } = await create();
  expect(await statusOf(key)).toBe(200);
  await api.clock.play(LAST_USE_BATCH_MS);
  api.stores.apiKeys.recordUse = recordUse;
  expect(await statusOf(key)).toBe(200);
  await api.clock.play(LAST_USE_BATCH_MS);
  expect((await read(id)).lastUsedAt).not.toBeNull();
});

test("API keys are listed in pages, oldest first, and by status", async () => {
  const made = [await create({ name: "one" }), await create({ name: "two" }), await create({ name: "three" })];
  const names: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = await api.get(`${KEYS}?limit=2${cursor && `&cursor=${cursor}`}`);
    const { data, nextCursor } = page.body as { data: Item[]; nextCursor: string | null };
    names.push(...data.map(({ name }) => name));
    cursor = nextCursor;
  }
  expect(names).toEqual(["test", "one", "two", "three"]);
  await act(`${made[0]?.id}/revoke`);
  const active = (await api.get(`${KEYS}?status=active`)).body as { data: Item[] };
  expect(active.data.map(({ name }) => name)).toEqual(["test", "two", "three"]);
  const { nextCursor } = (await api.get(`${KEYS}?limit=1`)).body as { nextCursor: string };
  expect((await api.get(`${KEYS}?status=active&cursor=${nextCursor}`)).status).toBe(400);
});
