import { existsSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addMs } from "../../../../src/core/clocks.ts";
import { asCallId, type CallId } from "../../../../src/core/ids.ts";
import { hashSecret } from "../../../../src/store/secrets.ts";
import { inboundCall, type PhaseOf } from "../../../../src/telephony/machine/state.ts";
import {
  type Answer,
  type ApiUnderTest,
  apiUnderTest,
  errorOf,
  MINIMAL_CALL,
  pathsOf,
} from "../../../support/api/harness.ts";
import { TURNS } from "../../../support/calls/stored-calls.ts";
import { createCarrier, queuedCall, stepAt } from "../../../support/telephony/stored.ts";
import { redeemedBy } from "../../../support/tokens.ts";

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

async function created(): Promise<{ id: string; tokenHash: string }> {
  const { id, websocketUrl } = (await api.post(MINIMAL_CALL)).body as { id: string; websocketUrl: string };
  return { id, tokenHash: hashSecret(websocketUrl.split("/").at(-1) ?? "") };
}

async function active(): Promise<string> {
  const { id, tokenHash } = await created();
  await api.stores.redemptions.redeem(tokenHash, redeemedBy("worker-7"));
  return id;
}

async function over(status: "ended" | "failed"): Promise<string> {
  const id = asCallId(await active());
  const end = { status, endReason: "provider_error", endedAtMs: api.clock.epochMs(), durationMs: 5_000 } as const;
  await api.stores.calls.finish(id, { ...end, turns: TURNS });
  return id;
}

async function expired(): Promise<string> {
  const { id } = await created();
  api.clock.advance(60_000);
  return id;
}

const get = async (id: string): Promise<unknown> => (await api.get(`/api/v1/calls/${id}`)).body;
const end = (id: string, body: unknown = {}): Promise<Answer> => api.post(body, {}, `/api/v1/calls/${id}/end`);
const remove = (id: string): Promise<Answer> => api.delete(`/api/v1/calls/${id}`);

describe("POST /calls/{id}/end", () => {
  test("ends a created call at once and invalidates its token; repeating it changes nothing", async () => {
    const { id, tokenHash } = await created();
    api.clock.advance(1_000);
    const first = await end(id);
    expect([first.status, first.body]).toEqual([200, await get(id)]);
    expect(first.body).toMatchObject({
      status: "ended",
      endReason: "api_hangup",
      startedAt: null,
      endedAt: "2026-01-01T00:00:01.000Z",
      durationMs: null,
    });
    api.clock.advance(1_000);
    const second = await end(id);
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(await api.stores.redemptions.redeem(tokenHash, redeemedBy("worker-7"))).toBeUndefined();
    expect(api.endRequests).toEqual([]);
  });

  test("requests the end of an active call from its worker each time, and is 202 with the call's current state", async () => {
    const id = await active();
    for (const times of [1, 2]) {
      const answer = await end(id);
      expect([answer.status, answer.body]).toEqual([202, await get(id)]);
      expect(answer.body).toMatchObject({ status: "active", endReason: null });
      expect(api.endRequests).toEqual(Array.from({ length: times }, () => ({ workerId: "worker-7", callId: id })));
    }
  });

  test("is 503 with Retry-After while the worker is not connected", async () => {
    const id = await active();
    api.state.workerIsAway = true;
    const answer = await end(id);
    expect([answer.status, errorOf(answer).code, answer.headers["retry-after"]]).toEqual([503, "unavailable", "5"]);
    expect(await get(id)).toMatchObject({ status: "active" });
  });

  test("does not change an ended call, whatever its end reason", async () => {
    for (const id of [await over("ended"), await over("failed"), await expired()]) {
      const before = await get(id);
      api.clock.advance(1_000);
      const answer = await end(id);
      expect([answer.status, answer.body]).toEqual([200, before]);
    }
    expect(api.endRequests).toEqual([]);
  });

  test("accepts no body and an empty object; anything else is 400", async () => {
    const { id } = await created();
    for (const [body, path] of [
      [{ reason: "x" }, "/reason"],
      [[], ""],
      ["null and void", ""],
    ] as const) {
      const answer = await end(id, body);
      expect(answer.status).toBe(400);
      if (typeof body !== "string") expect(pathsOf(answer)).toEqual([path]);
    }
    expect(await get(id)).toMatchObject({ status: "created" });
    const url = `/api/v1/calls/${id}/end`;
    // Many clients send a content type without a body.
    for (const type of [{}, { "content-type": "application/json" }]) {
      const answer = await api.app.inject({ method: "POST", url, headers: { "x-api-key": api.key, ...type } });
      expect([answer.statusCode, answer.json().status]).toEqual([200, "ended"]);
    }
  });

  test("refuses a query", async () => {
    const { id } = await created();
    const answer = await api.post({}, {}, `/api/v1/calls/${id}/end?force=true`);
    expect([answer.status, pathsOf(answer)]).toEqual([400, ["/force"]]);
  });

  test("works while no new calls are accepted", async () => {
    api.state.newCalls = { accepted: true };
    const { id } = await created();
    api.state.newCalls = { accepted: false, reason: "draining" };
    expect((await end(id)).status).toBe(200);
  });
});

