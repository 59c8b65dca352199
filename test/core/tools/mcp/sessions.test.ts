import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/core/clock.ts";
import {
  MCP_ANSWER_BYTES_MAX,
  MCP_TOOLS_MAX,
  TOOL_DESCRIPTION_CHARS_MAX,
} from "../../../../src/core/limits/agents/tools.ts";
import { GuardedHttp } from "../../../../src/core/network/guarded-http.ts";
import type { McpServer } from "../../../../src/core/tools/mcp/messages.ts";
import { McpSessions } from "../../../../src/core/tools/mcp/sessions.ts";
import { McpTestServer, type McpTestServerOptions, SEARCH, type TestTool } from "../../../support/mcp/server.ts";

const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** A server, and the clients of a process that may reach this machine. */
async function served(options: McpTestServerOptions = {}) {
  const server = new McpTestServer(options);
  servers.push(server);
  const url = await server.listen();
  const sessions = new McpSessions({ http: new GuardedHttp({ allowLoopback: true }), clock: systemClock });
  const at: McpServer = { url, headers: { authorization: "Bearer secret" } };
  const call = (tool = "search_orders", given = {}, owner = "call_1", signal = new AbortController().signal) =>
    sessions.call({ kind: "call", id: 1, owner, server: at, tool, arguments: given, timeoutMs: 20_000 }, signal);
  const list = (allowedTools?: readonly string[]) => sessions.list(at, allowedTools, new AbortController().signal);
  return { server, sessions, url, call, list };
}

const tool = (name: string, changes: Partial<TestTool> = {}): TestTool => ({ ...SEARCH, name, ...changes });
const namesOf = async (listed: ReturnType<Awaited<ReturnType<typeof served>>["list"]>) => {
  const outcome = await listed;
  if (outcome.kind === "failed") throw new Error(outcome.failure.text);
  return { tools: outcome.list.tools.map(({ name }) => name), omitted: outcome.list.omitted };
};

describe("a call of a tool of an MCP server", () => {
  test.each([
    true,
    false,
  ])("gives the LLM the text of the result, and the server its headers (JSON: %s)", async (isJson) => {
    const given: unknown[] = [];
    const { server, call } = await served({
      isJson,
      call: (name, args) => {
        given.push([name, args]);
        return {
          content: [
            { type: "text", text: "Two" },
            { type: "image", data: "AA==", mimeType: "image/png" },
          ],
        };
      },
    });
    expect(await call("search_orders", { customer: "Ann" })).toEqual({ text: "Two\n[an image]" });
    expect(given).toEqual([["search_orders", { customer: "Ann" }]]);
    expect(server.requests.every(({ headers }) => headers.authorization === "Bearer secret")).toBe(true);
    // No stream is opened on which the server could push.
    expect(server.requests.map(({ method }) => method)).not.toContain("GET");
  });

  test("shares a session with those of its owner, which ends with it", async () => {
    const { server, sessions, call } = await served();
    await Promise.all([call(), call(), call("search_orders", {}, "call_2")]);
    expect(server.sessionCount).toBe(2);
    sessions.end("call_1");
    await expect.poll(() => server.sessionCount).toBe(1);
    expect(await call()).toEqual({ text: "Two orders." });
  });

  test("of several that get no answer, each retires only its own session", async () => {
    const { server, call } = await served({ call: () => new Promise(() => {}) });
    const [first, second] = [new AbortController(), new AbortController()];
    const hanging = [first, second].map(({ signal }) => call("search_orders", {}, "call_1", signal));
    await expect.poll(() => server.sessionCount).toBe(1);
    first.abort();
    await hanging[0];
    server.options = {};
    await call();
    second.abort();
    await hanging[1];
    await expect.poll(() => server.sessionCount).toBe(1);
    await call();
    expect(server.sessionCount).toBe(1);
  });

  test("opens another session where the server has forgotten it", async () => {
    const { server, call } = await served();
    await call();
    server.forgetSessions();
    expect(await call()).toEqual({ text: "Two orders." });
  });

  test("is a failure that the tool reports, or an error of the protocol", async () => {
    const { server, call } = await served({
      call: () => ({ content: [{ type: "text", text: "no such customer" }], isError: true }),
    });
    expect(await call()).toEqual({
      text: "Error: its server reported a failure: no such customer.",
      fault: "server",
    });
    server.options = {
      call: () => {
        throw new Error("the database is away");
      },
    };
    expect(await call()).toMatchObject({ fault: "protocol", text: expect.stringContaining("the database is away") });
    expect(server.sessionCount).toBe(1);
  });

  test.each([
    true,
    false,
  ])("fails when the answer is too long, and the next one does not (JSON: %s)", async (isJson) => {
    const { server, call } = await served({
      isJson,
      call: () => ({ content: [{ type: "text", text: "x".repeat(MCP_ANSWER_BYTES_MAX) }] }),
    });
    expect(await call()).toMatchObject({ fault: "too_large" });
    server.options = { isJson };
    expect(await call()).toEqual({ text: "Two orders." });
  });

  test("ends at once when it is aborted, and so does the connection to a server that hangs", async () => {
    const abort = new AbortController();
    const { server, call } = await served({ call: () => new Promise(() => {}) });
    const hanging = call("search_orders", {}, "call_1", abort.signal);
    await expect.poll(() => server.sessionCount).toBe(1);
    abort.abort();
    expect((await hanging).fault).toBeDefined();
    server.options = {};
    expect(await call()).toEqual({ text: "Two orders." });
  });

  test("follows no redirect, not even within its server", async () => {
    let redirects = 0;
    const { url, call } = await served({
      before: (request, response) => {
        if (request.url !== "/mcp") return false;
        redirects += 1;
        response.writeHead(307, { location: `${url}/elsewhere` }).end();
        return true;
      },
    });
    expect(await call()).toMatchObject({ fault: "status", text: expect.stringContaining("redirects") });
    expect(redirects).toBe(1);
  });

  test.each([
    ["a status", (response: import("node:http").ServerResponse) => response.writeHead(401).end("canary"), "status"],
    [
      "another type",
      (response: import("node:http").ServerResponse) =>
        response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
      "unreadable",
    ],
    [
      "no JSON",
      (response: import("node:http").ServerResponse) =>
        response.writeHead(200, { "content-type": "application/json" }).end("{"),
      "protocol",
    ],
    [
      "other JSON",
      (response: import("node:http").ServerResponse) =>
        response.writeHead(200, { "content-type": "application/json" }).end("[1]"),
      "protocol",
    ],
    [
      "a content encoding",
      (response: import("node:http").ServerResponse) =>
        response.writeHead(200, { "content-encoding": "gzip", "content-type": "application/json" }).end("x"),
      "unreadable",
    ],
    ["a closed connection", (response: import("node:http").ServerResponse) => response.destroy(), "unreachable"],
  ] as const)("fails for a server that answers with %s, whose words it does not repeat", async (_, answer, fault) => {
    const { call } = await served({
      before: (_request, response) => {
        answer(response);
        return true;
      },
    });
    const outcome = await call();
    expect(outcome.fault).toBe(fault);
    expect(outcome.text).not.toContain("canary");
  });

  test("is not sent to an address that is not public, whatever its name", async () => {
    let connections = 0;
    const inside = createServer(() => {});
    inside.on("connection", () => {
      connections += 1;
    });
    await new Promise<void>((resolve) => inside.listen(0, "127.0.0.1", resolve));
    servers.push({ close: () => new Promise((resolve) => inside.close(() => resolve())) });
    const { port } = inside.address() as AddressInfo;
    const http = new GuardedHttp({ allowLoopback: false, resolve: async () => ["127.0.0.1"] });
    const sessions = new McpSessions({ http, clock: systemClock });
    for (const host of ["127.0.0.1", "localhost", "mcp.example.com"]) {
      const server = { url: `http://${host}:${port}/mcp`, headers: {} };
      const outcome = await sessions.list(server, undefined, new AbortController().signal);
      expect(outcome).toMatchObject({ kind: "failed", failure: { fault: "address_refused" } });
    }
    expect(connections).toBe(0);
  });
});

