import { CARRIER_RATE_HZ } from "../../src/core/limits/streams/media.ts";
import type { Stt, SttEvent, SttStream, TimedWord, Tts } from "../../src/speech/contracts.ts";
import { EventQueue } from "../../src/speech/event-queue.ts";
import type { SttMode } from "../turn-taking/result.ts";
import type { CallerUtterance, Phrase } from "./script.ts";

// Providers that are never wrong. The STT knows what is said, and when each word was; the TTS speaks with a person's voice.

/** How long the STT takes from the end of a word to its interim transcript, and from the end of speech to the final, ms. */
export const STT_INTERIM_MS = 150;
export const STT_FINAL_MS = 300;
/** How long the TTS speaks for each word, ms. */
export const TTS_WORD_MS = 350;
const SAMPLES_PER_MS = CARRIER_RATE_HZ / 1_000;

/** What is said, and the sample of the line at which it begins. */
export interface Said {
  utterance: CallerUtterance;
  at: number;
}

interface Due {
  sample: number;
  event: SttEvent;
}

/**
 * An STT that transcribes `said` after so many samples of the caller's line; noise, music and echo it never transcribes. With
 * `finals` it has no interim transcripts, except those that are requested.
 */
export const idealStt = (said: readonly Said[], sttMode: SttMode): Stt => ({
  provider: "ideal",
  capabilities: { ratesHz: [CARRIER_RATE_HZ], interimTranscripts: sttMode === "partials" },
  open: (_options, signal) => new IdealStream(said, sttMode, signal),
});

class IdealStream implements SttStream {
  readonly events: EventQueue<SttEvent>;
  readonly #said: readonly Said[];
  /** What is to be emitted, the next one first. */
  readonly #due: Due[];
  #heardSamples = 0;
  /** When the answer to a request is emitted; Infinity while there is none. */
  #requestedSample = Number.POSITIVE_INFINITY;

  constructor(said: readonly Said[], sttMode: SttMode, signal: AbortSignal) {
    this.#said = said;
    this.events = new EventQueue(signal);
    this.#due = transcriptsOf(said).filter(({ event }) => sttMode === "partials" || event.kind === "final");
  }

  write(frame: Int16Array): void {
    this.#heardSamples += frame.length;
    while (this.#due[0] !== undefined && this.#due[0].sample <= this.#heardSamples) {
      this.events.push((this.#due.shift() as Due).event);
      // The utterance's final is the answer.
      this.#requestedSample = Number.POSITIVE_INFINITY;
    }
    if (this.#heardSamples < this.#requestedSample) return;
    this.#requestedSample = Number.POSITIVE_INFINITY;
    this.events.push({ kind: "interim", text: this.#wordsSoFar(this.#heardSamples - STT_FINAL_MS * SAMPLES_PER_MS) });
  }

  /** The words of the phrase so far, as soon as a final transcript would take; empty where there are none. */
  requestInterim(): void {
    if (this.#requestedSample !== Number.POSITIVE_INFINITY) return;
    this.#requestedSample = this.#heardSamples + STT_FINAL_MS * SAMPLES_PER_MS;
  }

  /** The words of the phrase that is being spoken at `sample`, as far as they are over. */
  #wordsSoFar(sample: number): string {
    for (const { utterance, at } of this.#said) {
      for (const phrase of utterance.phrases) {
        const isOpen = sample >= at + phrase.from && sample < at + phrase.to + STT_FINAL_MS * SAMPLES_PER_MS;
        if (isOpen)
          return (
            wordEndsOf(phrase)
              .filter(({ to }) => at + to <= sample)
              .at(-1)?.text ?? ""
          );
      }
    }
    return "";
  }
}

/** The beginnings of a phrase, word by word, and the sample of its utterance at which each is over. */
function wordEndsOf({ text, from, to }: Phrase): { text: string; to: number }[] {
  const words = text.split(" ").filter((word) => word !== "");
  const lengthOfOne = (to - from) / words.length;
  return words.map((_, index) => ({
    text: words.slice(0, index + 1).join(" "),
    to: from + (index + 1) * lengthOfOne,
  }));
}

/** All transcripts with the samples after which they come, in order. */
export function transcriptsOf(said: readonly Said[]): Due[] {
  const due = said.flatMap(({ utterance, at }) =>
    utterance.phrases.flatMap((phrase): Due[] => {
      const interims = wordEndsOf(phrase).map(
        ({ text, to }): Due => ({
          sample: at + to + STT_INTERIM_MS * SAMPLES_PER_MS,
          event: { kind: "interim", text },
        }),
      );
      if (interims.length === 0) return [];
      const sample = at + phrase.to + STT_FINAL_MS * SAMPLES_PER_MS;
      return [...interims, { sample, event: { kind: "final", text: phrase.text } }];
    }),
  );
  return due.sort((a, b) => a.sample - b.sample);
}

/** A TTS that takes no time and says every word with so much of a person's speech, which goes on where the last word ended. */
export function humanTts(speech: Float32Array): Tts {
  const wordSamples = TTS_WORD_MS * SAMPLES_PER_MS;
  return {
    provider: "ideal",
    capabilities: { wordTimestamps: true },
    voices: async () => [],
    async *speak({ text }, signal) {
      const words = text.split(" ").map((word, index): TimedWord => {
        const startMs = index * TTS_WORD_MS;
        return { text: word, startMs, endMs: startMs + TTS_WORD_MS };
      });
      if (signal.aborted) return;
      const from = text.length * wordSamples;
      const samples = Int16Array.from(
        { length: words.length * wordSamples },
        (_, at) => speech[(from + at) % speech.length] as number,
      );
      yield { samples, rateHz: CARRIER_RATE_HZ, words };
    },
  };
}
