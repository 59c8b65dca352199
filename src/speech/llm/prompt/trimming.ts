import { PROMPT_TRIM_SHARE } from "../../../core/limits/llm.ts";
import { TOOL_RESULT_CHARS_MAX, TOOL_RESULT_CHARS_MIN } from "../../../core/limits/tools.ts";
import type { Message } from "../../contracts.ts";
import { messageTokens } from "./prompt-tokens.ts";
import { truncateToolResult } from "./tool-result.ts";

/** A conversation that was made to fit, and what that took. All zero where it fitted as it was. */
export interface FittedPrompt {
  messages: readonly Message[];
  /** Estimated, tools included. May still be more than was allowed: see `fitPrompt`. */
  tokens: number;
  /** Messages that were kept as they are, or with their result cut; by their place in what was given. */
  retainedIndices: readonly number[];
  droppedTurns: number;
  droppedMessages: number;
  truncatedResults: number;
}

/** Messages that stand and fall together: what a caller said and everything up to what was said next. */
interface Exchange {
  indices: number[];
  tokens: number;
}

/**
 * Makes `messages` fit `tokensMax` estimated tokens, of which `tools` are taken already. Pure: the same for the same.
 *
 * Whole exchanges are dropped, the oldest first, and several at once, so that the next prompts begin as this one does and providers find
 * them in their caches. Kept are the system prompt, the opening line and the newest exchange; an exchange holds a caller's message and all
 * that follows up to the next one, so that no tool call is ever apart from its results. Where that is not enough, the results of tools
 * in what is left are cut. What cannot be dropped nor cut may still be too long: the provider has the last word then.
 */
export function fitPrompt(messages: readonly Message[], tools: number, tokensMax: number): FittedPrompt {
  const sizes = messages.map(messageTokens);
  const tokens = sizes.reduce((sum, size) => sum + size, tools);
  const all = messages.map((_, place) => place);
  const asIs = { messages, tokens, retainedIndices: all, droppedTurns: 0, droppedMessages: 0, truncatedResults: 0 };
  if (tokens <= tokensMax) return asIs;
  const exchanges = exchangesOf(messages, sizes);
  const old = exchanges.slice(0, -1);
  const oldTokens = old.reduce((sum, exchange) => sum + exchange.tokens, 0);
  const fixedTokens = tokens - oldTokens;
  const oldTokensMax = Math.max(0, tokensMax - fixedTokens) * PROMPT_TRIM_SHARE;
  const dropped = new Set<number>();
  let left = oldTokens;
  let droppedTurns = 0;
  for (const exchange of old) {
    if (left <= oldTokensMax) break;
    for (const place of exchange.indices) dropped.add(place);
    left -= exchange.tokens;
    droppedTurns += 1;
  }
  const retainedIndices = all.filter((place) => !dropped.has(place));
  const keptMessages = retainedIndices.flatMap((place) => messages[place] ?? []);
  const cut = truncateResults(keptMessages, fixedTokens + left, tokensMax);
  return { ...cut, retainedIndices, droppedTurns, droppedMessages: dropped.size };
}

/** All but the system prompt and the opening line, which no exchange holds; the last is the newest. */
function exchangesOf(messages: readonly Message[], sizes: readonly number[]): Exchange[] {
  const opening = openingIndex(messages);
  const exchanges: Exchange[] = [];
  for (const [place, { role }] of messages.entries()) {
    if (role === "system" || place === opening) continue;
    if (role === "user" || exchanges.length === 0) exchanges.push({ indices: [], tokens: 0 });
    const exchange = exchanges.at(-1);
    exchange?.indices.push(place);
    if (exchange !== undefined) exchange.tokens += sizes[place] ?? 0;
  }
  return exchanges;
}

/** What the agent said first, before the caller said anything; undefined where the caller began. */
function openingIndex(messages: readonly Message[]): number | undefined {
  for (const [place, message] of messages.entries()) {
    if (message.role === "user") return undefined;
    if (message.role === "assistant" && message.toolCalls === undefined) return place;
  }
  return undefined;
}

/** Cuts the results of tools to the longest of some bounds with which `messages` fit, or to the least. */
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
    let cutTokens = 0;
    let count = 0;
    const cut = messages.map((message) => {
      if (message.role !== "tool" || message.text.length <= charsMax) return message;
      const shorter = { ...message, text: truncateToolResult(message.text, charsMax) };
      cutTokens += messageTokens(message) - messageTokens(shorter);
      count += 1;
      return shorter;
    });
    fitted = { messages: cut, tokens: tokens - cutTokens, truncatedResults: count };
  }
  return fitted;
}
