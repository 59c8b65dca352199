import type { CallCommand, CallEvent } from "../../call/events.ts";
import { withoutAnsweredPrefix } from "../../call/turn-taking/caller-turn.ts";
import type { EndReason } from "../../core/calls/reasons.ts";
import { asTurnId, type CallId, type TurnId } from "../../core/ids.ts";
import { TURN_TEXT_CHARS_MAX } from "../../core/limits/calls.ts";
import { cutText } from "../../core/text/graphemes.ts";
import { joinTexts } from "../../core/text/words.ts";
import type { Message } from "../../speech/contracts.ts";
import type { ClientErrorCode } from "../../wire/client-errors.ts";
import type { ClientMessage, Wire } from "../../wire/wire.ts";
import type { ClientToolCall } from "../tools/runner.ts";

/** A turn whose transcript is being sent, until it is final. */
interface OpenTurn {
  turnId: number;
  text: string;
}

interface OpenReply extends OpenTurn {
  /** The call's own id of the turn. */
  callTurnId: TurnId;
}

/**
 * Sends the peer of one leg everything but audio, where its wire has messages for that: what the call does, and the
 * transcript. Turns are numbered in the order in which they begin.
 *
 * Each transcript message holds the whole text of its turn. Segments that come in one step of the call are therefore
 * sent together, by `flush` at the end of the step at the latest: sent one by one, the segments of a long greeting
 * would be megabytes. Beyond TURN_TEXT_CHARS_MAX a turn's text is sent only when the turn ends.
 */
export class ClientMessages {
  readonly #encode: ((message: ClientMessage) => string) | undefined;
  readonly #send: (message: string) => void;
  /** The language of the call. */
  #language: string;
  #turnCount = 0;
  /**
   * The caller's turn in three parts: the text that the LLM was asked to answer, final transcripts since then, and the
   * latest interim transcript.
   */
  #requestedText = "";
  #finalText = "";
  #interimText = "";
  /** The beginning of the interim transcript that the LLM was asked to answer already; usually empty. */
  #answeredText = "";
  #userTurn: OpenTurn | undefined;
  #agentTurn: OpenReply | undefined;
  /** The reply is paused and may resume. */
  #paused = false;
  /** The turn that the LLM was last asked for, by the call's own id. */
  #requestedTurnId = asTurnId(0);
  /** The agent's turn has text that was not sent yet. */
  #hasUnsentAgentText = false;

  /** `language`: the language in which the call begins. */
  constructor(wire: Wire, language: string, send: (message: string) => void) {
    this.#encode = wire.encodeClientMessage?.bind(wire);
    this.#language = language;
    this.#send = send;
  }

  ready(callId: CallId): void {
    this.#emit({ kind: "ready", callId });
  }

  error(code: ClientErrorCode, message: string): void {
    this.#emit({ kind: "error", code, message });
  }

  toolCall(call: ClientToolCall): void {
    this.#emit({ kind: "tool-call", ...call });
  }

  ended(reason: EndReason): void {
    this.#emit({ kind: "ended", reason });
  }

  /** The call is about to handle an event. */
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
        // As in turn taking: the open interim transcript was spoken before the typed text.
        this.#answeredText = join(this.#answeredText, this.#interimText);
        this.#addFinalText(join(this.#interimText, event.text));
        return;
      default:
        return;
    }
  }

  /** The call gave a command. */
  onCommand(command: CallCommand): void {
    if (this.#encode === undefined) return;
    switch (command.kind) {
      case "generate-reply":
        // A request after tool results contains nothing new from the caller.
        if (command.turnId === this.#requestedTurnId) return;
        this.#requestedTurnId = command.turnId;
        this.#answeredText = join(this.#answeredText, this.#interimText);
        this.#finalText = "";
        this.#interimText = "";
        // The LLM gets the caller's whole turn. It includes DTMF, which earlier events do not show to be part of a
        // turn.
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
        // The reply becomes no turn, and the state may not change either.
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

  /** One step of the call is complete. */
  flush(): void {
    if (!this.#hasUnsentAgentText || this.#agentTurn === undefined) return;
    this.#hasUnsentAgentText = false;
    this.#transcript("agent", this.#agentTurn, false);
  }

  #addSegment(callTurnId: TurnId, text: string): void {
    if (this.#agentTurn?.callTurnId !== callTurnId) this.#closeUnheardReply();
    const { turnId, text: previousText } = this.#agentTurn ?? this.#newTurn();
    this.#agentTurn = { turnId, text: join(previousText, text), callTurnId };
    this.#hasUnsentAgentText = this.#hasUnsentAgentText || this.#agentTurn.text !== previousText;
  }

  /** Closes a reply that is over and became no turn: nothing of it was heard. */
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

  /** As in turn taking. */
  #withoutAnswered(transcript: string, final: boolean): string {
    const { text, answered } = withoutAnsweredPrefix({ text: transcript, final }, this.#answeredText, this.#language);
    this.#answeredText = answered;
    return text;
  }

  /** What the caller said over the agent becomes no turn, and the caller's next turn does not include it. */
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
    const approximateField = approximate === undefined ? {} : { approximate };
    this.#emit({ kind: "transcript", role, text, final, turnId, ...approximateField });
  }

  #emit(message: ClientMessage): void {
    if (this.#encode === undefined) return;
    this.flush();
    this.#send(this.#encode(message));
  }
}

/** The caller's text that the LLM is asked to answer; empty where the LLM opens the conversation. */
function lastUserText(messages: readonly Message[]): string {
  const last = messages.at(-1);
  return last?.role === "user" ? last.text : "";
}

const join = (a: string, b: string): string => cutText(joinTexts(a, b), TURN_TEXT_CHARS_MAX);
