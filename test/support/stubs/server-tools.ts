import { HttpTools, type HttpToolsOptions } from "../../../src/core/tools/http/client.ts";
import type { McpClients } from "../../../src/core/tools/mcp/client.ts";
import { McpTools } from "../../../src/core/tools/mcp/tools.ts";
import { failed } from "../../../src/core/tools/outcome.ts";
import { ServerTools } from "../../../src/core/tools/server-tools.ts";

/** No MCP server can be reached. */
export const NO_MCP_CLIENTS: McpClients = {
  prepare() {},
  call: async () => failed("unreachable", "there is no server"),
  list: async () => ({ kind: "failed", failure: failed("unreachable", "there is no server") }),
  end() {},
};

export const NO_MCP_TOOLS = new McpTools({ clients: NO_MCP_CLIENTS, secrets: new Map(), allowLoopback: false });

/** HTTP tools, and no MCP servers. */
export const httpToolsAlone = (options: HttpToolsOptions): ServerTools =>
  new ServerTools(new HttpTools(options), new McpTools({ ...options, clients: NO_MCP_CLIENTS }));
