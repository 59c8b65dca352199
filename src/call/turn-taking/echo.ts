import { addMs, type CallMs, callMs } from "../../core/clocks.ts";
import { lettersOf, wordEnds } from "../../core/text/words.ts";
import type { PlayedWord } from "../reply/played-words.ts";

/**
 * So many words of the agent in a row, in step with it, are an echo whatever follows them. Of fewer words a caller may
 * say the same: they are an echo only where they are the whole transcript.
 */
const RUN_WORDS_MIN = 3;

/**
 * How much later than the agent's word is played its echo may reach us, ms. A caller who repeats a word begins after
 * having heard it, which takes longer.
 */
const DELAY_MS_MAX = 350;
/** The same for a run of words, whose first ones an STT may miss, and which a caller does not repeat while hearing them. */
const RUN_DELAY_MS_MAX = 800;
/** How much earlier than the agent's word the speech may have begun: the times of words are estimates. */
const EARLY_MS_MAX = 200;
const RUN_EARLY_MS_MAX = 1_500;

/** Speech that began earlier than this says nothing about a transcript that arrives now. */
const START_AGE_MS_MAX = 6_000;

/** Where the VAD detected no speech, or nothing but steady noise: how long ago the agent's last word ended when its transcript arrives, ms. */
const UNDETECTED_MS_MAX = 1_000;
const RUN_UNDETECTED_MS_MAX = 3_000;

/** An echo that goes on after a final transcript continues this soon after its last word. */
const CONTINUES_MS_MAX = 2_000;

/** Stretches of speech within one utterance of the STT that are remembered. */
const STARTS_MAX = 8;

/** A misheard word: its length, and how many letters may differ, in at most every fourth word of a run. */
const MISHEARD_CHARS_MIN = 4;
const MISHEARD_LONG_CHARS = 10;
const MISHEARD_CHARS_MAX = 32;

/** What an echo leaves of a transcript: `text` is new, `echo` is the agent's. */
export interface WithoutEcho {
  readonly text: string;
  readonly echo: string;
}

interface Spoken {
  readonly letters: string;
  /** Where it ends in the transcript, in UTF-16 units. */
  readonly end: number;
}

/** The agent's words that a transcript begins with: their number in the transcript, and the last of them. */
interface Match {
  readonly length: number;
  readonly last: PlayedWord;
}

/** What is judged: the words of a transcript, and those of the agent that it may be an echo of. */
interface Comparison {
  readonly spoken: readonly Spoken[];
  readonly played: readonly PlayedWord[];
  readonly final: boolean;
  readonly nowMs: CallMs;
  /** The VAD detects speech of the caller now, which has not gone on without words for so long that it is noise. */
  readonly isSpeaking: boolean;
}

/**
 * Tells the agent's own words, which came back over the line and were recognized by the STT, from the caller's. Words
 * are an echo when they are the agent's, in its order, and in step with it: the speech in which they came began within
 * the echo's delay of the first of them. Each word of the agent has one echo. Words that are not the agent's are never
 * an echo, and neither is what follows them. Times are ms of call time.
 */
export class WordEchoDetector {
  /** When the stretches of speech since the last final transcript began. */
  #startsMs: CallMs[] = [];
  /** The last final transcript, until the next speech, and what was new in it: some STT providers send one twice. */
  #lastFinal: { readonly text: string; readonly result: WithoutEcho } | undefined;
  /** The echo in the last final transcript ended with the agent's word that ended then; NaN for none. */
  #continuesMs = callMs(Number.NaN);
  /** Words of the agent that began until then have had their echo. */
  #echoedMs = callMs(Number.NEGATIVE_INFINITY);

