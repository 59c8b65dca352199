import { CARRIER_RATE_HZ } from "../../../src/core/limits/streams/media.ts";
import type { SpeechActivity } from "../../../src/media/voice-activity/speech-activity.ts";
import type { Stt, SttEvent, SttStream } from "../../../src/speech/contracts.ts";
import { EventQueue } from "../../../src/speech/event-queue.ts";
import { plainText, type Writing } from "./examples.ts";
import { STT_LAG_MS } from "./pauses.ts";

/** A word, and the sample of the line at which it is over. */
export interface LineWord {
  text: string;
  to: number;
}

const LAG_SAMPLES = (STT_LAG_MS * CARRIER_RATE_HZ) / 1_000;
/** Engines write a full stop also at one in so many of the pauses that they take for the end of an utterance. */
const WRONG_STOP_EVERY = 5;

/**
 * A streaming STT that is never wrong: a word stands in the interim transcript STT_LAG_MS after its end, and the call's end of speech
 * is followed by a final transcript, as late. Marks and capitals stand in finals alone, and only with `punctuated`.
 */
export const streamingStt = (words: readonly LineWord[], writing: Writing): Stt => ({
  provider: "streaming",
  capabilities: { ratesHz: [CARRIER_RATE_HZ], interimTranscripts: true },
  open: (_options, signal) => new StreamingStream(words, writing, signal),
});

class StreamingStream implements SttStream {
  readonly events: EventQueue<SttEvent>;
  readonly #words: readonly LineWord[];
  readonly #writing: Writing;
  #samples = 0;
  /** The words before these are in final transcripts; those before the other are known. */
  #first = 0;
  #known = 0;
  #finalSample = Number.POSITIVE_INFINITY;
  #finals = 0;

  constructor(words: readonly LineWord[], writing: Writing, signal: AbortSignal) {
    this.#words = words;
    this.#writing = writing;
    this.events = new EventQueue(signal);
  }

  write(frame: Int16Array, activity?: SpeechActivity): void {
    this.#samples += frame.length;
    const before = this.#known;
    while ((this.#words[this.#known]?.to ?? Number.POSITIVE_INFINITY) + LAG_SAMPLES <= this.#samples) this.#known += 1;
    if (this.#known > before) this.events.push({ kind: "interim", text: plainText(this.#text()) });
    if (activity?.edge === "ended") this.#finalSample = this.#samples + LAG_SAMPLES;
    if (this.#samples < this.#finalSample) return;
    this.#finalSample = Number.POSITIVE_INFINITY;
    if (this.#first === this.#known) return;
    this.events.push({ kind: "final", text: this.#final() });
    this.#first = this.#known;
  }

  #final(): string {
    this.#finals += 1;
    const text = this.#text();
    if (this.#writing === "plain") return plainText(text);
    return this.#finals % WRONG_STOP_EVERY === 0 && /[\p{L}\p{N},]$/u.test(text) ? `${text.replace(/,$/, "")}.` : text;
  }

  #text(): string {
    return this.#words
      .slice(this.#first, this.#known)
      .map(({ text }) => text)
      .join(" ");
  }
}
