import { TELEPHONE } from "../../src/cli/simulated/audio-format.ts";
import type { Utterance } from "../../src/cli/simulated/utterance.ts";
import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ, FRAME_MS } from "../../src/core/limits.ts";
import { MU_LAW, mulawEncode } from "../../src/media/g711.ts";
import { vowelAt } from "../support/vowel.ts";
import type { Random } from "./random.ts";

// Words that stand nowhere else: neither in a journal's own fields nor on the other side of the call.
const OF_CALLERS = "anchor basket candle dragon engine forest garden hammer island jacket kettle ladder".split(" ");
const OF_AGENTS = "mirror needle orchid pepper quartz ribbon saddle timber umbrella velvet walnut yogurt".split(" ");

/** Every word that may be said in a call, but for the service's own phrases. */
export const VOCABULARY = [...OF_CALLERS, ...OF_AGENTS].join(" ");

const text = (random: Random, words: readonly string[], count: number): string =>
  Array.from({ length: count }, () => random.pick(words)).join(" ");

/** So many sentences of the agent's. */
export const agentText = (random: Random, sentences: number): string =>
  Array.from({ length: sentences }, () => `${text(random, OF_AGENTS, random.whole(2, 9))}.`).join(" ");

export const callerText = (random: Random): string => text(random, OF_CALLERS, random.whole(1, 7));

const SILENCE = new Uint8Array(CARRIER_FRAME_SAMPLES).fill(MU_LAW.silenceByte);

const VOWEL = mulawOf(vowelAt);

/** Faint noise as of an open line, no voice to a detector: two seconds of it, to be played over and over. */
export const LINE_NOISE: readonly Uint8Array[] = Array.from({ length: 100 }, (_, frame) =>
  Uint8Array.from({ length: CARRIER_FRAME_SAMPLES }, (_, n) => {
    const hash = Math.imul(frame * CARRIER_FRAME_SAMPLES + n + 1, 2_654_435_761) >>> 0;
    return MU_LAW.encodeTable[Math.round((hash / 2 ** 32 - 0.5) * 60) & 0xffff] as number;
  }),
);

function mulawOf(sound: (seconds: number) => number): Uint8Array {
  const samples = Int16Array.from({ length: CARRIER_RATE_HZ }, (_, n) => sound(n / CARRIER_RATE_HZ));
  const bytes = new Uint8Array(samples.length);
  mulawEncode(samples, bytes);
  return bytes;
}

/** Voice for so many ms. Every frame is an object of its own, so that it can be told which one is being spoken. */
function voice(forMs: number): Uint8Array[] {
  const framesPerTurn = VOWEL.length / CARRIER_FRAME_SAMPLES;
  return Array.from({ length: Math.ceil(forMs / FRAME_MS) }, (_, frame) => {
    const at = (frame % framesPerTurn) * CARRIER_FRAME_SAMPLES;
    return VOWEL.subarray(at, at + CARRIER_FRAME_SAMPLES);
  });
}

/** Frames of pause: hardly one to the voice detector, or one that ends speech without being long enough to end a turn. */
const PAUSES: readonly (readonly [number, number])[] = [
  [0, 15],
  [19, 26],
];

/** A television, or somebody else: voice with short pauses, for so many ms. */
function television(random: Random, forMs: number): Uint8Array[] {
  const frames: Uint8Array[] = [];
  const [pauseMin, pauseMax] = random.pick(PAUSES);
  while (frames.length * FRAME_MS < forMs) {
    frames.push(...voice(random.between(200, 1_500)));
    for (let pause = random.whole(pauseMin, pauseMax); pause > 0; pause -= 1) frames.push(SILENCE.slice());
  }
  return frames;
}

/** Something a caller says; `goesOn` is voice behind it that is none of the words. */
export function utterance(random: Random, goesOn: boolean): Utterance {
  let atMs = 0;
  const words = callerText(random)
    .split(" ")
    .map((word) => {
      const startMs = atMs;
      atMs += random.between(150, 450);
      return { text: word, startMs, endMs: atMs };
    });
  const frames = [...voice(atMs), ...(goesOn ? television(random, random.between(1_000, 12_000)) : [])];
  return { text: words.map((word) => word.text).join(" "), format: TELEPHONE, words, frames };
}

/** Voice that says nothing. */
export const cough = (random: Random): Utterance => ({
  text: "",
  format: TELEPHONE,
  words: [],
  frames: voice(random.between(80, 1_200)),
});
