import type { BuiltInTool, ToolSpec } from "../calls/spec.ts";

const BUILT_IN_EFFECTS: Readonly<Record<BuiltInTool, boolean>> = {
  hang_up: true,
  send_dtmf: true,
  transfer: true,
  hold_call: true,
  // What stands in a document must not decide what is stored of the call.
  pause_recording: true,
  resume_recording: true,
  query_corpus: false,
  switch_language: false,
};

/** Whether a tool changes something outside the conversation. One of the customer's own does unless it is declared read-only. */
export const hasEffects = (tool: ToolSpec): boolean =>
  tool.kind === "built_in" ? BUILT_IN_EFFECTS[tool.name] : tool.readOnly !== true;
