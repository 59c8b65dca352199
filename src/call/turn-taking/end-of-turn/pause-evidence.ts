import { type CallMs, callMs } from "../../../core/clocks.ts";
import { lettersOf } from "../../../core/text/words.ts";
import type { Prosody } from "../../../media/prosody/prosody.ts";
import type { EndOfTurnEvidence } from "./evidence.ts";
import { PausesWithinTurns } from "./pauses-within-turns.ts";
import { WordsLag } from "./words-lag.ts";

/** What is known at a pause besides the words, and when those of the last speech are expected. Immutable. */
export interface PauseEvidence
  extends Pick<EndOfTurnEvidence, "prosody" | "pauses" | "provider" | "model" | "agentQuestion"> {
  /** How long after the last voiced frame the STT still changes its words, ms. */
  readonly wordsLagMs: number;
  /** When the words changed last, and when the last final transcript came, ms of call time; -Infinity before the first. */
  readonly wordsMs: CallMs;
  readonly finalMs: CallMs;
}

/**
 * Gathers what is known of the caller's pauses. What was said of one pause is forgotten when speech goes on; what shows
 * how this caller speaks, and how late this STT is, stays for the call. Times are ms of call time.
 */
export class PauseEvidenceGatherer {
  readonly #pauses = new PausesWithinTurns();
  readonly #wordsLag = new WordsLag();
  /** The letters of the utterance so far. */
  #letters = "";
  #current: PauseEvidence = {
    prosody: undefined,
    pauses: { count: 0, turns: 0 },
    provider: undefined,
    model: undefined,
    agentQuestion: "none",
    wordsLagMs: this.#wordsLag.estimateMs,
    wordsMs: callMs(Number.NEGATIVE_INFINITY),
    finalMs: callMs(Number.NEGATIVE_INFINITY),
  };

  /** Another object whenever something of it changes. */
  get current(): PauseEvidence {
    return this.#current;
  }

  /** How the caller sounded before this pause. */
  prosody(prosody: Prosody): void {
    this.#change({ prosody });
  }

  /** How sure the local turn model is that the turn is over, 0 to 1. */
  modelProbability(model: number): void {
    this.#change({ model });
  }

  agentAsked(agentQuestion: EndOfTurnEvidence["agentQuestion"]): void {
    if (agentQuestion !== this.#current.agentQuestion) this.#change({ agentQuestion });
  }

  /**
   * A transcript came. `endOfTurn` is the STT's own signal, where it has one. `silentMs` is how long ago the last voiced
   * frame was: 0 where the last frame is one, NaN before the first.
   */
  transcript(
    { text, final, endOfTurn }: { text: string; final: boolean; endOfTurn: number | undefined },
    silentMs: number,
    nowMs: CallMs,
  ): void {
    // Capitals and punctuation may come at any time later.
    const letters = lettersOf(text);
    const hasNewWords = letters !== "" && letters !== this.#letters;
    this.#letters = final ? "" : letters;
    if (hasNewWords) this.#wordsLag.changed(silentMs);
    this.#change({
      // An empty final after the real one says nothing of its own.
      ...((letters !== "" || endOfTurn !== undefined) && { provider: endOfTurn }),
      wordsLagMs: this.#wordsLag.estimateMs,
      ...(hasNewWords && { wordsMs: nowMs }),
      ...(final && { finalMs: nowMs }),
    });
  }

  /**
   * Speech goes on after `pauseMs`. `isSameTurn`: the caller has words that are not audibly answered; `turns` are the
   * caller's turns before this one.
   */
  pauseEnded(pauseMs: number, isSameTurn: boolean, turns: number): void {
    if (isSameTurn) this.#pauses.add(pauseMs);
    this.#wordsLag.pauseEnded();
    this.#change({
      prosody: undefined,
      provider: undefined,
      model: undefined,
      pauses: { count: this.#pauses.count, turns },
      wordsLagMs: this.#wordsLag.estimateMs,
    });
  }

  #change(changes: Partial<PauseEvidence>): void {
    this.#current = { ...this.#current, ...changes };
  }
}
