import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import {
  AGENT_VARIABLES_MAX,
  CALL_VARIABLES_BYTES_MAX,
  FILLED_TEXT_BYTES_MAX,
  VARIABLE_VALUE_CHARS_MAX,
} from "../../../src/core/limits/agents/agents.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import {
  type Answer,
  type ApiUnderTest,
  apiUnderTest,
  errorOf,
  MINIMAL_CALL,
  pathsOf,
} from "../../support/api/harness.ts";
import { allBytes } from "../../support/temporary-directory.ts";
import { redeemedBy } from "../../support/tokens.ts";

const AGENTS = "/api/v1/agents";
const AGENT = {
  name: "Reminder",
  basePrompt: "You call {{customer}}.",
  context: "There are {{ loaves }} loaves. Paid: {{paid}}. {{customer}} knows.",
  customInstructions: "Say {{word}}.",
  languageId: "en-US",
  voiceId: "fake/en-us",
  callSettings: { greeting: "Hello {{customer}}, {{word}}." },
  variables: [
    { name: "customer", type: "string", description: "Who is called." },
    { name: "loaves", type: "number" },
    { name: "paid", type: "boolean", default: false },
    { name: "word", type: "string", default: "please" },
  ],
};

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

const save = async (changes: object = {}): Promise<string> => {
  const answer = await api.post({ ...AGENT, ...changes }, {}, AGENTS);
  expect(answer.status).toBe(201);
  return (answer.body as { id: string }).id;
};
const create = (changes: object): Promise<Answer> => api.post({ ...AGENT, ...changes }, {}, AGENTS);
const call = (agentId: string, body: unknown): Promise<Answer> => api.post(body, {}, `${AGENTS}/${agentId}/calls`);

async function specOf(answer: Answer): Promise<CallSpec | undefined> {
  expect(answer.status).toBe(201);
  const token = (answer.body as { websocketUrl: string }).websocketUrl.split("/").at(-1) ?? "";
  return (await api.stores.redemptions.redeem(hashSecret(token), redeemedBy("worker-1")))?.spec;
}

describe("variables of an agent", () => {
  test("are returned as they were saved", async () => {
    const agentId = await save();
    expect((await api.get(`${AGENTS}/${agentId}`)).body).toMatchObject({ variables: AGENT.variables });
  });

  test("that a text uses without a declaration are 400, each text with its names", async () => {
    const answer = await create({ variables: [{ name: "word", type: "string" }] });
    expect([answer.status, errorOf(answer).code]).toEqual([400, "invalid_request"]);
    expect(errorOf(answer).details).toEqual([
      { path: "/basePrompt", message: "basePrompt uses {{customer}}, which `variables` does not declare" },
      {
        path: "/context",
        message: "context uses {{loaves}}, {{paid}}, {{customer}}, which `variables` does not declare",
      },
      {
        path: "/callSettings/greeting",
        message: "callSettings.greeting uses {{customer}}, which `variables` does not declare",
      },
    ]);
  });

  test.each([
    "{{}}",
    "{{1st}}",
    "{{a b}}",
    "{customer}",
    "{{7*7}}",
    "{{customer}",
    "{ {customer} }",
    "{{#if x}}",
  ])("%s is only text", async (text) => {
    const agentId = await save({
      basePrompt: `${text} x`,
      context: "",
      customInstructions: "",
      callSettings: {},
      variables: [],
    });
    expect((await specOf(await call(agentId, {})))?.systemPrompt).toBe(`${text} x`);
  });

  test.each([
    ["a name that is none", [{ name: "a-b", type: "string" }], ["/variables/0/name"]],
    ["a long name", [{ name: "a".repeat(65), type: "string" }], ["/variables/0/name"]],
    ["an unknown type", [{ name: "a", type: "text" }], ["/variables/0/type"]],
    ["a default of another type", [{ name: "a", type: "number", default: "1" }], ["/variables/0/default"]],
    ["a default that is null", [{ name: "a", type: "string", default: null }], ["/variables/0/default"]],
    [
      "a long default",
      [{ name: "a", type: "string", default: "x".repeat(VARIABLE_VALUE_CHARS_MAX + 1) }],
      ["/variables/0/default"],
    ],
    ["a long description", [{ name: "a", type: "string", description: "x".repeat(501) }], ["/variables/0/description"]],
    ["an unknown member", [{ name: "a", type: "string", required: true }], ["/variables/0/required"]],
    [
      "a name twice",
      [
        { name: "a", type: "string" },
        { name: "a", type: "number" },
      ],
      ["/variables/1/name"],
    ],
    ["no objects", ["a"], ["/variables/0"]],
    ["no list", { a: "string" }, ["/variables"]],
    [
      "too many",
      Array.from({ length: AGENT_VARIABLES_MAX + 1 }, (_, index) => ({ name: `v${index}`, type: "string" })),
      ["/variables"],
    ],
    [
      "defaults that are too long together",
      Array.from({ length: 9 }, (_, index) => ({ name: `v${index}`, type: "string", default: "x".repeat(2_000) })),
      ["/variables"],
    ],
  ])("with %s are 400", async (_what, variables, paths) => {
    const texts = { basePrompt: "x", context: "", customInstructions: "", callSettings: {} };
    const answer = await create({ ...texts, variables });
    expect([answer.status, pathsOf(answer)]).toEqual([400, paths]);
  });
});

