import type { CallSpec, TranscriptTurn } from "../core/call-spec.ts";
import { TURN_TEXT_CHARS_MAX } from "../core/limits.ts";
import type { Message } from "../speech/speech.ts";
import type { CallSink } from "./events.ts";
import type { ToolMessages } from "./tool-use.ts";

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
  readonly #messages: Message[];
  #open: Said | undefined;

  constructor(spec: CallSpec, sink: CallSink) {
    this.#sink = sink;
    this.#messages = [{ role: "system", text: systemText(spec) }];
  }

  /** What the caller said and the agent has not audibly answered yet. */
  get open(): Readonly<Said> | undefined {
    return this.#open;
  }

  /** What the model is asked: everything heard so far, and what waits for an answer. */
  messages(): readonly Message[] {
    return this.#open === undefined
      ? [...this.#messages]
      : [...this.#messages, { role: "user", text: this.#open.text }];
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
    const before = this.#open;
    this.#open =
      before === undefined
        ? { text, startMs, endMs }
        : { text: `${before.text} ${text}`.slice(0, TURN_TEXT_CHARS_MAX), startMs: before.startMs, endMs };
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
function rounded(turn: TranscriptTurn): TranscriptTurn {
  const { latency } = turn;
  const whole = { ...turn, startMs: Math.round(turn.startMs), endMs: Math.round(turn.endMs) };
  if (latency === undefined) return whole;
  const { endOfTurnMs, firstTextMs, firstAudioMs, firstFrameMs } = latency;
  whole.latency = {
    endOfTurnMs: Math.round(endOfTurnMs),
    ...(firstTextMs === undefined ? {} : { firstTextMs: Math.round(firstTextMs) }),
    firstAudioMs: Math.round(firstAudioMs),
    firstFrameMs: Math.round(firstFrameMs),
  };
  return whole;
}

/** The greeting stands in the prompt as the opening line, when the agent speaks first. */
function systemText(spec: CallSpec): string {
  if (spec.firstSpeaker !== "agent" || spec.greeting === undefined) return spec.systemPrompt;
  return `${spec.systemPrompt}\n\nOpening line: ${spec.greeting}`;
}
