import { DTMF_ENTRY_DIGITS_MAX } from "../../core/limits/calls.ts";
import type { TurnEvent } from "./turn-events.ts";

/** Ends an entry, and is no part of it. */
const TERMINATOR = "#";

/**
 * Keys that the caller presses one after the other, as the one entry that they are: over with `#`, or when no more come for
 * `gapMs`. Times are ms of call time.
 */
export class DtmfEntry {
  readonly #gapMs: number;
  #entry = "";
  #lastMs = Number.NaN;

  constructor(gapMs: number) {
    this.#gapMs = gapMs;
  }

  /** When the entry is over if no more keys come, ms; Infinity when there is none. */
  get deadlineMs(): number {
    return this.#entry === "" ? Number.POSITIVE_INFINITY : this.#lastMs + this.#gapMs;
  }

  /** A key was pressed; returns the entry when that was its last. `#` by itself is one. */
  press(digit: string, nowMs: number): string | undefined {
    this.#lastMs = nowMs;
    if (digit === TERMINATOR) return this.#entry === "" ? TERMINATOR : this.take();
    this.#entry += digit;
    return this.#entry.length >= DTMF_ENTRY_DIGITS_MAX ? this.take() : undefined;
  }

  /** The entry as it stands; the next key begins another. */
  take(): string {
    const entry = this.#entry;
    this.#entry = "";
    return entry;
  }
}

/** Keys are a turn of the caller's; the model sees by the first word that they were not spoken. */
export const dtmfAsTyped = (entry: string): Extract<TurnEvent, { kind: "typed" }> => ({
  kind: "typed",
  text: `DTMF: ${entry}`,
});
