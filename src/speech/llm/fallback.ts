import { strict as assert } from "node:assert";
import { spendRefusalOf } from "../../core/billing/spend.ts";
import type { Clock } from "../../core/clock.ts";
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

/** What the next model is told behind that of an answer which has been given to the caller already. */
const CONTINUE_PROMPT =
  "(Your answer broke off there. Go on from exactly that point in the same language, and repeat nothing of what you have said.)";

/**
 * Several models as one: what one does not answer the next does, in order. One that breaks off in the middle of its answer is
 * succeeded by the next, which is shown what was said and goes on behind it; unless it had asked for a tool, of which nobody knows
 * whether it was all that it wanted. One that refuses a prompt as longer than its context is asked once more, with half of it; refused
 * again, the prompt goes to the next as after any failure.
 */
export class FallbackLlm implements Llm {
  readonly provider: string;
  /** The least of all of them: each must be able to take what the one before it was asked. */
  readonly contextTokens: number;
  readonly #candidates: readonly LlmCandidate[];
  readonly #clock: Clock;

  constructor(brains: readonly LlmCandidate[], clock: Clock) {
    const [first] = brains;
    assert.ok(first !== undefined, "at least one brain");
    this.provider = first.llm.provider;
    this.contextTokens = Math.min(...brains.map(({ llm }) => llm.contextTokens ?? Number.POSITIVE_INFINITY));
    this.#candidates = brains;
    this.#clock = clock;
  }

  /** The first alone: the others are for when it fails. One that is left alone is left alone in this too. */
  prepare(signal: AbortSignal): void {
    const [first] = this.#candidates;
    if (first?.circuitBreaker.isAvailable) first.llm.prepare?.(signal);
  }

  async *reply(request: LlmRequest, signal: AbortSignal, watch?: ProviderObserver): AsyncGenerator<LlmEvent> {
    const attempts = new FallbackAttempts(this.#candidates, LLM_FIRST_TOKEN_MS_MAX, this.#clock, watch);
    const untilMs = this.#clock.nowMs() + LLM_ANSWER_MS_MAX;
    let said = "";
    let asked = request;
    for (let next = await attempts.next(signal); next !== undefined; next = await attempts.next(signal)) {
      const { llm } = next.candidate;
      attempts.started(next.candidate);
      const before = said;
      let hasBegun = false;
      let asksTools = false;
      const isOwed = before.trim() === "" && asked.messages.at(-1)?.role === "user";
      const reply = (either: AbortSignal): AsyncIterable<LlmEvent> => {
        const events = llm.reply(before.trim() === "" ? asked : continuationRequest(asked, before), either, watch);
        return isOwed ? requireReply(llm.provider, events) : events;
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
            totalMs: untilMs - this.#clock.nowMs(),
            isContent,
            isProgress: () => true,
          },
          signal,
        )) {
          if (!isContent(event)) continue;
          const told =
            hasBegun || event.kind !== "text" ? event : { ...event, text: withSeparator(before, event.text) };
          hasBegun = true;
          if (told.kind === "text") said += told.text;
          asksTools ||= told.kind === "tool-call";
          yield told;
          if (signal.aborted) return;
        }
        return;
      } catch (error) {
        // No other provider may be asked either.
        if (spendRefusalOf(error) !== undefined) throw error;
        const shorter = isContextExceeded(error)
          ? onContextExceeded(asked, asked === request, llm.provider, watch)
          : undefined;
        if (shorter === undefined) attempts.failed(error, hasBegun);
        else asked = shorter;
        if (asksTools) throw error;
        if (this.#clock.nowMs() >= untilMs) break;
      }
    }
    if (signal.aborted) return;
    throw attempts.failure ?? providerFailed(this.provider, "did not start in time", TIMED_OUT);
  }
}

/** What a model tells while it writes a tool's arguments is none yet. */
const isContent = (event: LlmEvent): boolean => event.kind !== "text" || event.text !== "";

/** The same answer to somebody who waits for one: if it ends and nothing has come of it, it has failed. */
async function* requireReply(provider: string, events: AsyncIterable<LlmEvent>): AsyncGenerator<LlmEvent> {
  let hasAnswered = false;
  for await (const event of events) {
    if (event.kind === "end" && !hasAnswered) break;
    hasAnswered ||= event.kind === "tool-call" || (event.kind === "text" && event.text.trim() !== "");
    yield event;
  }
  if (!hasAnswered) throw providerFailed(provider, "sent an empty reply");
}

/** Tells of a prompt that was refused as too long. Returns a shorter one, where it is to be asked again and there is one. */
function onContextExceeded(
  { messages, tools, ...more }: LlmRequest,
  isFirst: boolean,
  provider: string,
  watch: ProviderObserver | undefined,
): LlmRequest | undefined {
  const tokensMax = Math.floor(promptTokens({ messages, tools }) / 2);
  const { messages: fitted, droppedMessages, truncatedResults } = fitPrompt(messages, toolsTokens(tools), tokensMax);
  const retried = isFirst && droppedMessages + truncatedResults > 0;
  watch?.contextExceeded(provider, tokensMax, retried);
  return retried ? { messages: fitted, tools, ...more } : undefined;
}

const continuationRequest = (request: LlmRequest, said: string): LlmRequest => ({
  ...request,
  messages: [...request.messages, { role: "assistant", text: said }, { role: "user", text: CONTINUE_PROMPT }],
});

/** The first text behind `said`; models break off between words, as a rule, and begin without a blank. */
const withSeparator = (said: string, text: string): string =>
  said === "" || /\s$/.test(said) || /^[\s,.;:!?]/.test(text) ? text : ` ${text}`;
