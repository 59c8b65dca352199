import { CARRIER_RATE_HZ } from "../../src/core/limits/streams/media.ts";
import type { Random } from "../../test/support/random.ts";
import type { Layer, LineSounds } from "./caller-line.ts";
import type { Material, Speech } from "./material.ts";
import type { Group } from "./result.ts";
import { activeRms, amplitudeOf, cough, dtmfTones, NOISES, type Noise, noise } from "./sounds.ts";

// What happens on the caller's side while the agent speaks, case by case; each call of a case is drawn from chance.

/** What one call is made of. */
export interface Scene {
  sounds: LineSounds;
  /** What the caller says and wants answered; empty when nothing is. */
  said: string;
}

export interface Case {
  group: Group;
  title: string;
  /** Whether the caller wants the turn: then the agent must stop, and otherwise it must not. */
  wantsTurn: boolean;
  draw(random: Random): Scene;
}

const NOISE_S = 20;
const FULL = 32_768;

/** Where in the call the caller utters something, s; the agent speaks from the beginning, for about ten. */
const ONSET_S = [1.2, 4.5] as const;
/** Callers are not all equally loud. The data of the reference TTS must not get lost for that. */
const SPEECH_DB = [-6, 0] as const;
/** What is there when nothing else is. */
const QUIET_DB = -60;
const NOISE_LEVELS_DB = [-50, -40, -30];
const SNRS_DB = [20, 10, 5, 0];
const ECHO_LEVELS_DB = [-40, -30, -20];
const ECHO_DELAY_MS = [50, 300] as const;

/** All cases, in the order in which they are shown. `random` is for the noise that they share. */
export function makeCases(material: Material, random: Random): Case[] {
  const noises = new Map(NOISES.map((kind) => [kind, noise(kind, NOISE_S, random.fork(), material.bystanders)]));
  const layer = (kind: Noise, rms: number, chance: Random): Layer => {
    const samples = noises.get(kind) as Float32Array;
    return { samples, gain: rms / FULL, from: chance.whole(0, samples.length - 1) };
  };
  const quiet = (chance: Random): Layer => layer("white", FULL * amplitudeOf(QUIET_DB), chance);

  const uttered = (title: string, draw: (chance: Random) => Float32Array): Case => ({
    group: "sounds",
    title,
    wantsTurn: false,
    draw: (chance) => ({ sounds: { utterance: placed(draw(chance), chance), layers: [quiet(chance)] }, said: "" }),
  });
  const echo = (db: number): Case => ({
    group: "echo",
    title: `echo of the agent at ${db} dB`,
    wantsTurn: false,
    draw: (chance) => ({ sounds: { layers: [quiet(chance)], echo: drawEcho(db, chance) }, said: "" }),
  });
  const noiseAlone = (kind: Noise, db: number): Case => ({
    group: "noise",
    title: `${kind}, ${db} dBFS`,
    wantsTurn: false,
    draw: (chance) => ({ sounds: { layers: [quiet(chance), layer(kind, FULL * amplitudeOf(db), chance)] }, said: "" }),
  });
  const interruption = (
    group: Group,
    title: string,
    more: (rms: number, chance: Random) => Partial<LineSounds>,
  ): Case => ({
    group,
    title,
    wantsTurn: true,
    draw: (chance) => {
      const { text, samples } = chance.pick(material.interruptions);
      const said = louder(samples, chance);
      const { layers = [], ...others } = more(activeRms(Int16Array.from(said)), chance);
      const utterance = placed(said, chance);
      return { sounds: { utterance, layers: [quiet(chance), ...layers], ...others }, said: text };
    },
  });

  return [
    interruption("interruptions", "interruption, quiet line", () => ({})),
    ...ECHO_LEVELS_DB.slice(1).map((db) =>
      interruption("interruptions", `double talk, echo at ${db} dB`, (_, chance) => ({ echo: drawEcho(db, chance) })),
    ),
    ...NOISES.flatMap((kind) =>
      SNRS_DB.map((db) =>
        interruption("in noise", `${kind}, SNR ${db} dB`, (rms, chance) => ({
          layers: [layer(kind, rms * amplitudeOf(-db), chance)],
        })),
      ),
    ),
    uttered("cough", cough),
    uttered("mm-hm, not understood", (chance) => saidBy(material.assents, chance)),
    uttered("mm-hm, understood", (chance) => saidBy(material.backChannels, chance)),
    uttered("tones of keys", dtmfTones),
    ...ECHO_LEVELS_DB.map(echo),
    ...NOISES.flatMap((kind) => NOISE_LEVELS_DB.map((db) => noiseAlone(kind, db))),
  ];
}

const saidBy = (speech: readonly Speech[], chance: Random): Float32Array => louder(chance.pick(speech).samples, chance);

function louder(samples: Int16Array, chance: Random): Float32Array {
  const gain = amplitudeOf(chance.between(...SPEECH_DB));
  return Float32Array.from(samples, (sample) => gain * sample);
}

/** At no sample in particular: frames begin where the carrier has them begin. */
const placed = (samples: Float32Array, chance: Random) => ({
  samples,
  at: Math.round(chance.between(...ONSET_S) * CARRIER_RATE_HZ),
});

const drawEcho = (db: number, chance: Random) => ({
  gain: amplitudeOf(db),
  delayMs: chance.between(...ECHO_DELAY_MS),
});
