import type { Schema } from "../../client/src/index.ts";

export type ToolType = Schema<"Tool">["type"];

/** The kinds of saved tools, in words, and who carries them out. */
export const TOOL_TYPES: Readonly<Record<ToolType, { title: string; meaning: string }>> = {
  http: { title: "HTTP request", meaning: "The service sends a request to a server of yours." },
  client: {
    title: "Client",
    meaning: "The program at the other end of a call's WebSocket or WebRTC connection carries it out.",
  },
  mcp: { title: "MCP server", meaning: "A server that has tools of its own, each of which the LLM gets." },
};

export const TOOL_TYPE_CHOICES = Object.entries(TOOL_TYPES).map(([value, { title }]) => ({ value, label: title }));

/** A type in an address; undefined for what is none. */
export const toolTypeOf = (text: string | undefined): ToolType | undefined =>
  text !== undefined && Object.hasOwn(TOOL_TYPES, text) ? (text as ToolType) : undefined;
