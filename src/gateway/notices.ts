import { unanswered } from "../call/caller-turn.ts";
import type { CallCommand, CallEvent } from "../call/events.ts";
import type { EndReason } from "../core/call-spec.ts";
import { TURN_TEXT_CHARS_MAX } from "../core/limits.ts";
import { cutText, joinTexts } from "../core/words.ts";
import type { Message } from "../speech/speech.ts";
import type { LegNotice, Wire } from "../wire/wire.ts";
import type { ClientToolCall } from "./tools/tool-runner.ts";

/** A turn that is being told, until it is settled. */
interface OpenTurn {
  turnId: number;
  text: string;
}

interface OpenReply extends OpenTurn {
  /** The call's own number for it. */
  reply: number;
}

/**
 * What the peer of one leg is told beside audio, where its dialect has words for that: what the call does, and who says what.
 * Turns are numbered in the order in which they begin.
 *
 * Each time a turn is told whole, so the pieces of a reply that come in one step of the call are told together, at the latest by
 * `flush` behind it: told one by one, those of a long greeting would be megabytes. Past TURN_TEXT_CHARS_MAX a turn's text waits
 * for its end.
 */
export class Notices {
  readonly #encode: ((notice: LegNotice) => string) | undefined;
  readonly #send: (message: string) => void;
  /** What the call is in. */
  #language: string;
  #turns = 0;
  /** Of the caller's turn what the model was asked; behind it what came since and the ear is done with; and what it still hears. */
  #asked = "";
  #settled = "";
  #partial = "";
  /** The beginning of what the ear still hears that the model was asked already; mostly none. */
  #answered = "";
  #user: OpenTurn | undefined;
  #agent: OpenReply | undefined;
  /** The agent listens, and may go on with what it was saying. */
  #paused = false;
  /** The reply that the model was asked for last, by the call's own number. */
  #askedReply = 0;
  /** The agent says more than was told. */
  #untold = false;

  /** `language`: what the call begins in. */
  constructor(wire: Wire, language: string, send: (message: string) => void) {
    this.#encode = wire.encodeNotice?.bind(wire);
    this.#language = language;
    this.#send = send;
  }

  ready(callId: string): void {
    this.#tell({ kind: "ready", callId });
  }

  error(code: string, message: string): void {
    this.#tell({ kind: "error", code, message });
  }

  toolCall(call: ClientToolCall): void {
    this.#tell({ kind: "tool-call", ...call });
  }

  ended(reason: EndReason): void {
    this.#tell({ kind: "ended", reason });
  }

  /** Something happened to the call. */
  onEvent(event: CallEvent): void {
    if (this.#encode === undefined) return;
    switch (event.kind) {
      case "ear-partial":
        this.#partial = this.#unanswered(event.text, false);
        this.#heard();
        return;
      case "ear-final":
        this.#understood(this.#unanswered(event.text, true));
        this.#answered = "";
        return;
      case "typed":
        // As turn taking has it: what the ear is not done with was said before it.
        this.#answered = join(this.#answered, this.#partial);
        this.#understood(join(this.#partial, event.text));
        return;
      default:
        return;
    }
  }

  /** The call did something about it. */
  onCommand(command: CallCommand): void {
    if (this.#encode === undefined) return;
    switch (command.kind) {
      case "ask":
        // Asked again behind its tools, the model is told nothing new of the caller.
        if (command.turnId === this.#askedReply) return;
        this.#askedReply = command.turnId;
        this.#answered = join(this.#answered, this.#partial);
        this.#settled = "";
        this.#partial = "";
        // What the model is asked is the caller's whole turn, with keys, of which no event before tells that they are one.
        this.#asked = askedOf(command.messages);
        this.#heard();
        return;
      case "state":
        if (command.state !== "listening") this.#paused = false;
        else if (!this.#paused) this.#unheard();
        this.#tell(command);
        return;
      case "speak":
        this.#speak(command.turnId, command.text);
        return;
      case "language":
        this.#language = command.language;
        return;
      case "pause":
        this.#paused = true;
        return;
      case "pass-over":
        this.#passedOver();
        return;
      case "cut":
        // No turn comes of it; and there may be no state to leave either.
        if (command.heardText === "") this.#unheard();
        return;
      case "end":
        this.#unheard();
        return;
      case "turn":
        this.#settle(command.turn.role, command.turn.text, command.turn.approximate);
        return;
      default:
        return;
    }
  }

  /** A step of the call is over. */
  flush(): void {
    if (!this.#untold || this.#agent === undefined) return;
    this.#untold = false;
    this.#transcript("agent", this.#agent, false);
  }

  #speak(reply: number, text: string): void {
    if (this.#agent?.reply !== reply) this.#unheard();
    const { turnId, text: before } = this.#agent ?? this.#newTurn();
    this.#agent = { turnId, text: join(before, text), reply };
    this.#untold = this.#untold || this.#agent.text !== before;
  }

  /** A reply that is over, and of which the call told no turn: nothing of it was heard. */
  #unheard(): void {
    if (this.#agent !== undefined) this.#settle("agent", "");
  }

  #heard(): void {
    const whole = join(this.#asked, join(this.#settled, this.#partial));
    if (whole === "" || whole === this.#user?.text) return;
    this.#user = { turnId: (this.#user ?? this.#newTurn()).turnId, text: whole };
    this.#transcript("user", this.#user, false);
  }

  #understood(text: string): void {
    this.#settled = join(this.#settled, text);
    this.#partial = "";
    this.#heard();
  }

  /** As turn taking has it. */
  #unanswered(heard: string, final: boolean): string {
    const { text, answered } = unanswered({ text: heard, final }, this.#answered, this.#language);
    this.#answered = answered;
    return text;
  }

  /** No turn comes of what the caller said over the agent, and his next one does not begin with it. */
  #passedOver(): void {
    this.#answered = join(this.#answered, this.#partial);
    this.#settled = "";
    this.#partial = "";
    if (this.#asked !== "") this.#heard();
    else if (this.#user !== undefined) this.#settle("user", "");
  }

  #settle(role: "agent" | "user", text: string, approximate?: true): void {
    this.flush();
    const { turnId } = (role === "agent" ? this.#agent : this.#user) ?? this.#newTurn();
    if (role === "agent") {
      this.#agent = undefined;
    } else {
      this.#user = undefined;
      this.#asked = "";
    }
    this.#transcript(role, { turnId, text }, true, approximate);
  }

  #newTurn(): OpenTurn {
    this.#turns += 1;
    return { turnId: this.#turns, text: "" };
  }

  #transcript(role: "agent" | "user", { turnId, text }: OpenTurn, final: boolean, approximate?: true): void {
    const isGuess = approximate === undefined ? {} : { approximate };
    this.#tell({ kind: "transcript", role, text, final, turnId, ...isGuess });
  }

  #tell(notice: LegNotice): void {
    if (this.#encode === undefined) return;
    this.flush();
    this.#send(this.#encode(notice));
  }
}

/** What the caller has said that the model is asked to answer; empty where it opens the conversation. */
function askedOf(messages: readonly Message[]): string {
  const last = messages.at(-1);
  return last?.role === "user" ? last.text : "";
}

const join = (a: string, b: string): string => cutText(joinTexts(a, b), TURN_TEXT_CHARS_MAX);
