import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AGENTS_PER_ACCOUNT_MAX } from "../../../src/core/limits/agents/agents.ts";
import {
  type Answer,
  type ApiUnderTest,
  apiUnderTest,
  errorOf,
  MINIMAL_CALL,
  pathsOf,
} from "../../support/api/harness.ts";

const AGENTS = "/api/v1/agents";
const LEAST_AGENT = {
  name: "Front desk",
  basePrompt: "You answer the telephone.",
  languageId: "en-US",
  voiceId: "fake/en-us",
};

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

interface AgentBody {
  id: string;
  name: string;
}
interface Page {
  data: AgentBody[];
  nextCursor: string | null;
}

const create = (body: unknown): Promise<Answer> => api.post(body, {}, AGENTS);
const created = async (changes: object = {}): Promise<AgentBody> => {
  const answer = await create({ ...LEAST_AGENT, ...changes });
  expect(answer.status).toBe(201);
  return answer.body as AgentBody;
};
const page = async (query = ""): Promise<Page> => (await api.get(`${AGENTS}${query}`)).body as Page;

describe("POST /agents", () => {
  test("saves an agent with 201, its Location, and the default of every field", async () => {
    const answer = await create(LEAST_AGENT);
    const { id } = answer.body as AgentBody;
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(`${AGENTS}/${id}`);
    expect(answer.body).toEqual({
      ...LEAST_AGENT,
      id: expect.stringMatching(/^agent_[0-9a-f-]{36}$/),
      context: "",
      customInstructions: "",
      callSettings: {},
      toolIds: [],
      corpusIds: [],
      variables: [],
      allowedOverrides: [],
      version: 1,
      draftVersion: null,
      publishedAt: "2026-01-01T00:00:00.000Z",
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:00.000Z",
    });
    expect((await api.get(`${AGENTS}/${id}`)).body).toEqual(answer.body);
    expect(await page()).toEqual({ data: [answer.body], nextCursor: null });
  });

  test("accepts every field, and stores the language as the list writes it", async () => {
    const agent = {
      name: " Nachtportier 👋 ",
      basePrompt: "  You answer.\n",
      context: "The house opens at six.",
      customInstructions: "Be brief.",
      languageId: "DE",
      voiceId: "fake/de-2",
      callSettings: {
        model: "model_c",
        temperature: 0.7,
        greeting: " Guten Abend! ",
        firstSpeaker: "user",
        interruptible: true,
        maxDuration: 60,
        inactivityTimeout: 300,
        inactivityAction: "hang_up",
        recordingEnabled: false,
        transcriptEnabled: false,
        useParameters: true,
        selectedTools: [{ toolName: "hang_up", parameterOverrides: {} }],
      },
      toolIds: [],
      corpusIds: [],
    };
    expect((await create(agent)).body).toMatchObject({ ...agent, languageId: "de" });
  });

  test("reports all problems together", async () => {
    const answer = await create({
      name: " ",
      context: 5,
      languageId: "xx",
      voiceId: "Alice",
      callSettings: { temperature: 2, selectedTools: [{}], websocket: {}, connectionType: "carrier_a" },
      toolIds: "tool_1",
      corpusIds: [7],
      extra: 1,
    });
    expect([answer.status, errorOf(answer).code]).toEqual([400, "invalid_request"]);
    expect(pathsOf(answer)).toEqual([
      "/basePrompt",
      "/callSettings/connectionType",
      "/callSettings/selectedTools/0",
      "/callSettings/temperature",
      "/callSettings/websocket",
      "/context",
      "/corpusIds/0",
      "/extra",
      "/languageId",
      "/name",
      "/toolIds",
      "/voiceId",
    ]);
    expect(pathsOf(await create({}))).toEqual(["/basePrompt", "/languageId", "/name", "/voiceId"]);
    const withQuery = await api.post({ name: " " }, {}, `${AGENTS}?dry=1`);
    expect(pathsOf(withQuery)).toEqual(["/basePrompt", "/dry", "/languageId", "/name", "/voiceId"]);
    for (const body of ["[]", "null", '"x"', ""]) expect((await create(body)).status).toBe(400);
    expect(await page()).toEqual({ data: [], nextCursor: null });
  });

  test.each([
    ["a voice's name", { voiceId: "Alice" }, "unknown_voice", ["/voiceId"]],
    ["an unknown voice", { voiceId: "fake/en-US" }, "unknown_voice", ["/voiceId"]],
    ["an unknown language", { languageId: "english" }, "unknown_language", ["/languageId"]],
    ["both unknown", { voiceId: "", languageId: "" }, "unknown_voice", ["/languageId", "/voiceId"]],
    ["both of the wrong type", { voiceId: 5, languageId: null }, "invalid_request", ["/languageId", "/voiceId"]],
  ])("%s is 400", async (_what, changes, code, paths) => {
    const answer = await create({ ...LEAST_AGENT, ...changes });
    expect([answer.status, errorOf(answer).code, pathsOf(answer)]).toEqual([400, code, paths]);
  });

  test("a name has 1 to 200 characters of any kind, and prompts are not blank", async () => {
    for (const name of ["x", "x".repeat(200), "👋".repeat(200), "\u2028"]) {
      expect((await create({ ...LEAST_AGENT, name })).status).toBe(name === "\u2028" ? 400 : 201);
    }
    for (const name of ["", " \n", "\u200b", "x".repeat(201), "👋".repeat(201), 5, null, ["x"], {}]) {
      const answer = await create({ ...LEAST_AGENT, name });
      expect([answer.status, pathsOf(answer)]).toEqual([400, ["/name"]]);
      expect(errorOf(answer).message).toContain("name must be a string of at most 200 characters that is not blank");
    }
    for (const basePrompt of ["", " \n\t", "\u0000\u200b", 5, null]) {
      expect(pathsOf(await create({ ...LEAST_AGENT, basePrompt }))).toEqual(["/basePrompt"]);
    }
  });

  test.each([
    ["model", "model_d"],
    ["temperature", 1.01],
    ["temperature", null],
    ["greeting", 5],
    ["firstSpeaker", "caller"],
    ["interruptible", "true"],
    ["maxDuration", 59],
    ["maxDuration", 7_201],
    ["inactivityTimeout", 9.5],
    ["inactivityAction", "sing"],
    ["recordingEnabled", 1],
    ["transcriptEnabled", null],
    ["useParameters", "true"],
    ["selectedTools", "hang_up"],
    ["selectedTools", Array(33).fill({ toolName: "hang_up" })],
    ["selectedTools", [{ toolName: "sing" }]],
  ])("the call setting %s: %j is refused as POST /calls refuses it", async (field, value) => {
    const alone = errorOf(await api.post({ ...MINIMAL_CALL, [field]: value }));
    const answer = await create({ ...LEAST_AGENT, callSettings: { [field]: value } });
    expect(answer.status).toBe(400);
    expect(errorOf(answer).details).toEqual(
      alone.details.map(({ path, message }) => ({
        path: `/callSettings${path}`,
        message: `callSettings.${message}`,
      })),
    );
  });

  test("lists of ids are bounded", async () => {
    const long = Array(33).fill("x");
    const answer = await create({ ...LEAST_AGENT, toolIds: long, corpusIds: long });
    expect(errorOf(answer).details.map(({ message }) => message)).toEqual([
      "toolIds must have at most 32 items, not 33",
      "corpusIds must have at most 32 items, not 33",
    ]);
  });
});

