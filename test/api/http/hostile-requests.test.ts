import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ApiUnderTest, apiUnderTest } from "../../support/api/harness.ts";
import { exchange, head } from "../../support/network/raw-http.ts";

/** Immediately, on a busy machine. */
const SOON_MS = 5_000;

let api: ApiUnderTest;
let port: number;
beforeEach(async () => {
  api = await apiUnderTest();
  await api.app.listen({ port: 0, host: "127.0.0.1" });
  port = (api.app.server.address() as AddressInfo).port;
});
afterEach(() => api.close());

const UPGRADE = {
  Upgrade: "websocket",
  Connection: "Upgrade, close",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
  "Sec-WebSocket-Version": "13",
};

/** A request that is answered with 200, with the headers that `more` replaces and adds. */
const good = (more: Readonly<Record<string, string | undefined>> = {}): string =>
  head("GET /api/v1/voices", { "X-API-Key": api.key, Connection: "close", ...more });

const post = (headers: Readonly<Record<string, string>>, body: string): string =>
  head("POST /api/v1/calls", { "X-API-Key": api.key, "Content-Type": "application/json", ...headers }) + body;

const bodyOf = (text: string): unknown => JSON.parse(text.slice(text.lastIndexOf("\r\n\r\n")));

describe("malformed heads", () => {
  const smuggled = head("GET /smuggled");
  const manyHeaders = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-Header-${index}`, "value"]));

  test.each<[string, () => string]>([
    ["101 headers", () => good(manyHeaders(98))],
    ["1,001 headers", () => good(manyHeaders(998))],
    ["a header of 16 KiB", () => good({ "X-Big": "a".repeat(16_384) })],
    ["a path of 16 KiB", () => head(`GET /${"a".repeat(16_384)}`)],
    ["two Hosts", () => good().replace("\r\n", "\r\nHost: y\r\n")],
    [
      "a length and chunks",
      () => post({ "Content-Length": "5", "Transfer-Encoding": "chunked" }, `0\r\n\r\n${smuggled}`),
    ],
    ["two lengths", () => post({ "Content-Length": "2\r\nContent-Length: 3" }, `{}${smuggled}`)],
    ["a length below zero", () => post({ "Content-Length": "-1" }, smuggled)],
    ["a length with a sign", () => post({ "Content-Length": "+2" }, `{}${smuggled}`)],
    ["a length beyond all numbers", () => post({ "Content-Length": "9".repeat(20) }, smuggled)],
    ["chunks of no length", () => post({ "Transfer-Encoding": "chunked" }, `ZZ\r\n${smuggled}`)],
    ["an unknown transfer coding", () => post({ "Transfer-Encoding": "gzip" }, smuggled)],
    ["lines that end in LF alone", () => good().replaceAll("\r\n", "\n")],
    ["a header that is continued", () => good({ "X-Folded": "one\r\n two" })],
    ["a space before the colon", () => good({ "X-Space ": "value" })],
    ["a NUL", () => good({ "X-Nul": "a\0b" })],
    ["HTTP/2", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["a TLS handshake", () => "\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03"],
  ])("B9: %s: 400 in the one error shape at once, and nothing after it is served", async (_what, bytes) => {
    const { statuses, text, ended } = await exchange(port, [bytes()], SOON_MS);
    expect([statuses, ended]).toEqual([[400], true]);
    expect(bodyOf(text)).toEqual({
      error: {
        code: "invalid_request",
        message: expect.any(String),
        details: [],
        requestId: expect.stringMatching(/^req_[0-9a-f-]{36}$/),
      },
    });
    expect((await exchange(port, [good()], SOON_MS)).statuses).toEqual([200]);
  });

  test("B9: a hundred headers, and white space before a value, are accepted", async () => {
    for (const bytes of [good(manyHeaders(97)), good({ "Sec-WebSocket-Protocol": `${" ".repeat(16_384)}a` })]) {
      expect(await exchange(port, [bytes], SOON_MS)).toMatchObject({ statuses: [200], ended: true });
    }
  });

  test("B9: a head that is split anywhere is the same head", async () => {
    const bytes = good();
    const answers = await Promise.all(
      Array.from({ length: bytes.length - 1 }, (_, at) =>
        exchange(port, [bytes.slice(0, at + 1), bytes.slice(at + 1)], SOON_MS),
      ),
    );
    for (const { statuses, ended } of answers) expect([statuses, ended]).toEqual([[200], true]);
  });

  test("B9: bytes after a body are a separate request with its own API key, or 400 and the end of the connection", async () => {
    const body = (following: string): string => post({ "Content-Length": "2" }, `{}${following}`);
    const second = await exchange(port, [body(good({ "X-API-Key": undefined }))], SOON_MS);
    expect([second.statuses, second.ended]).toEqual([[400, 401], true]);
    const garbage = await exchange(port, [body("\x01\x02\r\n\r\n")], SOON_MS);
    expect([new Set(garbage.statuses), garbage.ended]).toEqual([new Set([400]), true]);
  });
});

describe("B11: requests of another kind", () => {
  test("an upgrade request for any operation is answered as if it had no Upgrade header", async () => {
    const { paths } = (await api.get("/api/v1/openapi.json")).body as { paths: Record<string, Record<string, object>> };
    let requestCount = 0;
    for (const [path, operations] of Object.entries(paths)) {
      const real = path.replace(/\{[^}]*\}/, "call_01a1fd9c-b56e-7159-a78e-8b0433f9cf99");
      for (const base of ["", "/api/v1"]) {
        for (const method of Object.keys(operations).filter((name) =>
          /^(get|head|post|put|patch|delete)$/.test(name),
        )) {
          const headers = { "X-API-Key": api.key, ...UPGRADE };
          const { statuses, text } = await exchange(
            port,
            [head(`${method.toUpperCase()} ${base}${real}`, headers)],
            SOON_MS,
          );
          expect([method, path, statuses]).toEqual([method, path, [expect.any(Number)]]);
          expect(statuses).not.toContain(101);
          expect(text).toMatch(/\r\ncontent-type: (application\/json|text\/event-stream)/i);
          requestCount += 1;
        }
      }
    }
    expect(requestCount).toBeGreaterThan(10);
    expect((await exchange(port, [good()], SOON_MS)).statuses).toEqual([200]);
  });

  test("an unknown method is 400 or 405, and the response repeats nothing of the request", async () => {
    for (const [method, statuses] of [
      ["TRACE", [405]],
      ["PROPFIND", [405]],
      ["FOO", [400]],
      ["get", [400]],
      // CONNECT requests a tunnel: Node closes the connection.
      ["CONNECT", []],
    ] as const) {
      const request = head(`${method} /api/v1/voices`, { "X-API-Key": api.key, Connection: "close" });
      const answer = await exchange(port, [request], SOON_MS);
      expect([method, answer.statuses, answer.ended]).toEqual([method, statuses, true]);
      expect(answer.text).not.toContain(api.key);
    }
    expect((await exchange(port, [good()], SOON_MS)).statuses).toEqual([200]);
  });
});
