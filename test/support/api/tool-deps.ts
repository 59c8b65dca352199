import type { ApiDeps } from "../../../src/api/app.ts";
import { TOOL_NAMES } from "../../../src/api/tools/schemas.ts";
import { describeTools } from "../../../src/call/tools/plan.ts";
import { BUILT_IN_TOOLS } from "../../../src/core/calls/spec.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { HttpTools } from "../../../src/core/tools/http/client.ts";
import { McpLister } from "../../../src/core/tools/mcp/lister.ts";
import { INLINE_SCHEMAS } from "../stubs/inline-schemas.ts";
import { NO_MCP_TOOLS } from "../stubs/server-tools.ts";

/** What the API needs for saved tools, where none of their servers can be reached. */
export const TOOL_DEPS: Pick<ApiDeps, "httpTools" | "mcpTools" | "mcpLister" | "builtInTools"> = {
  httpTools: new HttpTools({ secrets: new Map(), allowLoopback: false, resolve: async () => [] }),
  mcpTools: NO_MCP_TOOLS,
  mcpLister: new McpLister({
    mcpTools: NO_MCP_TOOLS,
    schemas: INLINE_SCHEMAS,
    reservedNames: TOOL_NAMES,
    clock: systemClock,
  }),
  builtInTools: describeTools(BUILT_IN_TOOLS.map((name) => ({ kind: "built_in", name, fixedArguments: {} }))),
};
