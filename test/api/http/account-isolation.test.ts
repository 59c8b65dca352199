import { afterEach, beforeEach, expect, test } from "vitest";
import { SCOPES } from "../../../src/core/accounts/scopes.ts";
import { type Answer, type ApiUnderTest, apiUnderTest, MINIMAL_CALL, pathsOf } from "../../support/api/harness.ts";

const AGENT = { name: "Front desk", basePrompt: "You answer.", languageId: "en-US", voiceId: "fake/en-us" };
const CALLS = "/api/v1/calls";
const AGENTS = "/api/v1/agents";

/** Responses without an end, which have a test of their own. */
const WITHOUT_END = ["/api/v1/events"];

let api: ApiUnderTest;
/** Every GET route without an id, with the base path. */
let lists: string[];
/** The API key of another account, which is empty. */
let otherAccountKey: string;

beforeEach(async () => {
  api = await apiUnderTest();
  lists = [];
  api.app.addHook("onRoute", ({ method, url }) => {
    if (method === "GET" && url.startsWith("/api/v1/") && !url.includes(":") && !WITHOUT_END.includes(url))
      lists.push(url);
  });
  const otherAccountId = await api.stores.accounts.ensure("second");
  otherAccountKey = (await api.stores.apiKeys.create({ accountId: otherAccountId, name: "other", scopes: SCOPES })).key;
});
afterEach(() => api.close());

const asOtherAccount = (path: string): Promise<Answer> => api.get(path, { "x-api-key": otherAccountKey });

/** Creates three agents, three calls of each and three without an agent with `key`; returns their ids. */
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

test("A2: no list shows another account's resources with any filter", async () => {
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
      const [own, other] = [await api.get(`${list}?${query}`), await asOtherAccount(`${list}?${query}`)];
      // The parameters of a list do not depend on the account.
      expect(other.status).toBe(own.status);
      for (const id of theirs) expect(other.text).not.toContain(id);
    }
  }
  // The same requests show them to the account itself.
  for (const path of [AGENTS, ...filters.map((query) => `${CALLS}?${query}`)]) {
    const { data } = (await api.get(path)).body as { data: { id: string }[] };
    expect(data.length).toBeGreaterThan(0);
    expect(theirs).toEqual(expect.arrayContaining(data.map(({ id }) => id)));
    expect((await asOtherAccount(path)).body).toEqual({ data: [], nextCursor: null });
  }
});

test("A3: a cursor is valid for one account only, and shows only its own resources", async () => {
  const ours = await fill(otherAccountKey);
  await fill(api.key);
  for (const list of [CALLS, AGENTS]) {
    const nextOf = (answer: Answer): string | null => (answer.body as { nextCursor: string | null }).nextCursor;
    const cursor = nextOf(await api.get(`${list}?limit=1`)) ?? "";
    expect((await api.get(`${list}?cursor=${cursor}`)).status).toBe(200);
    const answer = await asOtherAccount(`${list}?cursor=${cursor}`);
    expect([answer.status, pathsOf(answer)]).toEqual([400, ["/cursor"]]);
    const seen: string[] = [];
    for (let next: string | null = ""; next !== null; ) {
      const page = await asOtherAccount(`${list}?limit=2${next && `&cursor=${next}`}`);
      seen.push(...(page.body as { data: { id: string }[] }).data.map(({ id }) => id));
      next = nextOf(page);
    }
    const kind = list === CALLS ? "call_" : "agent_";
    expect(seen.sort()).toEqual(ours.filter((id) => id.startsWith(kind)).sort());
  }
});

test("A2: another account's agent creates no call, and Idempotency-Keys of two accounts are independent", async () => {
  const { id: agentId } = (await api.post(AGENT, {}, AGENTS)).body as { id: string };
  const headers = { "x-api-key": otherAccountKey, "idempotency-key": "order-17" };
  expect((await api.post({}, headers, `${AGENTS}/${agentId}/calls`)).status).toBe(404);
  const [first, second] = [
    await api.post(MINIMAL_CALL, { "idempotency-key": "order-17" }),
    await api.post({ ...MINIMAL_CALL, systemPrompt: "You sell bread." }, headers),
  ];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect((first.body as { id: string }).id).not.toBe((second.body as { id: string }).id);
});
