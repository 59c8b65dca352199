import type { BuiltInTool } from "../core/call-spec.ts";
import type { ToolDescription } from "../speech/speech.ts";

const DESCRIPTIONS: Readonly<Record<BuiltInTool, ToolDescription>> = {
  hang_up: {
    name: "hang_up",
    description: "Ends the call once everything said before it has been heard. Say goodbye first.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
  },
};

/** How the model sees the tools that were selected for the call. */
export const describeTools = (tools: readonly BuiltInTool[]): readonly ToolDescription[] =>
  tools.map((tool) => DESCRIPTIONS[tool]);
