import { afterEach, describe, expect, test } from "vitest";
import { promptOf } from "../../../src/api/agents/call.ts";
import { catalogueOf } from "../../../src/api/voices/catalogue.ts";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import type { AgentDefinition } from "../../../src/store/agent-store.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { ANY_STT } from "../../support/api/any-stt.ts";
import {
  type Answer,
  type ApiUnderTest,
  apiUnderTest,
  errorOf,
  MINIMAL_CALL,
  pathsOf,
  VOICES,
} from "../../support/api/harness.ts";
import { redeemedBy } from "../../support/tokens.ts";

const AGENT: AgentDefinition = {
  name: "Front desk",
  basePrompt: "You answer the telephone.",
  context: "The house opens at six.",
  customInstructions: "Be brief.",
  languageId: "en-US",
  voiceId: "fake/en-us",
  callSettings: {},
  toolIds: [],
  corpusIds: [],
  variables: [],
  allowedOverrides: [],
};
const PROMPT = "You answer the telephone.\n\n# Context\n\nThe house opens at six.\n\n# Instructions\n\nBe brief.";

describe("prompt layers", () => {
  test.each([
    ["all three", {}, PROMPT],
    ["only the base prompt", { context: "", customInstructions: " \n\u200b" }, "You answer the telephone."],
    ["no context", { context: "\t" }, "You answer the telephone.\n\n# Instructions\n\nBe brief."],
    [
      "no instructions",
      { customInstructions: "" },
      "You answer the telephone.\n\n# Context\n\nThe house opens at six.",
    ],
    [
      "text that looks like our own, and white space",
      { basePrompt: "# Context\n", context: " a\r\n\n", customInstructions: "# Instructions" },
      "# Context\n\n\n# Context\n\n a\r\n\n\n\n# Instructions\n\n# Instructions",
    ],
  ])("%s", (_what, changes, prompt) => {
    expect(promptOf({ ...AGENT, ...changes })).toBe(prompt);
  });
});

let api: ApiUnderTest;

interface Created {
  id: string;
  websocketUrl: string;
}

const save = async (changes: Partial<AgentDefinition> = {}): Promise<string> =>
  (await api.stores.agents.create(api.accountId, { ...AGENT, ...changes })).id;
const call = (agentId: string, body?: unknown, headers = {}): Promise<Answer> =>
  api.post(body, headers, `/api/v1/agents/${agentId}/calls`);

/** The specification that the gateway receives for a response's URL. */
async function specOf(answer: Answer): Promise<CallSpec | undefined> {
  expect(answer.status).toBe(201);
  const token = (answer.body as Created).websocketUrl.split("/").at(-1) ?? "";
  return (await api.stores.redemptions.redeem(hashSecret(token), redeemedBy("worker-1")))?.spec;
}

