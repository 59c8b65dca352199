import type { CallCommand, CallEvent } from "../../call/events.ts";
import { withoutAnsweredPrefix } from "../../call/turn-taking/caller-turn.ts";
import type { EndReason } from "../../core/calls/spec.ts";
import { TURN_TEXT_CHARS_MAX } from "../../core/limits/calls.ts";
import { cutText, joinTexts } from "../../core/text/words.ts";
import type { Message } from "../../speech/contracts.ts";
import type { ClientMessage, Wire } from "../../wire/wire.ts";
import type { ClientToolCall } from "../tools/runner.ts";

/** A turn that is being told, until it is settled. */
interface OpenTurn {
  turnId: number;
  text: string;
}

interface OpenReply extends OpenTurn {
  /** The call's own number for it. */
  callTurnId: number;
}

/**
 * What the peer of one leg is told beside audio, where its dialect has words for that: what the call does, and who says what.
 * Turns are numbered in the order in which they begin.
 *
 * Each time a turn is told whole, so the pieces of a reply that come in one step of the call are told together, at the latest by
 * `flush` behind it: told one by one, those of a long greeting would be megabytes. Past TURN_TEXT_CHARS_MAX a turn's text waits
 * for its end.
 */
export class ClientMessages {
  readonly #encode: ((notice: ClientMessage) => string) | undefined;
  readonly #send: (message: string) => void;
  /** What the call is in. */
  #language: string;
  #turnCount = 0;
  /** Of the caller's turn what the model was asked; behind it what came since and the ear is done with; and what it still hears. */
  #requestedText = "";
  #finalText = "";
  #interimText = "";
  /** The beginning of what the ear still hears that the model was asked already; mostly none. */
  #answeredText = "";
  #userTurn: OpenTurn | undefined;
  #agentTurn: OpenReply | undefined;
  /** The agent listens, and may go on with what it was saying. */
  #paused = false;
  /** The reply that the model was asked for last, by the call's own number. */
  #requestedTurnId = 0;
  /** The agent says more than was told. */
  #hasUnsentAgentText = false;

  /** `language`: what the call begins in. */
  constructor(wire: Wire, language: string, send: (message: string) => void) {
    this.#encode = wire.encodeClientMessage?.bind(wire);
    this.#language = language;
    this.#send = send;
  }

  ready(callId: string): void {
    this.#emit({ kind: "ready", callId });
  }

  error(code: string, message: string): void {
    this.#emit({ kind: "error", code, message });
  }

  toolCall(call: ClientToolCall): void {
    this.#emit({ kind: "tool-call", ...call });
  }

  ended(reason: EndReason): void {
    this.#emit({ kind: "ended", reason });
  }

