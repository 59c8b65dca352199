import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ANALYSIS_PROMPT_CHARS_MAX } from "../../../src/core/limits/calls/analysis.ts";
import { REDACTION_KINDS } from "../../../src/core/redaction/kinds.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { type Answer, type ApiUnderTest, apiUnderTest, MINIMAL_CALL, pathsOf } from "../../support/api/harness.ts";
import { redeemedBy } from "../../support/tokens.ts";

const AGENTS = "/api/v1/agents";
const AGENT = {
  ...{ name: "Bakery", basePrompt: "You call {{customer}}.", voiceId: "fake/en-us", languageId: "en-US" },
  variables: [{ name: "customer", type: "string" }],
};
const SCHEMA = { type: "object", properties: { topic: { type: "string" } }, required: ["topic"] };

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

const idOf = (answer: Answer): string => (answer.body as { id: string }).id;
const recordOf = async (answer: Answer): Promise<Record<string, unknown>> =>
  (await api.get(`/api/v1/calls/${idOf(answer)}`)).body as Record<string, unknown>;
async function specOf(answer: Answer) {
  const token = (answer.body as { websocketUrl: string }).websocketUrl.split("/").at(-1) ?? "";
  return (await api.stores.redemptions.redeem(hashSecret(token), redeemedBy("worker-1")))?.spec;
}

describe("redact", () => {
  test("is in the record, once each, and reaches the worker", async () => {
    const answer = await api.post({ ...MINIMAL_CALL, redact: ["email", "card_number", "email"] });
    expect(await recordOf(answer)).toMatchObject({
      configuration: { redact: ["email", "card_number"] },
      redaction: null,
    });
    expect((await specOf(answer))?.redact).toEqual(["email", "card_number"]);
  });

  test("of variables gives the worker their values, and no record shows these", async () => {
    const agent = await api.post({ ...AGENT, callSettings: { redact: ["variables"] } }, {}, AGENTS);
    const answer = await api.post({ variables: { customer: "Maria Canary" } }, {}, `${AGENTS}/${idOf(agent)}/calls`);
    const { variables: _, ...record } = await recordOf(answer);
    expect(JSON.stringify(record)).not.toContain("Canary");
    expect((await specOf(answer))?.redactedValues).toEqual(["Maria Canary"]);
  });

  test.each<[unknown, string[]]>([
    [["pii"], ["/redact/0"]],
    ["card_number", ["/redact"]],
    [Array(REDACTION_KINDS.length + 1).fill("email"), ["/redact"]],
    [[["email"]], ["/redact/0"]],
    [{ constructor: 1 }, ["/redact"]],
  ])("must be a list of kinds, not %j", async (redact, paths) => {
    const answer = await api.post({ ...MINIMAL_CALL, redact });
    expect([answer.status, pathsOf(answer)]).toEqual([400, paths]);
  });
});

describe("analysis", () => {
  test("is in the record, and no worker gets it", async () => {
    const analysis = { schema: SCHEMA, prompt: "Pay attention.", summary: true };
    const answer = await api.post({ ...MINIMAL_CALL, analysis });
    expect(await recordOf(answer)).toMatchObject({ configuration: { analysis }, analysis: null });
    expect(await specOf(answer)).not.toHaveProperty("analysis");
  });

  test("of an agent holds for its calls, and a call may replace it where the agent allows that", async () => {
    const given = { ...AGENT, callSettings: { analysis: { summary: true } }, allowedOverrides: ["analysis"] };
    const agent = await api.post({ ...given, variables: [], basePrompt: "You bake." }, {}, AGENTS);
    const path = `${AGENTS}/${idOf(agent)}/calls`;
    expect(await recordOf(await api.post({}, {}, path))).toMatchObject({
      configuration: { analysis: { summary: true } },
    });
    const other = await api.post({ overrides: { analysis: { schema: SCHEMA } } }, {}, path);
    expect(await recordOf(other)).toMatchObject({ configuration: { analysis: { schema: SCHEMA } } });
  });

  test.each<[string, unknown, string]>([
    ["no object", [], "/analysis"],
    ["an unknown field", { summary: true, model: "x" }, "/analysis/model"],
    ["neither a schema nor a summary", { summary: false }, "/analysis"],
    ["a schema of another type", { schema: { type: "array" } }, "/analysis/schema"],
    [
      "a schema that cannot be compiled",
      { schema: { type: "object", properties: { a: { type: 7 } } } },
      "/analysis/schema",
    ],
    ["a long prompt", { prompt: "x".repeat(ANALYSIS_PROMPT_CHARS_MAX + 1) }, "/analysis/prompt"],
  ])("with %s is refused by name", async (_, analysis, path) => {
    const answer = await api.post({ ...MINIMAL_CALL, analysis });
    expect([answer.status, pathsOf(answer)]).toEqual([400, [path]]);
  });
});

test("neither is possible without words, and all errors are reported together", async () => {
  const wrong = { transcriptEnabled: false, redact: ["email"], analysis: { schema: { type: "array" } } };
  const answer = await api.post({ ...MINIMAL_CALL, ...wrong });
  expect([answer.status, pathsOf(answer)]).toEqual([400, ["/analysis", "/analysis/schema", "/redact"]]);
  const agent = await api.post({ ...AGENT, callSettings: wrong }, {}, AGENTS);
  expect(pathsOf(agent)).toEqual(["/callSettings/analysis", "/callSettings/analysis/schema", "/callSettings/redact"]);
});
