import type { TimedWord, TtsChunk } from "../contracts.ts";

/**
 * Tracks how much of one segment has been spoken, over all providers. When one fails, the next continues with the word
 * that was interrupted; the times of that word are emitted only once. Without word timestamps the position is unknown,
 * and the next provider begins again.
 */
export class ResumePoint {
  #text: string;
  /** Where the current provider began, from the first sample of the segment, and how much it has spoken. */
  #offsetMs = 0;
  #spokenMs = 0;
  /** The current provider's words, in its own time: known but not begun yet, and begun. */
  #pendingWords: TimedWord[] = [];
  #startedWords: TimedWord[] = [];
  /** How many words at the beginning of the remaining text were emitted before the previous provider failed. */
  #alreadyEmittedCount = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text that remains to be spoken. */
  get text(): string {
    return this.#text;
  }

  /** Takes a chunk of the current provider. Returns the chunk to emit: each word comes with the audio it begins in. */
  add({ samples, rateHz, words }: TtsChunk): TtsChunk {
    this.#spokenMs += (samples.length * 1_000) / rateHz;
    this.#pendingWords.push(...words);
    const waiting = this.#pendingWords.findIndex(({ startMs }) => startMs >= this.#spokenMs);
    return { samples, rateHz, words: this.#emit(waiting < 0 ? this.#pendingWords.length : waiting) };
  }

  /** The words that are left when the provider has ended without a failure. */
  end(): TimedWord[] {
    return this.#emit(this.#pendingWords.length);
  }

  /** Sets the text for the next provider after a failure. Returns whether there is any text left. */
  resumeAfterFailure(): boolean {
    const last = this.#startedWords.at(-1);
    const isInterrupted = last !== undefined && last.endMs > this.#spokenMs;
    const words = this.#text.split(/\s+/).filter((word) => word !== "");
    this.#alreadyEmittedCount = isInterrupted ? wordCount(last) : 0;
    this.#text = words
      .slice(this.#startedWords.reduce((sum, word) => sum + wordCount(word), 0) - this.#alreadyEmittedCount)
      .join(" ");
    this.#offsetMs += this.#spokenMs;
    this.#spokenMs = 0;
    this.#pendingWords = [];
    this.#startedWords = [];
    return this.#text !== "";
  }

  #emit(count: number): TimedWord[] {
    const emitted: TimedWord[] = [];
    for (const word of this.#pendingWords.splice(0, count)) {
      this.#startedWords.push(word);
      if (this.#alreadyEmittedCount > 0) this.#alreadyEmittedCount -= wordCount(word);
      else emitted.push(this.#offsetMs === 0 ? word : this.#shifted(word));
    }
    return emitted;
  }

  #shifted({ text, startMs, endMs }: TimedWord): TimedWord {
    return { text, startMs: startMs + this.#offsetMs, endMs: endMs + this.#offsetMs };
  }
}

/** A provider may report several words of the text as one. */
const wordCount = ({ text }: TimedWord): number => text.trim().split(/\s+/).length;
