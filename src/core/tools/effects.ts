import type { BuiltInTool, ToolSpec } from "../calls/spec.ts";

const BUILT_IN_WITH_EFFECTS: readonly BuiltInTool[] = ["hang_up", "send_dtmf", "transfer", "hold_call"];

/** Whether a tool changes something outside the conversation. One of the customer's own does unless it is declared read-only. */
export const hasEffects = (tool: ToolSpec): boolean =>
  tool.kind === "built_in" ? BUILT_IN_WITH_EFFECTS.includes(tool.name) : tool.readOnly !== true;
