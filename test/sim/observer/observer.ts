import type { CallCommand, CallEvent } from "../../../src/call/events.ts";
import { millisecondsOf } from "../../../src/core/clocks.ts";
import type { JournalWriter } from "../../../src/gateway/journal/writer.ts";
import type { MessageKind } from "../network/message-kinds.ts";
import type { Rule } from "../rules/rule.ts";
import type { Chronicle } from "./chronicle.ts";
import type { Facts } from "./facts.ts";
import { commandText, eventText } from "./story.ts";

/** Sees every step of a call where it passes, and tells the facts first and then the rules. */
export class Observer {
  readonly #facts: Facts;
  readonly #chronicle: Chronicle;
  readonly #rules: readonly Rule[];
  readonly #isEcho: (text: string) => boolean;

  /** `isEcho`: a transcript is of the agent's own words. To all rules but those about echoes it never was. */
  constructor(facts: Facts, chronicle: Chronicle, isEcho: (text: string) => boolean, rules: readonly Rule[]) {
    this.#isEcho = isEcho;
    this.#facts = facts;
    this.#chronicle = chronicle;
    this.#rules = rules;
  }

  /** Sees what goes into a journal, which is everything that the call receives and sends, as it happens. */
  tap(journal: JournalWriter): void {
    const { event, command, frameIn, frameOut } = journal;
    journal.event = (timeMs, journaled) => {
      this.#event(journaled);
      event.call(journal, timeMs, journaled);
    };
    journal.command = (timeMs, journaled) => {
      this.#command(journaled);
      command.call(journal, timeMs, journaled);
    };
    journal.frameIn = (timeMs, mediaMs, voiced, bytes) => {
      this.#chronicle.frame(voiced ? "voiced" : "in");
      this.#facts.framesIn += 1;
      this.#facts.confirmed();
      for (const rule of this.#rules) rule.frameIn?.(voiced, millisecondsOf(mediaMs));
      frameIn.call(journal, timeMs, mediaMs, voiced, bytes);
    };
    journal.frameOut = (timeMs, turnId, samples, bytes) => {
      this.#chronicle.frame("out");
      const reply = this.#facts.frameOut(turnId, samples);
      for (const rule of this.#rules) rule.frameOut?.(reply, bytes);
      frameOut.call(journal, timeMs, turnId, samples, bytes);
    };
  }

  /** A message was handed to the socket. */
  sent(kind: MessageKind, taken: boolean): void {
    for (const rule of this.#rules) rule.sent?.(kind, taken);
  }

  /** 20 ms of the agent begin to sound. */
  played(bytes: Uint8Array): void {
    this.#chronicle.frame("played");
    for (const rule of this.#rules) rule.played?.(bytes);
  }

  inspect(): void {
    for (const rule of this.#rules) rule.inspect?.();
  }

  over(): void {
    for (const rule of this.#rules) rule.over?.();
  }

  #event(event: CallEvent): void {
    this.#chronicle.tell("event", () => eventText(event));
    this.#facts.event(event);
    if ((event.kind === "stt-interim" || event.kind === "stt-final") && this.#isEcho(event.text)) return;
    for (const rule of this.#rules) rule.event?.(event);
  }

  #command(command: CallCommand): void {
    if (command.kind === "end") this.#chronicle.note(command.reason);
    this.#chronicle.tell("command", () => commandText(command));
    this.#facts.command(command);
    if (command.kind === "ignore" && command.reason === "echo" && this.#isEcho(command.text)) return;
    for (const rule of this.#rules) rule.command?.(command);
  }
}