  /** Something happened to the call. */
  onEvent(event: CallEvent): void {
    if (this.#encode === undefined) return;
    switch (event.kind) {
      case "stt-interim":
        this.#interimText = this.#withoutAnswered(event.text, false);
        this.#sendUserTranscript();
        return;
      case "stt-final":
        this.#addFinalText(this.#withoutAnswered(event.text, true));
        this.#answeredText = "";
        return;
      case "typed":
        // As turn taking has it: what the ear is not done with was said before it.
        this.#answeredText = join(this.#answeredText, this.#interimText);
        this.#addFinalText(join(this.#interimText, event.text));
        return;
      default:
        return;
    }
  }

  /** The call did something about it. */
  onCommand(command: CallCommand): void {
    if (this.#encode === undefined) return;
    switch (command.kind) {
      case "generate-reply":
        // Asked again behind its tools, the model is told nothing new of the caller.
        if (command.turnId === this.#requestedTurnId) return;
        this.#requestedTurnId = command.turnId;
        this.#answeredText = join(this.#answeredText, this.#interimText);
        this.#finalText = "";
        this.#interimText = "";
        // What the model is asked is the caller's whole turn, with keys, of which no event before tells that they are one.
        this.#requestedText = lastUserText(command.messages);
        this.#sendUserTranscript();
        return;
      case "state":
        if (command.state !== "listening") this.#paused = false;
        else if (!this.#paused) this.#closeUnheardReply();
        this.#emit(command);
        return;
      case "speak":
        this.#addSegment(command.turnId, command.text);
        return;
      case "language":
        this.#language = command.language;
        return;
      case "pause":
        this.#paused = true;
        return;
      case "ignore":
        this.#ignoreUserTurn();
        return;
      case "cancel-reply":
        // No turn comes of it; and there may be no state to leave either.
        if (command.heardText === "") this.#closeUnheardReply();
        return;
      case "end":
        this.#closeUnheardReply();
        return;
      case "turn":
        this.#closeTurn(command.turn.role, command.turn.text, command.turn.approximate);
        return;
      default:
        return;
    }
  }

  /** A step of the call is over. */
  flush(): void {
    if (!this.#hasUnsentAgentText || this.#agentTurn === undefined) return;
    this.#hasUnsentAgentText = false;
    this.#transcript("agent", this.#agentTurn, false);
  }

  #addSegment(callTurnId: number, text: string): void {
    if (this.#agentTurn?.callTurnId !== callTurnId) this.#closeUnheardReply();
    const { turnId, text: before } = this.#agentTurn ?? this.#newTurn();
    this.#agentTurn = { turnId, text: join(before, text), callTurnId };
    this.#hasUnsentAgentText = this.#hasUnsentAgentText || this.#agentTurn.text !== before;
  }

  /** A reply that is over, and of which the call told no turn: nothing of it was heard. */
  #closeUnheardReply(): void {
    if (this.#agentTurn !== undefined) this.#closeTurn("agent", "");
  }

  #sendUserTranscript(): void {
    const whole = join(this.#requestedText, join(this.#finalText, this.#interimText));
    if (whole === "" || whole === this.#userTurn?.text) return;
    this.#userTurn = { turnId: (this.#userTurn ?? this.#newTurn()).turnId, text: whole };
    this.#transcript("user", this.#userTurn, false);
  }

  #addFinalText(text: string): void {
    this.#finalText = join(this.#finalText, text);
    this.#interimText = "";
    this.#sendUserTranscript();
  }

  /** As turn taking has it. */
  #withoutAnswered(heard: string, final: boolean): string {
    const { text, answered } = withoutAnsweredPrefix({ text: heard, final }, this.#answeredText, this.#language);
    this.#answeredText = answered;
    return text;
  }

  /** No turn comes of what the caller said over the agent, and his next one does not begin with it. */
  #ignoreUserTurn(): void {
    this.#answeredText = join(this.#answeredText, this.#interimText);
    this.#finalText = "";
    this.#interimText = "";
    if (this.#requestedText !== "") this.#sendUserTranscript();
    else if (this.#userTurn !== undefined) this.#closeTurn("user", "");
  }

  #closeTurn(role: "agent" | "user", text: string, approximate?: true): void {
    this.flush();
    const { turnId } = (role === "agent" ? this.#agentTurn : this.#userTurn) ?? this.#newTurn();
    if (role === "agent") {
      this.#agentTurn = undefined;
    } else {
      this.#userTurn = undefined;
      this.#requestedText = "";
    }
    this.#transcript(role, { turnId, text }, true, approximate);
  }

  #newTurn(): OpenTurn {
    this.#turnCount += 1;
    return { turnId: this.#turnCount, text: "" };
  }

  #transcript(role: "agent" | "user", { turnId, text }: OpenTurn, final: boolean, approximate?: true): void {
    const isGuess = approximate === undefined ? {} : { approximate };
    this.#emit({ kind: "transcript", role, text, final, turnId, ...isGuess });
  }

  #emit(notice: ClientMessage): void {
    if (this.#encode === undefined) return;
    this.flush();
    this.#send(this.#encode(notice));
  }
}

/** What the caller has said that the model is asked to answer; empty where it opens the conversation. */
function lastUserText(messages: readonly Message[]): string {
  const last = messages.at(-1);
  return last?.role === "user" ? last.text : "";
}

const join = (a: string, b: string): string => cutText(joinTexts(a, b), TURN_TEXT_CHARS_MAX);
