import { strict as assert } from "node:assert";
import type { Clock } from "../../core/clock.ts";
import { providerFailed } from "../../core/errors.ts";
import { LLM_ANSWER_MS_MAX, LLM_FIRST_TOKEN_MS_MAX, LLM_IDLE_MS_MAX } from "../../core/limits/speech-providers/llm.ts";
import type { CallLlm, Llm, LlmEvent, LlmRequest, ProviderObserver } from "../contracts.ts";
import type { Metering } from "../metering/usage.ts";
import type { CircuitBreaker } from "../resilience/circuit-breaker.ts";
import { type AfterFailure, type Attempt, type FallbackRequest, withFallback } from "../resilience/fallback.ts";
import { type ItemMapping, PROVIDER_RETRIES, withPolicy } from "../resilience/policy.ts";
import { isContextExceeded } from "../resilience/provider-error.ts";
import { promptTokens, toolsTokens } from "./prompt/prompt-tokens.ts";
import { fitPrompt } from "./prompt/trimming.ts";

/** An LLM in a list of fallbacks. */
interface LlmCandidate {
  readonly llm: Llm;
  readonly circuitBreaker: CircuitBreaker;
  readonly metering?: Metering<LlmRequest, LlmEvent>;
}

/** How long an LLM may take until it sends something, between what it sends, and for all of a reply, ms. */
export interface LlmDeadlines {
  readonly firstContentMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

/** A caller waits for each reply. */
const CONVERSATION_DEADLINES: LlmDeadlines = {
  firstContentMs: LLM_FIRST_TOKEN_MS_MAX,
  idleMs: LLM_IDLE_MS_MAX,
  totalMs: LLM_ANSWER_MS_MAX,
};

/** The instruction to the next LLM after the part of a reply that the caller has already received. */
const CONTINUE_PROMPT =
  "(Your answer broke off there. Go on from exactly that point in the same language, and repeat nothing of what you have said.)";

/**
 * LLM with failover: when one provider fails, the next one replies. When a reply breaks off, the next provider gets the
 * text so far and continues it. A reply that breaks off after a tool call is not continued, because it is unknown
 * whether the tool calls were complete. When a provider refuses a prompt as longer than its context, it is retried once
 * with half of the prompt; refused again, the prompt goes to the next provider, as after any failure.
 */
export class FallbackLlm implements CallLlm {
  readonly provider: string;
  /** The smallest context of all candidates, so that each fallback accepts the same prompt. */
  readonly contextTokens: number;
  readonly #first: LlmCandidate;
  readonly #candidates: readonly PolicyLlm[];
  readonly #clock: Clock;
  /** Of a whole reply, fallbacks included, ms. */
  readonly totalMs: number;

  constructor(candidates: readonly LlmCandidate[], clock: Clock, deadlines = CONVERSATION_DEADLINES) {
    const [first] = candidates;
    assert.ok(first !== undefined, "FallbackLlm needs at least one candidate");
    this.provider = first.llm.provider;
    this.contextTokens = Math.min(...candidates.map(({ llm }) => llm.contextTokens ?? Number.POSITIVE_INFINITY));
    this.#first = first;
    this.#candidates = candidates.map((candidate) => llmWithPolicy(candidate, clock, deadlines));
    this.totalMs = deadlines.totalMs;
    this.#clock = clock;
  }

  /**
   * Prepares only the first provider, because the others are used only when it fails. An open circuit breaker prevents
   * it.
   */
  prepare(signal: AbortSignal): void {
    const { llm, circuitBreaker } = this.#first;
    if (circuitBreaker.isAvailable) llm.prepare?.(signal);
  }

