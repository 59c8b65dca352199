import { CARRIER_RATE_HZ } from "../../src/core/limits/media.ts";
import type { Stt, SttEvent, TimedWord, Tts } from "../../src/speech/contracts.ts";
import { EventQueue } from "../../src/speech/event-queue.ts";
import type { CallerUtterance } from "./script.ts";

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

/** An STT that transcribes `said` after so many samples of the caller's line; noise, music and echo it never transcribes. */
export const idealStt = (said: readonly Said[]): Stt => ({
  provider: "ideal",
  capabilities: { ratesHz: [CARRIER_RATE_HZ], interimTranscripts: true },
  open(_options, signal) {
    const events = new EventQueue<SttEvent>(signal);
    const due = transcriptsOf(said);
    let heardSamples = 0;
    return {
      events,
      write(frame) {
        heardSamples += frame.length;
        while (due[0] !== undefined && due[0].sample <= heardSamples) events.push((due.shift() as Due).event);
      },
    };
  },
});

/** All transcripts with the samples after which they come, in order. */
export function transcriptsOf(said: readonly Said[]): Due[] {
  const due = said.flatMap(({ utterance, at }) =>
    utterance.phrases.flatMap((phrase) => {
      const words = phrase.text.split(" ").filter((word) => word !== "");
      if (words.length === 0) return [];
      const lengthOfOne = (phrase.to - phrase.from) / words.length;
      const interims = words.map(
        (_, index): Due => ({
          sample: at + phrase.from + (index + 1) * lengthOfOne + STT_INTERIM_MS * SAMPLES_PER_MS,
          event: { kind: "interim", text: words.slice(0, index + 1).join(" ") },
        }),
      );
      const final: Due = {
        sample: at + phrase.to + STT_FINAL_MS * SAMPLES_PER_MS,
        event: { kind: "final", text: phrase.text },
      };
      return [...interims, final];
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
