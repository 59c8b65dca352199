import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { catalogueOf } from "../../../src/api/voices/catalogue.ts";
import { ANY_STT } from "../../support/api/any-stt.ts";
import { type Answer, type ApiUnderTest, apiUnderTest, errorOf, pathsOf, VOICES } from "../../support/api/harness.ts";

const AGENTS = "/api/v1/agents";
const AGENT = {
  name: "Front desk",
  basePrompt: "You answer the telephone.\nYou are kind.\n",
  languageId: "en-US",
  voiceId: "fake/en-us",
  callSettings: { maxDuration: 300, selectedTools: [{ toolName: "hang_up" }] },
};

let api: ApiUnderTest;
let agentId: string;
let offered = VOICES;
beforeEach(async () => {
  offered = VOICES;
  api = await apiUnderTest(catalogueOf({ voices: async () => offered }, ANY_STT));
  agentId = ((await api.post(AGENT, {}, AGENTS)).body as { id: string }).id;
});
afterEach(() => api.close());

const at = (path = ""): string => `${AGENTS}/${agentId}${path}`;
const change = async (body: object): Promise<void> => {
  expect((await api.patch(body, {}, at())).status).toBe(200);
};
const post = (path: string, body: unknown = {}): Promise<Answer> => api.post(body, {}, at(path));

describe("GET /agents/{id}/versions", () => {
  test("lists versions newest first, in pages, with who made them and when, and without their fields", async () => {
    for (let count = 2; count <= 5; count++) {
      api.clock.advance(60_000);
      await change({ context: `change ${count}`, autoPublish: count < 5 });
    }
    const first = (await api.get(at("/versions?limit=2"))).body as { data: object[]; nextCursor: string };
    const createdBy = expect.stringMatching(/^key_/);
    expect(first.data).toEqual([
      { version: 5, state: "draft", createdAt: "2026-01-01T00:04:00.000Z", createdBy, publishedAt: null },
      {
        version: 4,
        state: "live",
        createdAt: "2026-01-01T00:03:00.000Z",
        createdBy,
        publishedAt: "2026-01-01T00:03:00.000Z",
      },
    ]);
    const second = (await api.get(at(`/versions?limit=3&cursor=${first.nextCursor}`))).body;
    expect(second).toMatchObject({ data: [{ version: 3 }, { version: 2 }, { version: 1 }], nextCursor: null });
    expect(pathsOf(await api.get(`${AGENTS}?cursor=${first.nextCursor}`))).toEqual(["/cursor"]);
  });
});

describe("GET /agents/{id}/versions/{version}", () => {
  test("gives the fields as they were saved", async () => {
    await change({ name: "Night desk" });
    expect((await api.get(at("/versions/1"))).body).toMatchObject({ ...AGENT, version: 1, state: "earlier", agentId });
    expect((await api.get(at("/versions/2"))).body).toMatchObject({ name: "Night desk", state: "live" });
  });

  test.each([
    ["3", 404],
    ["2147483647", 404],
    ["2147483648", 400],
    ["0", 400],
    ["-1", 400],
    ["1.5", 400],
    ["x", 400],
    ["1e1", 400],
  ])("%s is %i", async (version, status) => {
    const answer = await api.get(at(`/versions/${version}`));
    expect(answer.status).toBe(status);
    if (status === 400) expect(pathsOf(answer)).toEqual(["/version"]);
    else expect(errorOf(answer).message).toBe("no such version of an agent");
  });
});