describe("GET /agents", () => {
  test("is paged, oldest first, while agents are created", async () => {
    const names = Array.from({ length: 45 }, (_, index) => `agent ${index}`);
    for (const name of names) await created({ name });
    const seen: string[] = [];
    let next = await page();
    expect(next.data).toHaveLength(20);
    await created({ name: "late" });
    for (;;) {
      seen.push(...next.data.map(({ name }) => name));
      if (next.nextCursor === null) break;
      next = await page(`?cursor=${next.nextCursor}`);
    }
    expect(seen).toEqual([...names, "late"]);
    expect((await page("?limit=100")).data).toHaveLength(46);
    const [first, rest] = [await page("?limit=45"), await page("?limit=46")];
    expect([first.nextCursor === null, rest.nextCursor]).toEqual([false, null]);
    // A cursor does not depend on the page size.
    expect((await page(`?limit=1&cursor=${first.nextCursor}`)).data.map(({ name }) => name)).toEqual(["late"]);
  });

  test("a page ends early when its agents are very large, and the next one continues", async () => {
    const names = Array.from({ length: 9 }, (_, index) => `agent ${index}`);
    for (const name of names) await created({ name, basePrompt: "x".repeat(250_000) });
    const seen: string[] = [];
    const sizes: number[] = [];
    for (let next: string | null = ""; next !== null; ) {
      const { data, nextCursor } = await page(`?limit=100${next && `&cursor=${next}`}`);
      seen.push(...data.map(({ name }) => name));
      sizes.push(data.length);
      next = nextCursor;
    }
    expect([seen, sizes]).toEqual([names, [2, 2, 2, 2, 1]]);
  });

  test("reads no more large agents at once than a page holds", async () => {
    for (let count = 0; count < 9; count++) await created({ basePrompt: "x".repeat(250_000) });
    const { agents } = api.stores;
    const read: number[] = [];
    const list = agents.list.bind(agents);
    agents.list = async (...asked) => {
      const found = await list(...asked);
      read.push(found.agents.length);
      return found;
    };
    expect((await page("?limit=100")).data).toHaveLength(2);
    expect(Math.max(...read)).toBeLessThanOrEqual(2);
    expect(read.length).toBeLessThanOrEqual(2);
  });

  test.each([
    "limit=0",
    "limit=101",
    "limit=-1",
    "limit=1.5",
    "limit=1e1",
    "limit=0x10",
    "limit=",
    "limit=%201",
    "limit=abc",
    "limit=1&limit=2",
    "cursor=",
    "cursor=abc",
    "cursor=a&cursor=b",
    "name=",
    "name=a&name=b",
    `name=${"x".repeat(201)}`,
    "languageId=en&languageId=de",
    "voiceId=a&voiceId=b",
    "offset=1",
    "__proto__=1",
  ])("?%s is 400 and names the parameter", async (query) => {
    const answer = await api.get(`${AGENTS}?${query}`);
    expect([answer.status, errorOf(answer).code]).toEqual([400, "invalid_request"]);
    expect(pathsOf(answer)).toEqual([`/${query.split("=")[0]}`]);
  });

  test("a modified cursor or one of another list is 400", async () => {
    for (let count = 0; count < 3; count++) await created();
    const { nextCursor } = await page("?limit=1");
    const cursor = nextCursor ?? "";
    const [first, last] = [cursor.at(0), cursor.at(-1)].map((char) => (char === "A" ? "B" : "A"));
    const wrong = [
      cursor.slice(0, -1),
      cursor.slice(0, -1) + last,
      first + cursor.slice(1),
      `${cursor}A`,
      `${cursor}%3D`,
    ];
    for (const text of wrong) {
      const answer = await api.get(`${AGENTS}?cursor=${text}`);
      expect([answer.status, pathsOf(answer)]).toEqual([400, ["/cursor"]]);
    }
    expect((await api.get(`${AGENTS}?cursor=${cursor}`)).status).toBe(200);
    expect(pathsOf(await api.get(`/api/v1/calls?cursor=${cursor}`))).toEqual(["/cursor"]);
  });
});