  /** The VAD detects speech that began at `startMs`. */
  speechStarted(startMs: CallMs): void {
    if (this.#startsMs.length === 0) this.#continuesMs = callMs(Number.NaN);
    this.#lastFinal = undefined;
    this.#startsMs.push(startMs);
    if (this.#startsMs.length > STARTS_MAX) this.#startsMs.shift();
  }

  /**
   * What is new in a transcript, which is the whole utterance since the last final. `played`: the words of the agent
   * that were played until now. `language`, BCP 47, determines where words end.
   */
  withoutEcho(
    { text, final }: { text: string; final: boolean },
    { language, ...heard }: Pick<Comparison, "played" | "nowMs" | "isSpeaking"> & { language: string },
  ): WithoutEcho {
    if (final && text === this.#lastFinal?.text) return this.#lastFinal.result;
    const spoken = spokenWords(text, language);
    const match = this.#match({ ...heard, spoken, final });
    const end = match?.length === spoken.length ? text.length : (spoken[(match?.length ?? 0) - 1]?.end ?? 0);
    const result = end === 0 ? { text, echo: "" } : { text: text.slice(end).trim(), echo: text.slice(0, end).trim() };
    if (final) this.#endUtterance(match, { text, result });
    return result;
  }

  #endUtterance(match: Match | undefined, final: { text: string; result: WithoutEcho }): void {
    this.#lastFinal = match === undefined ? undefined : final;
    this.#startsMs = [];
    this.#continuesMs = match === undefined ? callMs(Number.NaN) : match.last.endMs;
    if (match !== undefined) this.#echoedMs = match.last.startMs;
  }

  /** The longest echo that the transcript begins with. */
  #match(comparison: Comparison): Match | undefined {
    const { spoken, played, nowMs } = comparison;
    let longest: Match | undefined;
    for (const [from, word] of played.entries()) {
      if (!(word.startMs > this.#echoedMs) || word.startMs > nowMs) continue;
      const match = matchFrom(from, comparison);
      if (match === undefined || match.length <= (longest?.length ?? 0)) continue;
      const isWhole = match.length === spoken.length;
      if ((isWhole || match.length >= RUN_WORDS_MIN) && this.#isInStep(word, match, comparison)) longest = match;
    }
    return longest;
  }

  #isInStep(first: PlayedWord, { length, last }: Match, { nowMs, isSpeaking }: Comparison): boolean {
    const isRun = length >= RUN_WORDS_MIN;
    const { startMs } = first;
    if (startMs >= this.#continuesMs && startMs <= addMs(this.#continuesMs, CONTINUES_MS_MAX)) return true;
    const delayMs = isRun ? RUN_DELAY_MS_MAX : DELAY_MS_MAX;
    const earlyMs = isRun ? RUN_EARLY_MS_MAX : EARLY_MS_MAX;
    const began = this.#startsMs.some(
      (speechMs) => speechMs >= addMs(startMs, -earlyMs) && speechMs <= addMs(startMs, delayMs),
    );
    if (began) return true;
    const isDetected = isSpeaking || this.#startsMs.some((speechMs) => speechMs >= addMs(nowMs, -START_AGE_MS_MAX));
    return !isDetected && last.endMs >= addMs(nowMs, -(isRun ? RUN_UNDETECTED_MS_MAX : UNDETECTED_MS_MAX));
  }
}

function spokenWords(text: string, language: string): Spoken[] {
  let from = 0;
  return wordEnds(text, language).flatMap((end) => {
    const letters = lettersOf(text.slice(from, end));
    from = end;
    return letters === "" ? [] : [{ letters, end }];
  });
}

/** How far the transcript runs along with the agent's words from `from` on. An STT may miss one between two of them. */
function matchFrom(from: number, { spoken, played, final, nowMs }: Comparison): Match | undefined {
  let at = from;
  let misheard = 0;
  let length = 0;
  let last: PlayedWord | undefined;
  for (const [index, { letters }] of spoken.entries()) {
    const isUnfinished = !final && index === spoken.length - 1;
    const step = [0, 1].find((missed) => {
      const word = played[at + missed];
      if (word === undefined || word.startMs > nowMs || (missed > 0 && index === 0)) return false;
      return word.letters === letters || (isUnfinished && isBeginning(letters, word.letters));
    });
    const isMisheard = step === undefined && length > 0 && isLike(letters, played[at]?.letters ?? "");
    if (isMisheard) misheard += 1;
    else if (step === undefined) break;
    last = played[at + (step ?? 0)];
    at += (step ?? 0) + 1;
    length += 1;
  }
  return last === undefined || misheard > Math.floor(length / 4) ? undefined : { length, last };
}

/** An interim transcript may end within a word. */
const isBeginning = (letters: string, word: string): boolean => letters.length > 1 && word.startsWith(letters);

/** Whether an STT may have misheard `word` as `letters`. */
function isLike(letters: string, word: string): boolean {
  const length = Math.min(letters.length, word.length);
  if (length < MISHEARD_CHARS_MIN || Math.max(letters.length, word.length) > MISHEARD_CHARS_MAX) return false;
  return distance(letters, word) <= (length < MISHEARD_LONG_CHARS ? 1 : 2);
}

/** How many letters must be replaced, left out or added to make `one` of `other`. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (let at = 1; at <= other.length; at += 1) {
      const replaced = (row[at - 1] ?? 0) + (other[at - 1] === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
