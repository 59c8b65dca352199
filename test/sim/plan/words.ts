import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import {
  type AudioFormat,
  encodeSamples,
  frameBytes,
  frameSamples,
  silenceByte,
  TELEPHONE,
} from "../../../src/simulator/audio/format.ts";
import type { Utterance } from "../../../src/simulator/callers/utterance.ts";
import { vowelAt } from "../../support/audio/vowel.ts";
import type { Random } from "../../support/random.ts";

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

/** What a listener says without wanting the turn. */
const HUMS = ["mm-hm", "yeah", "okay right", "I see", "got it", "of course", "Ja, genau.", "oh"];
/** How what is said ends: with a sentence, or with more to come. */
const ENDINGS = ["", "", ".", "?", ",", " and"];

/** One second of a vowel, as bytes of each format that was asked for. */
const VOWELS = new Map<string, Uint8Array>();

function vowel(format: AudioFormat): Uint8Array {
  const { codec, rateHz } = format;
  const known = VOWELS.get(`${codec} ${rateHz}`);
  if (known !== undefined) return known;
  const made = encodeSamples(
    Int16Array.from({ length: rateHz }, (_, n) => vowelAt(n / rateHz)),
    codec,
  );
  VOWELS.set(`${codec} ${rateHz}`, made);
  return made;
}

/** Faint noise as of an open line, no voice to a detector: two seconds of it, to be played over and over. */
export const lineNoise = (format: AudioFormat): readonly Uint8Array[] =>
  Array.from({ length: 100 }, (_, frame) => {
    const count = frameSamples(format);
    const samples = Int16Array.from({ length: count }, (_, n) => {
      const hash = Math.imul(frame * count + n + 1, 2_654_435_761) >>> 0;
      return Math.round((hash / 2 ** 32 - 0.5) * 60);
    });
    return encodeSamples(samples, format.codec);
  });

export const LINE_NOISE = lineNoise(TELEPHONE);

/** Voice for so many ms. Every frame is an object of its own, so that it is known which one is being spoken. */
function voice(forMs: number, format: AudioFormat): Uint8Array[] {
  const bytes = vowel(format);
  const bytesPerFrame = frameBytes(format);
  const framesPerTurn = bytes.length / bytesPerFrame;
  return Array.from({ length: Math.ceil(forMs / FRAME_MS) }, (_, frame) => {
    const at = (frame % framesPerTurn) * bytesPerFrame;
    return bytes.subarray(at, at + bytesPerFrame);
  });
}

/** One frame of a sound that is voice to a detector and no word: music, or a stray one. */
export function soundFrame(frame: number, format: AudioFormat): Uint8Array {
  const bytes = vowel(format);
  const bytesPerFrame = frameBytes(format);
  const at = (frame % (bytes.length / bytesPerFrame)) * bytesPerFrame;
  return bytes.subarray(at, at + bytesPerFrame);
}

/** Frames of pause: hardly one to the voice detector, or one that ends speech without being long enough to end a turn. */
const PAUSES: readonly (readonly [number, number])[] = [
  [0, 15],
  [19, 26],
];

/** A television, or somebody else: voice with short pauses, for so many ms. */
function television(random: Random, forMs: number, format: AudioFormat): Uint8Array[] {
  const frames: Uint8Array[] = [];
  const [pauseMin, pauseMax] = random.pick(PAUSES);
  while (frames.length * FRAME_MS < forMs) {
    frames.push(...voice(random.between(200, 1_500), format));
    for (let pause = random.whole(pauseMin, pauseMax); pause > 0; pause -= 1) {
      frames.push(new Uint8Array(frameBytes(format)).fill(silenceByte(format)));
    }
  }
  return frames;
}

/** Something a caller says; `goesOn` is speech after it that belongs to no word. */
export function utterance(random: Random, goesOn: boolean, format = TELEPHONE): Utterance {
  const said = spoken(`${callerText(random)}${random.pick(ENDINGS)}`, random, format);
  if (!goesOn) return said;
  return { ...said, frames: [...said.frames, ...television(random, random.between(1_000, 12_000), format)] };
}

/** A back-channel; now and then the beginning of more. */
export function hum(random: Random, format: AudioFormat): Utterance {
  const more = random.chance(0.2) ? ` ${callerText(random)}` : "";
  return spoken(`${random.pick(HUMS)}${more}`, random, format);
}

/** Somebody talks and talks. */
export const monologue = (random: Random, format: AudioFormat): Utterance =>
  spoken(text(random, OF_CALLERS, random.whole(25, 120)), random, format);

/** Voice that says nothing. */
export const cough = (random: Random, format = TELEPHONE): Utterance => ({
  text: "",
  format,
  words: [],
  frames: voice(random.between(80, 1_200), format),
});

/** A fit of coughing: a few, with pauses between them that are short or long. */
export function coughs(random: Random, format: AudioFormat): Utterance {
  const [first, ...more] = Array.from({ length: random.whole(1, 5) }, () => cough(random, format));
  const frames = more.flatMap((next) => {
    const pause = Array.from({ length: random.whole(18, 120) }, () =>
      new Uint8Array(frameBytes(format)).fill(silenceByte(format)),
    );
    return [...pause, ...next.frames];
  });
  return { text: "", format, words: [], frames: [...(first?.frames ?? []), ...frames] };
}

function spoken(said: string, random: Random, format: AudioFormat): Utterance {
  let atMs = 0;
  const words = said.split(" ").map((word) => {
    const startMs = atMs;
    atMs += random.between(150, 450);
    return { text: word, startMs, endMs: atMs };
  });
  return { text: said, format, words, frames: voice(atMs, format) };
}
