/** Assumed until the first pause of a call has shown it. */
const START_MS = 200;
/** Pauses of which the longest lag counts: enough for one that was short by chance, few enough to follow a change. */
const PAUSES_MAX = 4;
/** How much a lag varies from pause to pause. */
const MARGIN_MS = 20;
/** The detector may have heard speech for longer than it lasted; then words come during it. */
const LAG_MS_MIN = 40;
/** Words that come later than this after the last voiced frame are those of speech that the detector missed. */
const LAG_MS_MAX = 1_000;

/**
 * Estimates how long after the caller's last voiced frame the STT of this call changes its words for the last time.
 * Before that, the words of the last speech may still be missing. Times are ms.
 */
export class WordsLag {
  readonly #lagsMs: number[] = [];
  /** That of the current pause, as far as it is known; undefined while no words came since the pause before it. */
  #currentMs: number | undefined;

  /** How long to wait for words after the last voiced frame. */
  get estimateMs(): number {
    const earlierMs = this.#lagsMs.length === 0 ? START_MS : Math.max(...this.#lagsMs);
    return Math.max(LAG_MS_MIN, earlierMs, this.#currentMs ?? 0) + MARGIN_MS;
  }

  /** The words have changed, `sinceSpeechMs` after the last voiced frame: 0 during speech. */
  changed(sinceSpeechMs: number): void {
    if (sinceSpeechMs <= LAG_MS_MAX) this.#currentMs = Math.max(this.#currentMs ?? 0, sinceSpeechMs);
  }

  /** Speech goes on: the pause is over. */
  pauseEnded(): void {
    if (this.#currentMs === undefined) return;
    this.#lagsMs.push(this.#currentMs);
    if (this.#lagsMs.length > PAUSES_MAX) this.#lagsMs.shift();
    this.#currentMs = undefined;
  }
}
