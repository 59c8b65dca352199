import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ApiUnderTest, apiUnderTest, MINIMAL_CALL } from "../../support/api/harness.ts";
import { exchange, head } from "../../support/network/raw-http.ts";

const BASE = "/api/v1";
const CALL = `${BASE}/calls/call_01a1fd9c-b56e-7159-a78e-8b0433f9cf99`;

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

const ask = (method: string, url: string, headers: Record<string, string> = {}) =>
  api.app.inject({ method: method as "GET", url, headers });

describe("a method that a path does not have", () => {
  test.each([
    ["PUT", "/healthz", "GET, HEAD, OPTIONS"],
    ["POST", "/readyz", "GET, HEAD, OPTIONS"],
    ["DELETE", `${BASE}/calls`, "GET, HEAD, OPTIONS, POST"],
    ["PATCH", CALL, "DELETE, GET, HEAD, OPTIONS"],
    ["POST", CALL, "DELETE, GET, HEAD, OPTIONS"],
    ["GET", `${CALL}/end`, "OPTIONS, POST"],
    ["POST", `${BASE}/voices`, "GET, HEAD, OPTIONS"],
    ["TRACE", `${BASE}/voices`, "GET, HEAD, OPTIONS"],
    ["PROPFIND", `${BASE}/voices`, "GET, HEAD, OPTIONS"],
  ])("%s %s is 405, and Allow names the path's methods", async (method, url, allow) => {
    const answer = await ask(method, url);
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, allow]);
    expect(answer.json()).toEqual({
      error: {
        code: "method_not_allowed",
        message: `${method} is not a method of this path: it has ${allow}`,
        details: [],
        requestId: answer.headers["x-request-id"],
      },
    });
  });

  test("is 405 without a body for HEAD, and before a body is read", async () => {
    const headed = await ask("HEAD", `${CALL}/end`);
    expect([headed.statusCode, headed.headers.allow, headed.body]).toEqual([405, "OPTIONS, POST", ""]);
    const answer = await api.app.inject({
      method: "PUT",
      url: `${BASE}/calls`,
      headers: { "content-type": "text/plain" },
      payload: "x".repeat(300_000),
    });
    expect(answer.statusCode).toBe(405);
  });

  test("of an unknown path is 404, without Allow", async () => {
    for (const method of ["GET", "PUT", "OPTIONS", "PROPFIND"]) {
      const answer = await ask(method, "/nowhere");
      expect([method, answer.statusCode, answer.headers.allow]).toEqual([method, 404, undefined]);
    }
  });

  test("is counted under the pattern of the path", async () => {
    await ask("PUT", `${CALL}/end`);
    expect(api.logged.join("")).toContain('"method":"PUT","route":"/api/v1/calls/:id/end","status":405');
  });
});

test("OPTIONS of a path is 204 with its methods, without an API key", async () => {
  for (const [url, allow] of [
    [`${BASE}/calls`, "GET, HEAD, OPTIONS, POST"],
    ["/healthz", "GET, HEAD, OPTIONS"],
  ] as const) {
    const answer = await ask("OPTIONS", url);
    expect([answer.statusCode, answer.headers.allow, answer.body]).toEqual([204, allow, ""]);
    expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
  }
});

test("401 says how to authenticate", async () => {
  for (const key of [undefined, "wrong"]) {
    const answer = await ask("GET", `${BASE}/voices`, key === undefined ? {} : { "x-api-key": key });
    expect([answer.statusCode, answer.headers["www-authenticate"]]).toEqual([
      401,
      'ApiKey realm="Trunkline", header="X-API-Key"',
    ]);
  }
});

describe("a trailing or doubled slash", () => {
  test("changes no response", async () => {
    const masked = (answer: { statusCode: number; headers: object; body: string }) => ({
      status: answer.statusCode,
      headers: { ...answer.headers, date: "", "x-request-id": "", ratelimit: "" },
      body: answer.body.replace(/req_[0-9a-f-]+/, ""),
    });
    for (const [method, url] of [
      ["GET", "/healthz"],
      ["GET", "/readyz"],
      ["GET", `${BASE}/openapi.json`],
      ["GET", `${BASE}/voices`],
      ["GET", `${BASE}/calls`],
      ["GET", CALL],
      ["GET", `${CALL}/transcript`],
      ["DELETE", CALL],
      ["PUT", CALL],
      ["OPTIONS", `${BASE}/calls`],
      ["GET", "/nowhere"],
    ] as const) {
      const headers = { "x-api-key": api.key };
      const plain = masked(await ask(method, url, headers));
      for (const spelled of [`${url}/`, `${url}//`, `/${url}`, url.replaceAll("/", "//"), `${url}/?`]) {
        expect([spelled, masked(await ask(method, spelled, headers))]).toEqual([spelled, plain]);
      }
    }
  });

  test("keeps the query, and creates no second call for an idempotent request", async () => {
    expect((await api.get(`${BASE}//voices/?language=de`)).body).toMatchObject({ data: [{ language: "de" }, {}] });
    const named = { "idempotency-key": "one" };
    const first = await api.post(MINIMAL_CALL, named);
    const { id } = first.body as { id: string };
    const again = await api.post(MINIMAL_CALL, named, `${BASE}//calls/`);
    expect(again.body).toEqual(first.body);
    expect(again.headers).toMatchObject({ "idempotent-replayed": "true", location: `${BASE}/calls/${id}` });
  });

  test("never redirects: not for a path that looks like a host, nor for one with dots", async () => {
    await api.app.listen({ port: 0, host: "127.0.0.1" });
    const { port } = api.app.server.address() as AddressInfo;
    for (const url of [
      "//evil.example",
      "//evil.example/",
      "//evil.example/..//docs",
      "///evil.example/%2e%2e",
      "/..",
    ]) {
      // Sent literally: most clients would resolve the dots themselves.
      const { statuses, text } = await exchange(port, [head(`GET ${url}`, { Connection: "close" })], 5_000);
      expect([url, statuses]).toEqual([url, [404]]);
      expect(text).not.toMatch(/^location:/im);
      expect(text).toContain('"not_found"');
    }
  });

  test("on the wire likewise", async () => {
    await api.app.listen({ port: 0, host: "127.0.0.1" });
    const { port } = api.app.server.address() as AddressInfo;
    const { statuses } = await exchange(port, [head("GET //healthz/", { Connection: "close" })], 5_000);
    expect(statuses).toEqual([200]);
  });
});