describe("the list of a server's tools", () => {
  test("has all pages, and only allowed tools", async () => {
    const { list } = await served({ pages: [[tool("a"), tool("b")], [tool("c")]] });
    expect(await namesOf(list())).toEqual({ tools: ["a", "b", "c"], omitted: [] });
    expect(await namesOf(list(["c", "nowhere"]))).toEqual({ tools: ["c"], omitted: [] });
  });

  test("has schemas of draft 7, as most servers send them", async () => {
    const inputSchema = { ...SEARCH.inputSchema, $schema: "http://json-schema.org/draft-07/schema#" };
    const { list } = await served({ pages: [[tool("a", { inputSchema })]] });
    const outcome = await list();
    expect(outcome.kind === "listed" && outcome.list.tools[0]?.parameters).toEqual(SEARCH.inputSchema);
  });

  test("leaves out what calls could not use, and says why", async () => {
    const long = { type: "object" as const, description: "x".repeat(9_000) };
    const { list } = await served({
      pages: [
        [tool("ok"), tool("with.dots"), tool("ok"), tool("big", { inputSchema: long })],
        [{ name: "none" } as unknown as TestTool],
      ],
    });
    expect(await namesOf(list())).toEqual({
      tools: ["ok"],
      omitted: [
        { name: "with.dots", reason: "name" },
        { name: "ok", reason: "duplicate" },
        { name: "big", reason: "schema" },
        { name: "none", reason: "malformed" },
      ],
    });
  });

  test("of 5,000 tools has the first ones, or those that are allowed", async () => {
    const tools = Array.from({ length: 5_000 }, (_, index) =>
      tool(`tool_${index}`, { description: "d", inputSchema: { type: "object" } }),
    );
    const { list } = await served({ pages: [tools.slice(0, 2_500), tools.slice(2_500)] });
    const all = await namesOf(list());
    expect([all.tools.length, all.omitted.length]).toEqual([MCP_TOOLS_MAX, 50]);
    expect((await namesOf(list(["tool_4999"]))).tools).toEqual(["tool_4999"]);
  });

  test("with descriptions of 1 MB fails by its size, and a long one is cut", async () => {
    const { server, list } = await served({ pages: [[tool("huge", { description: "x".repeat(1_048_576) })]] });
    expect(await list()).toMatchObject({ kind: "failed", failure: { fault: "too_large" } });
    server.options = { pages: [[tool("long", { description: "x".repeat(100_000) })]] };
    const outcome = await list();
    expect(outcome.kind === "listed" && outcome.list.tools[0]?.description.length).toBe(TOOL_DESCRIPTION_CHARS_MAX);
  });

  test("that has no end is read to a limit", async () => {
    const { server, list } = await served();
    let pages = 0;
    server.options = {
      get pages() {
        pages += 1;
        return Array.from({ length: pages + 2 }, (_, index) => [tool(`tool_${index}`)]);
      },
    };
    expect((await namesOf(list())).tools.length).toBe(50);
  });
});
