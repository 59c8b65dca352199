import type { ReplyPassages } from "../../core/knowledge/call-knowledge.ts";

/** What went wrong with a tool, for the log. */
export type ToolFault =
  /** The LLM's arguments do not fit the tool's schema or its URL. */
  | "arguments"
  /** Too many tools of the call are running. */
  | "busy"
  | "timeout"
  /** The address of the tool's server is one that tools may not call. */
  | "address_refused"
  | "unreachable"
  /** The tool's headers need a secret that does not exist, or that the account may not send to this server. */
  | "secret_refused"
  /** The server answered with a status other than 2xx. */
  | "status"
  | "too_large"
  /** The body of the server's answer is neither JSON nor text, or has a content encoding. */
  | "unreadable"
  /** The client reported a failure. */
  | "client"
  /** An internal error. */
  | "internal";

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
