import type { TimedWord } from "../../../contracts.ts";

/** An event of eSpeak's synthesis, with eSpeak's field names. Times are ms from the first sample. */
export interface SynthesisEvent {
  type: string;
  /** The code point of the text, counted from 1. */
  text_position: number;
  audio_position: number;
  /** A phoneme's name; empty for a pause. */
  id: string | number | undefined;
}

/**
 * Aligns the words of one text with eSpeak's events. Words are separated by white space, so that the words joined by
 * spaces are the text again. eSpeak reports several words in a number and one in "of the", so the first event inside a
 * word is its start, and words without an event share the time of the word before them.
 */
export class WordTimeline {
  /** The text for eSpeak: white space collapsed, and without anything that eSpeak would take for a command. */
  readonly markup: string;
  readonly #words: readonly string[];
  /** The position of each word's last code point in `markup`. */
  readonly #lastPositions: readonly number[];
  readonly #addToWatermark: (word: string, startMs: number) => number;
  /** The end of the watermark of each word that has begun. */
  readonly #watermarkEndsMs: number[] = [];
  /** The words whose end is not known: `#groupFirst` began at `#groupMs`, and those after it have had no event. */
  #groupFirst = 0;
  #groupMs = 0;
  /** The start of the pause after the last sound. */
  #pauseMs: number | undefined;
  #alignedWords: TimedWord[] = [];

  /**
   * `addToWatermark` is called with each word as it begins and returns the end of the word's watermark. The word does
   * not end earlier, even if its sound does.
   */
  constructor(text: string, addToWatermark = (_word: string, startMs: number): number => startMs) {
    this.#words = text.split(/\s+/).filter((word) => word !== "");
    this.#addToWatermark = addToWatermark;
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

  /** The speech has ended, at `endMs`. */
  finish(endMs: number): void {
    this.#endGroup(this.#words.length, endMs);
  }

  /** The words that have been aligned since the last call. */
  takeAligned(): TimedWord[] {
    const aligned = this.#alignedWords;
    this.#alignedWords = [];
    return aligned;
  }

  #begin(word: number, startMs: number): void {
    this.#endGroup(word, startMs);
    this.#groupFirst = word;
    this.#groupMs = startMs;
    this.#watermarkEndsMs.push(this.#addToWatermark(this.#words[word] as string, startMs));
  }

  /** Ends the words before `next`, at the pause before `endMs` if there was one; each gets its share of the time. */
  #endGroup(next: number, endMs: number): void {
    const group = this.#words.slice(this.#groupFirst, next);
    const spanMs = Math.max(0, (this.#pauseMs ?? endMs) - this.#groupMs);
    const sounds = group.map((word) => word.match(/[\p{L}\p{N}]/gu)?.length ?? 0);
    const allSounds = sounds.reduce((sum, count) => sum + count, 0);
    let atMs = this.#groupMs;
    for (const [index, text] of group.entries()) {
      const startMs = atMs;
      atMs += (spanMs * (sounds[index] as number)) / Math.max(1, allSounds);
      const watermarkEndMs = this.#watermarkEndsMs[this.#groupFirst + index] ?? this.#addLateToWatermark(text, startMs);
      this.#alignedWords.push({ text, startMs, endMs: Math.max(atMs, watermarkEndMs) });
    }
  }

  #addLateToWatermark(word: string, startMs: number): number {
    const watermarkEndMs = this.#addToWatermark(word, startMs);
    this.#watermarkEndsMs.push(watermarkEndMs);
    return watermarkEndMs;
  }
}

/** `word` without the syntax of eSpeak's input: control characters, SSML, and phonemes in [[ ]]. */
const withoutCommands = (word: string): string =>
  word
    .replace(/[\p{Cc}<>]/gu, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("[[", "[ [");
