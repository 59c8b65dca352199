import { MU_LAW } from "../g711.ts";
import { BANDS, bandLevels, LEVEL_DB_MIN, WINDOW_SAMPLES } from "./band-levels.ts";

/** The ring's length in samples, a power of two: 1,024 ms. */
const RING_SAMPLES = 8_192;
const RING_MASK = RING_SAMPLES - 1;
/** Spectra are made this far apart: 10 ms. */
const HOP_SAMPLES = 80;
/** As many spectra as the ring has room for, as a power of two. */
const RING_HOPS = 128;
const HOP_MASK = RING_HOPS - 1;
/** Levels are stored in steps of half a decibel. */
const STEPS_PER_DB = 2;
/** Audio that follows within this many samples follows without a gap: positions are rounded. */
const ROUNDING_SAMPLES = 8;

const window = new Float64Array(WINDOW_SAMPLES);
const levels = new Float32Array(BANDS);
/** As they are stored. */
const highest = new Uint8Array(BANDS);

/**
 * What the agent said in the last second, as samples and as levels of bands, on the timeline of its playback. Positions
 * are samples at ECHO_RATE_HZ since the call's start. 9.5 KiB a call: samples are stored as mu-law.
 */
export class ReferenceSignal {
  readonly #ring = new Uint8Array(RING_SAMPLES).fill(MU_LAW.silenceByte);
  readonly #levels = new Uint8Array(RING_HOPS * BANDS);
  /** The end of what was written; the ring has what precedes it. */
  #end = Number.NEGATIVE_INFINITY;
  /** The number of the spectrum that is made next; it ends HOP_SAMPLES after its number times HOP_SAMPLES. */
  #nextHop = 0;

  /** The position after the last sample; -Infinity before the first. */
  get end(): number {
    return this.#end;
  }

  /** Takes samples whose playback begins at `position`, 0 or later. What was written from there on is replaced. */
  write(samples: Int16Array, position: number): void {
    const count = samples.length;
    let at = position;
    if (Math.abs(at - this.#end) <= ROUNDING_SAMPLES) at = this.#end;
    else this.#moveEnd(at);
    for (let i = 0; i < count; i += 1)
      this.#ring[(at + i) & RING_MASK] = MU_LAW.encodeTable[(samples[i] as number) & 0xffff] as number;
    this.#end = at + count;
    while ((this.#nextHop + 1) * HOP_SAMPLES <= this.#end) this.#analyse(this.#nextHop++);
  }

  /** Silence until `position`, where the agent said nothing; or back to it, where audio was dropped. */
  #moveEnd(position: number): void {
    const from = Math.max(this.#end, position - RING_SAMPLES);
    for (let at = from; at < position; at += 1) this.#ring[at & RING_MASK] = MU_LAW.silenceByte;
    const to = Math.min(this.#end, position + RING_SAMPLES);
    for (let at = position; at < to; at += 1) this.#ring[at & RING_MASK] = MU_LAW.silenceByte;
    this.#end = position;
    const firstHop = Math.floor(position / HOP_SAMPLES);
    const hops = Math.min(firstHop - this.#nextHop, RING_HOPS);
    for (let i = 0; i < hops; i += 1) this.#clearHop(firstHop - 1 - i);
    this.#nextHop = firstHop;
  }

  #clearHop(hop: number): void {
    const at = (hop & HOP_MASK) * BANDS;
    this.#levels.fill(0, at, at + BANDS);
  }

  #analyse(hop: number): void {
    this.copy((hop + 1) * HOP_SAMPLES - WINDOW_SAMPLES, WINDOW_SAMPLES, window);
    bandLevels(window, levels, 0);
    const at = (hop & HOP_MASK) * BANDS;
    for (let band = 0; band < BANDS; band += 1)
      this.#levels[at + band] = Math.round(((levels[band] as number) - LEVEL_DB_MIN) * STEPS_PER_DB);
  }

  /** Writes `count` samples from `position` on to the front of `into`; silence where the ring has none. */
  copy(position: number, count: number, into: Float64Array): void {
    const ring = this.#ring;
    const { decodeTable } = MU_LAW;
    const first = Math.min(count, Math.max(0, -position, this.#end - RING_SAMPLES - position));
    const end = Math.max(first, Math.min(count, this.#end - position));
    into.fill(0, 0, first);
    for (let i = first; i < end; i += 1) into[i] = decodeTable[ring[(position + i) & RING_MASK] as number] as number;
    into.fill(0, end, count);
  }

  /**
   * Writes the highest level of each band of the spectra that end between the positions `from` and `to`, dB, to the
   * front of `into`. LEVEL_DB_MIN where there is none.
   */
  levelsWithin(from: number, to: number, into: Float32Array): void {
    const all = this.#levels;
    highest.fill(0);
    const firstHop = Math.max(Math.ceil(from / HOP_SAMPLES) - 1, this.#nextHop - RING_HOPS, 0);
    const lastHop = Math.min(Math.floor(to / HOP_SAMPLES) - 1, this.#nextHop - 1);
    for (let hop = firstHop; hop <= lastHop; hop += 1) {
      const at = (hop & HOP_MASK) * BANDS;
      for (let band = 0; band < BANDS; band += 1) {
        const level = all[at + band] as number;
        if (level > (highest[band] as number)) highest[band] = level;
      }
    }
    for (let band = 0; band < BANDS; band += 1) into[band] = LEVEL_DB_MIN + (highest[band] as number) / STEPS_PER_DB;
  }
}
