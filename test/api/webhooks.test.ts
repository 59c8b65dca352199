import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiUnderTest, apiUnderTest } from "../support/api/harness.ts";
import { createCall } from "../support/calls/stored-calls.ts";

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
});
afterAll(() => api.close());

/** Every member that an answer of these routes may have. */
interface Body {
  id: string;
  secret: string;
  previousSecretUntil: string;
  updatedAt: string;
  replayed: number;
  data: { id: string }[];
  nextCursor: string | null;
  error: { code: string; details: { path: string }[] };
}

async function send(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: object) {
  const answer = await api.app.inject({
    method,
    url: `/api/v1/webhooks${path}`,
    headers: { "x-api-key": api.key, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  });
  const json = answer.body === "" ? {} : answer.json();
  return { status: answer.statusCode, headers: answer.headers, body: json as Body };
}

const NEW = { url: "https://example.com/hook", eventTypes: ["call.created"] };
const create = async (changes: object = {}) => (await send("POST", "", { ...NEW, ...changes })).body;

describe("POST /webhooks", () => {
  test("creates a webhook, whose secret is shown here and nowhere else", async () => {
    const created = await send("POST", "", { ...NEW, description: "billing" });
    expect([created.status, created.headers.location]).toEqual([201, `/api/v1/webhooks/${created.body.id}`]);
    const { secret, ...shown } = created.body;
    expect(secret).toMatch(/^whsec_/);
    expect(shown).toMatchObject({ ...NEW, description: "billing", enabled: true, disabledReason: null });
    expect((await send("GET", `/${created.body.id}`)).body).toEqual(shown);
    expect((await send("GET", "")).body.data).toContainEqual(shown);
  });

  test("reports a URL that is not allowed together with all other problems", async () => {
    const refused = await send("POST", "", { url: "http://127.0.0.1/", eventTypes: [], owner: "me" });
    expect(refused.status).toBe(400);
    expect(refused.body.error.details.map(({ path }) => path).sort()).toEqual(["/eventTypes", "/owner", "/url"]);
  });

  test.each([
    [{ url: "ftp://example.com" }, "/url"],
    [{ url: "http://127.0.0.1/" }, "/url"],
    [{ url: "http://user:password@example.com/" }, "/url"],
    [{ url: "https://example.com:5432/" }, "/url"],
    [{ url: "https://[::ffff:10.0.0.1]/" }, "/url"],
    [{ url: 5 }, "/url"],
    [{ url: `https://example.com/${"x".repeat(3_000)}` }, "/url"],
    [{ eventTypes: [] }, "/eventTypes"],
    [{ eventTypes: ["call.created", "call.created"] }, "/eventTypes"],
    [{ eventTypes: ["call.gone"] }, "/eventTypes/0"],
    [{ enabled: "yes" }, "/enabled"],
    [{ secret: "whsec_mine" }, "/secret"],
    [{ accountId: "account_x" }, "/accountId"],
  ])("S1, A6: refuses %j by its field", async (changes, path) => {
    const { status, body } = await send("POST", "", { ...NEW, ...changes });
    expect([status, body.error.code, body.error.details[0]?.path]).toEqual([400, "invalid_request", path]);
  });

  test("reports all problems together", async () => {
    const { body } = await send("POST", "", { url: "x", eventTypes: [], extra: 1 });
    expect(body.error.details.map(({ path }) => path).sort()).toEqual(["/eventTypes", "/extra", "/url"]);
  });
});

describe("PATCH and DELETE /webhooks/{id}", () => {
  test("change some of it, and delete it", async () => {
    const { id } = await create();
    const changed = await send("PATCH", `/${id}`, { enabled: false });
    expect(changed.body).toMatchObject({ ...NEW, enabled: false, disabledReason: "client" });
    const back = await send("PATCH", `/${id}`, { enabled: true, url: "https://example.com/new" });
    expect(back.body).toMatchObject({ url: "https://example.com/new", enabled: true, disabledReason: null });
    expect((await send("DELETE", `/${id}`)).status).toBe(204);
    expect((await send("GET", `/${id}`)).status).toBe(404);
  });

  test("a new address must be public, too", async () => {
    const { id } = await create();
    expect((await send("PATCH", `/${id}`, { url: "http://10.0.0.1/" })).status).toBe(400);
  });

  test("unknown ids are 404, whatever is asked", async () => {
    const path = "/webhook_x";
    const answers = await Promise.all([
      send("GET", path),
      send("PATCH", path, {}),
      send("DELETE", path),
      send("POST", `${path}/rotate-secret`, {}),
      send("GET", `${path}/deliveries`),
      send("GET", `${path}/deliveries/delivery_x`),
      send("POST", `${path}/replay`, {}),
      send("POST", `${path}/deliveries/delivery_x/replay`, {}),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404, 404, 404]);
  });
});

test("H5: rotating gives another secret, and says until when the previous one signs", async () => {
  const { id, secret } = await create();
  const { body } = await send("POST", `/${id}/rotate-secret`, { overlapSeconds: 60 });
  expect(body.secret).not.toBe(secret);
  expect(Date.parse(body.previousSecretUntil) - Date.parse(body.updatedAt)).toBe(60_000);
  const tooLong = await send("POST", `/${id}/rotate-secret`, { overlapSeconds: 10_000_000 });
  expect([tooLong.status, tooLong.body.error.details[0]?.path]).toEqual([400, "/overlapSeconds"]);
});

test("deliveries are listed page by page, and replayed one by one or all that match", async () => {
  const { id } = await create();
  for (let n = 0; n < 3; n++) await createCall(api.stores, api.accountId);
  const path = `/${id}`;
  const first = (await send("GET", `${path}/deliveries?limit=2`)).body;
  expect(first.data).toMatchObject([
    { eventType: "call.created", status: "pending", attempts: 0, answer: null },
    { eventType: "call.created" },
  ]);
  const second = (await send("GET", `${path}/deliveries?limit=2&cursor=${first.nextCursor}`)).body;
  expect([second.data.length, second.nextCursor]).toEqual([1, null]);
  const delivery = first.data[0]?.id;
  const read = await send("GET", `${path}/deliveries/${delivery}`);
  expect(read.body).toMatchObject({ ...first.data[0], message: { type: "call.created", data: { call: {} } } });
  expect((await send("GET", `${path}/deliveries/delivery_x`)).status).toBe(404);
  const early = await send("POST", `${path}/deliveries/${delivery}/replay`, {});
  expect([early.status, early.body.error.code]).toEqual([409, "conflict"]);
  expect((await send("POST", `${path}/deliveries/delivery_x/replay`, {})).status).toBe(404);
  await send("PATCH", path, { enabled: true });
  expect((await send("POST", `${path}/replay`, {})).body).toEqual({ replayed: 0 });
  expect((await send("GET", `${path}/deliveries?status=failed`)).body.data).toEqual([]);
  expect((await send("GET", `${path}/deliveries?status=gone`)).status).toBe(400);
});
