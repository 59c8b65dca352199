import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TOOL_NAMES } from "../../../src/api/tools/schemas.ts";
import type { ToolSpec } from "../../../src/core/calls/spec.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { asCallId, asToolId } from "../../../src/core/ids.ts";
import { MCP_LISTINGS_PER_ACCOUNT_MAX } from "../../../src/core/limits/agents/tools.ts";
import { HttpTools } from "../../../src/core/tools/http/client.ts";
import type { McpClients } from "../../../src/core/tools/mcp/client.ts";
import { McpLister } from "../../../src/core/tools/mcp/lister.ts";
import type { ListOutcome, McpServer } from "../../../src/core/tools/mcp/messages.ts";
import { McpTools } from "../../../src/core/tools/mcp/tools.ts";
import { failed, type ToolOutcome } from "../../../src/core/tools/outcome.ts";
import {
  type Answer,
  type ApiUnderTest,
  apiUnderTest,
  errorOf,
  MINIMAL_CALL,
  pathsOf,
} from "../../support/api/harness.ts";
import { INLINE_SCHEMAS } from "../../support/stubs/inline-schemas.ts";

const TOOLS = "/api/v1/tools";
const PARAMETERS = { type: "object", properties: { order: { type: "string" } }, required: ["order"] };
const ORDER = {
  type: "http",
  name: "order_status",
  description: "Tells how far an order is.",
  parameters: PARAMETERS,
  http: {
    method: "GET",
    url: "https://api.example.com/orders/{order}",
    headers: { Authorization: "Bearer {{SHOP_TOKEN}}" },
  },
};
const CLIENT = { type: "client", name: "book_table", description: "Books a table.", parameters: PARAMETERS };
const MCP = { type: "mcp", name: "shop", mcp: { url: "https://mcp.example.com/mcp" } };

/** MCP servers that answer as these say. */
class ScriptedMcp implements McpClients {
  readonly servers: McpServer[] = [];
  outcome: ListOutcome = {
    kind: "listed",
    list: {
      tools: ["search", "hang_up"].map((name) => ({ name, description: "Searches.", parameters: PARAMETERS })),
      omitted: [],
    },
  };
  result: ToolOutcome = { text: "Two orders." };
  /** Servers answer only when it is called; undefined while they answer at once. */
  release: (() => void) | undefined;
  /** Tools never have a result. */
  hangs = false;
  calls = 0;
  #released: Promise<void> = Promise.resolve();

  /** Servers answer when `release` is called. */
  hold(): void {
    this.#released = new Promise((resolve) => {
      this.release = resolve;
    });
  }

  prepare(): void {}
  end(): void {}
  async list(server: McpServer): Promise<ListOutcome> {
    this.servers.push(server);
    await this.#released;
    return this.outcome;
  }
  async call(): Promise<ToolOutcome> {
    this.calls += 1;
    if (this.hangs) await new Promise<never>(() => {});
    return this.result;
  }
}

