import type { Clock } from "../../../src/core/clock.ts";
import { providerFailed } from "../../../src/core/errors.ts";
import type { Llm, LlmEvent, LlmRequest } from "../../../src/speech/contracts.ts";
import { sleep } from "../manual-clock.ts";

/** One step of a reply, `afterMs` after the previous one. `fail` and `end` are last. */
export interface LlmStep {
  afterMs: number;
  event: LlmEvent | { kind: "fail"; cause?: unknown };
}

/** An Llm that gives `replies` in order, whatever the request, and repeats the last one. */
export class ScriptedLlm implements Llm {
  readonly provider = "scripted";
  readonly requests: LlmRequest[] = [];
  /** Replies that were aborted before their end. */
  aborted = 0;
  readonly #clock: Clock;
  readonly #replies: readonly (readonly LlmStep[])[];

  constructor(clock: Clock, replies: readonly (readonly LlmStep[])[]) {
    this.#clock = clock;
    this.#replies = replies;
  }

  async *reply(request: LlmRequest, signal: AbortSignal): AsyncGenerator<LlmEvent> {
    const steps = this.#replies[Math.min(this.requests.length, this.#replies.length - 1)] ?? [];
    this.requests.push(request);
    for (const { afterMs, event } of steps) {
      if (afterMs > 0) await sleep(this.#clock, afterMs, signal);
      if (signal.aborted) {
        this.aborted += 1;
        return;
      }
      if (event.kind === "fail") throw providerFailed(this.provider, "failed as scripted", event.cause);
      yield event;
    }
  }
}

/** A reply of `text` word by word, the first after `firstMs`, followed by a call of `tool`, if given, and the end. */
export function textReply(text: string, { firstMs = 0, perWordMs = 0, tool = "" } = {}): LlmStep[] {
  const words = text.split(" ");
  const steps: LlmStep[] = words.map((word, index) => ({
    afterMs: index === 0 ? firstMs : perWordMs,
    event: { kind: "text", text: index === 0 ? word : ` ${word}` },
  }));
  if (tool !== "") {
    steps.push({ afterMs: 0, event: { kind: "tool-call", id: `${tool}-1`, name: tool, argumentsJson: "{}" } });
  }
  steps.push({ afterMs: 0, event: { kind: "end", inputTokens: 1, outputTokens: words.length } });
  return steps;
}
