import { type AudioFormat, decodeSamples, frameSamples } from "../../../src/simulator/audio/format.ts";
import type { SpokenSegment } from "./tts.ts";

/*
 * Audio that says what it is. Every 10 ms of a spoken piece are one level out of sixteen, and two levels make a frame: the
 * first is 0 for the piece's first frame and then counts 1 to 15 over and over, the second mixes the piece's number with the
 * frame's. The levels lie so far apart that G.711 and a resampler leave them as they are in the middle of each 10 ms.
 */

const LEVELS = 16;
const LEVEL_STEP = 1_000;
const CELLS_PER_SECOND = 100;

/** -7,500 to 7,500. */
const levelOf = (symbol: number): number => (symbol - (LEVELS - 1) / 2) * LEVEL_STEP;

const firstSymbol = (frame: number): number => (frame === 0 ? 0 : 1 + ((frame - 1) % (LEVELS - 1)));
const secondSymbol = (piece: number, frame: number): number => (piece + 5 * frame) % LEVELS;

/** Samples `from` to `to` of a piece, at `rateHz`. */
export function taggedSamples(piece: number, from: number, to: number, rateHz: number): Int16Array {
  const samples = new Int16Array(to - from);
  const cellSamples = rateHz / CELLS_PER_SECOND;
  for (let cell = Math.floor(from / cellSamples); cell * cellSamples < to; cell += 1) {
    const frame = Math.floor(cell / 2);
    const symbol = cell % 2 === 0 ? firstSymbol(frame) : secondSymbol(piece, frame);
    const begin = Math.max(0, Math.round(cell * cellSamples) - from);
    samples.fill(levelOf(symbol), begin, Math.max(begin, Math.round((cell + 1) * cellSamples) - from));
  }
  return samples;
}

/** Reads which pieces are in the frames that it is given one after the other. */
export class TaggedReader {
  readonly #pieces: readonly SpokenSegment[];
  readonly #format: AudioFormat;
  readonly #samples: Int16Array;
  /** Where the middle of a frame's first cell is, in samples. So near to the end of a piece a resampler smears what it says. */
  readonly #middle: number;
  #piece = -1;
  #frame = 0;

  /** `pieces` grows as they are spoken; a piece's number is its place there. Their frames come in `format`. */
  constructor(pieces: readonly SpokenSegment[], format: AudioFormat) {
    this.#pieces = pieces;
    this.#format = format;
    this.#samples = new Int16Array(frameSamples(format));
    this.#middle = format.rateHz / CELLS_PER_SECOND / 2;
  }

  /** What the frame is, or undefined: it neither goes on with the piece before it nor begins a later one. */
  read(bytes: Uint8Array): { piece: number; frame: number } | undefined {
    decodeSamples(bytes, this.#format.codec, this.#samples);
    const first = this.#symbolAt(this.#middle);
    const second = this.#symbolAt(3 * this.#middle);
    const begun =
      first === 0 ? this.#pieces.findIndex((_, n) => n > this.#piece && this.#fits(n, 0, first, second)) : -1;
    if (begun !== -1) {
      this.#piece = begun;
      this.#frame = 0;
    } else {
      if (!this.#fits(this.#piece, this.#frame + 1, first, second)) return undefined;
      this.#frame += 1;
    }
    return { piece: this.#piece, frame: this.#frame };
  }

  /** A piece's last frame need not be full: what lies behind the end is silence, and what lies at it may be smeared. */
  #fits(piece: number, frame: number, first: number, second: number): boolean {
    const samples = (this.#pieces[piece]?.legSamples ?? 0) - frame * this.#samples.length;
    if (samples <= 0) return false;
    if (samples >= 2 * this.#middle && first !== firstSymbol(frame)) return false;
    return samples < 4 * this.#middle || second === secondSymbol(piece, frame);
  }

  #symbolAt(sample: number): number {
    const level = (this.#samples[sample] as number) / LEVEL_STEP + (LEVELS - 1) / 2;
    const symbol = Math.round(level);
    return Math.abs(level - symbol) < 0.4 ? symbol : -1;
  }
}
