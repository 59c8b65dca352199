/** A change of the provider's figure that is worth an event of its own. */
const END_OF_TURN_STEP = 0.1;

/**
 * Which interim transcripts of a turn are news. Providers repeat a transcript while nothing changes, and while only
 * their figure for the end of the turn does.
 */
export class InterimFilter {
  #text = "";
  #endOfTurn: number | undefined;

  /** Words of this turn were emitted. */
  get hasText(): boolean {
    return this.#text !== "";
  }

  /** Whether to emit it: the words are others, or they now end the turn clearly more or less surely. */
  isNews(text: string, endOfTurn: number | undefined): boolean {
    if (text === "" || (text === this.#text && !this.#hasMoved(endOfTurn))) return false;
    this.#text = text;
    this.#endOfTurn = endOfTurn;
    return true;
  }

  /** The turn is over: the next transcript is of a new one. */
  reset(): void {
    this.#text = "";
    this.#endOfTurn = undefined;
  }

  #hasMoved(endOfTurn: number | undefined): boolean {
    return endOfTurn !== undefined && Math.abs(endOfTurn - (this.#endOfTurn ?? 0)) >= END_OF_TURN_STEP;
  }
}

/** A provider's figure for the end of the turn in hundredths, which is what a journal holds; undefined where it sent none. */
export const endOfTurnIn = (figure: unknown): number | undefined =>
  typeof figure === "number" && figure >= 0 && figure <= 1 ? Math.round(figure * 100) / 100 : undefined;

/** The figure as a part of an event. */
export const endOfTurnField = (endOfTurn: number | undefined): { endOfTurn?: number } =>
  endOfTurn === undefined ? {} : { endOfTurn };
