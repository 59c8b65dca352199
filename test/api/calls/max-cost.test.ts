import { afterEach, expect, test } from "vitest";
import type { ModelName } from "../../../src/core/calls/spec.ts";
import { type ApiUnderTest, apiUnderTest, errorOf, MINIMAL_CALL } from "../../support/api/harness.ts";
import { AGENT } from "../../support/calls/stored-calls.ts";

const NEW_AGENT = { name: "Bakery", basePrompt: "You are a baker.", voiceId: "fake/en-us", languageId: "en-US" };

let api: ApiUnderTest;
afterEach(() => api.close());

const configurationOf = async (id: string): Promise<unknown> =>
  ((await api.get(`/api/v1/calls/${id}`)).body as { configuration: { maxCost: unknown } }).configuration.maxCost;

test("ADV-H3: maxCost is the call's own, or that of its agent", async () => {
  api = await apiUnderTest();
  const own = (await api.post({ ...MINIMAL_CALL, maxCost: 0.5 })).body as { id: string };
  const agent = (await api.post({ ...NEW_AGENT, callSettings: { maxCost: 2 } }, {}, "/api/v1/agents")).body as {
    id: string;
  };
  const placed = (await api.post({}, {}, `/api/v1/agents/${agent.id}/calls`)).body as { id: string };
  const without = (await api.post(MINIMAL_CALL)).body as { id: string };
  expect(await Promise.all([own, placed, without].map(({ id }) => configurationOf(id)))).toEqual([0.5, 2, null]);
});

test("ADV-H3: maxCost is refused when a price of the LLM or the TTS is missing, since it could not be enforced", async () => {
  const missingPrices = (model: ModelName) => (model === "model_a" ? [] : ["openai.outputTokensMillion"]);
  api = await apiUnderTest(undefined, { missingPrices });
  expect((await api.post({ ...MINIMAL_CALL, model: "model_a", maxCost: 0.5 })).status).toBe(201);
  const call = await api.post({ ...MINIMAL_CALL, maxCost: 0.5 });
  const agent = await api.post({ ...NEW_AGENT, callSettings: { maxCost: 2 } }, {}, "/api/v1/agents");
  expect([call, agent].map((answer) => [answer.status, errorOf(answer).details.map(({ path }) => path)])).toEqual([
    [400, ["/maxCost"]],
    [400, ["/callSettings/maxCost"]],
  ]);
  expect(JSON.stringify(call.body)).toContain("0 where it is free, for openai.outputTokensMillion");
  const { id } = await api.stores.agents.create(api.accountId, {
    ...AGENT,
    voiceId: "fake/en-us",
    callSettings: { maxCost: 2 },
  });
  const placed = await api.post({}, {}, `/api/v1/agents/${id}/calls`);
  expect([placed.status, errorOf(placed).code]).toEqual([409, "conflict"]);
});

test.each([0, -1, "1", null, 1_000_001])("ADV-H3: maxCost must not be %j", async (maxCost) => {
  api = await apiUnderTest();
  const answer = await api.post({ ...MINIMAL_CALL, maxCost });
  expect([answer.status, errorOf(answer).details.map(({ path }) => path)]).toEqual([400, ["/maxCost"]]);
});
