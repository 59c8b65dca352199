import type { TimedWord } from "../../../contracts.ts";

/** What eSpeak tells of where it is; the fields are its own. Times are ms from the first sample. */
export interface SynthesisEvent {
  type: string;
  /** The code point of the text, counted from 1. */
  text_position: number;
  audio_position: number;
  /** A phoneme's name; empty for a pause. */
  id: string | number | undefined;
}

/**
 * Follows eSpeak's events through one text and places its words. Words are what stands between white space, so that joined by
 * spaces they are the text again, while eSpeak sees several in a number and one in "of the": the first event inside a word
 * begins it, and words without an event share the time of the word before them.
 */
export class WordTimeline {
  /** The text for eSpeak: white space folded, and nothing in it that eSpeak would take for a command. */
  readonly markup: string;
  readonly #words: readonly string[];
  /** Of each word, the last code point of it in `markup`. */
  readonly #lastPositions: readonly number[];
  readonly #addToWatermark: (word: string, startMs: number) => number;
  /** When each word that has begun will have been carried. */
  readonly #watermarkEndsMs: number[] = [];
  /** The words whose end is not known: `#groupFirst` began at `#groupMs`, and those behind it have had no event. */
  #groupFirst = 0;
  #groupMs = 0;
  /** Where the voice paused after its last sound. */
  #pauseMs: number | undefined;
  #alignedWords: TimedWord[] = [];

  /** `carry` is told of each word as it begins and returns the ms before which it is not over, whenever its sound ends. */
  constructor(text: string, carry = (_word: string, startMs: number): number => startMs) {
    this.#words = text.split(/\s+/).filter((word) => word !== "");
    this.#addToWatermark = carry;
    const spoken = this.#words.map(withoutCommands);
    this.markup = spoken.join(" ");
    let position = -1;
    this.#lastPositions = spoken.map((word) => {
      position += 1 + [...word].length;
      return position;
    });
  }

  /** Takes the next event, in eSpeak's order. */
  take(event: SynthesisEvent): void {
    if (event.type === "phoneme") {
      if (event.id !== "") this.#pauseMs = undefined;
      else this.#pauseMs ??= event.audio_position;
    } else if (event.type === "word") {
      const word = this.#lastPositions.findIndex((last) => event.text_position <= last);
      if (word >= this.#watermarkEndsMs.length) this.#begin(word, event.audio_position);
    }
  }

  /** The voice has ended, at `endMs`. */
  finish(endMs: number): void {
    this.#endGroup(this.#words.length, endMs);
  }

  /** The words that have become known since the last time. */
  takeAligned(): TimedWord[] {
    const known = this.#alignedWords;
    this.#alignedWords = [];
    return known;
  }

  #begin(word: number, startMs: number): void {
    this.#endGroup(word, startMs);
    this.#groupFirst = word;
    this.#groupMs = startMs;
    this.#watermarkEndsMs.push(this.#addToWatermark(this.#words[word] as string, startMs));
  }

  /** The words before `next` are over, at the pause before `endMs` if there was one; each gets its share of the time. */
  #endGroup(next: number, endMs: number): void {
    const group = this.#words.slice(this.#groupFirst, next);
    const spanMs = Math.max(0, (this.#pauseMs ?? endMs) - this.#groupMs);
    const sounds = group.map((word) => word.match(/[\p{L}\p{N}]/gu)?.length ?? 0);
    const allSounds = sounds.reduce((sum, count) => sum + count, 0);
    let atMs = this.#groupMs;
    for (const [index, text] of group.entries()) {
      const startMs = atMs;
      atMs += (spanMs * (sounds[index] as number)) / Math.max(1, allSounds);
      const carriedMs = this.#watermarkEndsMs[this.#groupFirst + index] ?? this.#addLateToWatermark(text, startMs);
      this.#alignedWords.push({ text, startMs, endMs: Math.max(atMs, carriedMs) });
    }
  }

  #addLateToWatermark(word: string, startMs: number): number {
    const carriedMs = this.#addToWatermark(word, startMs);
    this.#watermarkEndsMs.push(carriedMs);
    return carriedMs;
  }
}

/** `word` without what eSpeak's input language gives a meaning: control characters, SSML, and phonemes in [[ ]]. */
const withoutCommands = (word: string): string =>
  word
    .replace(/[\p{Cc}<>]/gu, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("[[", "[ [");
