import { strict as assert } from "node:assert";
import { spendRefusalOf } from "../../core/billing/spend.ts";
import type { Clock } from "../../core/clock.ts";
import { addMs, elapsedMs } from "../../core/clocks.ts";
import { providerFailed } from "../../core/errors.ts";
import { LLM_ANSWER_MS_MAX, LLM_FIRST_TOKEN_MS_MAX, LLM_IDLE_MS_MAX } from "../../core/limits/llm.ts";
import type { Llm, LlmEvent, LlmRequest, ProviderObserver } from "../contracts.ts";
import { FallbackAttempts, type FallbackCandidate, runAttempt } from "../resilience/fallback-attempts.ts";
import { isContextExceeded, TIMED_OUT } from "../resilience/provider-error.ts";
import { promptTokens, toolsTokens } from "./prompt/prompt-tokens.ts";
import { fitPrompt } from "./prompt/trimming.ts";

export interface LlmCandidate extends FallbackCandidate {
  readonly llm: Llm;
}

/** The instruction to the next LLM after the part of a reply that the caller has already received. */
const CONTINUE_PROMPT =
  "(Your answer broke off there. Go on from exactly that point in the same language, and repeat nothing of what you have said.)";

/**
 * LLM with failover: when one provider fails, the next one replies. When a reply breaks off, the next provider gets the
 * text so far and continues it. A reply that breaks off after a tool call is not continued, because it is unknown
 * whether the tool calls were complete. When a provider refuses a prompt as longer than its context, it is retried once
 * with half of the prompt; refused again, the prompt goes to the next provider, as after any failure.
 */
export class FallbackLlm implements Llm {
  readonly provider: string;
  /** The smallest context of all candidates, so that each fallback accepts the same prompt. */
  readonly contextTokens: number;
  readonly #candidates: readonly LlmCandidate[];
  readonly #clock: Clock;

  constructor(candidates: readonly LlmCandidate[], clock: Clock) {
    const [first] = candidates;
    assert.ok(first !== undefined, "FallbackLlm needs at least one candidate");
    this.provider = first.llm.provider;
    this.contextTokens = Math.min(...candidates.map(({ llm }) => llm.contextTokens ?? Number.POSITIVE_INFINITY));
    this.#candidates = candidates;
    this.#clock = clock;
  }

  /**
   * Prepares only the first provider, because the others are used only when it fails. An open circuit breaker prevents
   * it.
   */
  prepare(signal: AbortSignal): void {
    const [first] = this.#candidates;
    if (first?.circuitBreaker.isAvailable) first.llm.prepare?.(signal);
  }

  async *reply(request: LlmRequest, signal: AbortSignal, observer?: ProviderObserver): AsyncGenerator<LlmEvent> {
    const attempts = new FallbackAttempts(this.#candidates, LLM_FIRST_TOKEN_MS_MAX, this.#clock, observer);
    const deadlineMs = addMs(this.#clock.nowMs(), LLM_ANSWER_MS_MAX);
    let sentText = "";
    let current = request;
    for (let next = await attempts.next(signal); next !== undefined; next = await attempts.next(signal)) {
      const { llm } = next.candidate;
      attempts.started(next.candidate);
      const before = sentText;
      let hasBegun = false;
      let hasToolCall = false;
      const isContinuation = before.trim() !== "";
      const needsReply = !isContinuation && current.messages.at(-1)?.role === "user";
      const reply = (either: AbortSignal): AsyncIterable<LlmEvent> => {
        const events = llm.reply(isContinuation ? continuationRequest(current, before) : current, either, observer);
        return needsReply ? requireReply(llm.provider, events) : events;
      };
      try {
        for await (const event of runAttempt(
          next.permit,
          reply,
          {
            provider: llm.provider,
            clock: this.#clock,
            firstContentMs: next.firstContentMs,
            idleMs: LLM_IDLE_MS_MAX,
            totalMs: elapsedMs(this.#clock.nowMs(), deadlineMs),
            isContent,
            isProgress: () => true,
          },
          signal,
        )) {
          if (!isContent(event)) continue;
          const emitted =
            hasBegun || event.kind !== "text" ? event : { ...event, text: withSeparator(before, event.text) };
          hasBegun = true;
          if (emitted.kind === "text") sentText += emitted.text;
          hasToolCall ||= emitted.kind === "tool-call";
          yield emitted;
          if (signal.aborted) return;
        }
        return;
      } catch (error) {
        // The spend limit applies to the fallbacks too.
        if (spendRefusalOf(error) !== undefined) throw error;
        const trimmed = isContextExceeded(error)
          ? onContextExceeded(current, current === request, llm.provider, observer)
          : undefined;
        if (trimmed === undefined) attempts.failed(error, hasBegun);
        else current = trimmed;
        if (hasToolCall) throw error;
        if (this.#clock.nowMs() >= deadlineMs) break;
      }
    }
    if (signal.aborted) return;
    throw attempts.failure ?? providerFailed(this.provider, "did not start in time", TIMED_OUT);
  }
}

/** An empty text is not content: it only shows that the LLM is writing a tool call. */
const isContent = (event: LlmEvent): boolean => event.kind !== "text" || event.text !== "";

/** Passes `events` through. Throws if they end without a word and without a tool call. */
async function* requireReply(provider: string, events: AsyncIterable<LlmEvent>): AsyncGenerator<LlmEvent> {
  let hasContent = false;
  for await (const event of events) {
    if (event.kind === "end" && !hasContent) break;
    hasContent ||= event.kind === "tool-call" || (event.kind === "text" && event.text.trim() !== "");
    yield event;
  }
  if (!hasContent) throw providerFailed(provider, "sent an empty reply");
}

/**
 * Reports a prompt that was refused as too long. Returns a trimmed request for a retry, where one is due and possible.
 */
function onContextExceeded(
  { messages, tools, ...more }: LlmRequest,
  isFirst: boolean,
  provider: string,
  observer: ProviderObserver | undefined,
): LlmRequest | undefined {
  const tokensMax = Math.floor(promptTokens({ messages, tools }) / 2);
  const { messages: fitted, droppedMessages, truncatedResults } = fitPrompt(messages, toolsTokens(tools), tokensMax);
  const retried = isFirst && droppedMessages + truncatedResults > 0;
  observer?.contextExceeded(provider, tokensMax, retried);
  return retried ? { messages: fitted, tools, ...more } : undefined;
}

const continuationRequest = (request: LlmRequest, sentText: string): LlmRequest => ({
  ...request,
  messages: [...request.messages, { role: "assistant", text: sentText }, { role: "user", text: CONTINUE_PROMPT }],
});

/** The first text after `before`. LLMs usually break off between words and continue without a space. */
const withSeparator = (before: string, text: string): string =>
  before === "" || /\s$/.test(before) || /^[\s,.;:!?]/.test(text) ? text : ` ${text}`;
