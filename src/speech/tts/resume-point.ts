import type { TimedWord, TtsChunk } from "../contracts.ts";

/**
 * How much of one piece has been spoken, whoever spoke it: where a voice breaks off, the next goes on with the word that was cut, whose
 * place is told once. Of a voice without word times nobody knows how far it came: the next begins again.
 */
export class ResumePoint {
  #text: string;
  /** Where the voice that speaks began, from the first sample of the piece, and how much it has spoken. */
  #offsetMs = 0;
  #spokenMs = 0;
  /** Its words, by its own time, that are known but have not begun yet, and those that have. */
  #pendingWords: TimedWord[] = [];
  #startedWords: TimedWord[] = [];
  /** So many words at its beginning were told when the one before it broke off in them. */
  #alreadyEmittedCount = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** What is still to be spoken. */
  get text(): string {
    return this.#text;
  }

  /** More of it was spoken; what the listener is told of that. A word is told with the audio that it begins in. */
  add({ samples, rateHz, words }: TtsChunk): TtsChunk {
    this.#spokenMs += (samples.length * 1_000) / rateHz;
    this.#pendingWords.push(...words);
    const waiting = this.#pendingWords.findIndex(({ startMs }) => startMs >= this.#spokenMs);
    return { samples, rateHz, words: this.#emit(waiting < 0 ? this.#pendingWords.length : waiting) };
  }

  /** The words that are left when the voice has ended as it should. */
  end(): TimedWord[] {
    return this.#emit(this.#pendingWords.length);
  }

  /** The voice broke off; whether anything is left to be spoken. */
  resumeAfterFailure(): boolean {
    const last = this.#startedWords.at(-1);
    const isCut = last !== undefined && last.endMs > this.#spokenMs;
    const words = this.#text.split(/\s+/).filter((word) => word !== "");
    this.#alreadyEmittedCount = isCut ? wordCount(last) : 0;
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
    const told: TimedWord[] = [];
    for (const word of this.#pendingWords.splice(0, count)) {
      this.#startedWords.push(word);
      if (this.#alreadyEmittedCount > 0) this.#alreadyEmittedCount -= wordCount(word);
      else told.push(this.#offsetMs === 0 ? word : this.#shifted(word));
    }
    return told;
  }

  #shifted({ text, startMs, endMs }: TimedWord): TimedWord {
    return { text, startMs: startMs + this.#offsetMs, endMs: endMs + this.#offsetMs };
  }
}

/** What a voice tells as one word may be several of the text. */
const wordCount = ({ text }: TimedWord): number => text.trim().split(/\s+/).length;
