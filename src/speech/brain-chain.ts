import { strict as assert } from "node:assert";
import type { Clock } from "../core/clock.ts";
import { providerFailed } from "../core/errors.ts";
import { MODEL_ANSWER_MS_MAX, MODEL_FIRST_MS_MAX, MODEL_IDLE_MS_MAX } from "../core/limits.ts";
import { spendRefusalOf } from "../core/spend.ts";
import { Attempts, type Chained, tried } from "./attempts.ts";
import { fitPrompt } from "./prompt-fit.ts";
import { promptTokens, toolsTokens } from "./prompt-tokens.ts";
import { isContextExceeded, SILENCE } from "./refusal.ts";
import type { EngineWatch, Llm, LlmEvent, LlmRequest } from "./speech.ts";

export interface ChainedBrain extends Chained {
  readonly llm: Llm;
}

/** What the next model is told behind that of an answer which has been given to the caller already. */
const GO_ON =
  "(Your answer broke off there. Go on from exactly that point in the same language, and repeat nothing of what you have said.)";

/**
 * Several models as one: what one does not answer the next does, in order. One that breaks off in the middle of its answer is
 * succeeded by the next, which is shown what was said and goes on behind it; unless it had asked for a tool, of which nobody knows
 * whether it was all that it wanted. One that refuses a prompt as longer than its context is asked once more, with half of it; refused
 * again, the prompt goes to the next as after any failure.
 */
export class BrainChain implements Llm {
  readonly provider: string;
  /** The least of all of them: each must be able to take what the one before it was asked. */
  readonly contextTokens: number;
  readonly #brains: readonly ChainedBrain[];
  readonly #clock: Clock;

  constructor(brains: readonly ChainedBrain[], clock: Clock) {
    const [first] = brains;
    assert.ok(first !== undefined, "at least one brain");
    this.provider = first.llm.provider;
    this.contextTokens = Math.min(...brains.map(({ llm }) => llm.contextTokens ?? Number.POSITIVE_INFINITY));
    this.#brains = brains;
    this.#clock = clock;
  }

  /** The first alone: the others are for when it fails. One that is left alone is left alone in this too. */
  prepare(signal: AbortSignal): void {
    const [first] = this.#brains;
    if (first?.line.mayEnter) first.llm.prepare?.(signal);
  }

  async *reply(request: LlmRequest, signal: AbortSignal, watch?: EngineWatch): AsyncGenerator<LlmEvent> {
    const attempts = new Attempts(this.#brains, MODEL_FIRST_MS_MAX, this.#clock, watch);
    const untilMs = this.#clock.nowMs() + MODEL_ANSWER_MS_MAX;
    let said = "";
    let asked = request;
    for (let next = await attempts.next(signal); next !== undefined; next = await attempts.next(signal)) {
      const { llm } = next.provider;
      attempts.asks(next.provider);
      const before = said;
      let hasBegun = false;
      let asksTools = false;
      const isOwed = before.trim() === "" && asked.messages.at(-1)?.role === "user";
      const reply = (either: AbortSignal): AsyncIterable<LlmEvent> => {
        const events = llm.reply(before.trim() === "" ? asked : goingOn(asked, before), either, watch);
        return isOwed ? answering(llm.provider, events) : events;
      };
      try {
        for await (const event of tried(
          next.passage,
          reply,
          {
            provider: llm.provider,
            clock: this.#clock,
            firstMs: next.firstMs,
            idleMs: MODEL_IDLE_MS_MAX,
            totalMs: untilMs - this.#clock.nowMs(),
            isContent,
            isProgress: () => true,
          },
          signal,
        )) {
          if (!isContent(event)) continue;
          const told = hasBegun || event.kind !== "text" ? event : { ...event, text: joint(before, event.text) };
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
        const shorter = isContextExceeded(error) ? onTooLong(asked, asked === request, llm.provider, watch) : undefined;
        if (shorter === undefined) attempts.failed(error, hasBegun);
        else asked = shorter;
        if (asksTools) throw error;
        if (this.#clock.nowMs() >= untilMs) break;
      }
    }
    if (signal.aborted) return;
    throw attempts.failure ?? providerFailed(this.provider, "did not begin in time", SILENCE);
  }
}

/** What a model tells while it writes a tool's arguments is none yet. */
const isContent = (event: LlmEvent): boolean => event.kind !== "text" || event.text !== "";

/** The same answer to somebody who waits for one: if it ends and nothing has come of it, it has failed. */
async function* answering(provider: string, events: AsyncIterable<LlmEvent>): AsyncGenerator<LlmEvent> {
  let hasAnswered = false;
  for await (const event of events) {
    if (event.kind === "end" && !hasAnswered) break;
    hasAnswered ||= event.kind === "tool-call" || (event.kind === "text" && event.text.trim() !== "");
    yield event;
  }
  if (!hasAnswered) throw providerFailed(provider, "said nothing");
}

/** Tells of a prompt that was refused as too long. Returns a shorter one, where it is to be asked again and there is one. */
function onTooLong(
  { messages, tools, ...more }: LlmRequest,
  isFirst: boolean,
  provider: string,
  watch: EngineWatch | undefined,
): LlmRequest | undefined {
  const tokensMax = Math.floor(promptTokens({ messages, tools }) / 2);
  const { messages: fitted, droppedMessages, cutResults } = fitPrompt(messages, toolsTokens(tools), tokensMax);
  const retried = isFirst && droppedMessages + cutResults > 0;
  watch?.contextExceeded(provider, tokensMax, retried);
  return retried ? { messages: fitted, tools, ...more } : undefined;
}

const goingOn = (request: LlmRequest, said: string): LlmRequest => ({
  ...request,
  messages: [...request.messages, { role: "assistant", text: said }, { role: "user", text: GO_ON }],
});

/** The first text behind `said`; models break off between words, as a rule, and begin without a blank. */
const joint = (said: string, text: string): string =>
  said === "" || /\s$/.test(said) || /^[\s,.;:!?]/.test(text) ? text : ` ${text}`;