let api: ApiUnderTest;
let mcp: ScriptedMcp;
let server: Server;
/** What the HTTP tools of this machine answer. */
const answer = "on its way";
let port = 0;
beforeEach(async () => {
  server = createServer((request, response) => {
    response.setHeader("content-type", "text/plain");
    response.end(`${answer} ${request.headers.authorization ?? ""}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
  mcp = new ScriptedMcp();
  const options = { secrets: new Map(), allowLoopback: true };
  const mcpTools = new McpTools({ ...options, clients: mcp });
  api = await apiUnderTest(undefined, {
    toolsAllowLoopback: true,
    httpTools: new HttpTools(options),
    mcpTools,
    mcpLister: new McpLister({ mcpTools, schemas: INLINE_SCHEMAS, reservedNames: TOOL_NAMES, clock: systemClock }),
  });
});
afterEach(async () => {
  await api.close();
  await new Promise((resolve) => server.close(resolve));
});

const create = (body: object): Promise<Answer> => api.post(body, {}, TOOLS);
const made = async (body: object): Promise<Record<string, unknown> & { id: string }> => {
  const created = await create(body);
  expect([created.status, created.text]).toEqual([201, expect.any(String)]);
  return created.body as Record<string, unknown> & { id: string };
};
const call = (fields: object) => api.post({ ...MINIMAL_CALL, connectionType: "websocket", ...fields });
/** The tools of a call that was created. */
async function toolsOf(created: Answer): Promise<readonly ToolSpec[]> {
  expect([created.status, created.text]).toEqual([201, expect.any(String)]);
  const { id } = created.body as { id: string };
  return (await api.stores.calls.get(api.accountId, asCallId(id)))?.settings.tools ?? [];
}

describe("POST /tools", () => {
  test("saves a tool with its defaults, and shows it without the values of its headers", async () => {
    const created = await create(ORDER);
    const tool = created.body as { id: string };
    expect(tool).toEqual({
      id: expect.stringMatching(/^tool_[0-9a-f-]{36}$/),
      ...{ type: "http", name: "order_status", description: ORDER.description, parameters: PARAMETERS },
      http: { method: "GET", url: ORDER.http.url, headerNames: ["Authorization"] },
      ...{ mcp: null, timeoutMs: 10_000, readOnly: false, idempotent: false, whileRunning: null, version: 1 },
      ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
    });
    expect(created.headers).toMatchObject({ etag: '"1"', location: `${TOOLS}/${tool.id}` });
    expect((await api.get(`${TOOLS}/${tool.id}`)).body).toEqual(tool);
    expect((await api.get(TOOLS)).body).toEqual({ data: [tool], nextCursor: null });
  });

  test("reports all problems together", async () => {
    const wrong = {
      ...{ type: "http", name: "hang_up", description: " ", timeoutMs: 5, extra: 1, whileRunning: "" },
      parameters: { type: "array" },
      http: { method: "GET", url: "http://10.0.0.1/{order}", headers: { A: "{{NO_SUCH}}", Host: "x" } },
    };
    const refused = await create(wrong);
    expect([refused.status, pathsOf(refused)]).toEqual([
      400,
      [
        ...["/description", "/extra", "/http/headers/Host", "/http/url", "/name", "/parameters", "/timeoutMs"],
        "/whileRunning",
      ],
    ]);
    expect((await api.get(TOOLS)).body).toMatchObject({ data: [] });
  });

  test.each([
    [{ type: "http", name: "a", mcp: MCP.mcp }, ["/description", "/http", "/mcp", "/parameters"]],
    [{ ...CLIENT, http: ORDER.http }, ["/http"]],
    [{ ...MCP, parameters: PARAMETERS }, ["/parameters"]],
    [{ type: "mcp", name: "a" }, ["/mcp"]],
    [{ type: "browser", name: "a" }, ["/type"]],
    [{ ...MCP, mcp: { url: "https://mcp.example.com/{order}" } }, ["/mcp/url"]],
    [{ ...MCP, mcp: { url: "http://169.254.169.254/mcp" } }, ["/mcp/url"]],
    [
      { ...MCP, mcp: { ...MCP.mcp, headers: { "Mcp-Session-Id": "1", Accept: "x" } } },
      ["/mcp/headers/Accept", "/mcp/headers/Mcp-Session-Id"],
    ],
    [{ ...MCP, mcp: { ...MCP.mcp, allowedTools: [""] } }, ["/mcp/allowedTools/0"]],
    [[], [""]],
  ])("refuses %j", async (body, paths) => {
    const refused = await create(body);
    expect([refused.status, pathsOf(refused)]).toEqual([400, paths]);
    expect(mcp.servers).toEqual([]);
  });

  test("asks an MCP server for its tools, and shows those that calls get", async () => {
    const secret = {
      kind: "tool_secret",
      name: "MCP_TOKEN",
      text: "canary-0123456789",
      hosts: ["mcp.example.com"],
    } as const;
    await api.accountSecrets.put(api.accountId, secret);
    const headers = { Authorization: "Bearer {{MCP_TOKEN}}" };
    const tool = await made({ ...MCP, mcp: { ...MCP.mcp, headers, allowedTools: ["search", "hang_up"] } });
    expect(mcp.servers).toEqual([{ url: MCP.mcp.url, headers: { Authorization: "Bearer canary-0123456789" } }]);
    expect(tool).toMatchObject({
      ...{ description: null, parameters: null, http: null },
      mcp: {
        ...{ url: MCP.mcp.url, headerNames: ["Authorization"], allowedTools: ["search", "hang_up"] },
        tools: [{ name: "search", description: "Searches.", parameters: PARAMETERS }],
        ...{ toolNames: ["search"], omittedTools: [{ name: "hang_up", reason: "built_in" }], listFailure: null },
      },
    });
  });

  test("asks few servers at a time for one account, and refuses one more with 429", async () => {
    const { id } = await made(MCP);
    mcp.servers.length = 0;
    mcp.hold();
    const asking = Array.from({ length: MCP_LISTINGS_PER_ACCOUNT_MAX }, () => create(MCP));
    await expect.poll(() => mcp.servers.length).toBe(MCP_LISTINGS_PER_ACCOUNT_MAX);
    const oneMore = await create(MCP);
    const changed = await api.patch({ mcp: { url: "https://other.example.com/mcp" } }, {}, `${TOOLS}/${id}`);
    expect([oneMore, changed].map((answer) => [answer.status, errorOf(answer).code])).toEqual([
      [429, "rate_limited"],
      [429, "rate_limited"],
    ]);
    expect(mcp.servers.length).toBe(MCP_LISTINGS_PER_ACCOUNT_MAX);
    mcp.release?.();
    expect((await Promise.all(asking)).map(({ status }) => status)).toEqual(asking.map(() => 201));
    expect((await create(MCP)).status).toBe(201);
  });

  test("refuses an MCP server that does not list its tools, and says why", async () => {
    mcp.outcome = { kind: "failed", failure: failed("unreachable", "its server could not be reached") };
    const refused = await create(MCP);
    expect([refused.status, pathsOf(refused)]).toEqual([400, ["/mcp/url"]]);
    expect(errorOf(refused).details[0]?.message).toContain("its server could not be reached");
  });
});

describe("PATCH /tools/{id}", () => {
  const patch = (id: string, body: object, headers = {}) => api.patch(body, headers, `${TOOLS}/${id}`);

  test("changes what is given, and leaves the rest", async () => {
    const tool = await made({ ...ORDER, whileRunning: "One moment." });
    const changed = await patch(tool.id, { timeoutMs: 5_000, readOnly: true, whileRunning: null });
    expect(changed.status).toBe(200);
    const changes = { timeoutMs: 5_000, readOnly: true, whileRunning: null, version: 2 };
    expect(changed.body).toEqual({ ...tool, ...changes, updatedAt: expect.any(String) });
    expect(changed.headers.etag).toBe('"2"');
    const [spec] = await toolsOf(await call({ selectedTools: [{ toolId: tool.id }] }));
    expect(spec).toMatchObject({ timeoutMs: 5_000, headers: ORDER.http.headers });
  });

  test("checks the tool as a whole", async () => {
    const client = await made(CLIENT);
    expect(pathsOf(await patch(client.id, { http: ORDER.http }))).toEqual(["/http"]);
    expect(pathsOf(await patch(client.id, { type: "http" }))).toEqual(["/type"]);
    const order = await made(ORDER);
    const refused = await patch(order.id, { parameters: { type: "object", properties: {} } });
    expect([refused.status, pathsOf(refused)]).toEqual([400, ["/http/url"]]);
  });

  test("is 412 for another version than If-Match names", async () => {
    const tool = await made(CLIENT);
    expect((await patch(tool.id, { name: "other" }, { "if-match": '"1"' })).status).toBe(200);
    expect((await patch(tool.id, { name: "third" }, { "if-match": '"1"' })).status).toBe(412);
  });

  test("asks an MCP server again only when the server is another one", async () => {
    const tool = await made(MCP);
    await patch(tool.id, { timeoutMs: 5_000 });
    expect(mcp.servers.length).toBe(1);
    await patch(tool.id, { mcp: { url: "https://other.example.com/mcp" } });
    expect(mcp.servers.at(-1)?.url).toBe("https://other.example.com/mcp");
  });
});

describe("a saved tool", () => {
  test("is in a call as it was when the call was created, with fixed arguments", async () => {
    const tool = await made(CLIENT);
    const created = await call({ selectedTools: [{ toolId: tool.id, parameterOverrides: { order: "A-17" } }] });
    await api.patch({ description: "Something else." }, {}, `${TOOLS}/${tool.id}`);
    expect(await toolsOf(created)).toMatchObject([
      {
        kind: "client",
        name: "book_table",
        description: "Books a table.",
        toolId: tool.id,
        fixedArguments: { order: "A-17" },
      },
    ]);
    const { id } = created.body as { id: string };
    const shown = (await api.get(`/api/v1/calls/${id}`)).body as { configuration: { selectedTools: object[] } };
    expect(shown.configuration.selectedTools).toMatchObject([{ toolId: tool.id, definition: { type: "client" } }]);
  });

  test("must be the account's, and is named in the problem where it is not", async () => {
    const other = await api.stores.accounts.ensure("second");
    const { key } = await api.stores.apiKeys.create({ accountId: other, name: "theirs" });
    const theirs = await api.post(CLIENT, { "x-api-key": key }, TOOLS);
    const { id } = theirs.body as { id: string };
    const unknown = "tool_01990000-0000-7000-8000-000000000000";
    const refused = await call({ selectedTools: [{ toolId: id }, { toolId: unknown }, { toolId: "x" }] });
    expect([refused.status, pathsOf(refused)]).toEqual([
      400,
      [0, 1, 2].map((index) => `/selectedTools/${index}/toolId`),
    ]);
    const message = errorOf(refused).details[0]?.message;
    expect(message).toContain(
      `selectedTools.0.toolId must be the id of a saved tool of the account, not "${id.slice(0, 40)}`,
    );
  });

  test("has no fixed arguments but its own, is there once, and clashes with no other name", async () => {
    const tool = await made(CLIENT);
    const toolId = tool.id;
    const overrides = await call({ selectedTools: [{ toolId, parameterOverrides: { size: 1 } }] });
    expect(pathsOf(overrides)).toEqual(["/selectedTools/0/parameterOverrides/size"]);
    expect(pathsOf(await call({ selectedTools: [{ toolId }, { toolId }] }))).toEqual(["/selectedTools/1/toolId"]);
    const clash = await call({ selectedTools: [{ toolId }, { definition: CLIENT }] });
    expect(pathsOf(clash)).toEqual(["/selectedTools/1/definition/name"]);
  });

  test("of the type client needs a connection with a client", async () => {
    const tool = await made(CLIENT);
    const refused = await call({ connectionType: "carrier_a", selectedTools: [{ toolId: tool.id }] });
    expect([refused.status, pathsOf(refused)]).toEqual([400, ["/connectionType"]]);
  });
});

