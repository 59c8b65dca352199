import { addMs, type CallMs, callMs } from "../../core/clocks.ts";
import { DTMF_ENTRY_DIGITS_MAX } from "../../core/limits/calls/calls.ts";
import type { TurnEvent } from "./turn-events.ts";

/** Completes an entry, and is not part of it. */
const TERMINATOR = "#";

/**
 * Joins DTMF digits into one entry, which is complete with `#`, or when no digit follows for `gapMs`. Times are ms of
 * call time.
 */
export class DtmfEntry {
  readonly #gapMs: number;
  #entry = "";
  #lastMs = callMs(Number.NaN);

  constructor(gapMs: number) {
    this.#gapMs = gapMs;
  }

  /** When the entry is complete if no digit follows, ms; Infinity when there is none. */
  get deadlineMs(): CallMs {
    return this.#entry === "" ? callMs(Number.POSITIVE_INFINITY) : addMs(this.#lastMs, this.#gapMs);
  }

  /** Adds a digit; returns the entry when that completes it. `#` by itself is an entry. */
  press(digit: string, nowMs: CallMs): string | undefined {
    this.#lastMs = nowMs;
    if (digit === TERMINATOR) return this.#entry === "" ? TERMINATOR : this.take();
    this.#entry += digit;
    return this.#entry.length >= DTMF_ENTRY_DIGITS_MAX ? this.take() : undefined;
  }

  /** Returns the entry as it is; the next digit begins another. */
  take(): string {
    const entry = this.#entry;
    this.#entry = "";
    return entry;
  }
}

/** A DTMF entry is a turn of the caller's. The prefix tells the LLM that it was not spoken. */
export const dtmfAsTyped = (entry: string): Extract<TurnEvent, { kind: "typed" }> => ({
  kind: "typed",
  text: `DTMF: ${entry}`,
});
