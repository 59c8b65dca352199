import { spawnSync } from "node:child_process";
import { CARRIER_RATE_HZ } from "../../src/core/limits/streams/media.ts";
import { MU_LAW } from "../../src/media/g711.ts";
import type { Random } from "../../test/support/random.ts";
import { amplitudeOf, noise } from "../turn-taking/sounds.ts";
import { activeLevel, FULL_SCALE, type Prompt, SPEECH_DBOV } from "./prompts.ts";
import type { Tape } from "./tapes.ts";

// What a line does to speech, and what sounds on it without speech. Everything ends as G.711 mu-law at 8,000 Hz.

/** Sounds that are mixed with speech, each of full-scale level, played over and over. */
export interface Sounds {
  white: Float32Array;
  pink: Float32Array;
  hum: Float32Array;
  babble: Float32Array;
  music: Float32Array;
}

const NOISE_S = 120;
/** A quiet line is not digital silence. */
const LINE_DBOV = -68;
const CROWD_GROUPS = 2;
const STEP_S = 15;
/** Pink noise below the speaker, one after the other, dB; Infinity is none. */
const STEPS_DB = [Number.POSITIVE_INFINITY, 20, 10, 30, 10, Number.POSITIVE_INFINITY, 15];

/** `talkers` are those of the babble. */
export const makeSounds = (talkers: readonly Prompt[], music: readonly Int16Array[], random: Random): Sounds => ({
  white: noise("white", NOISE_S, random.fork(), []),
  pink: noise("pink", NOISE_S, random.fork(), []),
  hum: noise("hum", NOISE_S, random.fork(), []),
  babble: crowd(talkersOf(talkers), random),
  music: concatenated(music.map((song) => scaled(song, FULL_SCALE / activeLevel(song)))),
});

/** Twice six talkers. Of six alone single words can be understood: they are speech, and not noise. */
function crowd(talkers: readonly Int16Array[], random: Random): Float32Array {
  const groups = Array.from({ length: CROWD_GROUPS }, () => noise("babble", NOISE_S, random.fork(), talkers));
  return groups
    .reduce((sum, group) => sum.map((sample, at) => sample + (group[at] as number)))
    .map((sample) => sample / Math.sqrt(CROWD_GROUPS));
}

/** Each speaker's prompts as one long talk without pauses. */
function talkersOf(prompts: readonly Prompt[]): Int16Array[] {
  const languages = [...new Set(prompts.map(({ language }) => language))];
  return languages.map((language) =>
    Int16Array.from(
      concatenated(prompts.filter((prompt) => prompt.language === language).map(({ samples }) => samples)),
    ),
  );
}

/** A condition with speech. */
export interface Condition {
  name: string;
  /** What the goals say of it: `clean`, `noisy` (they hold in it), or `reported` beside them. */
  kind: "clean" | "noisy" | "reported";
  /** Whether the same prompts at minute 1 and minute 20 are compared in it. */
  measuresDeafness: boolean;
  /** The tape as the service hears it. `noiseAt` says which sample of the noise is under a sample of the tape. */
  sound(tape: Tape, sounds: Sounds): Int16Array;
}

const withNoise = (name: keyof Sounds, snrDb: number, kind: Condition["kind"]): Condition => ({
  name: `${name} ${snrDb} dB`,
  kind,
  measuresDeafness: snrDb === 10,
  sound: (tape, sounds) => mixed(tape, sounds, { noise: sounds[name], noiseDbov: () => SPEECH_DBOV - snrDb }),
});

const quiet = (dbov: number): Condition => ({
  name: `caller at ${dbov} dBov`,
  kind: "noisy",
  measuresDeafness: dbov < -45,
  sound: (tape, sounds) => mixed(tape, sounds, { speechDb: dbov - SPEECH_DBOV }),
});

export const CONDITIONS: readonly Condition[] = [
  { name: "clean", kind: "clean", measuresDeafness: true, sound: (tape, sounds) => mixed(tape, sounds, {}) },
  withNoise("pink", 20, "noisy"),
  withNoise("pink", 10, "noisy"),
  withNoise("pink", 5, "reported"),
  withNoise("white", 20, "noisy"),
  withNoise("white", 10, "noisy"),
  withNoise("white", 5, "reported"),
  withNoise("babble", 20, "noisy"),
  withNoise("babble", 10, "noisy"),
  quiet(-42),
  quiet(-48),
  {
    name: "level steps",
    kind: "noisy",
    measuresDeafness: false,
    sound: (tape, sounds) => mixed(tape, sounds, { noise: sounds.pink, noiseDbov: stepDbov }),
  },
  {
    name: "GSM",
    kind: "noisy",
    measuresDeafness: false,
    sound: (tape, sounds) => mulawLoop(gsmLoop(mixed(tape, sounds, {}))),
  },
];

