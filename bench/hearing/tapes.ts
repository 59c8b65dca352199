import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ } from "../../src/core/limits/streams/media.ts";
import type { Random } from "../../test/support/random.ts";
import type { Prompt } from "./prompts.ts";
import { type PlacedPrompt, type Truth, truthOf } from "./truth.ts";

/** A caller who says one prompt after the other, in one call. */
export interface Tape {
  /** The clean speech, 8,000 Hz, whole frames. */
  samples: Float32Array;
  truth: Truth;
  /** The sample from which on the tape repeats its beginning; undefined where it does not. */
  repeatedAt: number | undefined;
}

/** The shortest and the longest, s. */
export type PauseRange = readonly [minS: number, maxS: number];

/** Pauses between prompts. They make a tape that is about half speech. */
const PAUSE_S: PauseRange = [1, 2];
const samplesIn = (seconds: number): number => Math.round(seconds * CARRIER_RATE_HZ);

/** Prompts in an order of chance, until they or the minutes are over. */
export function makeTape(
  prompts: readonly Prompt[],
  minutes: number,
  random: Random,
  pauseS: PauseRange = PAUSE_S,
): Tape {
  const line = new Line(random, pauseS);
  for (const prompt of shuffled(prompts, random)) {
    if (!line.hasRoom(prompt, samplesIn(60 * minutes))) break;
    line.add(prompt);
  }
  return line.tape(undefined);
}

/** So many seconds at the beginning of the call that deafness is measured by. */
const BLOCK_S = 120;
/** How long the part of a repeating tape is that it has twice, in samples. */
export const REPEATED_SAMPLES = samplesIn(BLOCK_S);

/**
 * A call whose first prompts are said once more from `atMinute` on, with the same pauses. Both times they begin at the same place
 * in a frame; what is between them are the other prompts, as often as needed.
 */
export function makeRepeatingTape(prompts: readonly Prompt[], atMinute: number, random: Random): Tape {
  const order = shuffled(prompts, random);
  const line = new Line(random, PAUSE_S);
  let count = 0;
  while (count < order.length && line.hasRoom(order[count] as Prompt, REPEATED_SAMPLES)) {
    line.add(order[count] as Prompt);
    count += 1;
  }
  const block = line.placed.slice();
  line.pauseUntil(REPEATED_SAMPLES + samplesIn(PAUSE_S[0]));
  const others = order.slice(count);
  const repeatedAt = samplesIn(60 * atMinute);
  for (let next = 0; others.length > 0; next += 1) {
    const prompt = others[next % others.length] as Prompt;
    if (!line.hasRoom(prompt, repeatedAt)) break;
    line.add(prompt);
  }
  for (const { prompt, at } of block) line.addAt(prompt, repeatedAt + at);
  line.pauseUntil(repeatedAt + REPEATED_SAMPLES);
  return line.tape(repeatedAt);
}

/** A part of a tape's truth, as a truth by itself; from and to are whole frames, in samples. */
export function truthBetween({ clear, silent, utterances }: Truth, from: number, to: number): Truth {
  const first = from / CARRIER_FRAME_SAMPLES;
  const last = to / CARRIER_FRAME_SAMPLES;
  return {
    clear: clear.subarray(first, last),
    silent: silent.subarray(first, last),
    utterances: utterances
      .filter((each) => each.from >= from && each.to <= to)
      .map((each) => ({ ...each, from: each.from - from, to: each.to - from })),
  };
}

/** Prompts and pauses, one after the other. */
class Line {
  readonly placed: PlacedPrompt[] = [];
  readonly #random: Random;
  readonly #pauseS: PauseRange;
  #end: number;

  constructor(random: Random, pauseS: PauseRange) {
    this.#random = random;
    this.#pauseS = pauseS;
    this.#end = this.#pause();
  }

  hasRoom(prompt: Prompt, until: number): boolean {
    return this.#end + prompt.samples.length + samplesIn(this.#pauseS[1]) <= until;
  }

  add(prompt: Prompt): void {
    this.addAt(prompt, this.#end);
  }

  addAt(prompt: Prompt, at: number): void {
    this.placed.push({ prompt, at });
    this.#end = at + prompt.samples.length + this.#pause();
  }

  /** What is added next begins at `end`. */
  pauseUntil(end: number): void {
    this.#end = end;
  }

  tape(repeatedAt: number | undefined): Tape {
    const frames = Math.ceil(this.#end / CARRIER_FRAME_SAMPLES);
    const samples = new Float32Array(frames * CARRIER_FRAME_SAMPLES);
    for (const { prompt, at } of this.placed) samples.set(prompt.samples, at);
    return { samples, truth: truthOf(this.placed, frames), repeatedAt };
  }

  #pause(): number {
    return samplesIn(this.#random.between(...this.#pauseS));
  }
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const rest = [...items];
  for (let at = rest.length - 1; at > 0; at -= 1) {
    const other = random.whole(0, at);
    [rest[at], rest[other]] = [rest[other] as T, rest[at] as T];
  }
  return rest;
}
