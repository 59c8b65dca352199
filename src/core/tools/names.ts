import { TOOL_NAME_CHARS_MAX } from "../limits/agents/tools.ts";

/** The name of a tool, as all providers of an LLM accept it. */
export const TOOL_NAME = new RegExp(`^[A-Za-z0-9_-]{1,${TOOL_NAME_CHARS_MAX}}$`);

/** Whether a value can be the name of a tool. */
export const isToolName = (value: unknown): value is string => typeof value === "string" && TOOL_NAME.test(value);
