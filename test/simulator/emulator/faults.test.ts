import { describe, expect, onTestFinished, test } from "vitest";
import { CarrierEmulator, type EmulatedName } from "../../../src/simulator/emulator/emulator.ts";
import { redactedBody, withoutSecrets } from "../../../src/simulator/emulator/rest/request-log.ts";
import type { RestFault } from "../../../src/simulator/emulator/scenario.ts";

const [NUMBER, PERSON] = ["+12025550187", "+12025550142"];

/** An emulator that meets its customer with faults, and the request that places a call. */
async function scene(carrier: EmulatedName, faults: readonly RestFault[]) {
  const emulator = new CarrierEmulator({ carrier, numbers: [NUMBER], scenario: { faults } });
  const url = await emulator.start();
  onTestFinished(() => emulator.stop());
  const { accountSid, authToken, apiKey, connectionId, authId } = emulator.credentials;
  const basic = (user = ""): string => `Basic ${Buffer.from(`${user}:${authToken}`).toString("base64")}`;
  const json = { "content-type": "application/json" };
  const answerUrl = "http://127.0.0.1:9/voice";
  const orders = {
    twilio: {
      path: `/2010-04-01/Accounts/${accountSid}/Calls.json`,
      headers: { authorization: basic(accountSid), "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ From: NUMBER, To: PERSON, Url: answerUrl }).toString(),
    },
    telnyx: {
      path: "/v2/calls",
      headers: { ...json, authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ connection_id: connectionId, from: NUMBER, to: PERSON }),
    },
    plivo: {
      path: `/v1/Account/${authId}/Call/`,
      headers: { ...json, authorization: basic(authId) },
      body: JSON.stringify({ from: NUMBER, to: PERSON, answer_url: answerUrl }),
    },
  };
  const { path, ...order } = orders[carrier];
  const place = (signal?: AbortSignal): Promise<Response> =>
    fetch(`${url}${path}`, { method: "POST", ...order, ...(signal !== undefined && { signal }) });
  return { emulator, url, path, place };
}

describe.each(["twilio", "telnyx", "plivo"] as const)("%s", (carrier) => {
  const endpoint = carrier === "telnyx" ? "calls.dial" : "calls.create";

  test.each([401, 403, 404, 409, 422, 429, 500, 503])("may answer with %i and place no call", async (status) => {
    const { emulator, place } = await scene(carrier, [{ endpoint, kind: "status", status, times: 1 }]);
    const refused = await place();
    expect(refused.status).toBe(status);
    expect(refused.headers.get("retry-after")).toBeNull();
    expect(emulator.placed).toEqual([]);
    expect((await place()).ok).toBe(true);
    expect(emulator.requests).toMatchObject([{ endpoint, status, fault: "status" }, { endpoint }]);
  });

  test("may answer with 429 and say when to come back", async () => {
    const { place } = await scene(carrier, [{ kind: "status", status: 429, retryAfterS: 7 }]);
    expect((await place()).headers.get("retry-after")).toBe("7");
  });

  test("may answer with 500 although it has placed the call", async () => {
    const { emulator, place } = await scene(carrier, [{ kind: "status", status: 500, isCarriedOut: true }]);
    expect((await place()).status).toBe(500);
    expect(emulator.placed).toMatchObject([{ from: NUMBER, to: PERSON }]);
  });

  test("may not answer at all although it has placed the call", async () => {
    const { emulator, place } = await scene(carrier, [{ kind: "silence", isCarriedOut: true }]);
    const stop = new AbortController();
    const silent = place(stop.signal);
    while (emulator.placed.length === 0) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await expect(silent).rejects.toThrow();
    expect(emulator.requests).toMatchObject([{ status: 0, fault: "silence" }]);
  });

  test("may answer with HTML instead of JSON", async () => {
    const { place } = await scene(carrier, [{ kind: "html", status: 502 }]);
    const response = await place();
    expect(response.status).toBe(502);
    expect(response.headers.get("content-type")).toContain("text/html");
    expect(await response.text()).toContain("<!DOCTYPE html>");
  });

  test("may be unreachable", async () => {
    const { emulator, place } = await scene(carrier, [{ kind: "unreachable", skip: 1, times: 1 }]);
    expect((await place()).ok).toBe(true);
    await expect(place()).rejects.toThrow("fetch failed");
    expect(emulator.placed.length).toBe(1);
  });

  test("has an error of its own for a path that it does not have, and for a request without credentials", async () => {
    const { url, path } = await scene(carrier, []);
    expect((await fetch(`${url}/v2/unknown`)).status).toBe(404);
    expect((await fetch(`${url}${path}`, { method: "POST" })).status).toBe(401);
  });
});

test("the log of requests has no secret", async () => {
  const { emulator, url } = await scene("telnyx", []);
  const { apiKey } = emulator.credentials;
  const token = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdEfGhIjKlMnOpQrStUvWxYz";
  const body = { stream_url: `wss://service.example.com/stream/${token}`, stream_auth_token: "s3cret", to: PERSON };
  await fetch(`${url}/v2/calls`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await fetch(`${url}/v2/phone_numbers?page[size]=100&token=s3cret`);
  const log = JSON.stringify(emulator.requests);
  for (const secret of [token, "s3cret", apiKey ?? ""]) expect(log).not.toContain(secret);
  expect(emulator.requests[0]?.body).toEqual({
    stream_url: "wss://service.example.com/stream/(redacted)",
    stream_auth_token: "(redacted)",
    to: PERSON,
  });
  expect(emulator.requests[1]?.query).toEqual({ "page[size]": "100", token: "(redacted)" });
});

test("ids of carriers stay in the log, within lists and objects too", () => {
  const id = `CA${"0a".repeat(16)}`;
  expect(withoutSecrets(`/2010-04-01/Accounts/AC${"1".repeat(32)}/Calls/${id}.json`)).toContain(id);
  expect(redactedBody({ a: [{ password: "x", id }] })).toEqual({ a: [{ password: "(redacted)", id }] });
});
