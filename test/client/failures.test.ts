import { afterEach, describe, expect, test, vi } from "vitest";
import { TrunklineApiError, TrunklineClient } from "#client";
import { apiError, scriptedApi } from "../support/api/scripted-api.ts";

const API_KEY = "tk_secret";
const CALL = { body: { systemPrompt: "x", voice: "y", language: "en" } };
const NEW = { status: 201, body: { id: "call_1" } };
const AT_ONCE = { headers: { "Retry-After": "0" } };

const clientOf = (baseUrl: string, options: object = {}): TrunklineClient =>
  new TrunklineClient({ baseUrl, apiKey: API_KEY, ...options });

/** The error that a request ends with. */
async function failureOf(request: Promise<unknown>): Promise<TrunklineApiError> {
  const error: unknown = await request.catch((thrown: unknown) => thrown);
  if (!(error instanceof TrunklineApiError)) throw new Error(`no TrunklineApiError but ${String(error)}`);
  return error;
}

describe("an error of the API", () => {
  test("has its code, its status, all problems and the id of the request, and a message for a log", async () => {
    const details = [{ path: "/maxDuration", message: "too short" }];
    const { baseUrl } = await scriptedApi([apiError(400, "invalid_request", { details })]);
    const error = await failureOf(clientOf(baseUrl).post("/calls", CALL));
    expect({ ...error, message: error.message }).toEqual({
      name: "TrunklineApiError",
      message: "POST /calls: 400 invalid_request: no (req_1)",
      code: "invalid_request",
      status: 400,
      details,
      requestId: "req_1",
      retryAfterSeconds: undefined,
    });
  });

  test("says when the request may be sent again", async () => {
    const { baseUrl } = await scriptedApi([apiError(429, "spend_limit", { headers: { "Retry-After": "60" } })]);
    expect(await failureOf(clientOf(baseUrl).post("/calls", CALL))).toMatchObject({ retryAfterSeconds: 60 });
  });

  test("names the operation, and no value of the request", async () => {
    const { baseUrl } = await scriptedApi([apiError(404, "not_found")]);
    const { message } = await failureOf(clientOf(baseUrl).get("/calls/{id}", { path: { id: "call_secret" } }));
    expect(message).toBe("GET /calls/{id}: 404 not_found: no (req_1)");
  });
});

describe("an answer that is not the API's", () => {
  test.each([
    ["a page of a proxy", { status: 502, body: "<html>Bad gateway</html>" }, "502 without an error of the API"],
    ["JSON of another kind", { status: 400, body: { error: "no" } }, "400 without an error of the API"],
    ["null", { status: 400, body: "null" }, "400 without an error of the API"],
    ["nothing", { status: 404 }, "404 without an error of the API"],
    ["a success that is no JSON", { body: "<html>Welcome</html>" }, "200 with a body that is not JSON"],
  ])("is an error: %s", async (_, answer, message) => {
    const { baseUrl } = await scriptedApi([{ ...answer, headers: { "X-Request-Id": "req_2" } }]);
    const error = await failureOf(clientOf(baseUrl).get("/calls"));
    expect(error).toMatchObject({ code: "unexpected_answer", details: [], requestId: "req_2" });
    expect(error.message).toBe(`GET /calls: ${message}`);
  });
});

describe("without an answer", () => {
  test("the code says so, and the cause why; the API key is in neither", async () => {
    // Nothing listens at this port: it is reserved.
    const error = await failureOf(clientOf("http://127.0.0.1:1").get("/calls"));
    expect(error).toMatchObject({ code: "no_answer", status: undefined, message: "GET /calls: no answer" });
    expect(error.cause).toBeInstanceOf(Error);
    expect(JSON.stringify([error, String(error.cause), error.stack])).not.toContain(API_KEY);
  });

  test.each([200, 400])("an answer %i whose connection is lost in the middle counts as none", async (status) => {
    const headers = { "Content-Length": "100" };
    const { baseUrl } = await scriptedApi([{ status, headers, body: '{"data":[]', cut: true }]);
    expect(await failureOf(clientOf(baseUrl).get("/calls"))).toMatchObject({ code: "no_answer" });
  });
});