describe("DELETE /calls/{id}", () => {
  test("deletes an ended call: its record, transcript and files", async () => {
    for (const id of [await over("ended"), await over("failed"), await expired(), (await created()).id]) {
      writeFileSync(api.recordingPath(id), "RIFF");
      const answer = await remove(id);
      expect([answer.status, answer.text]).toEqual([204, ""]);
      expect(existsSync(api.recordingPath(id))).toBe(false);
      for (const path of ["", "/transcript", "/recording", "/events"]) {
        expect((await api.get(`/api/v1/calls/${id}${path}`)).status).toBe(404);
      }
      for (const again of [await remove(id), await end(id)]) expect(again.status).toBe(404);
    }
    expect((await api.get("/api/v1/calls")).body).toEqual({ data: [], nextCursor: null });
  });

  test("accepts a content type without a body", async () => {
    const { id } = await created();
    const answer = await api.delete(`/api/v1/calls/${id}`, { "content-type": "application/json" });
    expect(answer.status).toBe(204);
  });

  test("invalidates the token of a created call", async () => {
    const { id, tokenHash } = await created();
    expect((await remove(id)).status).toBe(204);
    expect(await api.stores.redemptions.redeem(tokenHash, redeemedBy("worker-7"))).toBeUndefined();
  });

  test("is 409 for an active call, and changes nothing", async () => {
    const id = await active();
    writeFileSync(api.recordingPath(id), "RIFF");
    const before = await get(id);
    const answer = await remove(id);
    expect([answer.status, errorOf(answer).code, errorOf(answer).message]).toEqual([
      409,
      "conflict",
      "the call is not over: end it first",
    ]);
    expect(await get(id)).toEqual(before);
    expect(existsSync(api.recordingPath(id))).toBe(true);
  });

  test("is 409 for a telephone call that is not over, and changes nothing", async () => {
    const carrier = await createCarrier(api.stores, api.accountId);
    const made = await api.stores.phoneCalls.create(queuedCall(api.accountId, carrier.id, api.clock.epochMs()));
    const id = made.kind === "created" ? made.call.id : "";
    const before = await get(id);
    expect((await remove(id)).status).toBe(409);
    expect(await get(id)).toEqual(before);
  });

  test("is 409 for a telephone call whose caller the carrier still speaks to, and its files stay", async () => {
    const carrier = await createCarrier(api.stores, api.accountId);
    const nowMs = api.clock.epochMs();
    const over = { at: "over", isBridged: false, sinceMs: nowMs, priceAsks: 0 } as const;
    const endedIn = async (phase: PhaseOf<"over">): Promise<CallId> => {
      const state = { ...inboundCall({ takesDocuments: true, ringMsMax: 0 }, "CA1", nowMs), phase };
      const made = await api.stores.phoneCalls.create(queuedCall(api.accountId, carrier.id, nowMs, { state }));
      if (made.kind !== "created") throw new Error(made.kind);
      const end = { status: "ended", endReason: "no_capacity" } as const;
      await api.stores.phoneCalls.step(made.call.id, 1, stepAt(nowMs, { state, end }));
      writeFileSync(api.recordingPath(made.call.id), "RIFF");
      return made.call.id;
    };
    const refused = await endedIn({ ...over, cutMs: addMs(nowMs, 20_000) });
    expect((await remove(refused)).status).toBe(409);
    expect(existsSync(api.recordingPath(refused))).toBe(true);
    expect((await remove(await endedIn(over))).status).toBe(204);
  });

  test("keeps the record when the files cannot be removed, so that the request can be repeated", async () => {
    await api.close();
    let isBroken = true;
    api = await apiUnderTest(undefined, {
      removeFiles: async () => {
        if (isBroken) throw new Error("EIO: /data/journals/call_1");
      },
    });
    const id = await over("ended");
    const failed = await remove(id);
    expect([failed.status, errorOf(failed).code]).toEqual([500, "internal"]);
    expect(failed.text).not.toContain("EIO");
    expect(await get(id)).toMatchObject({ status: "ended" });
    isBroken = false;
    expect((await remove(id)).status).toBe(204);
  });

  test("is 409 for a call that became active after the clock was set back", async () => {
    await api.close();
    let tokenHash = "";
    api = await apiUnderTest(undefined, {
      removeFiles: async () => {
        api.clock.advance(-1);
        await api.stores.redemptions.redeem(tokenHash, redeemedBy("worker-7"));
      },
    });
    const call = await created();
    tokenHash = call.tokenHash;
    api.clock.advance(60_000);
    expect((await remove(call.id)).status).toBe(409);
    expect(await get(call.id)).toMatchObject({ status: "active" });
  });

  test("succeeds for two concurrent requests without an error", async () => {
    const id = await over("ended");
    const statuses = (await Promise.all([remove(id), remove(id), remove(id)])).map((answer) => answer.status);
    expect(statuses).toContain(204);
    for (const status of statuses) expect([204, 404]).toContain(status);
  });
});

