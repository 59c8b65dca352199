import type { LlmRequest, Message, ToolDescription } from "./speech.ts";

/*
 * How many tokens a prompt comes to, estimated without any model's tokenizer: the same everywhere, always, and rather too many.
 * A quarter of a token for an ASCII letter or a blank (the makers' rule of thumb for English), half of one for other ASCII (digits and
 * the punctuation of JSON are short tokens) and for Latin letters with accents, one for every other UTF-16 unit: a Chinese, Cyrillic or
 * Arabic character counts one, an emoji two.
 */

/** What the framing of one message costs, and of one use of a tool: its id, role and delimiters. */
const TOKENS_PER_MESSAGE = 8;
const TOKENS_PER_TOOL_CALL = 16;

const ASCII_END = 0x80;
/** Behind Latin Extended-B. */
const LATIN_END = 0x250;

/** Estimated tokens of `text`. */
export function textTokens(text: string): number {
  let quarters = 0;
  for (let at = 0; at < text.length; at += 1) quarters += quartersOf(text.charCodeAt(at));
  return Math.ceil(quarters / 4);
}

function quartersOf(unit: number): number {
  if (unit >= LATIN_END) return 4;
  if (unit >= ASCII_END) return 2;
  const isLetter = (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a);
  return isLetter || unit === 0x20 ? 1 : 2;
}

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

/** Estimated tokens of all that a request shows the LLM. */
export const promptTokens = ({ messages, tools }: Pick<LlmRequest, "messages" | "tools">): number =>
  messages.reduce((sum, message) => sum + messageTokens(message), toolsTokens(tools));
