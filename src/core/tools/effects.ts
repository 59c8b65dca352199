import type { BuiltInTool, ToolSpec } from "../calls/spec.ts";

const BUILT_IN_EFFECTS: Readonly<Record<BuiltInTool, boolean>> = {
  hang_up: true,
  send_dtmf: true,
  transfer: true,
  hold_call: true,
  // A pause that is refused may store a card number, and one that a document has asked for is in the record.
  pause_recording: false,
  // A document must not have stored what the caller was promised is not.
  resume_recording: true,
  query_corpus: false,
  switch_language: false,
};

/** Whether a built-in tool changes something outside the conversation. */
export const builtInHasEffects = (name: BuiltInTool): boolean => BUILT_IN_EFFECTS[name];

/** Whether a tool changes something outside the conversation. One of the customer's own does unless it is declared read-only. */
export const hasEffects = (tool: ToolSpec): boolean =>
  tool.kind === "built_in" ? BUILT_IN_EFFECTS[tool.name] : tool.readOnly !== true;
