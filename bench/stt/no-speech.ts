import { join } from "node:path";
import { CARRIER_RATE_HZ } from "../../src/core/limits/streams/media.ts";
import type { ResamplerFactory } from "../../src/media/resampler.ts";
import type { Random } from "../../test/support/random.ts";
import { audioPackageOf } from "../hearing/packages.ts";
import { readMusic, readWav, soundsFolder } from "../hearing/prompts.ts";
import { amplitudeOf, noise, rmsOf } from "../turn-taking/sounds.ts";
import { CLIP_RATE_HZ, resampled } from "./clips.ts";
import { clipped, floats, throughMulaw } from "./lines.ts";

// Sounds that hold no words, all through G.711. Coughs, laughter and breath are made from noise and tones: no package has recordings.

export interface NoSpeechClip {
  kind: string;
  /** 16,000 Hz, -1 to 1. */
  samples: Float32Array;
}

const LENGTHS_S = [0.4, 0.8, 1.5, 3, 7.5];
/** Digits of a telephone keypad, Hz. */
const DTMF_HZ = [
  [697, 1_209],
  [770, 1_336],
  [852, 1_477],
  [941, 1_336],
] as const;
/** Prompts that are sounds. */
const SOUND_PROMPTS = ["tt-monkeys", "beep", "beeperr", "ascending-2tone", "descending-2tone", "confbridge-join"];

/** A sound as a function of the time in seconds; the level is set afterwards. */
type Shape = (timeS: number) => number;

interface Source {
  kind: string;
  dbov: readonly number[];
  /** So many samples of it at 8,000 Hz, of any level. */
  take(length: number, random: Random): Float32Array;
}

/** All sounds: each source at each of its levels and of each length. The same seed gives the same sounds. */
export function makeNoSpeech(cacheDir: string, makeResampler: ResamplerFactory, random: Random): NoSpeechClip[] {
  const heard = (samples: Int16Array): Float32Array =>
    floats(resampled(throughMulaw(samples), CARRIER_RATE_HZ, CLIP_RATE_HZ, makeResampler));
  const made = [...SOURCES, ...musicOf(cacheDir)].flatMap(({ kind, dbov, take }) =>
    dbov.flatMap((level) =>
      LENGTHS_S.map((lengthS) => ({
        kind,
        samples: heard(atLevel(take(lengthS * CARRIER_RATE_HZ, random.fork()), level)),
      })),
    ),
  );
  const folder = soundsFolder(join(cacheDir, audioPackageOf("en")));
  const recorded = SOUND_PROMPTS.map((name) => ({
    kind: name === "tt-monkeys" ? "monkeys" : "signal tones",
    samples: heard(readWav(join(folder, `${name}.wav`))),
  }));
  return [...made, ...recorded];
}

const musicOf = (cacheDir: string): Source[] =>
  readMusic(cacheDir).map((song) => ({
    kind: "music on hold",
    dbov: [-20, -35],
    take(length, random) {
      const from = random.whole(0, song.length - length);
      return Float32Array.from(song.subarray(from, from + length));
    },
  }));

function atLevel(samples: Float32Array, dbov: number): Int16Array {
  const gain = (32_768 * amplitudeOf(dbov)) / Math.max(1e-9, rmsOf(samples));
  return Int16Array.from(samples, (sample) => clipped(gain * sample));
}

const shaped = (kind: string, dbov: readonly number[], shape: Shape): Source => ({
  kind,
  dbov,
  take: (length) => Float32Array.from({ length }, (_, at) => shape(at / CARRIER_RATE_HZ)),
});

const noisy = (kind: "white" | "pink" | "hum"): Source => ({
  kind: `${kind === "hum" ? "mains" : kind} ${kind === "hum" ? "hum" : "noise"}`,
  dbov: [-20, -35, -50],
  take: (length, random) => noise(kind, length / CARRIER_RATE_HZ, random, []),
});

const sine =
  (hz: number): Shape =>
  (timeS) =>
    Math.sin(2 * Math.PI * hz * timeS);
const sum =
  (...shapes: readonly Shape[]): Shape =>
  (timeS) =>
    shapes.reduce((total, shape) => total + shape(timeS), 0);
const pulsed =
  (shape: Shape, onS: number, periodS: number): Shape =>
  (timeS) =>
    timeS % periodS < onS ? shape(timeS) : 0;

/** Bursts of noise, with a voice of `pitchHz` in them; 0 is none. */
const bursts = (kind: string, dbov: number, onS: number, periodS: number, pitchHz: number): Source => ({
  kind,
  dbov: [dbov],
  take: (length, random) => {
    const breath = noise("pink", length / CARRIER_RATE_HZ, random, []);
    return breath.map((sample, at) => {
      const timeS = (at / CARRIER_RATE_HZ) % periodS;
      if (timeS > onS) return 0;
      const envelope = Math.min(1, timeS / 0.01) * Math.exp((-3 * timeS) / onS);
      const pitch = pitchHz * (1 - (0.2 * timeS) / onS);
      const harmonics = pitchHz === 0 ? 0 : HARMONICS.reduce((total, h) => total + vowel(pitch, h, timeS), 0);
      return envelope * (harmonics / 2 + ((pitchHz === 0 ? 3 : 1) * sample) / 32_768);
    });
  },
});

const HARMONICS = Array.from({ length: 11 }, (_, at) => at + 1);

/** A harmonic of an open vowel. */
const vowel = (pitchHz: number, harmonic: number, timeS: number): number => {
  const hz = pitchHz * harmonic;
  return ((hz > 500 && hz < 1_200 ? 2 : 0.5) / harmonic) * Math.sin(2 * Math.PI * hz * timeS);
};

const SOURCES: readonly Source[] = [
  shaped("digital silence", [-90], () => 0),
  ...(["white", "pink", "hum"] as const).map(noisy),
  ...[200, 440, 1_000, 2_600].map((hz) => shaped("tone", [-20], sine(hz))),
  shaped("ringing and busy tones", [-20], pulsed(sum(sine(440), sine(480)), 1, 3)),
  shaped("ringing and busy tones", [-20], pulsed(sum(sine(480), sine(620)), 0.5, 1)),
  shaped("DTMF", [-20], (timeS) => {
    const [low, high] = DTMF_HZ[Math.floor(timeS / 0.2) % DTMF_HZ.length] as (typeof DTMF_HZ)[number];
    return pulsed(sum(sine(low), sine(high)), 0.1, 0.2)(timeS);
  }),
  bursts("coughs, synthetic", -20, 0.25, 0.6, 0),
  bursts("laughter, synthetic", -20, 0.1, 0.2, 150),
  bursts("laughter, synthetic", -20, 0.09, 0.2, 250),
  bursts("breath, synthetic", -35, 0.5, 1.1, 0),
  bursts("clicks", -25, 0.02, 0.32, 0),
];
