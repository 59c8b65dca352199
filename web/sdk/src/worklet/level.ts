/** What counts as silence. */
const FLOOR_DB = -60;

/** Measures how loud a stream is, between two reads: 0 for -60 dBFS and less, 1 for full scale, linear in dB. */
export class Level {
  #squares = 0;
  #count = 0;

  add(samples: Float32Array): void {
    for (const sample of samples) this.#squares += sample * sample;
    this.#count += samples.length;
  }

  /** The level since the last read. */
  read(): number {
    const meanSquare = this.#count === 0 ? 0 : this.#squares / this.#count;
    this.#squares = 0;
    this.#count = 0;
    const level = 1 - (10 * Math.log10(meanSquare)) / FLOOR_DB;
    return Math.min(1, Math.max(0, level));
  }
}