describe("a request is sent again", () => {
  test.each([
    [429, "rate_limited"],
    [503, "overloaded"],
  ])("after %i with Retry-After, at most twice", async (status, code) => {
    const refused = apiError(status, code, AT_ONCE);
    const late = await scriptedApi([refused, refused, { body: { data: [], nextCursor: null } }]);
    expect(await clientOf(late.baseUrl).get("/calls")).toEqual({ data: [], nextCursor: null });
    const never = await scriptedApi([refused]);
    expect(await failureOf(clientOf(never.baseUrl).get("/calls"))).toMatchObject({ status, code });
    expect([late.requests.length, never.requests.length]).toEqual([3, 3]);
  });

  test("as often as the options say", async () => {
    const { baseUrl, requests } = await scriptedApi([apiError(503, "draining", AT_ONCE)]);
    await failureOf(clientOf(baseUrl, { maxRetries: 0 }).get("/calls"));
    expect(requests.length).toBe(1);
    await failureOf(clientOf(baseUrl, { maxRetries: 5 }).get("/calls"));
    expect(requests.length).toBe(7);
  });

  test("with an Idempotency-Key, and then with the same key and body", async () => {
    const { baseUrl, requests } = await scriptedApi([apiError(503, "overloaded", AT_ONCE), NEW]);
    const headers = { "Idempotency-Key": "order 17" };
    expect(await clientOf(baseUrl).post("/calls", { ...CALL, headers })).toEqual(NEW.body);
    const sent = requests.map(({ headers: { "idempotency-key": key }, body }) => [key, JSON.parse(body)]);
    expect(sent).toEqual([
      ["order 17", CALL.body],
      ["order 17", CALL.body],
    ]);
  });

  test("if it deletes", async () => {
    const { baseUrl, requests } = await scriptedApi([apiError(503, "unavailable", AT_ONCE), { status: 204 }]);
    await clientOf(baseUrl).delete("/webhooks/{id}", { path: { id: "webhook_1" } });
    expect(requests.length).toBe(2);
  });
});

describe("a request is not sent again", () => {
  const refused = apiError(503, "overloaded", AT_ONCE);

  test("if it creates a call without an Idempotency-Key, or changes something", async () => {
    const { baseUrl, requests } = await scriptedApi([refused]);
    await failureOf(clientOf(baseUrl).post("/calls", CALL));
    await failureOf(clientOf(baseUrl).patch("/agents/{id}", { path: { id: "agent_1" }, body: { name: "x" } }));
    expect(requests.length).toBe(2);
  });

  test.each([
    ["without Retry-After", apiError(503, "unavailable")],
    [
      "with a date in Retry-After",
      apiError(503, "unavailable", { headers: { "Retry-After": "Thu, 26 Nov 2026 08:00:00 GMT" } }),
    ],
    [
      "where it would wait longer than the options say",
      apiError(503, "draining", { headers: { "Retry-After": "31" } }),
    ],
    ["after another error", apiError(500, "internal", AT_ONCE)],
  ])("%s", async (_, answer) => {
    const { baseUrl, requests } = await scriptedApi([answer]);
    await failureOf(clientOf(baseUrl).get("/calls"));
    expect(requests.length).toBe(1);
  });
});

describe("a wait", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A client whose service refuses the first request, and whose time stands still. */
  function refusedOnce(options: object = {}) {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let requests = 0;
    const fetch = async (): Promise<Response> => {
      requests += 1;
      if (requests > 1) return Response.json({ data: [], nextCursor: null });
      return Response.json({}, { status: 503, headers: { "Retry-After": "5" } });
    };
    return { client: clientOf("http://127.0.0.1:1", { fetch, ...options }), requests: () => requests };
  }

  test("for a retry takes as long as Retry-After says", async () => {
    const { client, requests } = refusedOnce();
    const listed = client.get("/calls");
    await vi.advanceTimersByTimeAsync(4_999);
    expect(requests()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await listed;
    expect(requests()).toBe(2);
  });

  test("ends with the reason of the signal, and leaves no timer", async () => {
    const stop = new AbortController();
    const { client, requests } = refusedOnce({ signal: stop.signal });
    const listed = client.get("/calls");
    const failed = expect(listed).rejects.toThrow("enough");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(vi.getTimerCount()).toBe(1);
    stop.abort(new Error("enough"));
    await failed;
    expect([requests(), vi.getTimerCount()]).toEqual([1, 0]);
  });
});

describe("an abort", () => {
  test("rejects with the reason of the signal; a request's own signal replaces the client's", async () => {
    const { baseUrl } = await scriptedApi([{ body: { data: [], nextCursor: null } }]);
    const reason = new Error("stopped");
    const client = clientOf(baseUrl, { signal: AbortSignal.abort(reason) });
    await expect(client.get("/calls")).rejects.toBe(reason);
    const { signal } = new AbortController();
    expect(await client.get("/calls", { signal })).toEqual({ data: [], nextCursor: null });
  });
});
