import type { ReplyPassages } from "../knowledge/call-knowledge.ts";

/** What went wrong with a tool, for the log, each with its meaning. */
export const TOOL_FAULT_MEANINGS = {
  arguments: "the LLM's arguments do not fit the tool's schema or its URL",
  busy: "too many tools are running",
  timeout: "it took longer than its `timeoutMs`",
  address_refused: "the address of the tool's server is one that tools may not call",
  unreachable: "the tool's server could not be reached",
  secret_refused: "the headers need a secret that does not exist, or that the account may not send to this server",
  status: "the server answered with a status other than 2xx, or an MCP server with a redirect",
  too_large: "the server's answer is too long",
  unreadable: "the body of the server's answer is neither JSON nor text, or has a content encoding",
  protocol: "an MCP server answered with an error of the protocol, or with nothing that can be understood",
  server: "an MCP server reported that its tool failed",
  client: "the client reported a failure",
  internal: "a defect of the service",
} as const;

export type ToolFault = keyof typeof TOOL_FAULT_MEANINGS;
export const TOOL_FAULTS = Object.keys(TOOL_FAULT_MEANINGS) as [ToolFault, ...ToolFault[]];

/** A request as its account may see it: with `***` in place of secrets. */
export interface ShownRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
}

/**
 * Gets each request before it is sent. Only who shows it to the account passes one: calls do not, whose event loop has no time to make it.
 */
export type OnToolRequest = (request: ShownRequest) => void;

/** The outcome of a tool. */
export interface ToolOutcome {
  /** The result for the LLM. */
  text: string;
  /** Absent when nothing went wrong. */
  fault?: ToolFault;
  /** What was found in corpora; absent from other tools. */
  retrieval?: ReplyPassages;
  /** The status of the HTTP response, if there was one. */
  status?: number;
  /** The code of the underlying error, one of Node's constants. */
  cause?: string;
}

/** One text for every connection failure: it does not reveal what is at an address that tools may not call. */
export const UNREACHABLE = "its server could not be reached";

/** `reason` continues "Error: ", in words for the LLM. */
export const failed = (
  fault: ToolFault,
  reason: string,
  details: Pick<ToolOutcome, "status" | "cause"> = {},
): ToolOutcome => ({
  text: `Error: ${reason}.`,
  fault,
  ...details,
});