describe("POST /agents/{id}/calls", () => {
  afterEach(() => api.close());

  test("responds like POST /calls, and the record names the agent", async () => {
    api = await apiUnderTest();
    const agentId = await save();
    const answer = await call(agentId, { metadata: { order: 17 } });
    const { id } = answer.body as Created;
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(`/api/v1/calls/${id}`);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^call_/),
      websocketUrl: expect.stringMatching(/^wss:\/\/media\.test\/stream\/[A-Za-z0-9_-]{64}$/),
      status: "created",
      connectionType: "carrier_a",
      createdAt: "2026-01-01T00:00:00.000Z",
    });
    expect((await api.get(`/api/v1/calls/${id}`)).body).toMatchObject({ agentId, metadata: { order: 17 } });
    const inline = (await api.post(MINIMAL_CALL)).body as Created;
    expect((await api.get(`/api/v1/calls/${inline.id}`)).body).toMatchObject({ agentId: null });
  });

  test("creates the same call as POST /calls with the same prompt, voice, language and settings", async () => {
    api = await apiUnderTest();
    const callSettings = {
      model: "model_c",
      temperature: 0.7,
      greeting: "Hello.",
      interruptible: true,
      maxDuration: 60,
      inactivityTimeout: 300,
      inactivityAction: "hang_up",
      recordingEnabled: false,
      transcriptEnabled: false,
      useParameters: true,
      selectedTools: [{ toolName: "hang_up" }],
    };
    const inline = { systemPrompt: PROMPT, voice: "fake/en-us", language: "en-US" };
    for (const settings of [{}, callSettings, { firstSpeaker: "user", greeting: "Never said." }]) {
      const fromAgent = await call(await save({ callSettings: settings }), { metadata: { a: 1 } });
      expect(await specOf(fromAgent)).toEqual(
        await specOf(await api.post({ ...inline, ...settings, metadata: { a: 1 } })),
      );
    }
  });

  test("needs no body", async () => {
    api = await apiUnderTest();
    const url = `/api/v1/agents/${await save()}/calls`;
    const headers = { "x-api-key": api.key };
    expect((await api.app.inject({ method: "POST", url, headers })).statusCode).toBe(201);
    for (const body of ["", {}]) expect((await api.post(body, {}, url)).status).toBe(201);
  });

  test("accepts only what the agent does not define, and reports all problems together", async () => {
    api = await apiUnderTest();
    const agentId = await save();
    const answer = await call(agentId, {
      systemPrompt: "x",
      voice: "Alice",
      temperature: 1,
      connectionType: "websocket",
      websocket: { codec: "mp3", inputSampleRate: 44_100 },
      metadata: [],
    });
    expect([answer.status, errorOf(answer).code]).toEqual([400, "invalid_request"]);
    expect(pathsOf(answer)).toEqual([
      "/metadata",
      "/systemPrompt",
      "/temperature",
      "/voice",
      "/websocket/codec",
      "/websocket/inputSampleRate",
    ]);
    for (const body of ["[]", "5", '"x"', "{"]) expect((await call(agentId, body)).status).toBe(400);
    const url = `/api/v1/agents/${agentId}/calls?dry=1`;
    expect(pathsOf(await api.post({}, {}, url))).toEqual(["/dry"]);
    const invalid = await api.post({ voice: "Alice" }, { "idempotency-key": "" }, url);
    expect(pathsOf(invalid)).toEqual(["/dry", "/idempotency-key", "/voice"]);
  });

  test("the transport webrtc is 501 where it is not set up", async () => {
    api = await apiUnderTest();
    const answer = await call(await save(), { connectionType: "webrtc" });
    expect([answer.status, errorOf(answer).code, pathsOf(answer)]).toEqual([501, "unavailable", ["/connectionType"]]);
  });

  test("an unknown agent is 404, once the request is valid", async () => {
    api = await apiUnderTest();
    const answer = await call("agent_01990000-0000-7000-8000-000000000000", {});
    expect([answer.status, errorOf(answer).message]).toEqual([404, "no such agent"]);
    expect((await call("agent_1", { extra: 1 })).status).toBe(400);
  });

  test("an agent whose voice or language is no longer offered is 409, and both are named", async () => {
    let offered = VOICES;
    api = await apiUnderTest(catalogueOf({ voices: async () => offered }, ANY_STT));
    const agentId = await save();
    expect((await call(agentId, {})).status).toBe(201);
    offered = VOICES.filter(({ language }) => language !== "en-US");
    const answer = await call(agentId, {});
    expect([answer.status, errorOf(answer).code]).toEqual([409, "conflict"]);
    expect(errorOf(answer).message).toBe(
      'the agent uses what is no longer offered: voice "fake/en-us", language "en-US"',
    );
    offered = [...offered, { id: "fake/other", name: "fake/en-us", language: "en-US", provider: "fake" }];
    expect(errorOf(await call(agentId, {})).message).toBe(
      'the agent uses what is no longer offered: voice "fake/en-us"',
    );
  });

  test("while no calls are accepted it is 503 with Retry-After", async () => {
    api = await apiUnderTest();
    const agentId = await save();
    api.state.newCalls = { accepted: false, reason: "draining" };
    const answer = await call(agentId, {});
    expect([answer.status, errorOf(answer).code, answer.headers["retry-after"]]).toEqual([503, "draining", "5"]);
  });

  test("A11: an idempotent request creates one call of its agent, and the same key with another agent is another request", async () => {
    api = await apiUnderTest();
    const [agentId, other] = [await save(), await save({ name: "Night desk" })];
    const named = { "idempotency-key": "order-17" };
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(agentId, { metadata: { a: 1 } }, named)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers["idempotent-replayed"] === "true")).toHaveLength(19);
    for (const mismatch of [
      await call(agentId, { metadata: { a: 2 } }, named),
      await call(other, { metadata: { a: 1 } }, named),
      await api.post({ ...MINIMAL_CALL, metadata: { a: 1 } }, named),
    ]) {
      expect([mismatch.status, errorOf(mismatch).code]).toEqual([409, "idempotency_mismatch"]);
    }
    const wrong = await call(agentId, { connectionType: "x" }, { "idempotency-key": "é" });
    expect(pathsOf(wrong)).toEqual(["/connectionType", "/idempotency-key"]);
  });
});