describe("GET /agents/{id}/versions/{version}/diff", () => {
  const diff = async (query: string): Promise<unknown> => (await api.get(at(`/versions/${query}`))).body;

  test("compares field by field, and the layers of the prompt by lines", async () => {
    await change({
      basePrompt: "You answer the telephone.\nYou are very kind.\nYou sell bread.",
      callSettings: { maxDuration: 600, greeting: "Hello.", selectedTools: [] },
    });
    expect(await diff("2/diff?against=1")).toEqual({
      agentId,
      version: 2,
      against: 1,
      changes: [
        {
          path: "/basePrompt",
          lines: [
            { change: "same", text: "You answer the telephone.\n" },
            { change: "removed", text: "You are kind.\n" },
            { change: "added", text: "You are very kind.\nYou sell bread." },
          ],
        },
        { path: "/callSettings/greeting", after: "Hello." },
        { path: "/callSettings/maxDuration", before: 300, after: 600 },
        { path: "/callSettings/selectedTools", before: [{ toolName: "hang_up" }], after: [] },
      ],
    });
    expect(await diff("1/diff?against=2")).toMatchObject({
      changes: [{}, { path: "/callSettings/greeting", before: "Hello." }, { before: 600, after: 300 }, {}],
    });
  });

  test("compares with the live version by default, and a version with itself has no changes", async () => {
    await change({ name: "Draft", autoPublish: false });
    expect(await diff("2/diff")).toMatchObject({
      against: 1,
      changes: [{ path: "/name", before: "Front desk", after: "Draft" }],
    });
    expect(await diff("1/diff")).toMatchObject({ against: 1, changes: [] });
  });

  test("an unknown version on either side is 404, and one that is no number 400", async () => {
    expect((await api.get(at("/versions/1/diff?against=9"))).status).toBe(404);
    expect((await api.get(at("/versions/9/diff?against=1"))).status).toBe(404);
    expect(pathsOf(await api.get(at("/versions/1/diff?against=x")))).toEqual(["/against"]);
    expect(pathsOf(await api.get(at("/versions/1/diff?with=1")))).toEqual(["/with"]);
  });
});

describe("POST /agents/{id}/versions/{version}/restore", () => {
  test("makes a new version that equals it, and is live", async () => {
    await change({ name: "Night desk", context: "Open at night." });
    const answer = await post("/versions/1/restore");
    expect(answer.body).toMatchObject({ ...AGENT, context: "", version: 3, draftVersion: null });
    expect(answer.headers.etag).toBe('"3"');
    expect((await api.get(at("/versions/3/diff?against=1"))).body).toMatchObject({ changes: [] });
    expect((await api.get(at("/versions/2"))).body).toMatchObject({ name: "Night desk" });
  });

  test("with autoPublish false makes it the draft; without a body it is live", async () => {
    await change({ name: "Night desk" });
    expect((await post("/versions/1/restore", { autoPublish: false })).body).toMatchObject({
      name: "Night desk",
      version: 2,
      draftVersion: 3,
    });
    expect((await post("/versions/1/restore", "")).body).toMatchObject({ name: "Front desk", version: 4 });
  });

  test("is 409 when its voice is no longer offered", async () => {
    offered = VOICES.slice(1);
    const answer = await post("/versions/1/restore");
    expect([answer.status, errorOf(answer).code]).toEqual([409, "conflict"]);
    expect(errorOf(answer).message).toContain('voice "fake/en-us"');
  });
});

describe("POST /agents/{id}/publish", () => {
  test("makes any version live, back and forth; a draft stays until it is published", async () => {
    await change({ name: "Second" });
    await change({ name: "Third", autoPublish: false });
    api.clock.advance(1_000);
    const first = await post("/publish", { version: 1 });
    expect(first.body).toMatchObject({
      name: "Front desk",
      version: 1,
      draftVersion: 3,
      publishedAt: "2026-01-01T00:00:01.000Z",
    });
    expect(first.headers.etag).toBe('"1-3"');
    expect((await post("/publish", { version: 1 })).body).toEqual(first.body);
    expect((await post("/publish", "")).body).toMatchObject({ name: "Third", version: 3, draftVersion: null });
    expect((await post("/publish", { version: 2 })).body).toMatchObject({ name: "Second", version: 2 });
  });

  test("without a draft and a version it is 409, and an unknown version is 404", async () => {
    const answer = await post("/publish");
    expect([answer.status, errorOf(answer).message]).toEqual([
      409,
      "the agent has no draft: name the version to publish",
    ]);
    expect((await post("/publish", { version: 2 })).status).toBe(404);
    expect(pathsOf(await post("/publish", { version: 0, now: true }))).toEqual(["/now", "/version"]);
  });

  test("is 409 when its voice is no longer offered, and the live version stays", async () => {
    await change({ name: "German", languageId: "de", voiceId: "fake/de-1", autoPublish: false });
    offered = VOICES.slice(0, 2);
    expect((await post("/publish")).status).toBe(409);
    expect((await api.get(at())).body).toMatchObject({ version: 1, draftVersion: 2 });
  });
});
