import { PREEMPTIVE_TURN_PARAMETERS, type TurnParameters } from "../../../src/call/parameters.ts";
import type { Prices } from "../../../src/core/billing/prices.ts";
import type { SpendSettings } from "../../../src/core/billing/spend.ts";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import type { ToolOutcome } from "../../../src/core/tools/outcome.ts";
import type { ChosenPhrases } from "../../../src/gateway/phrases/book.ts";
import type { ServiceMessage } from "../../../src/simulator/peers/websocket-client.ts";
import type { LlmStep } from "../providers/scripted-llm.ts";
import { textReply } from "../providers/scripted-llm.ts";
import type { ScriptedTtsOptions } from "../providers/scripted-tts.ts";
import type { ProviderScripts } from "./engines.ts";

/** How long a word of the caller takes, and how long after the last one its final transcript comes, ms. */
const WORD_MS = 300;
const FINAL_MS = 250;

/** The answer of a tool of the service, `afterMs` after it was asked. */
export interface ScriptedTool extends ToolOutcome {
  afterMs: number;
}

/** What can be done to a call while it lives. */
export interface LiveCall {
  /** The caller types. */
  types(text: string): void;
  presses(digit: string): void;
  /** The caller hangs up, as the protocol of the line has it. */
  hangsUp(): void;
  /** The socket is gone, without a word or with a broken frame. */
  closes(code: number, violated: boolean): void;
  /** From now on nothing passes, in neither direction. */
  lineDies(): void;
  /** From now on the peer reads nothing. */
  stopsReading(): void;
  /** A message of the peer as it stands. */
  sends(message: string | Uint8Array): void;
  /** The peer sends the audio of so many frames at once. */
  floodsAudio(frames: number): void;
  /** The worker is drained, and says goodbye to its calls. */
  drains(): void;
  /** Somebody ends the call through the API. */
  endedByApi(): void;
  /** The account has reached its limit in all workers together. */
  accountIsOver(): void;
  /** The client of a raw WebSocket reports the result of a tool. */
  answersTool(id: string, outcome: { result: unknown } | { error: string }): void;
}

/** The script of one golden call: what the caller does and hears, what the providers give, and what goes wrong. Times in ms of the call. */
export class Scene {
  readonly spec: Partial<CallSpec> = {};
  readonly providers: ProviderScripts = { stt: [[]], llm: [], tts: [{}], sttHasPartials: true, firstAreFull: false };
  readonly steps: { atMs: number; run: (call: LiveCall) => void }[] = [];
  /** When the caller makes a sound, and when no audio arrives at all. */
  readonly speech: { fromMs: number; untilMs: number }[] = [];
  readonly muted: { fromMs: number; untilMs: number }[] = [];
  readonly tools = new Map<string, ScriptedTool>();
  readonly phrases = new Map<string, ChosenPhrases>();
  /** Nothing is said before the LLM, or the caller, does. */
  withoutGreeting = false;
  parameters: Readonly<TurnParameters> | undefined;
  spend: SpendSettings | undefined;
  prices: Prices | undefined;
  historyTokensMax: number | undefined;
  /** The voice detector fails at this frame: a bug of the service. */
  detectorFailsAtFrame = Number.POSITIVE_INFINITY;
  /** The call is over by then. */
  untilMs = 120_000;
  /** Whether the peer answers pings. */
  answersPings = true;
  /** Whether the peer begins its stream. */
  starts = true;
  onToolCall: (message: ServiceMessage & { type: "toolCall" }, call: LiveCall) => void = () => {};

  at(atMs: number, run: (call: LiveCall) => void): this {
    this.steps.push({ atMs, run });
    return this;
  }

  /** The caller says `text`, recognized word by word by STT provider number `by`, and as a whole when it is over. */
  says(atMs: number, text: string, { language, by = 0 }: { language?: string; by?: number } = {}): this {
    const words = text.split(" ");
    const endMs = atMs + words.length * WORD_MS;
    const spoken = language === undefined ? {} : { language };
    this.sounds(atMs, endMs);
    if (this.providers.sttHasPartials) {
      for (const index of words.keys()) {
        const partial = words.slice(0, index + 1).join(" ");
        this.recognizes(atMs + (index + 1) * WORD_MS, { kind: "interim", text: partial, ...spoken }, by);
      }
    }
    return this.recognizes(endMs + FINAL_MS, { kind: "final", text, ...spoken }, by);
  }

  /** STT provider number `by` recognizes something, or fails. */
  recognizes(atMs: number, event: ProviderScripts["stt"][number][number]["event"], by = 0): this {
    while (this.providers.stt.length <= by) this.providers.stt.push([]);
    this.providers.stt[by]?.push({ atMs, event });
    return this;
  }

  /** The caller makes a sound. */
  sounds(fromMs: number, untilMs: number): this {
    this.speech.push({ fromMs, untilMs });
    return this;
  }

  /** The LLM provider number `by` replies like this the next time, and from then on unless there is another reply. */
  replies(reply: string | readonly LlmStep[], by = 0): this {
    while (this.providers.llm.length <= by) this.providers.llm.push([]);
    const steps = typeof reply === "string" ? textReply(reply, { firstMs: 120, perWordMs: 15 }) : [...reply];
    this.providers.llm[by]?.push(steps);
    return this;
  }

  /** TTS providers, in the order of their fallback. */
  speaks(...providers: readonly ScriptedTtsOptions[]): this {
    this.providers.tts = [...providers];
    return this;
  }

  presses(atMs: number, keys: string, gapMs = 400): this {
    for (const [index, digit] of [...keys].entries()) this.at(atMs + index * gapMs, (call) => call.presses(digit));
    return this;
  }

  hangsUp(atMs: number): this {
    return this.at(atMs, (call) => call.hangsUp());
  }

  preempts(): this {
    this.parameters = PREEMPTIVE_TURN_PARAMETERS;
    return this;
  }

  with(spec: Partial<CallSpec>): this {
    Object.assign(this.spec, spec);
    return this;
  }
}

/** An LLM's reply that asks for tools, after it has said `text`. */
export function askingFor(tools: readonly (readonly [name: string, argumentsJson: string])[], text = ""): LlmStep[] {
  return [
    ...(text === "" ? [] : [{ afterMs: 120, event: { kind: "text" as const, text } }]),
    ...tools.map(([name, argumentsJson], index) => ({
      afterMs: 30,
      event: { kind: "tool-call" as const, id: `${name}-${index}`, name, argumentsJson },
    })),
    { afterMs: 0, event: { kind: "end", inputTokens: 20, outputTokens: 10 } },
  ];
}