describe("variables of a call", () => {
  test("fill the layers of the prompt and the greeting, and stand in the record with the defaults", async () => {
    const answer = await call(await save(), { variables: { customer: "Mrs Miller", loaves: 2.5 } });
    const spec = await specOf(answer);
    expect(spec?.systemPrompt).toBe(
      "You call Mrs Miller.\n\n# Context\n\nThere are 2.5 loaves. Paid: false. Mrs Miller knows.\n\n# Instructions\n\nSay please.",
    );
    expect(spec?.greeting).toBe("Hello Mrs Miller, please.");
    const variables = { customer: "Mrs Miller", loaves: 2.5, paid: false, word: "please" };
    const { id } = answer.body as { id: string };
    expect((await api.get(`/api/v1/calls/${id}`)).body).toMatchObject({ agentVersion: 1, variables });
    expect((await api.get("/api/v1/calls")).body).toMatchObject({ data: [{ agentVersion: 1, variables }] });
  });

  test("are replaced once: a value that contains a placeholder, or a pattern of replacements, stays as it is", async () => {
    const values = { customer: "{{word}} $& $1 {{customer}}", loaves: 0, word: "{{customer}}" };
    const spec = await specOf(await call(await save(), { variables: values }));
    expect(spec?.greeting).toBe("Hello {{word}} $& $1 {{customer}}, {{customer}}.");
  });

  test("that are missing, undeclared or of another type are 400 with their names, all together", async () => {
    const answer = await call(await save(), {
      variables: { loaves: "two", paid: 1, unknown: "x", constructor: "y" },
      overrides: { temperature: 1 },
      extra: 1,
    });
    expect([answer.status, errorOf(answer).code]).toEqual([400, "invalid_request"]);
    const messages = Object.fromEntries(errorOf(answer).details.map(({ path, message }) => [path, message]));
    expect(messages).toEqual({
      "/extra": 'the body has no field "extra"',
      "/variables/customer": "variables.customer must be a string, but is missing",
      "/variables/loaves": 'variables.loaves must be a number, not "two"',
      "/variables/paid": "variables.paid must be true or false, not 1",
      "/variables/unknown": "variables.unknown is no variable that the agent declares",
      "/variables/constructor": "variables.constructor is no variable that the agent declares",
      "/overrides/temperature": "overrides.temperature is not one of the agent's `allowedOverrides`",
    });
    expect(pathsOf(await call(await save(), undefined))).toEqual(["/variables/customer", "/variables/loaves"]);
  });

  test.each([
    ["no object", "x", ["/variables"]],
    ["a list", ["x"], ["/variables"]],
    ["a value that is null", { customer: null }, ["/variables/customer"]],
    ["a value that is an object", { customer: {} }, ["/variables/customer"]],
    ["a long value", { customer: "x".repeat(VARIABLE_VALUE_CHARS_MAX + 1) }, ["/variables/customer"]],
    ["a lone surrogate", { customer: "\ud800" }, ["/variables/customer"]],
  ])("with %s are 400", async (_what, variables, paths) => {
    const agentId = await save({
      variables: AGENT.variables.map((one) => ({ default: one.type === "number" ? 1 : "x", ...one })),
    });
    const answer = await call(agentId, { variables });
    expect([answer.status, pathsOf(answer)]).toEqual([400, paths]);
  });

  test("are bounded together, and so is what they make of the texts", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `v${index}`);
    const texts = { context: "", customInstructions: "", callSettings: {} };
    const many = await save({
      ...texts,
      basePrompt: "x",
      variables: names.map((name) => ({ name, type: "string" })),
    });
    const long = Object.fromEntries(names.map((name) => [name, "x".repeat(2_000)]));
    const answer = await call(many, { variables: long });
    expect([answer.status, pathsOf(answer)]).toEqual([400, ["/variables"]]);
    expect(errorOf(answer).message).toContain(`${CALL_VARIABLES_BYTES_MAX} bytes`);
    const repeated = await save({
      ...texts,
      basePrompt: "{{v}}".repeat(20_000),
      variables: [{ name: "v", type: "string" }],
    });
    const enormous = await call(repeated, { variables: { v: "x".repeat(2_000) } });
    expect([enormous.status, pathsOf(enormous)]).toEqual([400, ["/variables"]]);
    expect(errorOf(enormous).message).toBe(
      `variables must not make prompt and greeting longer than ${FILLED_TEXT_BYTES_MAX} bytes, not 40000000`,
    );
    expect((await call(repeated, { variables: { v: "xxxxx" } })).status).toBe(201);
    const blank = await save({ ...texts, basePrompt: "{{v}}", variables: [{ name: "v", type: "string" }] });
    const empty = await call(blank, { variables: { v: " " } });
    expect(errorOf(empty).message).toBe("variables must not leave a blank base prompt");
  });

  test("are words: of a call without a transcript they are on no disk and in no record", async () => {
    const agentId = await save({ callSettings: { ...AGENT.callSettings, transcriptEnabled: false } });
    const canary = "canary4711";
    const answer = await call(agentId, { variables: { customer: canary, loaves: 1 } });
    const { id } = answer.body as { id: string };
    expect((await api.get(`/api/v1/calls/${id}`)).body).toMatchObject({ agentVersion: 1, variables: null });
    expect(allBytes(api.directory)).not.toContain(canary);
    expect(api.logged.join("\n")).not.toContain(canary);
  });

  test("are deleted with the transcript", async () => {
    const answer = await call(await save(), { variables: { customer: "Mrs Miller", loaves: 1 } });
    const { id } = answer.body as { id: string };
    await api.post({}, {}, `/api/v1/calls/${id}/end`);
    await api.stores.retention.deleteTranscript(id as Parameters<typeof api.stores.retention.deleteTranscript>[0]);
    expect((await api.get(`/api/v1/calls/${id}`)).body).toMatchObject({ variables: null });
  });
});

describe("POST /calls takes nothing from an agent", () => {
  test.each([
    "agentId",
    "variables",
    "overrides",
  ])("%s is 400, and the message names the route for it", async (field) => {
    const answer = await api.post({ ...MINIMAL_CALL, [field]: "x" });
    expect([answer.status, pathsOf(answer)]).toEqual([400, [`/${field}`]]);
    expect(errorOf(answer).message).toBe(
      `${field} is for calls from a saved agent, which POST /agents/{id}/calls creates`,
    );
  });

  test("{{x}} in an inline prompt and greeting is sent unchanged", async () => {
    const texts = { systemPrompt: "You call {{customer}}.", greeting: "Hello {{customer}}." };
    expect(await specOf(await api.post({ ...MINIMAL_CALL, ...texts }))).toMatchObject(texts);
  });
});
