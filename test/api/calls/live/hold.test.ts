import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LiveOutcome, LiveRequest } from "../../../../src/core/calls/live-requests.ts";
import { epochMs } from "../../../../src/core/clocks.ts";
import { asCallId, type CallId, type WorkerId } from "../../../../src/core/ids.ts";
import { type Answer, type ApiUnderTest, apiUnderTest, errorOf, pathsOf } from "../../../support/api/harness.ts";
import { inEveryStatus } from "../../../support/calls/stored-calls.ts";

let api: ApiUnderTest;
let asked: [WorkerId, CallId, LiveRequest][];
let outcome: LiveOutcome | undefined;
beforeEach(async () => {
  asked = [];
  outcome = "done";
  api = await apiUnderTest(undefined, {
    requestLive: async (...request) => {
      asked.push(request);
      return outcome;
    },
  });
});
afterEach(() => api.close());

const ask = (id: string, to: string, body: object | undefined = undefined): Promise<Answer> =>
  api.post(body ?? "", body === undefined ? { "content-length": "0" } : {}, `/api/v1/calls/${id}/${to}`);
const activeCall = async (): Promise<CallId> => (await inEveryStatus(api.stores, api.accountId, api.clock)).active.id;

describe("POST /calls/{id}/recording/pause and /resume", () => {
  test("ask the call's worker, and answer with the record", async () => {
    const id = await activeCall();
    expect(await ask(id, "recording/pause")).toMatchObject({ status: 200, body: { id } });
    expect(await ask(id, "recording/resume", {})).toMatchObject({ status: 200, body: { id } });
    expect(asked.map(([, , request]) => request)).toEqual([{ kind: "pause-recording" }, { kind: "resume-recording" }]);
  });

  test.each<[LiveOutcome, string, string]>([
    ["not_live", "conflict", "from the start of its media stream to its end"],
    ["not_recorded", "conflict", "there is no recording to pause"],
    ["recording_paused", "recording_paused", "POST /calls/{id}/recording/resume resumes it"],
    ["recording_not_paused", "recording_not_paused", "POST /calls/{id}/recording/pause pauses it"],
  ])("answer a call that is %s with 409 %s, and say what would be right", async (refusal, code, sentence) => {
    outcome = refusal;
    const to = refusal === "recording_not_paused" ? "recording/resume" : "recording/pause";
    const answer = await ask(await activeCall(), to, {});
    expect([answer.status, errorOf(answer).code]).toEqual([409, code]);
    expect(errorOf(answer).message).toContain(sentence);
  });

  test("refuse fields by name, and say when the worker does not answer", async () => {
    const id = await activeCall();
    expect(pathsOf(await ask(id, "recording/pause", { maxDuration: 20 }))).toEqual(["/maxDuration"]);
    outcome = undefined;
    expect((await ask(id, "recording/pause", {})).status).toBe(503);
  });
});

describe("POST /calls/{id}/hold and /resume", () => {
  test("ask the call's worker, and answer with the record", async () => {
    const id = await activeCall();
    const held = await ask(id, "hold", { maxDuration: 20 });
    expect([held.status, held.body]).toMatchObject([200, { id, status: "active" }]);
    expect((await ask(id, "resume", {})).status).toBe(200);
    expect(asked).toEqual([
      ["worker-1", id, { kind: "hold", msMax: 20_000 }],
      ["worker-1", id, { kind: "resume" }],
    ]);
  });

  test("hold a call for 300 s at most where the request has no other time", async () => {
    const id = await activeCall();
    await ask(id, "hold", {});
    expect(asked.map(([, , request]) => request)).toEqual([{ kind: "hold", msMax: 300_000 }]);
  });

  test.each([0, 601, 1.5, "60", null])("refuse a maxDuration of %s", async (maxDuration) => {
    const answer = await ask(await activeCall(), "hold", { maxDuration });
    expect([answer.status, pathsOf(answer), asked]).toEqual([400, ["/maxDuration"], []]);
  });

  test.each<[LiveOutcome, string, string]>([
    ["not_live", "conflict", "from the start of its media stream to its end"],
    ["ending", "conflict", "the agent says goodbye"],
    ["transferring", "conflict", "wait until the caller is back"],
    ["on_hold", "already_on_hold", "POST /calls/{id}/resume ends the hold"],
    ["not_on_hold", "not_on_hold", "POST /calls/{id}/hold begins one"],
  ])("answer a call that is %s with 409 %s, and say what would be right", async (refusal, code, sentence) => {
    outcome = refusal;
    const answer = await ask(await activeCall(), refusal === "not_on_hold" ? "resume" : "hold", {});
    expect([answer.status, errorOf(answer).code]).toEqual([409, code]);
    expect(errorOf(answer).message).toContain(sentence);
  });

  test("are followed by the record, alone and in lists, with the time since which the caller is on hold", async () => {
    const id = await activeCall();
    const item = (): Promise<Answer> => api.get(`/api/v1/calls/${id}`);
    expect((await item()).body).toMatchObject({ heldSince: null });
    api.state.heldSinceMs = epochMs(Date.UTC(2026, 10, 21, 8));
    const heldSince = "2026-11-21T08:00:00.000Z";
    expect((await ask(id, "hold", {})).body).toMatchObject({ id, heldSince });
    expect((await item()).body).toMatchObject({ id, heldSince });
    const { body } = await api.get("/api/v1/calls");
    const calls = (body as { data: { status: string; heldSince: string | null }[] }).data;
    // What was reported of a call that is over is not shown any more.
    for (const call of calls) expect(call.heldSince).toBe(call.status === "active" ? heldSince : null);
    expect(calls.length).toBeGreaterThan(1);
  });

  test("refuse a call that is not active, without a worker", async () => {
    const { active: _, ...others } = await inEveryStatus(api.stores, api.accountId, api.clock);
    for (const { id } of Object.values(others)) {
      const answer = await ask(id, "hold", {});
      expect([answer.status, errorOf(answer).code]).toEqual([409, "conflict"]);
    }
    expect(asked).toEqual([]);
  });

  test("answer 404 for an unknown call, and 503 where the worker does not answer", async () => {
    expect((await ask(asCallId("call_01980000-0000-7000-8000-000000000009"), "hold", {})).status).toBe(404);
    outcome = undefined;
    const answer = await ask(await activeCall(), "resume", {});
    expect([answer.status, errorOf(answer).code]).toEqual([503, "unavailable"]);
  });
});