describe("a filter of GET /agents", () => {
  const names = async (query: string): Promise<string[]> => (await page(query)).data.map(({ name }) => name);

  test("gives the agents whose name contains a text, in any case and whichever way accents are written", async () => {
    for (const name of ["Front desk", "NIGHT DESK", "Café", 'a "quoted" % name_', "\u0000 strange"])
      await created({ name });
    expect(await names("?name=desk")).toEqual(["Front desk", "NIGHT DESK"]);
    expect(await names("?name=FRONT%20D")).toEqual(["Front desk"]);
    expect(await names("?name=cafe%CC%81")).toEqual(["Café"]);
    expect(await names("?name=%25")).toEqual(['a "quoted" % name_']);
    expect(await names("?name=%22")).toEqual(['a "quoted" % name_']);
    expect(await names("?name=_")).toEqual(['a "quoted" % name_']);
    expect(await names("?name=%00")).toEqual(["\u0000 strange"]);
    expect(await names("?name=nothing")).toEqual([]);
  });

  test("gives the agents of a language and of a voice, and of all of these together", async () => {
    await created({ name: "one" });
    await created({ name: "two", languageId: "de", voiceId: "fake/de-1" });
    await created({ name: "three", languageId: "de", voiceId: "fake/de-2" });
    expect(await names("?languageId=de")).toEqual(["two", "three"]);
    expect(await names("?voiceId=fake/en-us")).toEqual(["one"]);
    expect(await names("?languageId=de&voiceId=fake/de-2&name=THR")).toEqual(["three"]);
    expect(await names("?languageId=de&voiceId=fake/en-us")).toEqual([]);
  });

  test("is part of the cursor", async () => {
    for (const name of ["desk 1", "other", "desk 2", "desk 3"]) await created({ name });
    const { data, nextCursor } = await page("?name=desk&limit=2");
    expect(data.map(({ name }) => name)).toEqual(["desk 1", "desk 2"]);
    expect(await names(`?name=desk&limit=2&cursor=${nextCursor}`)).toEqual(["desk 3"]);
    expect(pathsOf(await api.get(`${AGENTS}?cursor=${nextCursor}`))).toEqual(["/cursor"]);
  });
});

