import { CARRIER_RATE_HZ } from "../../src/core/limits/streams/media.ts";
import type { Random } from "../../test/support/random.ts";
import type { Sounds } from "../hearing/conditions.ts";
import { SPEECH_DBOV } from "../hearing/prompts.ts";
import type { Layer, LineSounds } from "../turn-taking/caller-line.ts";
import { amplitudeOf } from "../turn-taking/sounds.ts";

/** What is on the caller's line besides the caller. */
export interface LineCondition {
  name: string;
  /** `clean`, or what makes it harder. */
  kind: "clean" | "noise" | "music" | "echo";
  draw(sounds: Sounds, random: Random): Pick<LineSounds, "layers" | "echo">;
}

/** A quiet line is not digital silence. */
const LINE_DBOV = -68;
const NOISE_SNR_DB = 10;
const MUSIC_DBOV = -41;
const ECHO_DB = -20;
/** The delays of the agent's own echo, from what is played to what comes back, ms. */
export const ECHO_DELAY_MS = [40, 300] as const;

const layer = (samples: Float32Array, dbov: number, random: Random): Layer => ({
  samples,
  gain: amplitudeOf(dbov),
  from: random.whole(0, samples.length - 1),
});

/** Noise or music on a quiet line. */
export const lineWith = (sounds: Sounds, name: keyof Sounds, dbov: number, random: Random): Layer[] => [
  layer(sounds.white, LINE_DBOV, random),
  layer(sounds[name], dbov, random),
];

export const quietLine = (sounds: Sounds, random: Random): Layer[] => [layer(sounds.white, LINE_DBOV, random)];

/** The agent's speech comes back at this level. */
export const echoAfter = (delayMs: number) => ({ gain: amplitudeOf(ECHO_DB), delayMs });

export const LINES: readonly LineCondition[] = [
  { name: "clean", kind: "clean", draw: (sounds, random) => ({ layers: quietLine(sounds, random) }) },
  {
    name: `pink ${NOISE_SNR_DB} dB`,
    kind: "noise",
    draw: (sounds, random) => ({ layers: lineWith(sounds, "pink", SPEECH_DBOV - NOISE_SNR_DB, random) }),
  },
  {
    name: `music ${MUSIC_DBOV} dBov`,
    kind: "music",
    draw: (sounds, random) => ({ layers: lineWith(sounds, "music", MUSIC_DBOV, random) }),
  },
  {
    name: `echo ${ECHO_DB} dB`,
    kind: "echo",
    draw: (sounds, random) => ({
      layers: quietLine(sounds, random),
      echo: echoAfter(random.between(...ECHO_DELAY_MS)),
    }),
  },
];

export const samplesOfMs = (ms: number): number => Math.round((ms * CARRIER_RATE_HZ) / 1_000);
