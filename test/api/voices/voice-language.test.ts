import { afterEach, describe, expect, test } from "vitest";
import { catalogueOf } from "../../../src/api/voices/catalogue.ts";
import type { Voice } from "../../../src/speech/contracts.ts";
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

const AGENTS = "/api/v1/agents";
const AGENT = { name: "Desk", basePrompt: "You answer the telephone.", voiceId: "fake/en-us", languageId: "en-US" };

/** Voices of several kinds: of one language, of several, and of unknown languages. */
const MANY: readonly Voice[] = [
  ...VOICES,
  ...["1", "2", "3", "4", "5"].map((name) => ({ id: `other/ja-${name}`, name, language: "ja", provider: "other" })),
  { id: "multi/ada", name: "Ada", language: "en-US", provider: "multi", alsoSpeaks: ["de", "ja"] },
  { id: "own/tom", name: "Tom", language: "en", provider: "own", otherLanguagesUnknown: true },
];

let api: ApiUnderTest;
let offered: readonly Voice[] = MANY;
const start = async (): Promise<void> => {
  offered = MANY;
  api = await apiUnderTest(catalogueOf({ voices: async () => offered }, ANY_STT));
};
afterEach(() => api.close());

const call = (voice: string, language: string): Promise<Answer> => api.post({ ...MINIMAL_CALL, voice, language });
const agent = (changes: object): Promise<Answer> => api.post({ ...AGENT, ...changes }, {}, AGENTS);

describe("a voice that does not speak the language", () => {
  test("is 400 for a call, and the message names voices that do, those of the same provider first", async () => {
    await start();
    const answer = await call("Alice", "de");
    expect([answer.status, errorOf(answer).code, pathsOf(answer)]).toEqual([400, "invalid_request", ["/voice"]]);
    expect(errorOf(answer).message).toBe(
      'voice must be one that speaks de, for example fake/de-1, fake/de-2, multi/ada, not "Alice"',
    );
  });

  test("is reported with at most a few names, and with the way to find the others", async () => {
    await start();
    expect(errorOf(await call("Alice", "ja")).message).toBe(
      'voice must be one that speaks ja, for example other/ja-1, other/ja-2, other/ja-3 or another of GET /voices?language=ja, not "Alice"',
    );
  });

  test("is 400 for an agent, with all its other problems", async () => {
    await start();
    const answer = await agent({ languageId: "de" });
    expect([answer.status, errorOf(answer).code, pathsOf(answer)]).toEqual([400, "invalid_request", ["/voiceId"]]);
    expect(errorOf(answer).message).toContain("fake/de-1");
    expect(pathsOf(await agent({ languageId: "de", name: " " }))).toEqual(["/name", "/voiceId"]);
  });

  test("is 409 for a call from an agent that was saved when the voice spoke it", async () => {
    await start();
    const { id } = (await agent({ voiceId: "multi/ada", languageId: "de" })).body as { id: string };
    offered = MANY.map(({ alsoSpeaks: _, ...voice }) => voice);
    const answer = await api.post({}, {}, `${AGENTS}/${id}/calls`);
    expect([answer.status, errorOf(answer).code]).toEqual([409, "conflict"]);
    expect(errorOf(answer).message).toBe(
      'the agent uses what is no longer offered: voice "multi/ada" in de, which fake/de-1, fake/de-2 speak',
    );
  });
});

describe("a voice is accepted", () => {
  test.each([
    ["in another region of its language", "fake/en-gb", "en-US"],
    ["in its language without a region", "fake/en-gb", "en"],
    ["in a region, though it names none", "fake/de-1", "de"],
    ["in a language that it speaks as well", "multi/ada", "ja"],
    ["when its other languages are unknown", "own/tom", "de"],
  ])("%s", async (_what, voice, language) => {
    await start();
    expect((await call(voice, language)).status).toBe(201);
    expect((await agent({ voiceId: voice, languageId: language })).status).toBe(201);
  });
});