const stepDbov = (sample: number): number =>
  SPEECH_DBOV - (STEPS_DB[Math.floor(sample / CARRIER_RATE_HZ / STEP_S) % STEPS_DB.length] as number);

/** A sound without speech. */
export interface NoSpeech {
  name: string;
  sound: keyof Sounds;
  dbov: number;
}

export const NO_SPEECH: readonly NoSpeech[] = [
  { name: "music -26 dBov", sound: "music", dbov: -26 },
  { name: "music -41 dBov", sound: "music", dbov: -41 },
  { name: "hum -31 dBov", sound: "hum", dbov: -31 },
  { name: "white -26 dBov", sound: "white", dbov: -26 },
  { name: "pink -26 dBov", sound: "pink", dbov: -26 },
  { name: "babble -36 dBov", sound: "babble", dbov: -36 },
];

/** So many samples of it, as the service hears them. */
export function soundAlone({ sound, dbov }: NoSpeech, sounds: Sounds, length: number): Int16Array {
  const source = sounds[sound];
  const gain = amplitudeOf(dbov);
  return mulawLoop(Int16Array.from({ length }, (_, at) => clipped(gain * (source[at % source.length] as number))));
}

interface Mix {
  speechDb?: number;
  noise?: Float32Array;
  noiseDbov?: (sample: number) => number;
}

function mixed(tape: Tape, sounds: Sounds, { speechDb = 0, noise: layer, noiseDbov }: Mix): Int16Array {
  const { samples, repeatedAt = Number.POSITIVE_INFINITY } = tape;
  const line = amplitudeOf(LINE_DBOV);
  const speech = amplitudeOf(speechDb);
  const into = new Int16Array(samples.length);
  let gain = 0;
  for (let at = 0; at < samples.length; at += 1) {
    // The same noise under the same prompts: then only the detector's state differs.
    const noiseAt = at < repeatedAt ? at : at - repeatedAt;
    if (noiseDbov !== undefined && at % CARRIER_RATE_HZ === 0) gain = amplitudeOf(noiseDbov(at));
    const background = layer === undefined ? 0 : gain * (layer[noiseAt % layer.length] as number);
    const floor = line * (sounds.white[noiseAt % sounds.white.length] as number);
    into[at] = clipped(speech * (samples[at] as number) + background + floor);
  }
  return mulawLoop(into);
}

const clipped = (sample: number): number => Math.max(-32_768, Math.min(32_767, Math.round(sample)));

/** Through G.711 mu-law; in place. */
function mulawLoop(samples: Int16Array): Int16Array {
  for (let at = 0; at < samples.length; at += 1) {
    const code = MU_LAW.encodeTable[(samples[at] as number) & 0xffff] as number;
    samples[at] = MU_LAW.decodeTable[code] as number;
  }
  return samples;
}

const RAW_8K = ["-t", "raw", "-r", "8000", "-e", "signed-integer", "-b", "16", "-c", "1", "-"];
const GSM_8K = ["-t", "gsm", "-r", "8000", "-c", "1", "-"];

export const hasGsm = (): boolean => spawnSync("sox", ["--version"]).status === 0;

/** Through the full-rate codec of GSM 06.10, by sox. */
function gsmLoop(samples: Int16Array): Int16Array {
  const coded = sox([...RAW_8K, ...GSM_8K], new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
  const decoded = sox([...GSM_8K, ...RAW_8K], coded);
  const into = new Int16Array(samples.length);
  into.set(new Int16Array(decoded.slice().buffer).subarray(0, into.length));
  return into;
}

function sox(args: readonly string[], input: Uint8Array): Uint8Array {
  const { status, stdout, stderr } = spawnSync("sox", args, { input, maxBuffer: 2 ** 30 });
  if (status !== 0) throw new Error(`sox failed: ${String(stderr).trim()}`);
  return new Uint8Array(stdout);
}

const scaled = (samples: Int16Array, gain: number): Float32Array =>
  Float32Array.from(samples, (sample) => gain * sample);

function concatenated(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
