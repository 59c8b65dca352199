import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { type Answer, type ApiUnderTest, apiUnderTest, errorOf, pathsOf } from "../../support/api/harness.ts";
import { redeemedBy } from "../../support/tokens.ts";

const AGENTS = "/api/v1/agents";
const AGENT = {
  name: "Front desk",
  basePrompt: "first",
  languageId: "en-US",
  voiceId: "fake/en-us",
  callSettings: { temperature: 0.5, maxDuration: 600, greeting: "Hello." },
};

let api: ApiUnderTest;
let agentId: string;
beforeEach(async () => {
  api = await apiUnderTest();
  agentId = ((await api.post(AGENT, {}, AGENTS)).body as { id: string }).id;
});
afterEach(() => api.close());

const change = async (body: object): Promise<void> => {
  expect((await api.patch(body, {}, `${AGENTS}/${agentId}`)).status).toBe(200);
};
const call = (body: unknown = {}, pin = ""): Promise<Answer> => api.post(body, {}, `${AGENTS}/${agentId}${pin}/calls`);

/** The specification that the gateway receives for a response's URL. */
async function specOf(answer: Answer): Promise<CallSpec | undefined> {
  expect(answer.status).toBe(201);
  const token = (answer.body as { websocketUrl: string }).websocketUrl.split("/").at(-1) ?? "";
  return (await api.stores.redemptions.redeem(hashSecret(token), redeemedBy("worker-1")))?.spec;
}
const promptOf = async (answer: Answer) => (await specOf(answer))?.systemPrompt;

describe("a call from a version of an agent", () => {
  beforeEach(async () => {
    await change({ basePrompt: "second" });
    await change({ basePrompt: "third", autoPublish: false });
  });

  test("has the live version, the version in the path, the one in the body, or the draft", async () => {
    expect(await promptOf(await call())).toBe("second");
    expect(await promptOf(await call({}, "@1"))).toBe("first");
    expect(await promptOf(await call({ version: 1 }))).toBe("first");
    expect(await promptOf(await call({ version: 3 }))).toBe("third");
    expect(await promptOf(await call({ version: "draft" }))).toBe("third");
    const { id } = (await call({ version: "draft" })).body as { id: string };
    expect((await api.get(`/api/v1/calls/${id}`)).body).toMatchObject({ agentId, agentVersion: 3 });
    // The filter of the list of calls takes the agent's id, whatever the version.
    expect((await api.get(`/api/v1/calls?agentId=${agentId}`)).body).toMatchObject({ data: { length: 6 } });
  });

  test.each(["@4", "@0", "@", "@x", "@1.5", "@1@1", "@draft"])("%s is 404", async (pin) => {
    expect((await call({}, pin)).status).toBe(404);
  });

  test.each([0, -1, 1.5, "1", "live", null, 2_147_483_648])("version %j in the body is 400", async (version) => {
    const answer = await call({ version });
    expect([answer.status, pathsOf(answer)]).toEqual([400, ["/version"]]);
    expect(errorOf(answer).message).toMatch(/^version must be ("draft" or the number of a version|a whole number)/);
  });

  test("an unknown version is 404, one in both places 400, and a draft that there is not 409", async () => {
    expect((await call({ version: 4 })).status).toBe(404);
    expect(pathsOf(await call({ version: 1 }, "@1"))).toEqual(["/version"]);
    await api.post({}, {}, `${AGENTS}/${agentId}/publish`);
    const answer = await call({ version: "draft" });
    expect([answer.status, errorOf(answer).message]).toEqual([409, "the agent has no draft"]);
  });
});

describe("overrides of a call", () => {
  test("replace settings that the agent lists, and nothing else", async () => {
    await change({ allowedOverrides: ["greeting", "maxDuration", "voice", "language", "model"] });
    const overrides = { greeting: "Hi {{you}}.", maxDuration: 60, voice: "Basil", model: "model_c" };
    expect(await specOf(await call({ overrides }))).toMatchObject({
      greeting: "Hi {{you}}.",
      maxDurationMs: 60_000,
      voiceId: "fake/en-gb",
      language: "en-US",
      model: "model_c",
      temperature: 0.5,
    });
    const answer = await call({ overrides: { temperature: 1, recordingEnabled: false, maxDuration: 60 } });
    expect([answer.status, pathsOf(answer)]).toEqual([400, ["/overrides/recordingEnabled", "/overrides/temperature"]]);
  });

  test("are of that version: an agent that lists none allows none", async () => {
    const answer = await call({ overrides: { greeting: "Hi." } });
    expect(errorOf(answer).message).toBe("overrides.greeting is not one of the agent's `allowedOverrides`");
    expect((await call({ overrides: {} })).status).toBe(201);
  });

  test("are checked as in POST /calls, by name and with all other problems", async () => {
    await change({ allowedOverrides: ["greeting", "maxDuration", "voice", "language"] });
    const answer = await call({ overrides: { systemPrompt: "x", maxDuration: 5, greeting: 1 }, metadata: [] });
    expect(pathsOf(answer)).toEqual([
      "/metadata",
      "/overrides/greeting",
      "/overrides/maxDuration",
      "/overrides/systemPrompt",
    ]);
    for (const [overrides, code, path] of [
      [{ voice: "unheard of" }, "unknown_voice", "/overrides/voice"],
      [{ language: "xx" }, "unknown_language", "/overrides/language"],
      [{ language: "de" }, "invalid_request", "/overrides/voice"],
      [{ voice: "fake/de-1" }, "invalid_request", "/overrides/voice"],
    ] as const) {
      const refused = await call({ overrides });
      expect([refused.status, errorOf(refused).code, pathsOf(refused)]).toEqual([400, code, [path]]);
    }
    expect((await call({ overrides: { voice: "fake/de-1", language: "DE" } })).status).toBe(201);
  });

  test("a name that is no setting cannot be allowed", async () => {
    for (const allowedOverrides of [["systemPrompt"], ["metadata"], ["__proto__"], "greeting", [1]]) {
      const answer = await api.patch({ allowedOverrides }, {}, `${AGENTS}/${agentId}`);
      expect(answer.status).toBe(400);
      expect(pathsOf(answer)[0]).toMatch(/^\/allowedOverrides/);
    }
  });
});
