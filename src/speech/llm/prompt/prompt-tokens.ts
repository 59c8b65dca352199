import type { LlmRequest, Message, ToolDescription } from "../../contracts.ts";
import { textTokens } from "./text-tokens.ts";

/* Estimates the tokens of a prompt, with the estimate of text-tokens.ts. */

/** The tokens of the framing of one message, and of one tool call: its id, role and delimiters. */
const TOKENS_PER_MESSAGE = 8;
const TOKENS_PER_TOOL_CALL = 16;

/** Estimated tokens of one message of a conversation, its tool calls included. */
export function messageTokens(message: Message): number {
  const tokens = TOKENS_PER_MESSAGE + textTokens(message.text);
  if (message.role === "tool") return tokens + TOKENS_PER_TOOL_CALL + textTokens(message.name);
  if (message.role !== "assistant" || message.toolCalls === undefined) return tokens;
  return message.toolCalls.reduce(
    (sum, { name, argumentsJson }) => sum + TOKENS_PER_TOOL_CALL + textTokens(name) + textTokens(argumentsJson),
    tokens,
  );
}

/** Estimated tokens of the tools that a prompt offers. */
export const toolsTokens = (tools: readonly ToolDescription[]): number =>
  tools.length === 0 ? 0 : textTokens(JSON.stringify(tools));

/** Estimated tokens of a whole request, tools included. */
export const promptTokens = ({ messages, tools }: Pick<LlmRequest, "messages" | "tools">): number =>
  messages.reduce((sum, message) => sum + messageTokens(message), toolsTokens(tools));