test("A2: another account can neither end nor delete a call, and gets the response of one that does not exist", async () => {
  const accountId = await api.stores.accounts.ensure("second");
  const { key } = await api.stores.apiKeys.create({ accountId, name: "other" });
  const unknown = "call_01990000-0000-7000-8000-000000000000";
  for (const id of [(await created()).id, await active(), await over("ended")]) {
    const before = await get(id);
    const asked = (callId: string) => [
      api.post({}, { "x-api-key": key }, `/api/v1/calls/${callId}/end`),
      api.delete(`/api/v1/calls/${callId}`, { "x-api-key": key }),
    ];
    const [theirs, none] = [await Promise.all(asked(id)), await Promise.all(asked(unknown))];
    for (const [index, answer] of theirs.entries()) {
      expect(answer.status).toBe(404);
      expect({ ...errorOf(answer), requestId: "" }).toEqual({ ...errorOf(none[index] as Answer), requestId: "" });
    }
    expect(await get(id)).toEqual(before);
  }
  expect(api.endRequests).toEqual([]);
});

test("the log says who ended and deleted which call", async () => {
  const [{ id: waiting }, held] = [await created(), await active()];
  await end(waiting);
  await end(held);
  await remove(waiting);
  const lines = api.logged.map((line) => JSON.parse(line)).filter(({ callId }) => callId !== undefined);
  for (const [msg, callId] of [
    ["call cancelled", waiting],
    ["call end requested", held],
    ["call deleted", waiting],
  ]) {
    expect(lines).toContainEqual(
      expect.objectContaining({ msg, callId, accountId: api.accountId, requestId: expect.stringMatching(/^req_/) }),
    );
  }
});
