import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { catalogueOf } from "../../../src/api/voices/catalogue.ts";
import { CARRIER_NAMES } from "../../../src/carriers/list.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { ANY_STT } from "../../support/api/any-stt.ts";
import { type ApiUnderTest, apiUnderTest, errorOf, MINIMAL_CALL, pathsOf, VOICES } from "../../support/api/harness.ts";
import { redeemedBy } from "../../support/tokens.ts";

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

interface Created {
  id: string;
  websocketUrl: string;
}

/** Creates a call and redeems its token, as the gateway would. */
async function specOf(body: object) {
  const answer = await api.post(body);
  expect(answer.text).toContain("websocketUrl");
  const token = (answer.body as Created).websocketUrl.split("/").at(-1) ?? "";
  return (await api.stores.redemptions.redeem(hashSecret(token), redeemedBy("worker-1")))?.spec;
}

test("a call is created with 201, its Location, and a single-use URL", async () => {
  const answer = await api.post(MINIMAL_CALL);
  const { id, websocketUrl } = answer.body as Created;
  expect(answer.status).toBe(201);
  expect(answer.headers.location).toBe(`/api/v1/calls/${id}`);
  expect(answer.body).toEqual({
    id: expect.stringMatching(/^call_/),
    websocketUrl: expect.stringMatching(/^wss:\/\/media\.test\/stream\/[A-Za-z0-9_-]{64}$/),
    status: "created",
    connectionType: "carrier_a",
    createdAt: "2026-01-01T00:00:00.000Z",
  });
  const tokenHash = hashSecret(websocketUrl.split("/").at(-1) ?? "");
  expect(await api.stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"))).toMatchObject({
    callId: id,
    accountId: api.accountId,
  });
  expect(await api.stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"))).toBeUndefined();
});

test("T4: the URL is valid for the configured time and no longer", async () => {
  const [early, late] = [await api.post(MINIMAL_CALL), await api.post(MINIMAL_CALL)].map(
    (answer) => (answer.body as Created).websocketUrl.split("/").at(-1) ?? "",
  );
  api.clock.advance(59_999);
  expect(await api.stores.redemptions.redeem(hashSecret(early ?? ""), redeemedBy("worker-1"))).toBeDefined();
  api.clock.advance(1);
  expect(await api.stores.redemptions.redeem(hashSecret(late ?? ""), redeemedBy("worker-1"))).toBeUndefined();
});

describe("the configuration of a call", () => {
  test("has every default of the specification", async () => {
    expect(await specOf(MINIMAL_CALL)).toEqual({
      systemPrompt: "You book tables.",
      voiceId: "fake/en-us",
      language: "en-US",
      languagePinned: false,
      model: "model_b",
      temperature: 0,
      firstSpeaker: "agent",
      interruptible: false,
      maxDurationMs: 3_000_000,
      inactivityTimeoutMs: 30_000,
      inactivityAction: "prompt",
      recordingEnabled: true,
      transcriptEnabled: true,
      connectionType: "carrier_a",
      tools: [],
    });
  });

  test("accepts every field", async () => {
    const body = {
      systemPrompt: "  You book tables.\n",
      voice: "fake/de-2",
      language: "DE",
      languagePinned: true,
      model: "model_c",
      temperature: 0.7,
      greeting: " Guten Abend! ",
      firstSpeaker: "agent",
      interruptible: true,
      maxDuration: 60,
      inactivityTimeout: 300,
      inactivityAction: "hang_up",
      recordingEnabled: false,
      transcriptEnabled: false,
      useParameters: true,
      connectionType: "carrier_a",
      websocket: { codec: "opus", whatever: [1, 2] },
      selectedTools: [{ toolName: "hang_up", parameterOverrides: {} }],
      metadata: { "2": "b", "1": "a", nested: [{ deep: null }], text: "né \u0000\u2028👋" },
    };
    expect(await specOf(body)).toEqual({
      systemPrompt: "  You book tables.\n",
      voiceId: "fake/de-2",
      language: "de",
      languagePinned: true,
      model: "model_c",
      temperature: 0.7,
      greeting: " Guten Abend! ",
      firstSpeaker: "agent",
      interruptible: true,
      maxDurationMs: 60_000,
      inactivityTimeoutMs: 300_000,
      inactivityAction: "hang_up",
      recordingEnabled: false,
      transcriptEnabled: false,
      useParameters: true,
      connectionType: "carrier_a",
      tools: [{ kind: "built_in", name: "hang_up", fixedArguments: {} }],
      metadata: body.metadata,
    });
  });

  test("accepts each bound", async () => {
    for (const body of [
      { temperature: 0, maxDuration: 60, inactivityTimeout: 10 },
      { temperature: 1, maxDuration: 7_200, inactivityTimeout: 300 },
      { temperature: 0.5, maxDuration: 60.0, inactivityTimeout: 1e1 },
    ]) {
      expect((await api.post({ ...MINIMAL_CALL, ...body })).status).toBe(201);
    }
  });

  test("has no greeting when the user speaks first or the greeting is blank", async () => {
    for (const body of [{ firstSpeaker: "user", greeting: "Hello!" }, { greeting: "" }, { greeting: " \n" }]) {
      expect(await specOf({ ...MINIMAL_CALL, ...body })).not.toHaveProperty("greeting");
    }
  });

  test("accepts only one of timeout and action, and the other has its default", async () => {
    expect(await specOf({ ...MINIMAL_CALL, inactivityTimeout: 10 })).toMatchObject({ inactivityAction: "prompt" });
    expect(await specOf({ ...MINIMAL_CALL, inactivityAction: "hang_up" })).toMatchObject({
      inactivityTimeoutMs: 30_000,
    });
  });
});

