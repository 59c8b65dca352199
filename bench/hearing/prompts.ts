import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ } from "../../src/core/limits/streams/media.ts";
import type { ResamplerFactory } from "../../src/media/resampler.ts";
import { scanWav } from "../../src/media/wav.ts";
import { amplitudeOf, rmsOf } from "../turn-taking/sounds.ts";
import { audioPackageOf, MUSIC_PACKAGE, type PROMPT_LANGUAGES, READING_PACKAGE, textPackageOf } from "./packages.ts";

// What was recorded, at 8,000 Hz: each prompt is brought to the level at which speech is expected on a telephone line.

/** The level of speech, dBov: of its active parts, as ITU-T P.56 means it. */
export const SPEECH_DBOV = -26;
export const FULL_SCALE = 32_768;

/** Languages of the prompts; `reading` is read English prose, and cards. */
export type Language = (typeof PROMPT_LANGUAGES)[number] | "reading";

/** Detectors may be tuned with these, and with nothing else. The others are held out. */
export const TUNING_LANGUAGES: readonly Language[] = ["it", "ru", "reading"];
export const LANGUAGES: readonly Language[] = [...TUNING_LANGUAGES, "en", "es", "fr"];

export interface Prompt {
  language: Language;
  /** The file below the folder of its language, without its ending. */
  name: string;
  /** What is said, with punctuation; undefined where the package has no text. */
  text: string | undefined;
  /** 8,000 Hz, with its active level at SPEECH_DBOV. */
  samples: Float32Array;
}

const READING_RATE_HZ = 16_000;
/** Files of the reading package that are speech in a format of their own: 16 kHz, without a header. */
const RAW_SPEECH = ["goforward.raw", "numbers.raw", "something.raw"];
/** Files that are no speech, whatever their text says. */
const NO_SPEECH = /^silence\/|beep|tone|monkeys|weasels/;
const LEAST_SAMPLES = CARRIER_RATE_HZ / 5;

/** All prompts in one language from the packages in `cacheDir`, sorted by name. */
export function readPrompts(cacheDir: string, language: Language, makeResampler: ResamplerFactory): Prompt[] {
  return language === "reading" ? readReading(cacheDir, makeResampler) : readMenu(cacheDir, language);
}

function readMenu(cacheDir: string, language: Language): Prompt[] {
  const sounds = soundsFolder(join(cacheDir, audioPackageOf(language)));
  const texts = readTexts(cacheDir, language);
  return filesIn(sounds, ".wav").flatMap((file) => {
    const name = file.slice(0, -".wav".length);
    const text = texts.get(name);
    if (NO_SPEECH.test(name) || text?.startsWith("[") === true) return [];
    return promptOf(language, name, text, readWav(join(sounds, file)));
  });
}

/** The folder of the one speaker in a package of prompts. */
export function soundsFolder(packageDir: string): string {
  const sounds = join(packageDir, "usr/share/asterisk/sounds");
  const [speaker = ""] = readdirSync(sounds);
  return join(sounds, speaker);
}

function readReading(cacheDir: string, makeResampler: ResamplerFactory): Prompt[] {
  const folder = join(cacheDir, READING_PACKAGE, "usr/share/pocketsphinx/test/data");
  const files = [...filesIn(folder, ".wav"), ...RAW_SPEECH].sort();
  return files.flatMap((file) => {
    const path = join(folder, file);
    const samples = file.endsWith(".wav") ? readWav(path) : samplesOf(readFileSync(path));
    const resampler = makeResampler(READING_RATE_HZ, CARRIER_RATE_HZ);
    // One sentence each, except for a list of cards; the texts have no punctuation.
    const text = file === "cards/005.wav" ? undefined : file;
    const narrow = Int16Array.from([...resampler.process(samples), ...resampler.flush()]);
    resampler.destroy();
    return promptOf("reading", file, text, narrow);
  });
}

function promptOf(language: Language, name: string, text: string | undefined, samples: Int16Array): Prompt[] {
  if (samples.length < LEAST_SAMPLES) return [];
  const gain = (FULL_SCALE * amplitudeOf(SPEECH_DBOV)) / activeLevel(samples);
  return [{ language, name, text, samples: Float32Array.from(samples, (sample) => gain * sample) }];
}

/** Frames further below the active level do not count for it: the margin of ITU-T P.56, dB. */
const ACTIVE_BELOW_DB = 15.9;

/** The root of the mean square of the frames that are active: those near the level that they have together. */
export function activeLevel(samples: Int16Array): number {
  const levels: number[] = [];
  for (let at = 0; at + CARRIER_FRAME_SAMPLES <= samples.length; at += CARRIER_FRAME_SAMPLES) {
    levels.push(rmsOf(samples.subarray(at, at + CARRIER_FRAME_SAMPLES)));
  }
  let active = levels;
  for (let before = 0; active.length !== before; ) {
    before = active.length;
    const least = rmsOf(active) * amplitudeOf(-ACTIVE_BELOW_DB);
    active = levels.filter((level) => level >= least);
  }
  return rmsOf(active);
}

/** Music on hold, one array a song, 8,000 Hz, as recorded. */
export function readMusic(cacheDir: string): Int16Array[] {
  const folder = join(cacheDir, MUSIC_PACKAGE, "usr/share/asterisk/moh");
  return filesIn(folder, ".wav").map((file) => readWav(join(folder, file)));
}

/** Lines of `name: text`; comments begin with a semicolon, and names without a text are left out. */
export function parseTexts(lines: string): Map<string, string> {
  const texts = new Map<string, string>();
  for (const line of lines.split("\n")) {
    const [, name = "", text = ""] = /^([^;:\s]+):\s*(.*?)\s*$/.exec(line) ?? [];
    if (text !== "") texts.set(name, text);
  }
  return texts;
}

/** What the prompts say, by their names. */
export function readTexts(cacheDir: string, language: string): Map<string, string> {
  const name = textPackageOf(language);
  const file = join(cacheDir, name, `usr/share/doc/${name}/core-sounds-${language}.txt.gz`);
  return parseTexts(gunzipSync(readFileSync(file)).toString("utf8"));
}

/** Whether `text` is one sentence: nothing follows a mark that ends one. */
export const isOneSentence = (text: string): boolean => !/[.!?…:;]\s+\S/.test(text);

/** Files below `folder` with this ending, sorted. */
export const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(ending))
    .sort();

/** The samples of a WAV file of 16-bit mono. */
export function readWav(path: string): Int16Array {
  const bytes = readFileSync(path);
  const found = scanWav(bytes);
  if (found.kind !== "samples") throw new Error(`${path} must be a WAV file, and is not`);
  return samplesOf(bytes.subarray(found.at, found.at + found.byteLength));
}

export function samplesOf(bytes: Buffer): Int16Array {
  const samples = new Int16Array(Math.floor(bytes.length / Int16Array.BYTES_PER_ELEMENT));
  for (let at = 0; at < samples.length; at += 1) samples[at] = bytes.readInt16LE(at * Int16Array.BYTES_PER_ELEMENT);
  return samples;
}