  reply(request: LlmRequest, signal: AbortSignal, observer?: ProviderObserver): AsyncIterable<LlmEvent> {
    const reply = new ContinuedReply(this, this.#candidates, request, signal, observer);
    return withFallback(reply, this.#clock, signal, observer);
  }
}

type PolicyLlm = ReturnType<typeof llmWithPolicy>;

const llmWithPolicy = ({ llm, circuitBreaker, metering }: LlmCandidate, clock: Clock, deadlines: LlmDeadlines) =>
  withPolicy(
    {
      provider: llm.provider,
      send: (request: LlmRequest, signal: AbortSignal): AsyncIterable<LlmEvent> => llm.reply(request, signal),
    },
    {
      metering,
      circuitBreaker,
      retries: PROVIDER_RETRIES,
      deadlines: {
        clock,
        ...deadlines,
        isContent,
        isProgress: () => true,
      },
    },
  );

/** One reply, which several providers may write in turn. */
class ContinuedReply implements FallbackRequest<PolicyLlm, LlmEvent> {
  readonly provider: string;
  readonly totalMs: number;
  readonly #candidates: readonly PolicyLlm[];
  readonly #request: LlmRequest;
  readonly #signal: AbortSignal;
  readonly #observer: ProviderObserver | undefined;
  /** The request of the next attempt, without what has been sent of the reply. */
  #current: LlmRequest;
  /** The provider of the current attempt, the text sent before it, and what it has sent. */
  #sentTo = "";
  #before = "";
  #sentText = "";
  #hasBegun = false;
  #hasToolCall = false;

  constructor(
    { provider, totalMs }: { provider: string; totalMs: number },
    candidates: readonly PolicyLlm[],
    request: LlmRequest,
    signal: AbortSignal,
    observer: ProviderObserver | undefined,
  ) {
    this.provider = provider;
    this.totalMs = totalMs;
    this.#candidates = candidates;
    this.#request = request;
    this.#current = request;
    this.#signal = signal;
    this.#observer = observer;
  }

  candidates(): readonly PolicyLlm[] {
    return this.#candidates;
  }

  send(attempt: Attempt<PolicyLlm>): AsyncIterable<LlmEvent> {
    const { candidate } = attempt;
    this.#sentTo = candidate.provider;
    this.#before = this.#sentText;
    this.#hasBegun = false;
    const isContinuation = this.#before.trim() !== "";
    const needsReply = !isContinuation && this.#current.messages.at(-1)?.role === "user";
    return candidate.request(
      isContinuation ? continuationRequest(this.#current, this.#before) : this.#current,
      this.#signal,
      this.#observer,
      attempt,
      needsReply ? requireReply(candidate.provider) : undefined,
    );
  }

  take(event: LlmEvent): LlmEvent | undefined {
    if (!isContent(event)) return undefined;
    const taken =
      this.#hasBegun || event.kind !== "text" ? event : { ...event, text: withSeparator(this.#before, event.text) };
    this.#hasBegun = true;
    if (taken.kind === "text") this.#sentText += taken.text;
    this.#hasToolCall ||= taken.kind === "tool-call";
    return taken;
  }

  failed(error: unknown): AfterFailure {
    const trimmed = isContextExceeded(error) ? this.#onContextExceeded() : undefined;
    if (this.#hasToolCall) return "fail";
    if (trimmed === undefined) return "continue";
    this.#current = trimmed;
    return "resend";
  }

  /**
   * Reports a prompt that was refused as too long. Returns a trimmed request for a retry, where one is due and possible.
   */
  #onContextExceeded(): LlmRequest | undefined {
    const { messages, tools } = this.#current;
    const tokensMax = Math.floor(promptTokens({ messages, tools }) / 2);
    const { messages: fitted, droppedMessages, truncatedResults } = fitPrompt(messages, toolsTokens(tools), tokensMax);
    const retried = this.#current === this.#request && droppedMessages + truncatedResults > 0;
    this.#observer?.contextExceeded(this.#sentTo, tokensMax, retried);
    return retried ? { ...this.#current, messages: fitted } : undefined;
  }
}

/** An empty text is not content: it only shows that the LLM is writing a tool call. */
const isContent = (event: LlmEvent): boolean => event.kind !== "text" || event.text !== "";

/** Rejects a reply that ends without a word and without a tool call. */
function requireReply(provider: string): ItemMapping<LlmEvent> {
  let hasContent = false;
  const end = (): void => {
    if (!hasContent) throw providerFailed(provider, "sent an empty reply");
  };
  return {
    map(event) {
      if (event.kind === "end") end();
      hasContent ||= event.kind === "tool-call" || (event.kind === "text" && event.text.trim() !== "");
      return event;
    },
    end,
  };
}

const continuationRequest = (request: LlmRequest, sentText: string): LlmRequest => ({
  ...request,
  messages: [...request.messages, { role: "assistant", text: sentText }, { role: "user", text: CONTINUE_PROMPT }],
});

/** The first text after `before`. LLMs usually break off between words and continue without a space. */
const withSeparator = (before: string, text: string): string =>
  before === "" || /\s$/.test(before) || /^[\s,.;:!?]/.test(text) ? text : ` ${text}`;
