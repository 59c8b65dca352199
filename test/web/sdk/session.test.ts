import { afterEach, expect, test, vi } from "vitest";
import { ERROR_SENTENCES, TrunklineCallError } from "../../../web/sdk/src/errors.ts";
import { websocketUrlOf } from "../../../web/sdk/src/session.ts";

const KEY = { agentId: "agent_1", publishableKey: "pk_1" };
const URL_OF_CALL = "wss://voice.example/api/v1/stream/t";
const created = () => Response.json({ id: "call_1", websocketUrl: URL_OF_CALL }, { status: 201 });
const refused = (status: number, code: string) => Response.json({ error: { code, message: code } }, { status });

/** What the page asks of the network, which answers in this order. */
function network(...answers: (() => Response | Promise<never>)[]) {
  const asked: { url: string; method: string | undefined; body: unknown }[] = [];
  vi.stubGlobal("fetch", async (url: string, { method, body, headers }: RequestInit) => {
    const key = new Headers(headers).get("x-api-key");
    asked.push({ url, method, body: key === null ? undefined : JSON.parse(String(body)) });
    const answer = answers.shift();
    if (answer === undefined) throw new TypeError("Failed to fetch");
    return await answer();
  });
  return asked;
}
const noAnswer = () => Promise.reject(new TypeError("Failed to fetch"));
const codeOf = (promise: Promise<string>): Promise<string> =>
  promise.then(
    () => "no error",
    (error: TrunklineCallError) => (error.message === ERROR_SENTENCES[error.code] ? error.code : String(error)),
  );

afterEach(() => {
  vi.unstubAllGlobals();
});

test("an address is taken as it is", async () => {
  expect(await websocketUrlOf({ url: URL_OF_CALL }, true)).toBe(URL_OF_CALL);
});

test("a function is asked; what it throws is a TrunklineCallError", async () => {
  expect(await websocketUrlOf({ session: async () => ({ websocketUrl: URL_OF_CALL }) }, true)).toBe(URL_OF_CALL);
  const failing = (error: Error) => codeOf(websocketUrlOf({ session: () => Promise.reject(error) }, true));
  expect(await failing(new Error("500"))).toBe("service_unavailable");
  expect(await failing(new TrunklineCallError("spend_limit"))).toBe("spend_limit");
});

test("a publishable key starts a call by WebRTC", async () => {
  const asked = network(created);
  const session = { ...KEY, apiUrl: "https://a.example/", variables: { visitor: "Kim" } };
  expect(await websocketUrlOf({ session }, true)).toBe(URL_OF_CALL);
  const body = { connectionType: "webrtc", variables: { visitor: "Kim" } };
  expect(asked).toEqual([{ url: "https://a.example/api/v1/agents/agent_1/web-calls", method: "POST", body }]);
});

test("a service without WebRTC is asked for the socket, and from then on for nothing else", async () => {
  const session = { ...KEY, apiUrl: "https://b.example" };
  const asked = network(() => refused(501, "unavailable"), created, created);
  await websocketUrlOf({ session }, true);
  await websocketUrlOf({ session }, true);
  const websocket = { codec: "pcm_s16le", inputSampleRate: 16_000, outputSampleRate: 24_000 };
  expect(asked.map(({ body }) => body)).toEqual([
    { connectionType: "webrtc" },
    { connectionType: "websocket", websocket },
    { connectionType: "websocket", websocket },
  ]);
});

test("a service that has no room for WebRTC at present is asked once for the socket, and by the next call for WebRTC again", async () => {
  const session = { ...KEY, apiUrl: "https://e.example" };
  const overloaded = () => refused(503, "overloaded");
  const asked = network(overloaded, created, overloaded, overloaded);
  expect(await websocketUrlOf({ session }, true)).toBe(URL_OF_CALL);
  expect(await codeOf(websocketUrlOf({ session }, true))).toBe("service_unavailable");
  expect(asked.map(({ body }) => (body as { connectionType: string }).connectionType)).toEqual([
    ...["webrtc", "websocket", "webrtc", "websocket"],
  ]);
});

test("a page that wants no WebRTC does not ask for it", async () => {
  const asked = network(created);
  await websocketUrlOf({ session: { ...KEY, apiUrl: "https://c.example" } }, false);
  expect(asked).toMatchObject([{ body: { connectionType: "websocket" } }]);
});

test.each([
  [401, "unauthorized", "forbidden"],
  [403, "forbidden", "forbidden"],
  [404, "not_found", "invalid_request"],
  [400, "invalid_request", "invalid_request"],
  [409, "conflict", "invalid_request"],
  [429, "rate_limited", "rate_limited"],
  [429, "spend_limit", "spend_limit"],
  [500, "internal", "service_unavailable"],
  [503, "overloaded", "service_unavailable"],
])("the answer %i %s is the error %s", async (status, code, expected) => {
  const answer = () => refused(status, code);
  network(answer, answer);
  expect(await codeOf(websocketUrlOf({ session: { ...KEY, apiUrl: "https://d.example" } }, true))).toBe(expected);
});

test("an answer that is no JSON has the error of its status", async () => {
  network(() => new Response("<html>", { status: 502 }));
  expect(await codeOf(websocketUrlOf({ session: { ...KEY, apiUrl: "https://d.example" } }, true))).toBe(
    "service_unavailable",
  );
});

test("no answer is unreachable", async () => {
  network(noAnswer);
  expect(await codeOf(websocketUrlOf({ session: { ...KEY, apiUrl: "https://d.example" } }, true))).toBe("unreachable");
});