describe("an agent's toolIds", () => {
  const AGENTS = "/api/v1/agents";
  const agentWith = (fields: object) =>
    api.post({ name: "Desk", basePrompt: "Hi.", languageId: "en-US", voiceId: "fake/en-us", ...fields }, {}, AGENTS);
  const websocket = { connectionType: "websocket" };

  test("are tools of its calls beside those of its settings, and an override replaces both", async () => {
    const [client, shop] = [await made(CLIENT), await made(MCP)];
    const agent = await agentWith({
      toolIds: [client.id, shop.id],
      callSettings: { selectedTools: [{ toolName: "hang_up" }] },
      allowedOverrides: ["selectedTools"],
    });
    expect([agent.status, agent.text]).toEqual([201, expect.any(String)]);
    const { id } = agent.body as { id: string };
    const created = await api.post(websocket, {}, `${AGENTS}/${id}/calls`);
    expect((await toolsOf(created)).map(({ name }) => name)).toEqual(["hang_up", "book_table", "search"]);
    const overridden = await api.post({ ...websocket, overrides: { selectedTools: [] } }, {}, `${AGENTS}/${id}/calls`);
    expect(await toolsOf(overridden)).toEqual([]);
  });

  test("whose MCP server has other arguments than it fixes are refused when it is saved, and ignored when it is called", async () => {
    const shop = await made(MCP);
    const fixing = (name: string) => ({
      callSettings: { selectedTools: [{ toolId: shop.id, parameterOverrides: { [name]: "A-17" } }] },
    });
    expect(pathsOf(await agentWith(fixing("size")))).toEqual(["/callSettings/selectedTools/0/parameterOverrides/size"]);
    const agent = await agentWith(fixing("order"));
    const { id } = agent.body as { id: string };
    const listed = { type: "object", properties: { orderId: { type: "string" } } };
    const listing = { tools: [{ name: "search", description: "Searches.", parameters: listed }], omitted: [] };
    await api.stores.tools.setListing(
      { id: asToolId(shop.id), version: 1 },
      { ...listing, listedAtMs: api.clock.epochMs() },
    );
    const created = await api.post(websocket, {}, `${AGENTS}/${id}/calls`);
    expect(await toolsOf(created)).toMatchObject([{ name: "search", fixedArguments: {} }]);
    const selectedTools = [{ toolId: shop.id, parameterOverrides: { order: "A-17" } }];
    expect(await toolsOf(await call({ selectedTools }))).toMatchObject([{ name: "search", fixedArguments: {} }]);
  });

  test("must exist, and differ from the other tools", async () => {
    const client = await made(CLIENT);
    const refused = await agentWith({
      toolIds: ["tool_1", client.id, client.id],
      callSettings: { selectedTools: [{ definition: CLIENT }] },
    });
    expect([refused.status, pathsOf(refused)]).toEqual([400, ["/toolIds/0", "/toolIds/1", "/toolIds/2"]]);
  });

  test("keep a tool from being deleted, and an earlier version that names a deleted one is 409", async () => {
    const client = await made(CLIENT);
    const agent = await agentWith({ toolIds: [client.id] });
    const { id } = agent.body as { id: string };
    const refused = await api.delete(`${TOOLS}/${client.id}`);
    expect([refused.status, errorOf(refused).message]).toEqual([409, expect.stringContaining(id)]);
    expect((await api.patch({ toolIds: [] }, {}, `${AGENTS}/${id}`)).status).toBe(200);
    expect((await api.delete(`${TOOLS}/${client.id}`)).status).toBe(204);
    expect((await api.get(`${TOOLS}/${client.id}`)).status).toBe(404);
    const called = await api.post(websocket, {}, `${AGENTS}/${id}@1/calls`);
    expect([called.status, errorOf(called).message]).toEqual([409, expect.stringContaining("/toolIds/0")]);
  });
});

