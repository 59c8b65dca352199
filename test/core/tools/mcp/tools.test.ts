import { expect, test } from "vitest";
import type { McpTool } from "../../../../src/core/calls/spec.ts";
import { asAccountId, asToolId } from "../../../../src/core/ids.ts";
import { SCHEMAS_OF_REQUEST_MS_MAX } from "../../../../src/core/limits/agents/tools.ts";
import type { McpCall, McpClients } from "../../../../src/core/tools/mcp/client.ts";
import { McpLister } from "../../../../src/core/tools/mcp/lister.ts";
import type { ListedTool } from "../../../../src/core/tools/mcp/messages.ts";
import { McpTools } from "../../../../src/core/tools/mcp/tools.ts";
import type { ShownRequest } from "../../../../src/core/tools/outcome.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { NO_MCP_CLIENTS } from "../../../support/stubs/server-tools.ts";

const ACCOUNT = asAccountId("account_1");
const SECRET = "canary-0123456789";
const TOOL: McpTool = {
  ...{
    kind: "mcp",
    name: "search",
    description: "Searches.",
    parameters: { type: "object" },
    toolId: asToolId("tool_1"),
  },
  ...{ timeoutMs: 3_000, fixedArguments: {}, url: "https://mcp.example.com/mcp" },
  headers: { Authorization: "Bearer {{TOKEN}}" },
};

/** Clients that repeat what they were sent. */
function scene() {
  const calls: McpCall[] = [];
  const clients: McpClients = {
    ...NO_MCP_CLIENTS,
    call: async (call) => {
      calls.push(call);
      return { text: `You sent ${call.server.headers.Authorization}.` };
    },
  };
  const tools = new McpTools({ clients, secrets: new Map(), allowLoopback: false });
  const shown: ShownRequest[] = [];
  const carryOut = (tool: McpTool, hosts: readonly string[]) =>
    tools
      .withSecrets({ accountId: ACCOUNT, toolSecrets: { TOKEN: { value: SECRET, hosts } } })
      .carryOut(
        tool,
        { order: "A" },
        new AbortController().signal,
        { accountId: ACCOUNT, owner: "call_1" },
        (request) => shown.push(request),
      );
  const carryOutUnseen = (tool: McpTool, given: Readonly<Record<string, unknown>>) =>
    tools.carryOut(tool, given, new AbortController().signal, { accountId: ACCOUNT, owner: "call_1" });
  return { calls, shown, carryOut, carryOutUnseen };
}

test("L1: a secret goes to the servers that it is bound to, and is removed from what they answer", async () => {
  const { calls, shown, carryOut } = scene();
  expect(await carryOut(TOOL, ["mcp.example.com"])).toEqual({ text: "You sent Bearer ***." });
  expect(shown).toEqual([
    {
      ...{ method: "POST", url: TOOL.url, headers: { Authorization: "Bearer ***" } },
      body: '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"search","arguments":{"order":"A"}}}',
    },
  ]);
  expect(calls).toEqual([
    {
      server: { url: TOOL.url, headers: { Authorization: `Bearer ${SECRET}` } },
      ...{ owner: "call_1", tool: "search", arguments: { order: "A" }, timeoutMs: 3_000 },
    },
  ]);
});

test("ADV-M8: a server that the secret is not bound to gets no request", async () => {
  const { calls, shown, carryOut } = scene();
  expect(await carryOut(TOOL, ["other.example.com"])).toMatchObject({ fault: "secret_refused" });
  expect(await carryOut({ ...TOOL, url: "http://mcp.example.com/mcp" }, ["mcp.example.com"])).toMatchObject({
    fault: "secret_refused",
  });
  expect([calls, shown]).toEqual([[], []]);
});

test.each([
  [
    "its tools",
    { kind: "listed", list: { tools: [{ name: "a", description: `Key ${SECRET}.`, parameters: {} }], omitted: [] } },
  ],
  ["its refusal", { kind: "failed", failure: { text: `Error: ${"x".repeat(280)} ${SECRET}.`, fault: "protocol" } }],
] as const)("L1: a secret is removed from %s when a server is asked for its list", async (_what, outcome) => {
  const clients: McpClients = { ...NO_MCP_CLIENTS, list: async () => outcome };
  const own = { TOKEN: { value: SECRET, hosts: ["mcp.example.com"] } };
  const listed = await new McpTools({ clients, secrets: new Map(), allowLoopback: false })
    .withSecrets({ accountId: ACCOUNT, toolSecrets: own })
    .list({ accountId: ACCOUNT, url: TOOL.url, headers: TOOL.headers, allowedTools: undefined });
  expect(JSON.stringify(listed)).toContain("***");
  expect(JSON.stringify(listed)).not.toContain(SECRET.slice(0, 8));
});

