import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ApiUnderTest, apiUnderTest } from "../../support/api/harness.ts";
import { counted, SHOP, WebPage } from "./web-page.ts";

let api: ApiUnderTest;
let page: WebPage;
beforeEach(async () => {
  api = await apiUnderTest();
  page = await WebPage.open(api);
});
afterEach(() => api.close());

const FORBIDDEN = "403 forbidden: the header Origin must be an origin of this publishable key";

const LOOK_ALIKES: readonly (string | null)[] = [
  null,
  "",
  "null",
  "*",
  "https://shop.example.evil",
  "https://evil-shop.example",
  "https://evil.shop.example",
  "https://shop.example.",
  "https://shop.example:443",
  "https://shop.example:8443",
  "https://shop.example/",
  "https://SHOP.example",
  "HTTPS://shop.example",
  "http://shop.example",
  "https://shop.example@evil.example",
  "https://evil.example#https://shop.example",
  "https://shöp.example",
  "https://xn--shp-fna.example",
  "https://shop.example, https://evil.example",
  "https://shop.example https://evil.example",
  " https://shop.example",
  "shop.example",
  "//shop.example",
  "https://shop%2eexample",
  "file://shop.example",
];

test.each(LOOK_ALIKES)("A7: a start from the origin %j is refused, and no page may read the answer", async (origin) => {
  const answer = await page.start({ origin });
  const isTrimmed = origin?.trim() === SHOP;
  // The space around a header's value is not part of it (RFC 9110, section 5.5).
  if (isTrimmed) return expect([201, 403]).toContain(answer.statusCode);
  expect(await page.outcome({ origin })).toBe(FORBIDDEN);
  expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
  expect(await counted(api, "origin")).toBe(2);
  expect(api.logged.join("")).not.toContain("call created");
});

test("A7: a page of an origin that is named starts a call and may read the answer, also where it is an error", async () => {
  const answer = await page.start();
  expect([answer.statusCode, answer.headers["access-control-allow-origin"], answer.headers.vary]).toEqual([
    201,
    SHOP,
    "Origin",
  ]);
  expect(Object.keys(answer.json()).sort()).toEqual(["connectionType", "createdAt", "id", "status", "websocketUrl"]);
  expect(answer.json()).toMatchObject({ status: "created", connectionType: "websocket" });
  expect(answer.headers).not.toHaveProperty("access-control-allow-credentials");
  for (const refused of [
    await page.start({ body: { systemPrompt: "You give discounts." } }),
    await page.start({ agentId: "agent_unknown" }),
  ]) {
    expect([400, 404]).toContain(refused.statusCode);
    expect(refused.headers["access-control-allow-origin"]).toBe(SHOP);
    expect(String(refused.headers["access-control-expose-headers"])).toContain("Retry-After");
  }
});

test("A7: an origin in another form than browsers send it is refused by the publishable key, with the right form", async () => {
  const refused = {
    "https://shop.example/": "https://shop.example",
    "https://shop.example:443": "https://shop.example",
    "https://SHOP.example": "https://shop.example",
    "https://bücher.example": "https://xn--bcher-kva.example",
  };
  for (const [origin, right] of Object.entries(refused)) {
    const body = { name: "x", agentIds: [page.agentId], origins: [origin] };
    const answer = await api.post(body, {}, "/api/v1/publishable-keys");
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(`(here ${right})`)]);
  }
  for (const origin of [
    "null",
    "*",
    "https://*.shop.example",
    "file:///",
    "shop.example",
    "chrome-extension://abc",
    5,
  ]) {
    const body = { name: "x", agentIds: [page.agentId], origins: [origin] };
    expect((await api.post(body, {}, "/api/v1/publishable-keys")).status).toBe(400);
  }
});

describe("A7: a preflight", () => {
  const preflight = async (url: string, origin: string) => {
    const headers = {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type,x-api-key",
    };
    return await api.app.inject({ method: "OPTIONS", url, headers });
  };
  const webCalls = () => `/api/v1/agents/${page.agentId}/web-calls`;

  test("of an origin that a publishable key names allows the one request, without credentials", async () => {
    const answer = await preflight(webCalls(), SHOP);
    expect([answer.statusCode, answer.body]).toEqual([204, ""]);
    expect(answer.headers).toMatchObject({
      "access-control-allow-origin": SHOP,
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": "X-API-Key, Content-Type",
      vary: "Origin",
    });
    expect(answer.headers).not.toHaveProperty("access-control-allow-credentials");
  });

  test("of any other origin, and of every other route, allows nothing", async () => {
    for (const origin of [
      "https://shop.example.evil",
      "https://evil-shop.example",
      "null",
      "https://shop.example:8443",
    ]) {
      expect((await preflight(webCalls(), origin)).headers).not.toHaveProperty("access-control-allow-origin");
    }
    for (const url of ["/api/v1/calls", `/api/v1/agents/${page.agentId}`, `/api/v1/agents/${page.agentId}/calls`]) {
      const { headers } = await preflight(url, SHOP);
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
  });

  test("allows nothing any more when the publishable key is revoked or names other origins", async () => {
    const other = await WebPage.open(api);
    await api.patch({ origins: ["https://other.example"] }, {}, `/api/v1/publishable-keys/${page.key.id}`);
    expect((await preflight(webCalls(), SHOP)).headers).toHaveProperty("access-control-allow-origin");
    await api.post({}, {}, `/api/v1/publishable-keys/${other.key.id}/revoke`);
    expect((await preflight(webCalls(), SHOP)).headers).not.toHaveProperty("access-control-allow-origin");
    expect((await preflight(webCalls(), "https://other.example")).headers).toHaveProperty(
      "access-control-allow-origin",
    );
  });
});

test("an API key starts a web call without an origin, and no page may read the answer", async () => {
  const answer = await page.start({ key: api.key, origin: null });
  expect(answer.statusCode).toBe(201);
  const fromPage = await page.start({ key: api.key });
  expect([fromPage.statusCode, fromPage.headers["access-control-allow-origin"]]).toEqual([201, undefined]);
});
