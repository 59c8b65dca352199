import { afterEach, beforeEach, expect, test } from "vitest";
import { type Answer, type ApiUnderTest, apiUnderTest, MINIMAL_CALL, pathsOf } from "../../support/api/harness.ts";

const AGENT = { name: "Front desk", basePrompt: "You answer.", languageId: "en-US", voiceId: "fake/en-us" };
const CALLS = "/api/v1/calls";
const AGENTS = "/api/v1/agents";

let api: ApiUnderTest;
/** Every route that reads and takes no id, with the base path. */
let lists: string[];
/** The key of another account, which has nothing yet. */
let strangersKey: string;

beforeEach(async () => {
  api = await apiUnderTest();
  lists = [];
  api.app.addHook("onRoute", ({ method, url }) => {
    if (method === "GET" && url.startsWith("/api/v1/") && !url.includes(":")) lists.push(url);
  });
  const stranger = await api.stores.accounts.ensure("second");
  strangersKey = (await api.stores.apiKeys.create({ accountId: stranger, name: "stranger" })).key;
});
afterEach(() => api.close());

const asStranger = (path: string): Promise<Answer> => api.get(path, { "x-api-key": strangersKey });

/** Three agents, and three calls of each and three without, by the account of `key`; their ids. */
async function fill(key: string): Promise<string[]> {
  const ids: string[] = [];
  const post = async (path: string, body: object): Promise<string> => {
    const answer = await api.post(body, { "x-api-key": key }, path);
    expect(answer.status).toBe(201);
    const { id } = answer.body as { id: string };
    ids.push(id);
    return id;
  };
  for (let count = 0; count < 3; count++) {
    const agentId = await post(AGENTS, AGENT);
    await post(`${AGENTS}/${agentId}/calls`, { metadata: { shop: "bakery" } });
    await post(CALLS, { ...MINIMAL_CALL, metadata: { shop: "bakery" } });
  }
  return ids;
}

test("A2: no list shows what belongs to another account, whatever it is asked for", async () => {
  const theirs = await fill(api.key);
  expect(lists).toEqual(expect.arrayContaining([CALLS, AGENTS, "/api/v1/voices", "/api/v1/languages"]));
  const filters = [
    "limit=100",
    "status=created",
    "connectionType=carrier_a",
    "createdAfter=2020-01-01T00:00:00Z",
    "createdBefore=2030-01-01T00:00:00Z",
    "metadata[shop]=bakery",
    "status=created&metadata[shop]=bakery&limit=100",
  ];
  for (const list of lists) {
    for (const query of ["", ...filters]) {
      const [owners, strangers] = [await api.get(`${list}?${query}`), await asStranger(`${list}?${query}`)];
      // Which parameters a list has does not depend on who asks.
      expect(strangers.status).toBe(owners.status);
      for (const id of theirs) expect(strangers.text).not.toContain(id);
    }
  }
  // The same requests do show them to the account itself.
  for (const path of [AGENTS, ...filters.map((query) => `${CALLS}?${query}`)]) {
    const { data } = (await api.get(path)).body as { data: { id: string }[] };
    expect(data.length).toBeGreaterThan(0);
    expect(theirs).toEqual(expect.arrayContaining(data.map(({ id }) => id)));
    expect((await asStranger(path)).body).toEqual({ data: [], nextCursor: null });
  }
});

test("A3: a cursor of one account is none of another, and leads through its own things alone", async () => {
  const ours = await fill(strangersKey);
  await fill(api.key);
  for (const list of [CALLS, AGENTS]) {
    const nextOf = (answer: Answer): string | null => (answer.body as { nextCursor: string | null }).nextCursor;
    const cursor = nextOf(await api.get(`${list}?limit=1`)) ?? "";
    expect((await api.get(`${list}?cursor=${cursor}`)).status).toBe(200);
    const answer = await asStranger(`${list}?cursor=${cursor}`);
    expect([answer.status, pathsOf(answer)]).toEqual([400, ["/cursor"]]);
    const seen: string[] = [];
    for (let next: string | null = ""; next !== null; ) {
      const page = await asStranger(`${list}?limit=2${next && `&cursor=${next}`}`);
      seen.push(...(page.body as { data: { id: string }[] }).data.map(({ id }) => id));
      next = nextOf(page);
    }
    const kind = list === CALLS ? "call_" : "agent_";
    expect(seen.sort()).toEqual(ours.filter((id) => id.startsWith(kind)).sort());
  }
});

test("A2: another account's agent makes no call, and its name for a request is not ours", async () => {
  const { id: agentId } = (await api.post(AGENT, {}, AGENTS)).body as { id: string };
  const stranger = { "x-api-key": strangersKey, "idempotency-key": "order-17" };
  expect((await api.post({}, stranger, `${AGENTS}/${agentId}/calls`)).status).toBe(404);
  const [first, second] = [
    await api.post(MINIMAL_CALL, { "idempotency-key": "order-17" }),
    await api.post({ ...MINIMAL_CALL, systemPrompt: "You sell bread." }, stranger),
  ];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect((first.body as { id: string }).id).not.toBe((second.body as { id: string }).id);
});
