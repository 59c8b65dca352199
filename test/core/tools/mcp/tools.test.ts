import { expect, test } from "vitest";
import type { McpTool } from "../../../../src/core/calls/spec.ts";
import { asAccountId, asToolId } from "../../../../src/core/ids.ts";
import type { McpCall, McpClients } from "../../../../src/core/tools/mcp/client.ts";
import { McpTools } from "../../../../src/core/tools/mcp/tools.ts";
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
  const carryOut = (tool: McpTool, hosts: readonly string[]) =>
    tools
      .withSecrets({ accountId: ACCOUNT, toolSecrets: { TOKEN: { value: SECRET, hosts } } })
      .carryOut(tool, { order: "A" }, new AbortController().signal, { accountId: ACCOUNT, owner: "call_1" });
  return { calls, carryOut };
}

test("L1: a secret goes to the servers that it is bound to, and is removed from what they answer", async () => {
  const { calls, carryOut } = scene();
  const outcome = await carryOut(TOOL, ["mcp.example.com"]);
  expect(outcome).toEqual({
    text: "You sent Bearer ***.",
    sent: {
      ...{ method: "POST", url: TOOL.url, headers: { Authorization: "Bearer ***" } },
      body: '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"search","arguments":{"order":"A"}}}',
    },
  });
  expect(calls).toEqual([
    {
      server: { url: TOOL.url, headers: { Authorization: `Bearer ${SECRET}` } },
      ...{ owner: "call_1", tool: "search", arguments: { order: "A" }, timeoutMs: 3_000 },
    },
  ]);
});

test("ADV-M8: a server that the secret is not bound to gets no request", async () => {
  const { calls, carryOut } = scene();
  expect(await carryOut(TOOL, ["other.example.com"])).toMatchObject({ fault: "secret_refused" });
  expect(await carryOut({ ...TOOL, url: "http://mcp.example.com/mcp" }, ["mcp.example.com"])).toMatchObject({
    fault: "secret_refused",
  });
  expect(calls).toEqual([]);
});
