import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ApiUnderTest, apiUnderTest, errorOf } from "../../support/api/harness.ts";
import { inEveryStatus } from "../../support/calls/stored-calls.ts";

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
  api.state.nodeIsAway = true;
});
afterEach(() => api.close());

describe("a call on another node that does not answer", () => {
  test.each([
    "end",
    "hold",
    "resume",
    "recording/pause",
    "recording/resume",
    "listen",
  ])("POST /calls/{id}/%s is 504 and names the node", async (what) => {
    const { active } = await inEveryStatus(api.stores, api.accountId, api.clock);
    const answer = await api.post({}, {}, `/api/v1/calls/${active.id}/${what}`);
    expect([answer.status, errorOf(answer).code]).toEqual([504, "node_unreachable"]);
    expect(errorOf(answer).message).toContain("node b");
  });

  test("GET /calls/{id}/events is 504, and GET /calls/{id} is not", async () => {
    const { active } = await inEveryStatus(api.stores, api.accountId, api.clock);
    const answer = await api.get(`/api/v1/calls/${active.id}/events`);
    expect([answer.status, errorOf(answer).code]).toEqual([504, "node_unreachable"]);
    expect((await api.get(`/api/v1/calls/${active.id}`)).status).toBe(200);
  });
});
