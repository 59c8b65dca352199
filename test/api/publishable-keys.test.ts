import { afterEach, beforeEach, expect, test } from "vitest";
import { type ApiUnderTest, apiUnderTest, errorOf, pathsOf } from "../support/api/harness.ts";
import { AGENT, type KeyItem, SHOP, WebPage } from "./web-calls/web-page.ts";

const KEYS = "/api/v1/publishable-keys";

let api: ApiUnderTest;
let page: WebPage;
beforeEach(async () => {
  api = await apiUnderTest();
  page = await WebPage.open(api);
});
afterEach(() => api.close());

test("a publishable key has limits without being given any, and its text can be read again", async () => {
  const created = await api.post({ name: "shop", agentIds: [page.agentId], origins: [SHOP] }, {}, KEYS);
  expect([created.status, created.headers.location]).toEqual([201, `${KEYS}/${(created.body as KeyItem).id}`]);
  expect(created.body).toMatchObject({
    key: expect.stringMatching(/^pk_[\w-]{43}$/),
    status: "active",
    limits: {
      startsPerMinute: 60,
      startsPerMinutePerAddress: 6,
      concurrentCalls: 20,
      concurrentCallsPerAddress: 2,
      maxCostPerDay: null,
      maxCostPerDayPerAddress: null,
    },
    revokedAt: null,
  });
  const { id } = created.body as KeyItem;
  expect((await api.get(`${KEYS}/${id}`)).body).toEqual(created.body);
});

test("all problems of a request are reported together, with agents that do not exist or are another account's", async () => {
  const body = {
    name: " ",
    agentIds: [page.agentId, "agent_unknown"],
    origins: [],
    limits: { startsPerMinute: 0, maxCostPerDay: -1, calls: 3 },
    key: "pk_chosen",
  };
  const answer = await api.post(body, {}, `${KEYS}?nonsense=1`);
  expect([answer.status, pathsOf(answer)]).toEqual([
    400,
    [
      "/agentIds/1",
      "/key",
      "/limits/calls",
      "/limits/maxCostPerDay",
      "/limits/startsPerMinute",
      "/name",
      "/nonsense",
      "/origins",
    ],
  ]);
});

test.each([
  { agentIds: [] },
  { agentIds: "agent" },
  { agentIds: [5] },
  { agentIds: Array.from({ length: 51 }, (_, index) => `agent_${index}`) },
  { origins: [SHOP, SHOP] },
  { origins: Array.from({ length: 51 }, (_, index) => `https://${index}.example`) },
  { origins: [`https://${"a.".repeat(140)}example`] },
  { limits: null },
  { limits: { concurrentCalls: 1_001 } },
  { limits: { startsPerMinutePerAddress: 1.5 } },
  { limits: { maxCostPerDay: "1" } },
  { name: "a\u0000b" },
])("refuses %j, new and as a change", async (fields) => {
  const whole = { name: "x", agentIds: [page.agentId], origins: [SHOP], ...fields };
  expect((await api.post(whole, {}, KEYS)).status).toBe(400);
  expect((await api.patch(fields, {}, `${KEYS}/${page.key.id}`)).status).toBe(400);
});

test("a change holds for the next start: its agents, its origins, its limits", async () => {
  const { id } = (await api.post(AGENT, {}, "/api/v1/agents")).body as { id: string };
  const change = async (fields: object) => (await api.patch(fields, {}, `${KEYS}/${page.key.id}`)).body as KeyItem;
  expect((await change({ limits: { concurrentCalls: 1 } })).limits).toMatchObject({
    concurrentCalls: 1,
    concurrentCallsPerAddress: 900,
  });
  expect([(await page.start()).statusCode, (await page.start()).statusCode]).toEqual([201, 429]);
  await change({ limits: { concurrentCalls: 9 }, origins: ["https://other.example"] });
  expect([(await page.start()).statusCode, (await page.start({ origin: "https://other.example" })).statusCode]).toEqual(
    [403, 201],
  );
  await change({ agentIds: [id], origins: [SHOP] });
  expect([(await page.start()).statusCode, (await page.start({ agentId: id })).statusCode]).toEqual([404, 201]);
});

test("A1: a revoked publishable key starts nothing from the next request on, stays listed, and its calls continue", async () => {
  const { id: callId } = (await page.start()).json();
  const revoked = await api.post({}, {}, `${KEYS}/${page.key.id}/revoke`);
  expect(revoked.body).toMatchObject({ status: "revoked", revokedAt: "2026-01-01T00:00:00.000Z" });
  expect((await page.start()).statusCode).toBe(401);
  const changed = await api.patch({ name: "x" }, {}, `${KEYS}/${page.key.id}`);
  expect([changed.status, errorOf(changed).message]).toEqual([409, "the publishable key is revoked"]);
  const { data } = (await api.get(`${KEYS}?status=revoked`)).body as { data: KeyItem[] };
  expect(data.map(({ id }) => id)).toEqual([page.key.id]);
  expect((await api.get(`/api/v1/calls/${callId}`)).body).toMatchObject({ status: "created" });
});

test("A1: a publishable key that another process revokes starts nothing from the next request on", async () => {
  expect((await page.start()).statusCode).toBe(201);
  await api.stores.publishableKeys.revoke(api.accountId, page.key.id as never);
  expect((await page.start()).statusCode).toBe(401);
});

test("A1: a publishable key is good for one route alone, whatever the method and the origin", async () => {
  const headers = { "x-api-key": page.key.key };
  const refused = [
    await api.get("/api/v1/calls", headers),
    await api.get(`/api/v1/agents/${page.agentId}`, { ...headers, origin: SHOP }),
    await api.post({}, { ...headers, origin: SHOP }, `/api/v1/agents/${page.agentId}/calls`),
    await api.get("/api/v1/voices", { ...headers, origin: SHOP }),
    await api.get(KEYS, { ...headers, origin: SHOP }),
  ];
  for (const answer of refused) {
    expect([answer.status, errorOf(answer).code]).toEqual([403, "forbidden"]);
    expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
  }
  expect((await api.get("/api/v1/calls", { "x-api-key": `${page.key.key}x` })).status).toBe(401);
});

test("A3: publishable keys are listed in pages, oldest first, by status", async () => {
  await WebPage.open(api);
  const seen: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const answer = await api.get(`${KEYS}?limit=1${cursor && `&cursor=${cursor}`}`);
    const { data, nextCursor } = answer.body as { data: KeyItem[]; nextCursor: string | null };
    seen.push(...data.map(({ id }) => id));
    cursor = nextCursor;
  }
  expect([seen.length, seen[0]]).toEqual([2, page.key.id]);
  const { nextCursor } = (await api.get(`${KEYS}?limit=1`)).body as { nextCursor: string };
  expect((await api.get(`${KEYS}?status=active&cursor=${nextCursor}`)).status).toBe(400);
});
