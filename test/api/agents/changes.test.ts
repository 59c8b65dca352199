import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { asAgentId, asCallId } from "../../../src/core/ids.ts";
import { AGENT_VERSIONS_MAX } from "../../../src/core/limits/agents/agents.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { type Answer, type ApiUnderTest, apiUnderTest, errorOf, pathsOf } from "../../support/api/harness.ts";
import { redeemedBy } from "../../support/tokens.ts";

const AGENTS = "/api/v1/agents";
const LEAST_AGENT = {
  name: "Front desk",
  basePrompt: "You answer the telephone.",
  languageId: "en-US",
  voiceId: "fake/en-us",
};

let api: ApiUnderTest;
let agentId: string;
beforeEach(async () => {
  api = await apiUnderTest();
  agentId = ((await api.post(LEAST_AGENT, {}, AGENTS)).body as { id: string }).id;
});
afterEach(() => api.close());

const at = (path = ""): string => `${AGENTS}/${agentId}${path}`;
const change = (body: unknown, headers = {}): Promise<Answer> => api.patch(body, headers, at());
const changed = async (body: object): Promise<Answer> => {
  const answer = await change(body);
  expect(answer.status).toBe(200);
  return answer;
};
const versionsOf = async (): Promise<unknown[]> =>
  ((await api.get(at("/versions"))).body as { data: { version: number; state: string }[] }).data.map(
    ({ version, state }) => `${version} ${state}`,
  );

