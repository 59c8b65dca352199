import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { catalogueOf } from "../../../src/api/voices/catalogue.ts";
import { providerFailed } from "../../../src/core/errors.ts";
import { ANY_STT } from "../../support/api/any-stt.ts";
import { type ApiUnderTest, apiUnderTest, errorOf, MINIMAL_CALL } from "../../support/api/harness.ts";
import { readExposition, sampleOf } from "../../support/metrics/exposition.ts";
import { NO_WORKERS } from "../../support/metrics/workers-metrics.ts";

let api: ApiUnderTest;
afterEach(() => api.close());

describe("the API key", () => {
  test("is checked before the body", async () => {
    api = await apiUnderTest();
    for (const headers of [{ "content-type": "text/plain" }, { "content-type": "application/json" }]) {
      const payload = "x".repeat(300_000);
      const answer = await api.app.inject({ method: "POST", url: "/api/v1/calls", headers, payload });
      expect(answer.statusCode).toBe(401);
    }
  });
});

describe("every response", () => {
  test("has a request id, and security headers for browsers", async () => {
    api = await apiUnderTest();
    for (const path of ["/healthz", "/nowhere", "/api/v1/nowhere", "/api/v1/voices", "/api/v1/calls/call_1"]) {
      const { headers } = await api.get(path);
      expect(headers["x-request-id"]).toMatch(/^req_[0-9a-f-]{36}$/);
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["cache-control"]).toBe("no-store");
      // They would bind a domain that the operator owns.
      for (const name of ["strict-transport-security", "content-security-policy"]) {
        expect(headers).not.toHaveProperty(name);
      }
    }
  });

  test("B11: to an unknown route, another method or a malformed URL has the one error shape", async () => {
    api = await apiUnderTest();
    for (const [method, url, status] of [
      ["GET", "/nowhere", 404],
      ["GET", "/stream/abc", 404],
      ["DELETE", "/api/v1/calls", 405],
      ["PUT", "/healthz", 405],
      ["GET", "/api/v1/calls/%zz", 400],
      ["GET", `/api/v1/calls/${"x".repeat(101)}`, 404],
      ["GET", `/api/v1/calls/${"x".repeat(8_192)}`, 404],
    ] as const) {
      const answer = await api.app.inject({ method, url, headers: { "x-api-key": api.key } });
      expect(answer.statusCode).toBe(status);
      expect(answer.json()).toEqual({
        error: {
          code: { 400: "invalid_request", 404: "not_found", 405: "method_not_allowed" }[status],
          message: expect.any(String),
          details: [],
          requestId: answer.headers["x-request-id"],
        },
      });
    }
  });

  test("to bytes that are not HTTP is 400 in the one error shape, and the connection is closed", async () => {
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

  test("to a request without a Host, and to one with an unknown expectation, has the one error shape", async () => {
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

/** The response to `bytes` until the service closes the connection; the client never closes its own side. */
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

test("every response is counted by its route's pattern, its method and its status, and by nothing of the request", async () => {
  api = await apiUnderTest();
  await api.post(MINIMAL_CALL);
  await api.post({});
  for (const id of ["call_1", "call_2"]) await api.get(`/api/v1/calls/${id}?secret=1`);
  await api.get("/api/v1/calls/call_1");
  await api.get("/nowhere");
  await api.app.inject("/api/v1/voices");
  const metrics = readExposition(await api.metrics.exposition(NO_WORKERS, true));
  const counted = metrics.get("trunkline_api_requests_total")?.samples.map(({ labels, value }) => {
    return [labels.method, labels.route, labels.status, value];
  });
  expect(counted?.sort()).toEqual([
    ["GET", "/api/v1/calls/:id", "400", 2],
    ["GET", "/api/v1/calls/:id", "404", 1],
    ["GET", "/api/v1/voices", "401", 1],
    ["GET", "none", "404", 1],
    ["POST", "/api/v1/calls", "201", 1],
    ["POST", "/api/v1/calls", "400", 1],
  ]);
  const labels = { method: "GET", route: "/api/v1/calls/:id" };
  expect(sampleOf(metrics, "trunkline_api_request_duration_seconds_count", labels)).toBe(3);
});

describe("when a part of the service fails", () => {
  test("a store or a TTS that does not respond is 503, and L4: no detail is shown", async () => {
    const broken = async () => {
      throw providerFailed("espeak", "process 4711 died at /srv/secret");
    };
    api = await apiUnderTest(catalogueOf({ voices: broken }, ANY_STT));
    for (const answer of [await api.get("/api/v1/voices"), await api.post(MINIMAL_CALL)]) {
      expect([answer.status, errorOf(answer).code, answer.headers["retry-after"]]).toEqual([503, "unavailable", "5"]);
      expect(answer.text).not.toMatch(/espeak|4711|secret/);
    }
    expect(api.logged.join("")).toContain("process 4711 died");
  });

  test("L4: a bug is 500 and shows nothing; the log has it", async () => {
    const bug = async () => {
      throw new TypeError("SELECT * FROM /srv/secret is undefined");
    };
    api = await apiUnderTest(catalogueOf({ voices: bug }, ANY_STT));
    const answer = await api.get("/api/v1/voices");
    expect([answer.status, errorOf(answer)]).toEqual([
      500,
      {
        code: "internal",
        message: "internal error",
        details: [],
        requestId: answer.headers["x-request-id"],
      },
    ]);
    expect(api.logged.join("")).toContain("SELECT * FROM /srv/secret");
  });
});

test("a validation that throws is 500, and its unchecked body creates no call", async () => {
  api = await apiUnderTest();
  let reads = 0;
  const readableLater = {
    ...MINIMAL_CALL,
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
  const answer = await api.post(MINIMAL_CALL);
  expect([answer.status, errorOf(answer).code]).toEqual([500, "internal"]);
  expect(api.logged.join("")).not.toContain("call created");
  api.clock.advance(600_000);
  expect(await api.stores.calls.expire()).toEqual([]);
});
