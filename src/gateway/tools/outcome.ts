/** What went wrong with a tool, for the log. */
export type ToolFault =
  /** The model's arguments do not fit the tool's schema or its URL. */
  | "arguments"
  /** Too many of the call's tools run. */
  | "busy"
  | "timeout"
  /** Its server's address is not one that tools may call. */
  | "address_refused"
  | "unreachable"
  /** Its headers hold a secret that there is none of, or that its account may not send to its server. */
  | "secret_refused"
  /** Its server answered with another status than 2xx. */
  | "status"
  | "too_large"
  /** Its server's answer is neither JSON nor text, or encoded. */
  | "unreadable"
  /** The client said that it failed. */
  | "client"
  /** A bug of ours. */
  | "internal";

/** What came of a tool. */
export interface ToolOutcome {
  /** What the model is told. */
  text: string;
  /** Absent when nothing went wrong. */
  fault?: ToolFault;
  /** Of the answer to an HTTP request, when there was one. */
  status?: number;
  /** The code of the error below, one of Node's constants. */
  cause?: string;
}

/** `why` continues "Error: ", in words for the model. */
export const failed = (
  fault: ToolFault,
  why: string,
  more: Pick<ToolOutcome, "status" | "cause"> = {},
): ToolOutcome => ({
  text: `Error: ${why}.`,
  fault,
  ...more,
});