describe("POST /tools/{id}/test", () => {
  const testOf = (id: string, body: object) => api.post(body, {}, `${TOOLS}/${id}/test`);
  const order = () => ({ ...ORDER, http: { ...ORDER.http, url: `http://127.0.0.1:${port}/orders/{order}` } });

  test("shows what was sent, what came back and how long it took, without secrets", async () => {
    const text = "canary-0123456789";
    const secret = { kind: "tool_secret", name: "SHOP_TOKEN", text, hosts: [`127.0.0.1:${port}`] } as const;
    await api.accountSecrets.put(api.accountId, secret);
    const tool = await made(order());
    const tested = await testOf(tool.id, { arguments: { order: "A 17" } });
    expect(tested.body).toEqual({
      runId: expect.stringMatching(/^tool_run_/),
      request: {
        ...{ method: "GET", url: `http://127.0.0.1:${port}/orders/A%2017` },
        headers: { Authorization: "Bearer ***" },
        body: null,
      },
      response: { status: 200 },
      ...{ result: "on its way Bearer ***", failed: false, fault: null, durationMs: expect.any(Number) },
    });
    const runs = await api.get(`${TOOLS}/${tool.id}/runs`);
    expect(runs.body).toMatchObject({
      data: [{ source: "test", callId: null, toolName: "order_status", arguments: '{"order":"A 17"}', failed: false }],
      nextCursor: null,
    });
    expect(tested.text + runs.text + api.logged.join()).not.toContain(text);
  });

  test("shows a failure as the LLM would be given it, and nothing sent for arguments that do not fit", async () => {
    const plain = { ...order(), http: { method: "GET", url: "http://127.0.0.1:1024/{order}" } };
    const tool = await made(plain);
    const refused = await testOf(tool.id, { arguments: { order: 5 } });
    expect(refused.body).toMatchObject({ request: null, response: null, failed: true, fault: "arguments" });
    const unreachable = await testOf(tool.id, { arguments: { order: "5" } });
    expect(unreachable.body).toMatchObject({ request: { method: "GET" }, response: null, fault: "unreachable" });
    const failures = await api.get(`${TOOLS}/${tool.id}/runs?failed=true&limit=1`);
    expect(failures.body).toMatchObject({ data: [{ failed: true }], nextCursor: expect.any(String) });
  });

  test("shows the request of a tool that takes too long", async () => {
    const tool = await made({ ...MCP, timeoutMs: 1_000 });
    mcp.hangs = true;
    const testing = testOf(tool.id, { toolName: "search", arguments: { order: "A" } });
    await expect.poll(() => mcp.calls).toBe(1);
    api.clock.advance(1_000);
    expect((await testing).body).toMatchObject({
      request: { method: "POST", url: MCP.mcp.url, body: expect.stringContaining('"order":"A"') },
      ...{ response: null, failed: true, fault: "timeout" },
    });
  });

  test("runs one tool of an MCP server", async () => {
    const tool = await made(MCP);
    expect(pathsOf(await testOf(tool.id, { arguments: { order: "A" } }))).toEqual(["/toolName"]);
    const tested = await testOf(tool.id, { toolName: "search", arguments: { order: "A" } });
    expect(tested.body).toMatchObject({ response: { status: null }, result: "Two orders.", failed: false });
    expect(pathsOf(await testOf((await made(ORDER)).id, { toolName: "search" }))).toEqual(["/toolName"]);
  });

  test("is 409 for a tool that a client carries out", async () => {
    expect((await testOf((await made(CLIENT)).id, {})).status).toBe(409);
  });
});

test("GET /tools/built-ins lists every built-in tool with its schema", async () => {
  const { data } = (await api.get(`${TOOLS}/built-ins`)).body as { data: { toolName: string; parameters: object }[] };
  expect(data.map(({ toolName }) => toolName)).toEqual([
    "hang_up",
    "send_dtmf",
    "transfer",
    "hold_call",
    "pause_recording",
    "resume_recording",
    "switch_language",
  ]);
  expect(data[1]?.parameters).toMatchObject({ type: "object", required: ["digits"] });
});
