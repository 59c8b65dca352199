import { strict as assert } from "node:assert";

/**
 * The power spectrum of real signals of one even length whose only prime factors are 2 and 5, such as the 400 samples of Whisper's
 * window; `media/echo` transforms powers of two alone. Works in memory of its own and allocates nothing after construction.
 *
 * The transform of n real samples is made from one of n / 2 complex ones (Press et al., Numerical Recipes, 12.3), and that by
 * Stockham's algorithm, one pass for each factor, which needs no reordering.
 */
export class PowerSpectrum {
  readonly size: number;
  readonly #factors: readonly number[];
  /** cos and sin of 2 pi k / (size / 2). */
  readonly #roots: Waves;
  /** cos and sin of 2 pi k / size, for k up to size / 2. */
  readonly #halfRoots: Waves;
  #from: Waves;
  #to: Waves;

  constructor(size: number) {
    const half = size / 2;
    assert.ok(Number.isInteger(half) && half > 0, "an even number of samples");
    this.size = size;
    this.#factors = factorsOf(half);
    this.#roots = rootsOf(half, half);
    this.#halfRoots = rootsOf(size, half + 1);
    this.#from = { re: new Float64Array(half), im: new Float64Array(half) };
    this.#to = { re: new Float64Array(half), im: new Float64Array(half) };
  }

  /** Writes the squared magnitudes of the coefficients 0 to size / 2 of `samples`, which has `size` of them, to `power`. */
  write(samples: Float64Array, power: Float64Array): void {
    const half = this.size / 2;
    const { re, im } = this.#from;
    for (let i = 0; i < half; i += 1) {
      re[i] = samples[2 * i] as number;
      im[i] = samples[2 * i + 1] as number;
    }
    let stride = 1;
    for (const radix of this.#factors) {
      this.#pass(radix, stride);
      stride *= radix;
    }
    const z = this.#from;
    for (let k = 0; k <= half; k += 1) {
      const a = k % half;
      const b = (half - k) % half;
      const evenRe = ((z.re[a] as number) + (z.re[b] as number)) / 2;
      const evenIm = ((z.im[a] as number) - (z.im[b] as number)) / 2;
      const oddRe = ((z.im[a] as number) + (z.im[b] as number)) / 2;
      const oddIm = ((z.re[b] as number) - (z.re[a] as number)) / 2;
      const c = this.#halfRoots.re[k] as number;
      const s = this.#halfRoots.im[k] as number;
      const real = evenRe + c * oddRe + s * oddIm;
      const imaginary = evenIm + c * oddIm - s * oddRe;
      power[k] = real * real + imaginary * imaginary;
    }
  }

  /** One pass of Stockham's algorithm from `#from` to `#to`, which then change places. `stride` is the product of the factors done. */
  #pass(radix: number, stride: number): void {
    const n = this.size / 2;
    const parts = n / (stride * radix);
    const { re, im } = this.#from;
    const { re: toRe, im: toIm } = this.#to;
    const { re: cos, im: sin } = this.#roots;
    for (let part = 0; part < parts; part += 1) {
      for (let i = 0; i < radix; i += 1) {
        for (let q = 0; q < stride; q += 1) {
          let sumRe = 0;
          let sumIm = 0;
          for (let j = 0; j < radix; j += 1) {
            // The root of the butterfly and the twiddle factor in one.
            const k = ((i * j * n) / radix + i * part * stride) % n;
            const at = q + stride * (part + parts * j);
            sumRe += (re[at] as number) * (cos[k] as number) + (im[at] as number) * (sin[k] as number);
            sumIm += (im[at] as number) * (cos[k] as number) - (re[at] as number) * (sin[k] as number);
          }
          const at = q + stride * (radix * part + i);
          toRe[at] = sumRe;
          toIm[at] = sumIm;
        }
      }
    }
    [this.#from, this.#to] = [this.#to, this.#from];
  }
}

interface Waves {
  readonly re: Float64Array;
  readonly im: Float64Array;
}

function rootsOf(size: number, count: number): Waves {
  const angle = (k: number): number => (2 * Math.PI * k) / size;
  return {
    re: Float64Array.from({ length: count }, (_, k) => Math.cos(angle(k))),
    im: Float64Array.from({ length: count }, (_, k) => Math.sin(angle(k))),
  };
}

function factorsOf(size: number): number[] {
  const factors: number[] = [];
  let rest = size;
  for (const factor of [5, 2]) {
    for (; rest % factor === 0; rest /= factor) factors.push(factor);
  }
  assert.equal(rest, 1, "no prime factors but 2 and 5");
  return factors;
}
