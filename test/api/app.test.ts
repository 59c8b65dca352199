import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { catalogueOf } from "../../src/api/voices.ts";
import { providerFailed } from "../../src/core/errors.ts";
import { allBytes } from "../support/temporary-directory.ts";
import { type ApiUnderTest, apiUnderTest, errorOf, LEAST } from "./harness.ts";

let api: ApiUnderTest;
afterEach(() => api.close());

describe("the key", () => {
  const routes = [
    ["POST", "/api/v1/calls"],
    ["GET", "/api/v1/calls/call_1"],
    ["GET", "/api/v1/calls/call_1/transcript"],
    ["GET", "/api/v1/calls/call_1/recording"],
    ["GET", "/api/v1/voices"],
    ["GET", "/api/v1/languages"],
    ["GET", "/api/v1/agents"],
  ] as const;

  test("A1: no key, a wrong one and a revoked one are one and the same 401 on every route", async () => {
    api = await apiUnderTest();
    const revoked = await api.stores.apiKeys.create({ accountId: api.accountId, name: "revoked" });
    await api.stores.apiKeys.revoke(revoked.record.id);
    const wrong = [undefined, "", "x", `${api.key}x`, api.key.toUpperCase(), `${api.key}, ${api.key}`, revoked.key];
    const bodies = new Set<string>();
    for (const [method, url] of routes) {
      for (const key of wrong) {
        const headers = key === undefined ? {} : { "x-api-key": key };
        const answer = await api.app.inject({ method, url, headers });
        expect(answer.statusCode).toBe(401);
        bodies.add(JSON.stringify({ ...answer.json(), error: { ...answer.json().error, requestId: "" } }));
      }
      const right = await api.app.inject({ method, url, headers: { "x-api-key": api.key } });
      expect(right.statusCode).not.toBe(401);
    }
    expect(bodies.size).toBe(1);
  });

  test("A1: there is no route that this test does not know", async () => {
    api = await apiUnderTest();
    await api.app.ready();
    const printed = api.app.printRoutes({ commonPrefix: false });
    const known = [...routes.map(([, url]) => url.replace("call_1", ":id").split("/").at(-1)), "healthz", "readyz"];
    const listed = [...printed.matchAll(/(\S+) \((?:GET|POST)/g)].map((match) => match[1]?.split("/").at(-1));
    expect(new Set(listed)).toEqual(new Set(known));
  });

  test("is looked at before the body", async () => {
    api = await apiUnderTest();
    for (const headers of [{ "content-type": "text/plain" }, { "content-type": "application/json" }]) {
      const payload = "x".repeat(300_000);
      const answer = await api.app.inject({ method: "POST", url: "/api/v1/calls", headers, payload });
      expect(answer.statusCode).toBe(401);
    }
  });

  test("is not asked for by /healthz and /readyz", async () => {
    api = await apiUnderTest();
    for (const url of ["/healthz", "/readyz"]) expect((await api.app.inject({ url })).statusCode).toBe(200);
  });
});

describe("every answer", () => {
  test("carries a request id, and the headers that browsers heed", async () => {
    api = await apiUnderTest();
    for (const path of ["/healthz", "/nowhere", "/api/v1/nowhere", "/api/v1/voices", "/api/v1/calls/call_1"]) {
      const { headers } = await api.get(path);
      expect(headers["x-request-id"]).toMatch(/^req_[0-9a-f-]{36}$/);
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["cache-control"]).toBe("no-store");
      // They would bind a domain that is somebody else's.
      for (const name of ["strict-transport-security", "content-security-policy"]) {
        expect(headers).not.toHaveProperty(name);
      }
    }
  });

  test("B11: to an unknown route, another method or a URL that is none is in the one shape", async () => {
    api = await apiUnderTest();
    for (const [method, url, status] of [
      ["GET", "/nowhere", 404],
      ["GET", "/stream/abc", 404],
      ["DELETE", "/api/v1/calls", 404],
      ["OPTIONS", "/api/v1/voices", 404],
      ["PUT", "/healthz", 404],
      ["GET", "/api/v1/calls/%zz", 400],
      ["GET", `/api/v1/calls/${"x".repeat(101)}`, 404],
      ["GET", `/api/v1/calls/${"x".repeat(8_192)}`, 404],
    ] as const) {
      const answer = await api.app.inject({ method, url, headers: { "x-api-key": api.key } });
      expect(answer.statusCode).toBe(status);
      expect(answer.json()).toEqual({
        error: {
          code: status === 404 ? "not_found" : "invalid_request",
          message: expect.any(String),
          details: [],
          requestId: answer.headers["x-request-id"],
        },
      });
    }
  });

  test("to bytes that are no HTTP is 400 in the one shape, and the connection is closed", async () => {
    api = await apiUnderTest();
    for (const bytes of [
      "hello\r\n\r\n",
      "GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    ]) {
      const { head, body } = await rawAnswer(bytes);
      expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(body).toMatchObject({ error: { code: "invalid_request" } });
    }
  });

  test("to a request without a Host, and to one that expects the unknown, is in the one shape", async () => {
    api = await apiUnderTest();
    const noHost = await rawAnswer("GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n");
    expect(noHost.head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(noHost.body).toMatchObject({
      error: { code: "invalid_request", message: "the request must carry the header Host", details: [] },
    });
    const expecting = "GET /nowhere HTTP/1.1\r\nHost: x\r\nExpect: foo\r\nConnection: close\r\n\r\n";
    expect((await rawAnswer(expecting)).body).toMatchObject({ error: { code: "not_found" } });
  });

  test.each([
    ["head", "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: "],
    [
      "body",
      "POST /api/v1/calls HTTP/1.1\r\nHost: x\r\nX-API-Key: KEY\r\n" +
        "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    ],
  ])("to a request whose %s never ends is 408 within the time of a request", async (_part, bytes) => {
    api = await apiUnderTest(undefined, { requestMsMax: 200 });
    const { head, body } = await rawAnswer(bytes.replace("KEY", api.key));
    expect(head).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(body).toMatchObject({ error: { code: "invalid_request", message: "the request took too long to arrive" } });
  });
});

/** What a socket is answered to `bytes` until the service closes the connection; it never closes its own side. */
async function rawAnswer(bytes: string): Promise<{ head: string; body: unknown }> {
  if (api.app.server.address() === null) await api.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = api.app.server.address() as AddressInfo;
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.write(bytes);
  let answer = "";
  for await (const chunk of socket) answer += chunk;
  socket.destroy();
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  return { head, body: JSON.parse(body) };
}

describe("when a part of the service fails", () => {
  test("a store or a voice that does not answer is 503, and L4: says nothing of itself", async () => {
    const broken = async () => {
      throw providerFailed("espeak", "process 4711 died at /srv/secret");
    };
    api = await apiUnderTest(catalogueOf({ voices: broken }));
    for (const answer of [await api.get("/api/v1/voices"), await api.post(LEAST)]) {
      expect([answer.status, errorOf(answer).code, answer.headers["retry-after"]]).toEqual([503, "unavailable", "5"]);
      expect(answer.text).not.toMatch(/espeak|4711|secret/);
    }
    expect(api.logged.join("")).toContain("process 4711 died");
  });

  test("L4: a bug of ours is 500 and shows nothing; the log has it", async () => {
    const bug = async () => {
      throw new TypeError("SELECT * FROM /srv/secret is undefined");
    };
    api = await apiUnderTest({ voices: bug, languages: bug });
    const answer = await api.get("/api/v1/voices");
    expect([answer.status, errorOf(answer)]).toEqual([
      500,
      {
        code: "internal",
        message: "something went wrong on our side",
        details: [],
        requestId: answer.headers["x-request-id"],
      },
    ]);
    expect(api.logged.join("")).toContain("SELECT * FROM /srv/secret");
  });
});

test("a check that fails by itself is 500, and the body it did not check makes no call", async () => {
  api = await apiUnderTest();
  let reads = 0;
  const readableLater = {
    ...LEAST,
    connectionType: "carrier_a",
    selectedTools: [],
    get metadata() {
      if (reads++ === 0) throw new RangeError("too much");
      return {};
    },
  };
  api.app.addHook("preValidation", async (request) => {
    request.body = readableLater;
  });
  const answer = await api.post(LEAST);
  expect([answer.status, errorOf(answer).code]).toEqual([500, "internal"]);
  expect(api.logged.join("")).not.toContain("call created");
  api.clock.advance(600_000);
  expect(await api.stores.calls.expire()).toEqual([]);
});

test("L1: keys, tokens, prompts and whatever else is sent stay out of the log, keys and tokens off the disk", async () => {
  api = await apiUnderTest();
  const canary = "canary-7f3a";
  const tokens: string[] = [];
  for (let round = 0; round < 50; round++) {
    const body = {
      ...LEAST,
      systemPrompt: canary,
      greeting: canary,
      metadata: { note: canary },
      recordingEnabled: false,
    };
    const answer = await api.post(round % 2 === 0 ? body : { ...body, maxDuration: 1 });
    if (answer.status === 201) tokens.push((answer.body as { websocketUrl: string }).websocketUrl.slice(-43));
    else expect(answer.text).not.toContain(canary);
    await api.post(`{"${canary}":`);
    await api.get(`/stream/${canary}?token=${canary}`);
    await api.get(`/api/v1/calls/${canary}?key=${canary}`, { authorization: canary, "user-agent": canary });
    await api.get("/api/v1/voices", { "x-api-key": canary });
  }
  const logged = api.logged.join("");
  expect(tokens).toHaveLength(25);
  expect(api.logged.length).toBeGreaterThan(250);
  const disk = allBytes(api.directory);
  for (const secret of [api.key, canary, "x-api-key", ...tokens]) expect(logged).not.toContain(secret);
  for (const secret of [api.key, ...tokens]) expect(disk).not.toContain(secret);
});
