import type { SpokenWord, TtsChunk } from "./speech.ts";

/**
 * How much of one piece has been spoken, whoever spoke it: where a voice breaks off, the next goes on with the word that was cut, whose
 * place is told once. Of a voice without word times nobody knows how far it came: the next begins again.
 */
export class SpeechSoFar {
  #text: string;
  /** Where the voice that speaks began, from the first sample of the piece, and how much it has spoken. */
  #offsetMs = 0;
  #spokenMs = 0;
  /** Its words, by its own time, that are known but have not begun yet, and those that have. */
  #held: SpokenWord[] = [];
  #begun: SpokenWord[] = [];
  /** So many words at its beginning were told when the one before it broke off in them. */
  #toldBefore = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** What is still to be spoken. */
  get text(): string {
    return this.#text;
  }

  /** More of it was spoken; what the listener is told of that. A word is told with the audio that it begins in. */
  take({ samples, rateHz, words }: TtsChunk): TtsChunk {
    this.#spokenMs += (samples.length * 1_000) / rateHz;
    this.#held.push(...words);
    const waiting = this.#held.findIndex(({ startMs }) => startMs >= this.#spokenMs);
    return { samples, rateHz, words: this.#tell(waiting < 0 ? this.#held.length : waiting) };
  }

  /** The words that are left when the voice has ended as it should. */
  end(): SpokenWord[] {
    return this.#tell(this.#held.length);
  }

  /** The voice broke off; whether anything is left to be spoken. */
  breakOff(): boolean {
    const last = this.#begun.at(-1);
    const isCut = last !== undefined && last.endMs > this.#spokenMs;
    const words = this.#text.split(/\s+/).filter((word) => word !== "");
    this.#toldBefore = isCut ? countOf(last) : 0;
    this.#text = words.slice(this.#begun.reduce((sum, word) => sum + countOf(word), 0) - this.#toldBefore).join(" ");
    this.#offsetMs += this.#spokenMs;
    this.#spokenMs = 0;
    this.#held = [];
    this.#begun = [];
    return this.#text !== "";
  }

  #tell(count: number): SpokenWord[] {
    const told: SpokenWord[] = [];
    for (const word of this.#held.splice(0, count)) {
      this.#begun.push(word);
      if (this.#toldBefore > 0) this.#toldBefore -= countOf(word);
      else told.push(this.#offsetMs === 0 ? word : this.#shifted(word));
    }
    return told;
  }

  #shifted({ text, startMs, endMs }: SpokenWord): SpokenWord {
    return { text, startMs: startMs + this.#offsetMs, endMs: endMs + this.#offsetMs };
  }
}

/** What a voice tells as one word may be several of the text. */
const countOf = ({ text }: SpokenWord): number => text.trim().split(/\s+/).length;
