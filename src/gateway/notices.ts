import { unanswered } from "../call/caller-turn.ts";
import type { CallCommand, CallEvent } from "../call/events.ts";
import type { EndReason } from "../core/call-spec.ts";
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
 */
export class Notices {
  readonly #encode: ((notice: LegNotice) => string) | undefined;
  readonly #send: (message: string) => void;
  #turns = 0;
  /** Of the caller's turn what the ear is done with, in front of what it still hears. */
  #settled = "";
  #partial = "";
  /** The beginning of what the ear still hears that belongs to a turn before; mostly none. */
  #answered = "";
  #user: OpenTurn | undefined;
  #agent: OpenReply | undefined;
  /** The agent listens, and may go on with what it was saying. */
  #paused = false;

  constructor(wire: Wire, send: (message: string) => void) {
    this.#encode = wire.encodeNotice?.bind(wire);
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
        this.#partial = unanswered(event, this.#answered).text;
        this.#heard(this.#partial);
        return;
      case "ear-final":
        this.#understood(unanswered(event, this.#answered).text);
        this.#answered = "";
        return;
      case "typed":
        this.#understood(event.text);
        return;
      default:
        return;
    }
  }

  /** The call did something about it. */
  onCommand(command: CallCommand): void {
    if (this.#encode === undefined) return;
    switch (command.kind) {
      case "state":
        if (command.state !== "listening") this.#paused = false;
        else if (!this.#paused) this.#unheard();
        this.#tell({ kind: "state", state: command.state });
        return;
      case "speak":
        this.#speak(command.turnId, command.text);
        return;
      case "pause":
        this.#paused = true;
        return;
      case "cut":
        // No turn comes of it; and there may be no state to leave either.
        if (command.heardText === "") this.#unheard();
        return;
      case "end":
        this.#unheard();
        return;
      case "turn":
        this.#settle(command.turn.role, command.turn.text);
        return;
      default:
        return;
    }
  }

  #speak(reply: number, text: string): void {
    if (this.#agent?.reply !== reply) this.#unheard();
    const { turnId, text: before } = this.#agent ?? this.#newTurn();
    this.#agent = { turnId, text: join(before, text), reply };
    this.#transcript("agent", this.#agent, false);
  }

  /** A reply that is over, and of which the call told no turn: nothing of it was heard. */
  #unheard(): void {
    if (this.#agent !== undefined) this.#settle("agent", "");
  }

  #heard(text: string): void {
    const whole = join(this.#settled, text);
    if (whole === "" || whole === this.#user?.text) return;
    this.#user = { turnId: (this.#user ?? this.#newTurn()).turnId, text: whole };
    this.#transcript("user", this.#user, false);
  }

  #understood(text: string): void {
    this.#heard(text);
    this.#settled = join(this.#settled, text);
    this.#partial = "";
  }

  #settle(role: "agent" | "user", text: string): void {
    const { turnId } = (role === "agent" ? this.#agent : this.#user) ?? this.#newTurn();
    if (role === "agent") {
      this.#agent = undefined;
    } else {
      this.#user = undefined;
      this.#settled = "";
      this.#answered = join(this.#answered, this.#partial);
      this.#partial = "";
    }
    this.#transcript(role, { turnId, text }, true);
  }

  #newTurn(): OpenTurn {
    this.#turns += 1;
    return { turnId: this.#turns, text: "" };
  }

  #transcript(role: "agent" | "user", { turnId, text }: OpenTurn, final: boolean): void {
    this.#tell({ kind: "transcript", role, text, final, turnId });
  }

  #tell(notice: LegNotice): void {
    if (this.#encode !== undefined) this.#send(this.#encode(notice));
  }
}

const join = (a: string, b: string): string => (a === "" ? b : b === "" ? a : `${a} ${b}`);
