import type { CallSpec, TranscriptTurn } from "../core/calls/spec.ts";
import { TURN_TEXT_CHARS_MAX } from "../core/limits/calls.ts";
import { cutText, joinTexts } from "../core/text/words.ts";
import type { Message } from "../speech/contracts.ts";
import { toolsTokens } from "../speech/llm/prompt/prompt-tokens.ts";
import { type FittedPrompt, fitPrompt } from "../speech/llm/prompt/trimming.ts";
import type { CallSink } from "./events.ts";
import type { AnsweredUtterance } from "./reply/timings.ts";
import { describeTools } from "./tools/plan.ts";
import type { ToolRoundMessages } from "./tools/rounds.ts";

/** What a caller said in one turn, ms of call time. */
export interface CallerUtterance {
  text: string;
  startMs: number;
  endMs: number;
}

/**
 * The conversation as both sides heard it: the transcript and the model's context are made here, from the same text, so
 * that the model never believes it said more than was heard.
 *
 * What the caller said stays open until the answer to it is audible: a caller who goes on before that has said one thing,
 * not two.
 */
export class Conversation {
  readonly #sink: CallSink;
  #messages: Message[];
  /** What the tools of the call take of a prompt, estimated tokens. */
  readonly #toolsTokens: number;
  #promptTokensMax: number;
  #pending: CallerUtterance | undefined;
  /** When the ear was sure of all that it has told; NaN while it is not. */
  #finalMs = Number.NaN;

  /** `promptTokensMax`: what a prompt may come to, estimated tokens. Past it old turns are dropped (`fitPrompt`). */
  constructor(spec: CallSpec, sink: CallSink, promptTokensMax: number) {
    this.#sink = sink;
    this.#promptTokensMax = promptTokensMax;
    this.#toolsTokens = Number.isFinite(promptTokensMax) ? toolsTokens(describeTools(spec.tools)) : 0;
    this.#messages = [{ role: "system", text: systemText(spec) }];
  }

  /** When the caller stopped saying what the agent has not audibly answered yet, and when the ear was sure of it. */
  get pendingUtterance(): AnsweredUtterance | undefined {
    return (
      this.#pending && { startMs: this.#pending.startMs, lastSpeechMs: this.#pending.endMs, finalMs: this.#finalMs }
    );
  }

  /** The ear told something, and is sure of it or not; of silence some tell finals again and again. */
  onTranscript(text: string, isFinal: boolean, nowMs: number): void {
    if (!isFinal && text !== "") this.#finalMs = Number.NaN;
    if (isFinal && (text !== "" || Number.isNaN(this.#finalMs))) this.#finalMs = nowMs;
  }

  /** What the LLM would be asked now: what was heard, and what waits for an answer, as far as it fits. */
  messages(): readonly Message[] {
    return this.#fitted(this.#messagesWithPending()).messages;
  }

  /** What it would be asked if the caller's turn were over with `text`. */
  messagesWith(text: string): readonly Message[] {
    return this.#fitted([...this.#messages, { role: "user", text: this.#joined(text) }]).messages;
  }

  /**
   * What the LLM is asked for reply `turnId`; `toolMessages` is what the reply's own tools came to. What did not fit is forgotten for good,
   * turns and what was cut of results alike, and the call's trail says so.
   */
  prompt(turnId: number, toolMessages: readonly Message[]): readonly Message[] {
    const all = [...this.#messagesWithPending(), ...toolMessages];
    const { messages, retainedIndices, tokens, droppedTurns, droppedMessages, truncatedResults } = this.#fitted(all);
    if (droppedMessages === 0 && truncatedResults === 0) return messages;
    const settledCount = this.#messages.length;
    this.#messages = messages.filter((_, index) => (retainedIndices[index] ?? settledCount) < settledCount);
    const tokensMax = this.#promptTokensMax;
    this.#sink({
      kind: "conversation-trimmed",
      turnId,
      droppedTurns,
      droppedMessages,
      truncatedResults,
      tokens,
      tokensMax,
    });
    return messages;
  }

  /** A provider takes no more than this, estimated tokens: later prompts are no longer. */
  limitPrompt(tokensMax: number): void {
    this.#promptTokensMax = Math.min(this.#promptTokensMax, tokensMax);
  }

  #messagesWithPending(): Message[] {
    return this.#pending === undefined
      ? [...this.#messages]
      : [...this.#messages, { role: "user", text: this.#pending.text }];
  }

  #fitted(messages: readonly Message[]): FittedPrompt {
    return fitPrompt(messages, this.#toolsTokens, this.#promptTokensMax);
  }

  /** What tools were asked for in a reply, and what came of them; what it said beside that is told when it has been heard. */
  addToolRounds(rounds: ToolRoundMessages): void {
    for (const { request, results } of rounds) {
      this.#messages.push({ ...request, text: "" }, ...results);
    }
  }

  /** A tool's result that came when its reply was over: the model will know it, and nobody hears of it. */
  lateResult(toolCallId: string, text: string): void {
    const at = this.#messages.findLastIndex((message) => message.role === "tool" && message.toolCallId === toolCallId);
    const result = this.#messages[at];
    // A model that was asked meanwhile keeps what it was told.
    if (result !== undefined) this.#messages[at] = { ...result, text };
  }

  /** The caller's turn is over; it joins what is still open. */
  addUtterance({ text, startMs, endMs }: CallerUtterance): void {
    this.#pending = { text: this.#joined(text), startMs: this.#pending?.startMs ?? startMs, endMs };
  }

  #joined(text: string): string {
    return this.#pending === undefined ? text : cutText(joinTexts(this.#pending.text, text), TURN_TEXT_CHARS_MAX);
  }

  /** The answer is audible, or will never be: what the caller said is settled. */
  settle(): void {
    if (this.#pending === undefined) return;
    const { text, startMs, endMs } = this.#pending;
    this.#pending = undefined;
    this.#messages.push({ role: "user", text });
    this.#sink({ kind: "turn", turn: rounded({ role: "user", text, startMs, endMs, interrupted: false }) });
  }

  /** The agent's turn is over. `turn.text` is what was heard, not what was generated; without a word heard it was no turn. */
  addAgentTurn(turn: TranscriptTurn): void {
    if (turn.text === "") return;
    this.#messages.push({ role: "assistant", text: turn.text });
    this.#sink({ kind: "turn", turn: rounded(turn) });
  }
}

/** A transcript counts in whole milliseconds; finer than that is only our clock. */
const rounded = (turn: TranscriptTurn): TranscriptTurn => ({
  ...turn,
  startMs: Math.round(turn.startMs),
  endMs: Math.round(turn.endMs),
});

/** The system prompt of a call. The greeting stands in it as the opening line, when the agent speaks first. */
export function systemText(spec: CallSpec): string {
  if (spec.firstSpeaker !== "agent" || spec.greeting === undefined) return spec.systemPrompt;
  return `${spec.systemPrompt}\n\nOpening line: ${spec.greeting}`;
}
