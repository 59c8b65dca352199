import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { asWorkerId } from "../../../src/core/ids.ts";
import { Capacity } from "../../../src/store/admission/capacity.ts";
import type { NewCall } from "../../../src/store/calls/call-store.ts";
import { type Answer, type ApiUnderTest, apiUnderTest, errorOf, MINIMAL_CALL } from "../../support/api/harness.ts";
import { AGENT } from "../../support/calls/stored-calls.ts";

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

const refusalOf = (answer: Answer) => [answer.status, errorOf(answer).code, answer.headers["retry-after"]];

describe("while there is no free call slot", () => {
  beforeEach(() => {
    api.state.newCalls = { accepted: false, reason: "overloaded" };
    api.state.admit = () => "overloaded";
  });

  test("creating one is 503 with Retry-After, from a saved agent too, and nothing is stored", async () => {
    const { id } = await api.stores.agents.create(api.accountId, { ...AGENT, voiceId: "fake/en-us" });
    for (const answer of [await api.post(MINIMAL_CALL), await api.post({}, {}, `/api/v1/agents/${id}/calls`)]) {
      expect(refusalOf(answer)).toEqual([503, "overloaded", "5"]);
    }
    expect((await api.get("/api/v1/calls")).body).toMatchObject({ data: [] });
  });

  test("/readyz says so, and nothing else is affected", async () => {
    expect(refusalOf(await api.get("/readyz"))).toEqual([503, "overloaded", "5"]);
    for (const path of ["/healthz", "/api/v1/calls", "/api/v1/agents", "/api/v1/voices"]) {
      expect((await api.get(path)).status).toBe(200);
    }
  });

  test("an invalid request is still 400", async () => {
    expect((await api.post({})).status).toBe(400);
  });

  test("a repeated request gets its first response, and the Idempotency-Key of a refused one can be used again", async () => {
    const [before, never] = [{ "idempotency-key": "before" }, { "idempotency-key": "never" }];
    api.state.admit = () => undefined;
    const first = await api.post(MINIMAL_CALL, before);
    api.state.admit = () => "overloaded";
    expect((await api.post(MINIMAL_CALL, before)).body).toEqual(first.body);
    expect(refusalOf(await api.post(MINIMAL_CALL, never))).toEqual([503, "overloaded", "5"]);
    api.state.admit = () => undefined;
    const late = await api.post({ ...MINIMAL_CALL, temperature: 1 }, never);
    expect([late.status, late.headers["idempotent-replayed"]]).toEqual([201, undefined]);
  });
});

test("the store receives the API key of the request", async () => {
  const created: Pick<NewCall, "apiKeyId">[] = [];
  api.state.admit = (call) => {
    created.push(call);
    return undefined;
  };
  await api.post(MINIMAL_CALL);
  const [key] = await api.stores.apiKeys.listAll();
  expect(created.map(({ apiKeyId }) => apiKeyId)).toEqual([key?.id]);
  expect(await api.stores.calls.listWaiting()).toMatchObject([{ apiKeyId: key?.id }]);
});

test("T13: a flood of creations by one API key gets 429 with Retry-After, and another API key's calls are all created", async () => {
  const callsPerApiKey = 40;
  const places = new Capacity({ clock: api.clock, callsPerApiKey });
  places.workerConnected(asWorkerId("worker"), [], { callCount: 0, callsMax: 1_000, loopLagMs: 0, acceptsCalls: true });
  api.state.admit = ({ tokenHash, apiKeyId }) => places.reserve(tokenHash, { apiKeyId });
  const [ours, flooded] = [api.key, (await api.stores.apiKeys.create({ accountId: api.accountId, name: "flood" })).key];
  const create = async (key: string) => await api.post(MINIMAL_CALL, { "x-api-key": key });
  /** Our creation amid ten of another API key, all of which must get the status `expected`. */
  const beside = async (expected: number): Promise<void> => {
    const others = Array.from({ length: 10 }, () => create(flooded));
    expect((await create(ours)).status).toBe(201);
    for (const answer of await Promise.all(others)) expect(answer.status).toBe(expected);
  };
  for (let round = 0; round < callsPerApiKey / 10; round += 1) await beside(201);
  const stored = (await api.stores.calls.listWaiting()).length;
  for (let round = 0; round < 20; round += 1) await beside(429);
  expect(refusalOf(await create(flooded))).toEqual([429, "rate_limited", "5"]);
  // Refused requests cause no write: only our twenty calls were added.
  expect((await api.stores.calls.listWaiting()).length - stored).toBe(20);
});

describe("ADV-H3: while the calls of an account have reached a spend limit", () => {
  beforeEach(() => {
    api.state.accountOver = "input_tokens";
  });

  test("creating one is 429 spend_limit with Retry-After and the limit's name, from a saved agent too", async () => {
    const { id } = await api.stores.agents.create(api.accountId, { ...AGENT, voiceId: "fake/en-us" });
    for (const answer of [await api.post(MINIMAL_CALL), await api.post({}, {}, `/api/v1/agents/${id}/calls`)]) {
      expect(refusalOf(answer)).toEqual([429, "spend_limit", "5"]);
      expect(errorOf(answer).message).toContain("input_tokens");
    }
    expect((await api.get("/api/v1/calls")).body).toMatchObject({ data: [] });
  });

  test("a repeated request gets its first response", async () => {
    api.state.accountOver = undefined;
    const first = await api.post(MINIMAL_CALL, { "idempotency-key": "before" });
    api.state.accountOver = "input_tokens";
    expect((await api.post(MINIMAL_CALL, { "idempotency-key": "before" })).body).toEqual(first.body);
  });
});