describe("voice and language", () => {
  test.each([
    ["an unknown voice", { voice: "Zelda" }, "unknown_voice", ["/voice"]],
    ["an unknown language", { language: "xx" }, "unknown_language", ["/language"]],
    ["an empty voice", { voice: "" }, "unknown_voice", ["/voice"]],
    ["both unknown", { voice: "Zelda", language: "xx" }, "unknown_voice", ["/language", "/voice"]],
    ["one unknown beside another problem", { voice: "Zelda", model: "x" }, "invalid_request", ["/model", "/voice"]],
    ["both of the wrong type", { voice: 5, language: null }, "invalid_request", ["/language", "/voice"]],
  ])("%s is 400", async (_what, changes, code, paths) => {
    const answer = await api.post({ ...MINIMAL_CALL, ...changes });
    expect([answer.status, errorOf(answer).code, pathsOf(answer)]).toEqual([400, code, paths]);
  });

  test("a voice that may belong to a provider without a voice list yet is 503, so that the client retries", async () => {
    await api.close();
    api = await apiUnderTest(catalogueOf({ voices: async () => VOICES, unlistedProviders: () => ["cloud"] }, ANY_STT));
    for (const voice of ["cloud/anna", "Anna"]) {
      const answer = await api.post({ ...MINIMAL_CALL, voice });
      expect([answer.status, errorOf(answer).code]).toEqual([503, "unavailable"]);
    }
    const codes = ["fake/unknown", ""].map(async (voice) => errorOf(await api.post({ ...MINIMAL_CALL, voice })).code);
    expect(await Promise.all(codes)).toEqual(["unknown_voice", "unknown_voice"]);
    expect(errorOf(await api.post({ ...MINIMAL_CALL, voice: "Anna", model: "x" })).code).toBe("invalid_request");
    expect((await api.post(MINIMAL_CALL)).status).toBe(201);
  });

  test("a name shared by two voices is refused with their ids", async () => {
    const { code, message } = errorOf(await api.post({ ...MINIMAL_CALL, voice: "Clara" }));
    expect(code).toBe("unknown_voice");
    expect(message).toContain("fake/de-1, fake/de-2");
  });
});

test.each(CARRIER_NAMES)("a %s call ignores a websocket object", async (connectionType) => {
  const plain = await specOf({ ...MINIMAL_CALL, connectionType });
  expect(plain?.connectionType).toBe(connectionType);
  for (const websocket of [{ codec: "opus", inputSampleRate: 48_000, outputSampleRate: 24_000 }, { codec: 7 }, "x"]) {
    expect(await specOf({ ...MINIMAL_CALL, connectionType, websocket })).toEqual(plain);
  }
});

describe("features that are not set up", () => {
  test("WebRTC that is not set up is 501, which says what to install or to set", async () => {
    const answer = await api.post({ ...MINIMAL_CALL, connectionType: "webrtc" });
    expect([answer.status, errorOf(answer).code, pathsOf(answer)]).toEqual([501, "unavailable", ["/connectionType"]]);
    expect(errorOf(answer).message).toBe("connectionType webrtc is not set up in this service: set WEBRTC_UDP_PORTS");
  });

  test("are reported only when everything else is valid", async () => {
    const answer = await api.post({ ...MINIMAL_CALL, connectionType: "webrtc", temperature: 2 });
    expect([answer.status, pathsOf(answer)]).toEqual([400, ["/temperature"]]);
  });
});

describe("while no calls are accepted", () => {
  test.each(["draining", "unavailable"] as const)("%s is 503 with Retry-After", async (reason) => {
    api.state.newCalls = { accepted: false, reason };
    for (const answer of [await api.post(MINIMAL_CALL), await api.get("/readyz")]) {
      expect([answer.status, errorOf(answer).code, answer.headers["retry-after"]]).toEqual([503, reason, "5"]);
    }
    expect((await api.get("/healthz")).status).toBe(200);
  });

  test.each([
    ["ADV-M4", "insufficient_storage", "free disk space is below DISK_FREE_MIN_MB"],
    ["ADV-L7", "database_lost", "the database does not answer, or its file was removed or replaced"],
  ] as const)("%s: %s is 503 with Retry-After and the reason, also on /readyz", async (_id, reason, why) => {
    api.state.newCalls = { accepted: false, reason };
    for (const answer of [await api.post(MINIMAL_CALL), await api.get("/readyz")]) {
      expect([answer.status, errorOf(answer).code, answer.headers["retry-after"]]).toEqual([503, reason, "5"]);
      expect(errorOf(answer).message).toBe(`new calls are not accepted: ${why}`);
    }
    expect((await api.get("/healthz")).status).toBe(200);
  });

  test("ADV-M4: on a nearly full disk no agent is saved either; the other reasons do not apply to agents", async () => {
    const agent = { name: "Ada", basePrompt: "You are Ada.", languageId: "en-US", voiceId: "fake/en-us" };
    for (const [reason, status] of [
      ["insufficient_storage", 503],
      ["overloaded", 201],
    ] as const) {
      api.state.newCalls = { accepted: false, reason };
      expect((await api.post(agent, {}, "/api/v1/agents")).status).toBe(status);
    }
    // The log names the API key, so that the use of a leaked one can be traced.
    expect(JSON.parse(api.logged.at(-1) ?? "{}")).toMatchObject({
      msg: "request completed",
      apiKeyId: expect.stringMatching(/^key_/),
    });
  });

  test("an invalid request is still 400", async () => {
    api.state.newCalls = { accepted: false, reason: "draining" };
    expect((await api.post({})).status).toBe(400);
  });
});
