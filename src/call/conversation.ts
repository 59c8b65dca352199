import type { CallSpec, TranscriptTurn } from "../core/call-spec.ts";
import { TURN_TEXT_CHARS_MAX } from "../core/limits.ts";
import { cutText, joinTexts } from "../core/words.ts";
import { type FittedPrompt, fitPrompt } from "../speech/prompt-fit.ts";
import { toolsTokens } from "../speech/prompt-tokens.ts";
import type { Message } from "../speech/speech.ts";
import type { CallSink } from "./events.ts";
import type { Asked } from "./reply-moments.ts";
import type { ToolMessages } from "./tool-use.ts";
import { describeTools } from "./tools.ts";

/** What a caller said in one turn, ms of call time. */
export interface Said {
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
  #open: Said | undefined;
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
  get asked(): Asked | undefined {
    return this.#open && { startMs: this.#open.startMs, spokenMs: this.#open.endMs, finalMs: this.#finalMs };
  }

  /** The ear told something, and is sure of it or not; of silence some tell finals again and again. */
  heard(text: string, isFinal: boolean, nowMs: number): void {
    if (!isFinal && text !== "") this.#finalMs = Number.NaN;
    if (isFinal && (text !== "" || Number.isNaN(this.#finalMs))) this.#finalMs = nowMs;
  }

  /** What the LLM would be asked now: what was heard, and what waits for an answer, as far as it fits. */
  messages(): readonly Message[] {
    return this.#fitted(this.#unanswered()).messages;
  }

  /** What it would be asked if the caller's turn were over with `text`. */
  messagesWith(text: string): readonly Message[] {
    return this.#fitted([...this.#messages, { role: "user", text: this.#joined(text) }]).messages;
  }

  /**
   * What the LLM is asked for reply `turnId`; `ofTools` is what the reply's own tools came to. What did not fit is forgotten for good,
   * turns and what was cut of results alike, and the call's trail says so.
   */
  prompt(turnId: number, ofTools: readonly Message[]): readonly Message[] {
    const all = [...this.#unanswered(), ...ofTools];
    const { messages, kept, tokens, droppedTurns, droppedMessages, cutResults } = this.#fitted(all);
    if (droppedMessages === 0 && cutResults === 0) return messages;
    const settled = this.#messages.length;
    this.#messages = messages.filter((_, index) => (kept[index] ?? settled) < settled);
    const tokensMax = this.#promptTokensMax;
    this.#sink({
      kind: "conversation-trimmed",
      turnId,
      droppedTurns,
      droppedMessages,
      cutResults,
      tokens,
      tokensMax,
    });
    return messages;
  }

  /** A provider takes no more than this, estimated tokens: later prompts are no longer. */
  limitPrompt(tokensMax: number): void {
    this.#promptTokensMax = Math.min(this.#promptTokensMax, tokensMax);
  }

  #unanswered(): Message[] {
    return this.#open === undefined
      ? [...this.#messages]
      : [...this.#messages, { role: "user", text: this.#open.text }];
  }

  #fitted(messages: readonly Message[]): FittedPrompt {
    return fitPrompt(messages, this.#toolsTokens, this.#promptTokensMax);
  }

  /** What tools were asked for in a reply, and what came of them; what it said beside that is told when it has been heard. */
  used(rounds: ToolMessages): void {
    for (const { asked, results } of rounds) {
      this.#messages.push({ ...asked, text: "" }, ...results);
    }
  }

  /** A tool's result that came when its reply was over: the model will know it, and nobody hears of it. */
  lateResult(key: string, text: string): void {
    const at = this.#messages.findLastIndex((message) => message.role === "tool" && message.toolCallId === key);
    const result = this.#messages[at];
    // A model that was asked meanwhile keeps what it was told.
    if (result !== undefined) this.#messages[at] = { ...result, text };
  }

  /** The caller's turn is over; it joins what is still open. */
  said({ text, startMs, endMs }: Said): void {
    this.#open = { text: this.#joined(text), startMs: this.#open?.startMs ?? startMs, endMs };
  }

  #joined(text: string): string {
    return this.#open === undefined ? text : cutText(joinTexts(this.#open.text, text), TURN_TEXT_CHARS_MAX);
  }

  /** The answer is audible, or will never be: what the caller said is settled. */
  settle(): void {
    if (this.#open === undefined) return;
    const { text, startMs, endMs } = this.#open;
    this.#open = undefined;
    this.#messages.push({ role: "user", text });
    this.#sink({ kind: "turn", turn: rounded({ role: "user", text, startMs, endMs, interrupted: false }) });
  }

  /** The agent's turn is over. `turn.text` is what was heard, not what was generated; without a word heard it was no turn. */
  answered(turn: TranscriptTurn): void {
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
