import { joinTexts, lettersOf, wordsOf } from "../../../../core/text/words.ts";
import { joinOverlapping } from "./overlap.ts";

/** What ends a word that a pass has put at the end of a sentence, because its audio ended there. */
const LAST_PUNCTUATION = /[\p{P}]+$/u;
/** How far the last emitted word may have moved in a later pass, in words. */
const MOVED_MAX = 3;

/**
 * The words of one utterance, as one pass after the other understands them in its growing audio. A pass hears only a window of a long
 * utterance; the words of the windows before it are kept.
 *
 * Interims are the words on which two passes in a row agree. Words that were emitted stay, whatever later passes say; the final may
 * differ. A reader is shown every pass instead.
 */
export class UtteranceText {
  readonly #language: string;
  /** The words of the windows before this one, and from which of them on they are in this one, too. */
  #before: string[] = [];
  #overlapStart = 0;
  /** The words of the last pass. */
  #last: readonly string[] = [];
  #emitted: string[] = [];

  /** `language` is a code from `GET /languages`. */
  constructor(language: string) {
    this.#language = language;
  }

  /** Words of it were emitted. */
  get hasEmitted(): boolean {
    return this.#emitted.length > 0;
  }

  /** A pass while the caller speaks. Returns the interim text, undefined where nothing is new. */
  interim(text: string): string | undefined {
    const words = this.#joined(text);
    const agreed = agreedCount(this.#last, words);
    this.#last = words;
    const stable = words.slice(0, agreed);
    // The last word of a pass has the full stop of its audio's end, not of the speaker's.
    const [last] = stable.slice(-1);
    if (last !== undefined && agreed === words.length) stable[agreed - 1] = last.replace(LAST_PUNCTUATION, "") || last;
    return this.#emit(stable);
  }

  /** A pass whose words are shown to a reader as they are: later passes may change them. Returns undefined where nothing has changed. */
  shown(text: string): string | undefined {
    const words = this.#joined(text);
    this.#last = words;
    if (words.length === 0 || textOf(words) === textOf(this.#emitted)) return undefined;
    this.#emitted = words;
    return textOf(words);
  }

  /** A pass over all that was said before a pause: its words are complete, so all are emitted. Undefined where nothing is new. */
  pause(text: string): string | undefined {
    this.#last = this.#joined(text);
    return this.#emit([...this.#last]);
  }

  /** The final: what a pass over the last window has understood. */
  final(text: string): string {
    return textOf(this.#joined(text));
  }

  /** A pass over a whole window, of which the part from `cut` on, 0 to 1, is in the next window, too. */
  endWindow(text: string, cut: number): void {
    const words = wordsOf(text, this.#language);
    this.#before = this.#joined(text);
    this.#overlapStart = this.#before.length - wordsAfter(words, cut);
    this.#last = this.#before;
  }

  #joined(text: string): string[] {
    return joinOverlapping(this.#before, this.#overlapStart, wordsOf(text, this.#language));
  }

  #emit(stable: readonly string[]): string | undefined {
    const added = stable.slice(this.#placeAfterEmitted(stable));
    if (added.length === 0) return undefined;
    this.#emitted.push(...added);
    return textOf(this.#emitted);
  }

  /** Where in `stable` the words that were emitted end. A later pass may have one word more or less before it. */
  #placeAfterEmitted(stable: readonly string[]): number {
    const count = this.#emitted.length;
    const last = lettersOf(this.#emitted[count - 1] ?? "");
    if (count === 0) return 0;
    for (let moved = 0; moved <= MOVED_MAX; moved += 1) {
      for (const at of [count - 1 - moved, count - 1 + moved]) {
        if (at >= 0 && at < stable.length && lettersOf(stable[at] as string) === last) return at + 1;
      }
    }
    return count;
  }
}

/** How many words at the beginning of both passes agree. */
function agreedCount(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && lettersOf(a[count] as string) === lettersOf(b[count] as string)) {
    count += 1;
  }
  return count;
}

/** How many of the words of a window lie after `cut`, 0 to 1, by their letters. */
function wordsAfter(words: readonly string[], cut: number): number {
  const letters = words.map((word) => word.length + 1);
  const all = letters.reduce((sum, length) => sum + length, 0);
  let end = 0;
  return letters.filter((length) => {
    end += length;
    return end > cut * all;
  }).length;
}

const textOf = (words: readonly string[]): string => words.reduce(joinTexts, "");