describe("PATCH /agents/{id}", () => {
  test("makes a new version that is live at once, and keeps the fields that are not given", async () => {
    api.clock.advance(60_000);
    const answer = await changed({ name: "Night desk", callSettings: { maxDuration: 60 } });
    expect(answer.body).toMatchObject({
      ...LEAST_AGENT,
      id: agentId,
      name: "Night desk",
      callSettings: { maxDuration: 60 },
      version: 2,
      draftVersion: null,
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:01:00.000Z",
      publishedAt: "2026-01-01T00:01:00.000Z",
    });
    expect(answer.headers.etag).toBe('"2"');
    const read = await api.get(at());
    expect([read.body, read.headers.etag]).toEqual([answer.body, '"2"']);
    // A field is replaced as a whole.
    expect((await changed({ callSettings: { temperature: 1 } })).body).toMatchObject({
      callSettings: { temperature: 1 },
    });
    expect(await versionsOf()).toEqual(["3 live", "2 earlier", "1 earlier"]);
  });

  test("with autoPublish false makes a draft: calls keep the live version until it is published", async () => {
    const answer = await changed({ name: "Draft", autoPublish: false });
    expect(answer.body).toMatchObject({ name: "Front desk", version: 1, draftVersion: 2 });
    expect(answer.headers.etag).toBe('"1-2"');
    // The next change begins with the draft.
    expect((await changed({ context: "Open.", autoPublish: false })).body).toMatchObject({
      version: 1,
      draftVersion: 3,
    });
    expect(await versionsOf()).toEqual(["3 draft", "2 earlier", "1 live"]);
    expect((await api.get(at("/versions/3"))).body).toMatchObject({ name: "Draft", context: "Open.", state: "draft" });
    const published = await api.post({}, {}, at("/publish"));
    expect(published.body).toMatchObject({ name: "Draft", context: "Open.", version: 3, draftVersion: null });
  });

  test("with autoPublish true publishes what the draft has, too", async () => {
    await changed({ name: "Draft", autoPublish: false });
    expect((await changed({ context: "Open." })).body).toMatchObject({ name: "Draft", version: 3, draftVersion: null });
    await changed({ name: "Another", autoPublish: false });
    expect((await changed({ name: "Another" })).body).toMatchObject({
      name: "Another",
      version: 4,
      draftVersion: null,
    });
  });

  test("that changes nothing makes no version", async () => {
    for (const body of [{}, { name: "Front desk" }, { languageId: "EN-us", autoPublish: false }]) {
      expect((await changed(body)).body).toMatchObject({ version: 1, draftVersion: null });
    }
    expect(await versionsOf()).toEqual(["1 live"]);
  });

  test.each([
    ['"1"', 200],
    ["*", 200],
    ['"7", "1"', 200],
    ['"2"', 412],
    ["1", 412],
    ['W/"1"', 412],
    ['"1-2"', 412],
    ["", 412],
  ])("with If-Match: %s is %i", async (ifMatch, status) => {
    const answer = await change({ name: "Night desk" }, { "if-match": ifMatch });
    expect(answer.status).toBe(status);
    if (status === 200) return;
    expect(errorOf(answer)).toMatchObject({ code: "precondition_failed", message: expect.stringContaining('"1"') });
    expect(await versionsOf()).toEqual(["1 live"]);
  });

  test("a change that was made for an earlier state is 412, also after a draft", async () => {
    const { etag } = (await api.get(at())).headers;
    await changed({ name: "Draft", autoPublish: false });
    expect((await change({ name: "Mine" }, { "if-match": String(etag) })).status).toBe(412);
    expect((await change({ name: "Mine" }, { "if-match": '"1-2"' })).status).toBe(200);
  });

  test("20 changes at once are all kept, without If-Match", async () => {
    const { agents } = api.stores;
    const fields = ["name", "basePrompt", "context", "customInstructions"];
    const answers = await Promise.all(fields.map((field) => change({ [field]: `new ${field}` })));
    expect(answers.map(({ status }) => status)).toEqual(fields.map(() => 200));
    const agent = await agents.get(api.accountId, asAgentId(agentId));
    expect(agent).toMatchObject(Object.fromEntries(fields.map((field) => [field, `new ${field}`])));
    expect(agent?.version).toBe(1 + fields.length);
  });

  test("reports all problems together, and changes nothing", async () => {
    const answer = await change({
      name: " ",
      basePrompt: "Ask {{who}} and {{ what }}.",
      voiceId: "Alice",
      languageId: "xx",
      callSettings: { temperature: 2, greeting: "{{hello}}" },
      variables: [
        { name: "1st", type: "text" },
        { name: "n", type: "number", default: "1" },
      ],
      allowedOverrides: ["systemPrompt"],
      autoPublish: "yes",
      id: "agent_1",
    });
    expect([answer.status, errorOf(answer).code]).toEqual([400, "invalid_request"]);
    expect(pathsOf(answer)).toEqual([
      "/allowedOverrides/0",
      "/autoPublish",
      "/basePrompt",
      "/callSettings/greeting",
      "/callSettings/temperature",
      "/id",
      "/languageId",
      "/name",
      "/variables/0/name",
      "/variables/0/type",
      "/variables/1/default",
      "/voiceId",
    ]);
    for (const body of ["[]", "5", '"x"', "null", "{"]) expect((await change(body)).status).toBe(400);
    expect(pathsOf(await api.patch({ name: "" }, {}, at("?dry=1")))).toEqual(["/dry", "/name"]);
    expect(await versionsOf()).toEqual(["1 live"]);
  });

  test("a voice is checked with the language that the agent has, and a language with its voice", async () => {
    for (const body of [{ languageId: "de" }, { voiceId: "fake/de-1" }]) {
      const answer = await change(body);
      expect([answer.status, errorOf(answer).code, pathsOf(answer)]).toEqual([400, "invalid_request", ["/voiceId"]]);
    }
    await changed({ languageId: "de", voiceId: "fake/de-1" });
  });

  test("an unknown agent is 404, once the request is valid", async () => {
    const path = `${AGENTS}/agent_01990000-0000-7000-8000-000000000000`;
    expect((await api.patch({}, {}, path)).status).toBe(404);
    expect((await api.patch({ extra: 1 }, {}, path)).status).toBe(400);
  });

  test(`an agent keeps ${AGENT_VERSIONS_MAX} versions: one more published one is 409`, async () => {
    const { agents } = api.stores;
    const add = agents.addVersion.bind(agents);
    agents.addVersion = async (...args) => (await add(...args)) && { kind: "full" };
    const answer = await change({ name: "x" });
    expect([answer.status, errorOf(answer).code]).toEqual([409, "conflict"]);
    expect(errorOf(answer).message).toContain(String(AGENT_VERSIONS_MAX));
  });

  test("ADV-M4: is refused on a nearly full disk, as is a restored version", async () => {
    api.state.newCalls = { accepted: false, reason: "insufficient_storage" };
    for (const answer of [await change({ name: "x" }), await api.post({}, {}, at("/versions/1/restore"))]) {
      expect([answer.status, errorOf(answer).code]).toEqual([503, "insufficient_storage"]);
    }
  });
});