describe("GET /agents/{id}", () => {
  test.each([
    "agent_01990000-0000-7000-8000-000000000000",
    "..%2f..%2fetc%2fpasswd",
    "a%00b",
    "' OR 1=1 --",
    "%F0%9F%91%8B",
    "x".repeat(5_000),
  ])("%s is 404", async (id) => {
    const answer = await api.get(`${AGENTS}/${encodeURI(id).replaceAll("%25", "%")}`);
    expect([answer.status, errorOf(answer).message]).toEqual([404, "no such agent"]);
  });

  test("accepts no query", async () => {
    const { id } = await created();
    expect(pathsOf(await api.get(`${AGENTS}/${id}?expand=all`))).toEqual(["/expand"]);
    expect(errorOf(await api.get(`${AGENTS}/${id}?expand=all`)).message).toBe('the query has no field "expand"');
    expect(pathsOf(await api.post(LEAST_AGENT, {}, `${AGENTS}?dry=1`))).toEqual(["/dry"]);
  });
});

describe("ADV-M4: an account's agents", () => {
  test("are limited: one more is 409, and other accounts still save theirs", async () => {
    const { agents, apiKeys, accounts } = api.stores;
    const count = agents.count.bind(agents);
    agents.count = async (accountId) =>
      (await count(accountId)) + (accountId === api.accountId ? AGENTS_PER_ACCOUNT_MAX - 1 : 0);
    expect((await create(LEAST_AGENT)).status).toBe(201);
    const answer = await create(LEAST_AGENT);
    expect([answer.status, errorOf(answer).code]).toEqual([409, "conflict"]);
    expect(errorOf(answer).message).toContain(`${AGENTS_PER_ACCOUNT_MAX} agents`);
    const { key } = await apiKeys.create({ accountId: await accounts.ensure("second"), name: "other" });
    expect((await api.post(LEAST_AGENT, { "x-api-key": key }, AGENTS)).status).toBe(201);
  });

  test("are not saved on a nearly full disk", async () => {
    api.state.newCalls = { accepted: false, reason: "insufficient_storage" };
    const answer = await create(LEAST_AGENT);
    expect([answer.status, errorOf(answer).code]).toEqual([503, "insufficient_storage"]);
    api.state.newCalls = { accepted: false, reason: "overloaded" };
    expect((await create(LEAST_AGENT)).status).toBe(201);
  });
});
