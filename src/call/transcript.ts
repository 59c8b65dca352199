import type { TranscriptUpdate } from "../core/calls/transcript.ts";
import { TURN_TEXT_CHARS_MAX } from "../core/limits/calls/calls.ts";
import { cutText } from "../core/text/graphemes.ts";
import type { CallSink } from "./events.ts";

type Role = TranscriptUpdate["role"];

/** A turn of which something was emitted, until it is final. */
interface OpenTurn {
  turnId: number;
  /** What was emitted last. */
  text: string;
}

/**
 * Emits the transcript of both sides while their turns go on. It only numbers the turns, in the order in which they
 * begin, and leaves out what has not changed: what was said is known to turn taking, the conversation and the reply.
 *
 * Each command holds the whole text of its turn. Beyond TURN_TEXT_CHARS_MAX a turn's text is emitted only when the turn
 * ends.
 */
export class Transcript {
  readonly #sink: CallSink;
  readonly #open: Record<Role, OpenTurn | undefined> = { agent: undefined, user: undefined };
  #turnCount = 0;

  constructor(sink: CallSink) {
    this.#sink = sink;
  }

  /** The current turn of `role` has this text so far; "" while nothing is known of it. */
  update(role: Role, text: string): void {
    const shown = cutText(text, TURN_TEXT_CHARS_MAX);
    if (shown === "" || shown === this.#open[role]?.text) return;
    const { turnId } = this.#open[role] ?? this.#begin();
    this.#open[role] = { turnId, text: shown };
    this.#sink({ kind: "transcript", role, text: shown, final: false, turnId });
  }

  /** The current turn of `role` is over, with this text of any length. */
  complete(role: Role, text: string, approximate?: true): void {
    const { turnId } = this.#open[role] ?? this.#begin();
    this.#open[role] = undefined;
    const approximateField = approximate === undefined ? {} : { approximate };
    this.#sink({ kind: "transcript", role, text, final: true, turnId, ...approximateField });
  }

  /** What was emitted of the current turn of `role`, if anything, becomes no turn. */
  discard(role: Role): void {
    if (this.#open[role] !== undefined) this.complete(role, "");
  }

  #begin(): OpenTurn {
    this.#turnCount += 1;
    return { turnId: this.#turnCount, text: "" };
  }
}