describe("a change never touches a call that was created before", () => {
  test("the call has the prompt of its version, and says which that was", async () => {
    const created = await api.post({}, {}, at("/calls"));
    await changed({ basePrompt: "You are somebody else." });
    expect((await api.delete(at())).status).toBe(204);
    const { id, websocketUrl } = created.body as { id: string; websocketUrl: string };
    const tokenHash = hashSecret(websocketUrl.split("/").at(-1) ?? "");
    const redeemed = await api.stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
    expect(redeemed?.spec.systemPrompt).toBe("You answer the telephone.");
    expect((await api.get(`/api/v1/calls/${id}`)).body).toMatchObject({ agentId, agentVersion: 1, variables: {} });
  });

  test("a repeated request means the version of the first one, also for a call whose words are not stored", async () => {
    await changed({ callSettings: { transcriptEnabled: false } });
    const named = { "idempotency-key": "order-17" };
    const first = await api.post({}, named, at("/calls"));
    const repeated: string[] = [];
    api.stores.calls.subscribe((event) => {
      if (event.kind === "repeated") repeated.push(event.spec.systemPrompt);
    });
    await changed({ basePrompt: "You are somebody else." });
    const again = await api.post({}, named, at("/calls"));
    expect(again.text).toBe(first.text);
    expect(new Set(repeated)).toEqual(new Set(["You answer the telephone."]));
    // Another agent with the same name of the request is another request.
    const other = ((await api.post(LEAST_AGENT, {}, AGENTS)).body as { id: string }).id;
    expect(errorOf(await api.post({}, named, `${AGENTS}/${other}/calls`)).code).toBe("idempotency_mismatch");
    expect(errorOf(await api.post({}, named, `${AGENTS}/${agentId}@2/calls`)).code).toBe("idempotency_mismatch");
  });
});

describe("DELETE /agents/{id}", () => {
  test("the agent is 404 and in no list; its calls and versions stay", async () => {
    const { id } = (await api.post({}, {}, at("/calls"))).body as { id: string };
    await changed({ name: "Night desk" });
    const answer = await api.delete(at());
    expect([answer.status, answer.text]).toEqual([204, ""]);
    for (const gone of [
      await api.get(at()),
      await api.delete(at()),
      await change({ name: "x" }),
      await api.post({}, {}, at("/calls")),
      await api.post({}, {}, at("@1/calls")),
      await api.post({}, {}, at("/publish")),
      await api.post({}, {}, at("/versions/1/restore")),
    ]) {
      expect([gone.status, errorOf(gone).message]).toEqual([404, "no such agent"]);
    }
    expect((await api.get(AGENTS)).body).toEqual({ data: [], nextCursor: null });
    expect(await api.stores.agents.count(api.accountId)).toBe(0);
    expect((await api.stores.calls.get(api.accountId, asCallId(id)))?.agentVersion).toBe(1);
    expect(await versionsOf()).toEqual(["2 earlier", "1 earlier"]);
    expect((await api.get(at("/versions/1"))).body).toMatchObject({ name: "Front desk", agentId });
  });
});
