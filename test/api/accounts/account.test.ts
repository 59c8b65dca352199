import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AccountSettingsChanges } from "../../../src/core/accounts/account-settings.ts";
import { API_KEY_CACHE_MS } from "../../../src/core/limits/accounts/api-keys.ts";
import { KEEP_ALL } from "../../../src/core/retention.ts";
import { type Answer, type ApiUnderTest, apiUnderTest, errorOf, MINIMAL_CALL } from "../../support/api/harness.ts";
import { readExposition, sampleOf } from "../../support/metrics/exposition.ts";

const ACCOUNT = "/api/v1/account";

let api: ApiUnderTest;
beforeEach(async () => {
  const days = { ...KEEP_ALL, recording: 30 };
  api = await apiUnderTest(undefined, { retentionRules: { days, accounts: new Map() } });
});
afterEach(() => api.close());

const patch = (body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  api.patch(body, headers, ACCOUNT);
const messages = (answer: Answer): string[] => errorOf(answer).details.map(({ message }) => message);

/** As `npm run accounts -- update` does, in another process: this one follows when its look-up of the API key is too old. */
async function operatorSets(changes: AccountSettingsChanges): Promise<void> {
  await api.stores.accounts.update(api.accountId, changes);
  api.clock.advance(API_KEY_CACHE_MS + 1);
}

test("an account shows its limits and what is available to it, and null where that is as the service has it", async () => {
  const none = { recordingDays: null, transcriptDays: null, recordDays: null };
  const before = await api.get(ACCOUNT);
  expect(before.body).toMatchObject({
    id: api.accountId,
    name: "first",
    limits: { concurrentCalls: null, creationsPerMinute: null, concurrentTranscriptions: null },
    retention: none,
    providers: { stt: null, llm: null, tts: null },
    voices: null,
    languages: null,
  });
  expect(before.headers.etag).toBe('"1"');
  await operatorSets({ limits: { concurrentCalls: 20 }, providers: { llm: ["openai"] } });
  expect((await api.get(ACCOUNT)).body).toMatchObject({
    limits: { concurrentCalls: 20, creationsPerMinute: null, concurrentTranscriptions: null },
    providers: { stt: null, llm: ["openai"], tts: null },
  });
});

describe("PATCH /account", () => {
  test("changes retention, voices and languages, each by itself, and the next request follows", async () => {
    const first = await patch({ retention: { recordingDays: 7 }, languages: ["de"] });
    expect([first.status, first.headers.etag]).toEqual([200, '"2"']);
    const second = await patch({ retention: { transcriptDays: 3 }, voices: ["fake/de-1"] });
    expect(second.body).toMatchObject({
      retention: { recordingDays: 7, transcriptDays: 3, recordDays: null },
      voices: ["fake/de-1"],
      languages: ["de"],
    });
    const { data } = (await api.get("/api/v1/voices")).body as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(["fake/de-1"]);
    const restored = await patch({
      voices: null,
      languages: null,
      retention: { recordingDays: null, transcriptDays: null },
    });
    expect(restored.body).toMatchObject({ voices: null, languages: null, retention: { recordingDays: null } });
  });

  test("a stale If-Match is 412 and changes nothing; the current one, and `*`, change", async () => {
    expect((await patch({ languages: ["en"] }, { "if-match": '"1"' })).status).toBe(200);
    const stale = await patch({ languages: ["de"] }, { "if-match": '"1"' });
    expect([stale.status, errorOf(stale).code]).toEqual([412, "precondition_failed"]);
    expect((await api.get(ACCOUNT)).body).toMatchObject({ languages: ["en"] });
    expect((await patch({ languages: ["de"] }, { "if-match": '"1", "2"' })).status).toBe(200);
    expect((await patch({ languages: null }, { "if-match": "*" })).status).toBe(200);
  });

  test("A6: what the operator decides is refused by name, together with everything else that is wrong", async () => {
    const answer = await patch({
      name: "other",
      limits: { concurrentCalls: 1_000 },
      providers: { llm: null },
      id: "account_x",
      retention: { recordingDays: 31, recordDays: 0 },
      voices: ["fake/en-us", "fake/unknown"],
      languages: ["fr"],
    });
    expect(answer.status).toBe(400);
    expect(
      errorOf(answer)
        .details.map(({ path }) => path)
        .sort(),
    ).toEqual([
      "/id",
      "/languages/0",
      "/limits",
      "/name",
      "/providers",
      "/retention/recordDays",
      "/retention/recordingDays",
      "/voices/1",
    ]);
    expect(messages(answer).join("\n")).toContain("npm run accounts");
    expect(messages(answer).join("\n")).toContain("at most 30, after which the service deletes it");
    expect((await api.get(ACCOUNT)).headers.etag).toBe('"1"');
  });

  test("an empty list, which would make nothing available, is refused", async () => {
    const answer = await patch({ voices: [], languages: [] });
    expect([answer.status, errorOf(answer).details.map(({ path }) => path)]).toEqual([400, ["/voices", "/languages"]]);
  });
});

describe("what is available to an account", () => {
  test("are the voices and languages of its providers, and other voices are unknown to its calls and agents", async () => {
    await operatorSets({ voices: ["fake/de-1", "fake/en-gb"] });
    const ids = async (list: string) =>
      ((await api.get(`/api/v1/${list}`)).body as { data: { id: string }[] }).data.map(({ id }) => id);
    expect([await ids("voices"), await ids("languages")]).toEqual([
      ["fake/en-gb", "fake/de-1"],
      ["de", "en", "en-GB"],
    ]);
    const call = await api.post(MINIMAL_CALL);
    expect([call.status, errorOf(call).code]).toEqual([400, "unknown_voice"]);
    expect(messages(call)).toEqual([
      'voice must be a voice that this account may use: fake/en-gb, fake/de-1, not "Alice"',
      expect.stringContaining("language must be a language code from GET /languages: de, en"),
    ]);
    const agent = { name: "Desk", basePrompt: "You answer.", languageId: "de", voiceId: "fake/de-2" };
    const saved = await api.post(agent, {}, "/api/v1/agents");
    expect([saved.status, errorOf(saved).code]).toEqual([400, "unknown_voice"]);
    expect((await api.post({ ...agent, voiceId: "fake/de-1" }, {}, "/api/v1/agents")).status).toBe(201);
    expect((await api.post({ ...MINIMAL_CALL, voice: "Basil", language: "en-GB" })).status).toBe(201);
  });

  test("a bare language stands for its regions, and a voice is available when it speaks one of the languages", async () => {
    await operatorSets({ languages: ["en"] });
    expect((await api.post(MINIMAL_CALL)).status).toBe(201);
    const german = await api.post({ ...MINIMAL_CALL, voice: "fake/de-1", language: "de" });
    expect(messages(german)).toEqual([
      'voice must be a voice that this account may use: fake/en-us, fake/en-gb, not "fake/de-1"',
      'language must be a language code from GET /languages: en, or a region of these, not "de"',
    ]);
  });

  test("a language needs an STT provider of the account, and a voice a TTS provider of it", async () => {
    await operatorSets({ providers: { stt: ["deepgram"] } });
    expect((await api.get("/api/v1/languages")).body).toEqual({ data: [], nextCursor: null });
    await operatorSets({ providers: { stt: ["reference"], tts: ["espeak"] } });
    expect((await api.get("/api/v1/voices")).body).toEqual({ data: [], nextCursor: null });
    await operatorSets({ providers: { stt: ["reference"], tts: ["fake"] } });
    expect((await api.post(MINIMAL_CALL)).status).toBe(201);
  });

  test("a model needs an LLM provider of the account, also as the default, in agents and in overrides", async () => {
    await operatorSets({ providers: { llm: ["anthropic"] } });
    for (const body of [MINIMAL_CALL, { ...MINIMAL_CALL, model: "model_a" }]) {
      expect(messages(await api.post(body))).toEqual([
        expect.stringMatching(/^model must be a model whose provider this account may use: model_c, not "model_[ab]"$/),
      ]);
    }
    expect((await api.post({ ...MINIMAL_CALL, model: "model_c" })).status).toBe(201);
    const agent = {
      name: "Desk",
      basePrompt: "You answer.",
      languageId: "en-US",
      voiceId: "fake/en-us",
      allowedOverrides: ["model"],
    };
    expect(errorOf(await api.post(agent, {}, "/api/v1/agents")).details[0]?.path).toBe("/callSettings/model");
    const settings = { callSettings: { model: "model_c" } };
    const { id } = (await api.post({ ...agent, ...settings }, {}, "/api/v1/agents")).body as { id: string };
    const calls = `/api/v1/agents/${id}/calls`;
    expect((await api.post({}, {}, calls)).status).toBe(201);
    const overridden = await api.post({ overrides: { model: "model_b" } }, {}, calls);
    expect(errorOf(overridden).details[0]?.path).toBe("/overrides/model");
    await operatorSets({ providers: { llm: ["openai"] } });
    const withdrawn = await api.post({}, {}, calls);
    expect([withdrawn.status, errorOf(withdrawn).message]).toEqual([
      409,
      expect.stringContaining("/callSettings/model"),
    ]);
    expect((await api.post({ overrides: { model: "model_b" } }, {}, calls)).status).toBe(201);
  });
});

describe("the limits of an account", () => {
  test("T13: past its creations a minute the answer is 429 with the seconds until the next one, and repeated requests are answered", async () => {
    await operatorSets({ limits: { creationsPerMinute: 2 } });
    const named = { "idempotency-key": "order 17" };
    expect((await api.post(MINIMAL_CALL, named)).status).toBe(201);
    expect((await api.post(MINIMAL_CALL)).status).toBe(201);
    const refused = await api.post(MINIMAL_CALL);
    expect([refused.status, errorOf(refused).code, refused.headers["retry-after"]]).toEqual([
      429,
      "rate_limited",
      "30",
    ]);
    expect(errorOf(refused).message).toBe("this account has reached its limit of 2 created calls a minute");
    const metrics = readExposition(await api.metrics.registry.metrics());
    expect(sampleOf(metrics, "trunkline_calls_limited_total", { limit: "account_creations" })).toBe(1);
    expect((await api.post(MINIMAL_CALL, named)).headers["idempotent-replayed"]).toBe("true");
    api.clock.advance(30_000);
    expect((await api.post(MINIMAL_CALL)).status).toBe(201);
  });

  test("T13: past its concurrent calls the answer is 429, which names the account", async () => {
    await operatorSets({ limits: { concurrentCalls: 2 } });
    api.state.admit = ({ callsPerAccount }) => (callsPerAccount === 2 ? "account_calls" : undefined);
    const refused = await api.post(MINIMAL_CALL);
    expect([refused.status, errorOf(refused).code, refused.headers["retry-after"]]).toEqual([429, "rate_limited", "5"]);
    expect(errorOf(refused).message).toBe("this account has reached its limit of concurrent calls, created and active");
  });
});