async function listedWith(secret: string, tools: readonly ListedTool[]) {
  const clients: McpClients = {
    ...NO_MCP_CLIENTS,
    list: async () => ({ kind: "listed", list: { tools, omitted: [{ name: `x ${secret}`, reason: "name" }] } }),
  };
  return await new McpTools({ clients, secrets: new Map(), allowLoopback: false })
    .withSecrets({ accountId: ACCOUNT, toolSecrets: { TOKEN: { value: secret, hosts: ["mcp.example.com"] } } })
    .list({ accountId: ACCOUNT, url: TOOL.url, headers: TOOL.headers, allowedTools: undefined });
}

test.each([
  ["1234", { type: "object", properties: { a: { type: "number", default: 1234 } } }],
  [":", { type: "object", properties: { a: { type: "string" } } }],
  ["type", { type: "object", properties: { type: { type: "number" } } }],
  ['"', { type: "object" }],
  ["name", { type: "object" }],
])("a schema means the same whatever the secret is: %s", async (secret, parameters) => {
  const listed = await listedWith(secret, [{ name: "a", description: `Key ${secret}.`, parameters }]);
  expect(listed).toEqual({
    kind: "listed",
    list: { tools: [{ name: "a", description: "Key ***.", parameters }], omitted: [{ name: "x ***", reason: "name" }] },
  });
});

test("L1: texts in a schema have no secret, and a tool is omitted whose name has one", async () => {
  const parameters = { type: "object", description: `For ${SECRET}`, enum: [[SECRET]] };
  const named = { name: `a_${SECRET}`, description: "", parameters: {} };
  const listed = await listedWith(SECRET, [{ name: "a", description: "", parameters }, named]);
  expect(listed).toMatchObject({
    list: {
      tools: [{ name: "a", parameters: { type: "object", description: "For ***", enum: [["***"]] } }],
      omitted: [{ name: "x ***" }, { name: "a_***", reason: "name" }],
    },
  });
});

test.each([
  "refused",
  "failed",
] as const)("a schema whose check is %s makes no tool missing: the list fails, and it is our fault", async (outcome) => {
  const clients: McpClients = {
    ...NO_MCP_CLIENTS,
    list: async () => ({
      kind: "listed",
      list: { tools: [{ name: "a", description: "", parameters: {} }], omitted: [] },
    }),
  };
  const lister = new McpLister({
    mcpTools: new McpTools({ clients, secrets: new Map(), allowLoopback: false }),
    schemas: {
      compile: async () => ({ outcome, cpuMs: 0 }),
    },
    reservedNames: [],
    clock: new ManualClock(),
  });
  const server = { accountId: ACCOUNT, url: TOOL.url, headers: {}, allowedTools: undefined };
  expect(await lister.list(server, {})).toMatchObject({ kind: "failed", isOurs: true });
});

test("the schemas of a list have one deadline together: past it the list fails, and it is our fault", async () => {
  const tools = ["a", "b", "c"].map((name) => ({ name, description: "", parameters: {} }));
  const clock = new ManualClock();
  let compiled = 0;
  const lister = new McpLister({
    mcpTools: new McpTools({
      clients: { ...NO_MCP_CLIENTS, list: async () => ({ kind: "listed", list: { tools, omitted: [] } }) },
      ...{ secrets: new Map(), allowLoopback: false },
    }),
    schemas: {
      // Each alone is in time.
      compile: async () => {
        compiled += 1;
        await new Promise<void>((resolve) => clock.after(0.6 * SCHEMAS_OF_REQUEST_MS_MAX, resolve));
        return { outcome: "answered", answer: { kind: "fits" }, cpuMs: 1 };
      },
    },
    ...{ reservedNames: [], clock },
  });
  const listing = lister.list({ accountId: ACCOUNT, url: TOOL.url, headers: {}, allowedTools: undefined }, {});
  await clock.play(3 * SCHEMAS_OF_REQUEST_MS_MAX);
  expect(await listing).toMatchObject({ kind: "failed", fault: "busy", isOurs: true });
  expect(compiled).toBe(2);
});

test("in a call, whose event loop has no time for it, no request is made to be shown", async () => {
  const { carryOutUnseen } = scene();
  const given = {
    toJSON: (): never => {
      throw new Error("serialized");
    },
  };
  expect(await carryOutUnseen({ ...TOOL, headers: {} }, given)).toMatchObject({ text: "You sent undefined." });
});
