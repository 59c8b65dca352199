import { TOOL_RESULT_CHARS_MAX, TOOL_RESULT_CHARS_MIN } from "../../../core/limits/agents/tools.ts";
import { PROMPT_TRIM_SHARE } from "../../../core/limits/speech-providers/llm.ts";
import type { Message } from "../../contracts.ts";
import { messageTokens } from "./prompt-tokens.ts";
import { truncateToolResult } from "./tool-result.ts";

/** A conversation trimmed to fit, and what was removed. The counts are 0 where it fitted without trimming. */
export interface FittedPrompt {
  messages: readonly Message[];
  /** Estimated, tools included. May still exceed the maximum: see `fitPrompt`. */
  tokens: number;
  /** The indices, in the given list, of the messages that remain, whole or with a truncated result. */
  retainedIndices: readonly number[];
  droppedTurns: number;
  droppedMessages: number;
  truncatedResults: number;
}

/** Messages that are dropped together: a message of the caller and all that follow up to the caller's next one. */
interface Exchange {
  indices: number[];
  tokens: number;
}

/**
 * Trims `messages` to `tokensMax` estimated tokens, of which `tools` are used by tools. Pure: equal inputs give equal
 * results.
 *
 * Whole exchanges are dropped, the oldest first, and several at once: then the following prompts begin with the same
 * messages, and providers find them in their caches. The system prompt, the opening line and the newest exchange always
 * remain. An exchange is a message of the caller and all that follow up to the next one, so a tool call is never
 * separated from its results. Where that is not enough, the remaining tool results are truncated. A prompt that is
 * still too long is sent, and the provider decides.
 */
export function fitPrompt(messages: readonly Message[], tools: number, tokensMax: number): FittedPrompt {
  const sizes = messages.map(messageTokens);
  const tokens = sizes.reduce((sum, size) => sum + size, tools);
  const all = messages.map((_, index) => index);
  const asIs = { messages, tokens, retainedIndices: all, droppedTurns: 0, droppedMessages: 0, truncatedResults: 0 };
  if (tokens <= tokensMax) return asIs;
  const exchanges = exchangesOf(messages, sizes);
  const old = exchanges.slice(0, -1);
  const oldTokens = old.reduce((sum, exchange) => sum + exchange.tokens, 0);
  const fixedTokens = tokens - oldTokens;
  const oldTokensMax = Math.max(0, tokensMax - fixedTokens) * PROMPT_TRIM_SHARE;
  const dropped = new Set<number>();
  let leftTokens = oldTokens;
  let droppedTurns = 0;
  for (const exchange of old) {
    if (leftTokens <= oldTokensMax) break;
    for (const index of exchange.indices) dropped.add(index);
    leftTokens -= exchange.tokens;
    droppedTurns += 1;
  }
  const retainedIndices = all.filter((index) => !dropped.has(index));
  const retained = retainedIndices.flatMap((index) => messages[index] ?? []);
  const fitted = truncateResults(retained, fixedTokens + leftTokens, tokensMax);
  return { ...fitted, retainedIndices, droppedTurns, droppedMessages: dropped.size };
}

/** The exchanges, the newest last. The system prompt and the opening line belong to none. */
function exchangesOf(messages: readonly Message[], sizes: readonly number[]): Exchange[] {
  const opening = openingIndex(messages);
  const exchanges: Exchange[] = [];
  for (const [index, { role }] of messages.entries()) {
    if (role === "system" || index === opening) continue;
    if (role === "user" || exchanges.length === 0) exchanges.push({ indices: [], tokens: 0 });
    const exchange = exchanges.at(-1);
    exchange?.indices.push(index);
    if (exchange !== undefined) exchange.tokens += sizes[index] ?? 0;
  }
  return exchanges;
}

/** The index of the agent's first message before any message of the caller; undefined where the caller began. */
function openingIndex(messages: readonly Message[]): number | undefined {
  for (const [index, message] of messages.entries()) {
    if (message.role === "user") return undefined;
    if (message.role === "assistant" && message.toolCalls === undefined) return index;
  }
  return undefined;
}

/** Truncates tool results to the largest of several bounds with which `messages` fit, or else to the smallest bound. */
function truncateResults(
  messages: readonly Message[],
  tokens: number,
  tokensMax: number,
): Pick<FittedPrompt, "messages" | "tokens" | "truncatedResults"> {
  let fitted = { messages, tokens, truncatedResults: 0 };
  for (
    let charsMax = TOOL_RESULT_CHARS_MAX / 2;
    fitted.tokens > tokensMax && charsMax >= TOOL_RESULT_CHARS_MIN;
    charsMax /= 2
  ) {
    let savedTokens = 0;
    let count = 0;
    const truncated = messages.map((message) => {
      if (message.role !== "tool" || message.text.length <= charsMax) return message;
      const shorter = { ...message, text: truncateToolResult(message.text, charsMax) };
      savedTokens += messageTokens(message) - messageTokens(shorter);
      count += 1;
      return shorter;
    });
    fitted = { messages: truncated, tokens: tokens - savedTokens, truncatedResults: count };
  }
  return fitted;
}
