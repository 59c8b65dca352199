import { strict as assert } from "node:assert";

/**
 * The discrete Fourier transform of real signals of one length, and its inverse. Works in memory of its own; shared by
 * all users of that length, because nothing is retained between calls. Allocates nothing after construction.
 *
 * The transform of n real samples is made from one of n / 2 complex ones: Press et al., Numerical Recipes, 12.3.
 */
export class RealFft {
  readonly size: number;
  readonly #half: number;
  readonly #re: Float64Array;
  readonly #im: Float64Array;
  /** cos and sin of 2 pi k / size. */
  readonly #cos: Float64Array;
  readonly #sin: Float64Array;
  readonly #reversed: Uint16Array;

  /** `size` is a power of two, from 8 to 65,536. */
  constructor(size: number) {
    const bits = Math.log2(size) - 1;
    assert.ok(Number.isInteger(bits) && size >= 8 && size <= 65_536, "a power of two");
    const half = size / 2;
    this.size = size;
    this.#half = half;
    this.#re = new Float64Array(half);
    this.#im = new Float64Array(half);
    this.#cos = Float64Array.from({ length: half }, (_, k) => Math.cos((2 * Math.PI * k) / size));
    this.#sin = Float64Array.from({ length: half }, (_, k) => Math.sin((2 * Math.PI * k) / size));
    this.#reversed = new Uint16Array(half);
    for (let i = 0; i < half; i += 1) {
      let to = 0;
      for (let bit = 0; bit < bits; bit += 1) if ((i & (1 << bit)) !== 0) to |= 1 << (bits - 1 - bit);
      this.#reversed[i] = to;
    }
  }

  /** Writes the coefficients 0 to size / 2 of `samples` (`size` of them) to `re` and `im`, which have size / 2 + 1. */
  forward(samples: Float64Array, re: Float64Array, im: Float64Array): void {
    const half = this.#half;
    const zr = this.#re;
    const zi = this.#im;
    for (let i = 0; i < half; i += 1) {
      const to = this.#reversed[i] as number;
      zr[to] = samples[2 * i] as number;
      zi[to] = samples[2 * i + 1] as number;
    }
    this.#butterflies();
    re[0] = (zr[0] as number) + (zi[0] as number);
    im[0] = 0;
    re[half] = (zr[0] as number) - (zi[0] as number);
    im[half] = 0;
    for (let k = 1; k < half; k += 1) {
      const ar = zr[k] as number;
      const ai = zi[k] as number;
      const br = zr[half - k] as number;
      const bi = zi[half - k] as number;
      const oddRe = (ai + bi) / 2;
      const oddIm = (br - ar) / 2;
      const c = this.#cos[k] as number;
      const s = this.#sin[k] as number;
      re[k] = (ar + br) / 2 + c * oddRe + s * oddIm;
      im[k] = (ai - bi) / 2 + c * oddIm - s * oddRe;
    }
  }

  /** The inverse of `forward`: writes `size` samples. */
  inverse(re: Float64Array, im: Float64Array, samples: Float64Array): void {
    const half = this.#half;
    const zr = this.#re;
    const zi = this.#im;
    // The conjugate goes in, and the conjugate comes out: one direction of butterflies is enough.
    for (let k = 0; k < half; k += 1) {
      const ar = re[k] as number;
      const ai = im[k] as number;
      const br = re[half - k] as number;
      const bi = -(im[half - k] as number);
      const c = this.#cos[k] as number;
      const s = this.#sin[k] as number;
      const oddRe = ((ar - br) / 2) * c - ((ai - bi) / 2) * s;
      const oddIm = ((ar - br) / 2) * s + ((ai - bi) / 2) * c;
      const to = this.#reversed[k] as number;
      zr[to] = (ar + br) / 2 - oddIm;
      zi[to] = -((ai + bi) / 2 + oddRe);
    }
    this.#butterflies();
    for (let i = 0; i < half; i += 1) {
      samples[2 * i] = (zr[i] as number) / half;
      samples[2 * i + 1] = -(zi[i] as number) / half;
    }
  }

  #butterflies(): void {
    const zr = this.#re;
    const zi = this.#im;
    const half = this.#half;
    // The first two stages at once: their factors are 1 and -i.
    for (let i = 0; i < half; i += 4) {
      const ar = zr[i] as number;
      const ai = zi[i] as number;
      const br = zr[i + 1] as number;
      const bi = zi[i + 1] as number;
      const cr = zr[i + 2] as number;
      const ci = zi[i + 2] as number;
      const dr = zr[i + 3] as number;
      const di = zi[i + 3] as number;
      const sumR = ar + br;
      const sumI = ai + bi;
      const differenceR = ar - br;
      const differenceI = ai - bi;
      const otherSumR = cr + dr;
      const otherSumI = ci + di;
      const otherDifferenceR = cr - dr;
      const otherDifferenceI = ci - di;
      zr[i] = sumR + otherSumR;
      zi[i] = sumI + otherSumI;
      zr[i + 2] = sumR - otherSumR;
      zi[i + 2] = sumI - otherSumI;
      zr[i + 1] = differenceR + otherDifferenceI;
      zi[i + 1] = differenceI - otherDifferenceR;
      zr[i + 3] = differenceR - otherDifferenceI;
      zi[i + 3] = differenceI + otherDifferenceR;
    }
    for (let span = 4; span < half; span *= 2) {
      const step = half / span;
      for (let k = 0; k < span; k += 1) {
        const c = this.#cos[k * step] as number;
        const s = this.#sin[k * step] as number;
        for (let i = k; i < half; i += 2 * span) {
          const j = i + span;
          const xr = zr[j] as number;
          const xi = zi[j] as number;
          const tr = c * xr + s * xi;
          const ti = c * xi - s * xr;
          const ur = zr[i] as number;
          const ui = zi[i] as number;
          zr[j] = ur - tr;
          zi[j] = ui - ti;
          zr[i] = ur + tr;
          zi[i] = ui + ti;
        }
      }
    }
  }
}
