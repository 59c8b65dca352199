import type { ToolOutcome } from "../outcome.ts";

/** An MCP server, with the headers as they are sent to it: they may contain secrets, and are never logged. */
export interface McpServer {
  url: string;
  headers: Readonly<Record<string, string>>;
}

/** A tool as a server lists it, cut to what is used of it. */
export interface ListedTool {
  name: string;
  description: string;
  parameters: Readonly<Record<string, unknown>>;
}

/** Why a tool that a server lists cannot be used, each with its meaning, in Markdown. */
export const OMISSION_MEANINGS = {
  malformed: "it is no tool of the protocol",
  name: "its name is not 1 to 64 of the characters A-Z, a-z, 0-9, `_` and `-`, or has a secret of the tool's headers in it",
  built_in: "its name is that of a built-in tool",
  duplicate: "the server lists another tool of the same name before it",
  schema: "its schema is too long, too deep, has external references, or cannot be compiled in time",
  too_many: "the server has too many tools, or their schemas are too long together: name some in `allowedTools`",
} as const;

export type OmissionReason = keyof typeof OMISSION_MEANINGS;
export const OMISSION_REASONS = Object.keys(OMISSION_MEANINGS) as [OmissionReason, ...OmissionReason[]];

export interface OmittedTool {
  name: string;
  reason: OmissionReason;
}

/** The tools of a server that were listed, in its order; those that are not allowed are neither in one list nor the other. */
export interface ServerTools {
  tools: readonly ListedTool[];
  omitted: readonly OmittedTool[];
}

export type ListOutcome = { kind: "listed"; list: ServerTools } | { kind: "failed"; failure: ToolOutcome };

/** What is asked of the process of MCP clients. `id` is returned with the answer. */
export type McpRequest =
  | { kind: "list"; id: number; server: McpServer; allowedTools: readonly string[] | undefined }
  | {
      kind: "call";
      id: number;
      /** Requests of one owner to one server share a session. */
      owner: string;
      server: McpServer;
      tool: string;
      arguments: Readonly<Record<string, unknown>>;
      timeoutMs: number;
    }
  /** The answer is not needed any more. */
  | { kind: "abort"; id: number }
  /** Ends the sessions of this owner. */
  | { kind: "end"; owner: string }
  | { kind: "ping" };

/** What the process says. */
export type McpMessage =
  | { kind: "ready" }
  | { kind: "listed"; id: number; outcome: ListOutcome }
  | { kind: "called"; id: number; outcome: ToolOutcome }
  | { kind: "pong" };
