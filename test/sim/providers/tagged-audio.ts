import { type AudioFormat, decodeSamples, frameSamples } from "../../../src/simulator/audio/format.ts";
import type { SpokenSegment } from "./tts.ts";

/*
 * Audio that says what it is. Every 10 ms of a spoken segment are one level out of sixteen, and two levels make a frame: the
 * first is 0 for the segment's first frame and then counts 1 to 15 over and over, the second mixes the segment's number with the
 * frame's. The levels lie so far apart that G.711 and a resampler leave them as they are in the middle of each 10 ms.
 */

const LEVELS = 16;
const LEVEL_STEP = 1_000;
const CELLS_PER_SECOND = 100;

/** -7,500 to 7,500. */
const levelOf = (symbol: number): number => (symbol - (LEVELS - 1) / 2) * LEVEL_STEP;

const firstSymbol = (frame: number): number => (frame === 0 ? 0 : 1 + ((frame - 1) % (LEVELS - 1)));
const secondSymbol = (segment: number, frame: number): number => (segment + 5 * frame) % LEVELS;

/** Samples `from` to `to` of a segment, at `rateHz`. */
export function taggedSamples(segment: number, from: number, to: number, rateHz: number): Int16Array {
  const samples = new Int16Array(to - from);
  const cellSamples = rateHz / CELLS_PER_SECOND;
  for (let cell = Math.floor(from / cellSamples); cell * cellSamples < to; cell += 1) {
    const frame = Math.floor(cell / 2);
    const symbol = cell % 2 === 0 ? firstSymbol(frame) : secondSymbol(segment, frame);
    const begin = Math.max(0, Math.round(cell * cellSamples) - from);
    samples.fill(levelOf(symbol), begin, Math.max(begin, Math.round((cell + 1) * cellSamples) - from));
  }
  return samples;
}

/** Reads which segments are in the frames that it is given one after the other. */
export class TaggedReader {
  readonly #segments: readonly SpokenSegment[];
  readonly #format: AudioFormat;
  readonly #samples: Int16Array;
  /** Where the middle of a frame's first cell is, in samples. So near to the end of a segment a resampler smears it. */
  readonly #middle: number;
  #segment = -1;
  #frame = 0;

  /** `segments` grows as they are spoken; a segment's number is its place there. Their frames come in `format`. */
  constructor(segments: readonly SpokenSegment[], format: AudioFormat) {
    this.#segments = segments;
    this.#format = format;
    this.#samples = new Int16Array(frameSamples(format));
    this.#middle = format.rateHz / CELLS_PER_SECOND / 2;
  }

  /** What the frame is, or undefined: it neither goes on with the segment before it nor begins a later one. */
  read(bytes: Uint8Array): { segment: number; frame: number } | undefined {
    decodeSamples(bytes, this.#format.codec, this.#samples);
    const first = this.#symbolAt(this.#middle);
    const second = this.#symbolAt(3 * this.#middle);
    const begun =
      first === 0 ? this.#segments.findIndex((_, n) => n > this.#segment && this.#fits(n, 0, first, second)) : -1;
    if (begun !== -1) {
      this.#segment = begun;
      this.#frame = 0;
    } else {
      if (!this.#fits(this.#segment, this.#frame + 1, first, second)) return undefined;
      this.#frame += 1;
    }
    return { segment: this.#segment, frame: this.#frame };
  }

  /** A segment's last frame need not be full: what follows the end is silence, and what lies at it may be smeared. */
  #fits(segment: number, frame: number, first: number, second: number): boolean {
    const samples = (this.#segments[segment]?.legSamples ?? 0) - frame * this.#samples.length;
    if (samples <= 0) return false;
    if (samples >= 2 * this.#middle && first !== firstSymbol(frame)) return false;
    return samples < 4 * this.#middle || second === secondSymbol(segment, frame);
  }

  #symbolAt(sample: number): number {
    const level = (this.#samples[sample] as number) / LEVEL_STEP + (LEVELS - 1) / 2;
    const symbol = Math.round(level);
    return Math.abs(level - symbol) < 0.4 ? symbol : -1;
  }
}
