import type { HttpTool, McpTool, ToolSpec } from "../calls/spec.ts";
import type { AccountId, CallId } from "../ids.ts";
import type { HttpTools } from "./http/client.ts";
import type { McpTools } from "./mcp/tools.ts";
import type { ToolOutcome } from "./outcome.ts";
import type { SecretsOfCall } from "./secrets.ts";

/** A tool that the service carries out by requests to a server. */
export type ServerTool = HttpTool | McpTool;

/** Carries out the tools of one call that are requests to servers. */
export interface ServerToolsOfCall {
  /** Rejects only on internal errors; when `signal` aborts, its connections are closed. */
  carryOut(
    tool: ServerTool,
    given: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    accountId: AccountId,
  ): Promise<ToolOutcome>;
}

interface CallWithTools extends SecretsOfCall {
  callId: CallId;
  spec: { readonly tools: readonly ToolSpec[] };
}

/** Carries out the tools of all calls of a process that are requests to servers. */
export class ServerTools {
  readonly #http: HttpTools;
  readonly #mcp: McpTools;

  constructor(http: HttpTools, mcp: McpTools) {
    this.#http = http;
    this.#mcp = mcp;
  }

  /** Those of a call, with its account's own secrets. */
  forCall({ accountId, callId, toolSecrets, spec }: CallWithTools): ServerToolsOfCall {
    const secrets = { accountId, ...(toolSecrets !== undefined && { toolSecrets }) };
    const http = this.#http.forCall(secrets);
    const mcp = this.#mcp.withSecrets(secrets);
    if (spec.tools.some(({ kind }) => kind === "mcp")) mcp.prepare();
    return {
      carryOut: (tool, given, signal, owner) =>
        tool.kind === "http"
          ? http.carryOut(tool, given, signal, owner)
          : mcp.carryOut(tool, given, signal, { accountId: owner, owner: callId }),
    };
  }

  /** The call is over: its sessions with servers end. */
  callEnded(callId: CallId): void {
    this.#mcp.end(callId);
  }
}
