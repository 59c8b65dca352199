import { strict as assert } from "node:assert";
import type { Clock } from "../core/clock.ts";
import { providerFailed } from "../core/errors.ts";
import { MODEL_ANSWER_MS_MAX, MODEL_FIRST_MS_MAX, MODEL_IDLE_MS_MAX } from "../core/limits.ts";
import { Attempts, type Chained, tried } from "./attempts.ts";
import { SILENCE } from "./refusal.ts";
import type { Llm, LlmEvent, LlmRequest } from "./speech.ts";

export interface ChainedBrain extends Chained {
  readonly llm: Llm;
}

/** What the next model is told behind that of an answer which has been given to the caller already. */
const GO_ON =
  "(Your answer broke off there. Go on from exactly that point in the same language, and repeat nothing of what you have said.)";

/**
 * Several models as one: what one does not answer the next does, in order. One that breaks off in the middle of its answer is
 * succeeded by the next, which is shown what was said and goes on behind it; unless it had asked for a tool, of which nobody knows
 * whether it was all that it wanted.
 */
export class BrainChain implements Llm {
  readonly provider: string;
  readonly #brains: readonly ChainedBrain[];
  readonly #clock: Clock;

  constructor(brains: readonly ChainedBrain[], clock: Clock) {
    const [first] = brains;
    assert.ok(first !== undefined, "at least one brain");
    this.provider = first.llm.provider;
    this.#brains = brains;
    this.#clock = clock;
  }

  async *reply(request: LlmRequest, signal: AbortSignal): AsyncGenerator<LlmEvent> {
    const attempts = new Attempts(this.#brains, MODEL_FIRST_MS_MAX, this.#clock);
    const untilMs = this.#clock.nowMs() + MODEL_ANSWER_MS_MAX;
    let said = "";
    for (let next = await attempts.next(signal); next !== undefined; next = await attempts.next(signal)) {
      const { llm } = next.provider;
      const before = said;
      let hasBegun = false;
      let asksTools = false;
      try {
        for await (const event of tried(
          next.passage,
          (either) => llm.reply(before === "" ? request : goingOn(request, before), either),
          {
            provider: llm.provider,
            clock: this.#clock,
            firstMs: next.firstMs,
            idleMs: MODEL_IDLE_MS_MAX,
            totalMs: untilMs - this.#clock.nowMs(),
            isContent: (event) => event.kind !== "text" || event.text !== "",
          },
          signal,
        )) {
          const told = hasBegun || event.kind !== "text" ? event : { ...event, text: joint(before, event.text) };
          hasBegun = true;
          if (told.kind === "text") said += told.text;
          asksTools ||= told.kind === "tool-call";
          yield told;
          if (signal.aborted) return;
        }
        return;
      } catch (error) {
        attempts.failed(error, hasBegun);
        if (asksTools) throw error;
        if (this.#clock.nowMs() >= untilMs) break;
      }
    }
    if (signal.aborted) return;
    throw attempts.failure ?? providerFailed(this.provider, "did not begin in time", SILENCE);
  }
}

const goingOn = (request: LlmRequest, said: string): LlmRequest => ({
  ...request,
  messages: [...request.messages, { role: "assistant", text: said }, { role: "user", text: GO_ON }],
});

/** The first text behind `said`; models break off between words, as a rule, and begin without a blank. */
const joint = (said: string, text: string): string =>
  said === "" || /\s$/.test(said) || /^[\s,.;:!?]/.test(text) ? text : ` ${text}`;
