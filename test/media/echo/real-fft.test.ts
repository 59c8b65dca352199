import { expect, test } from "vitest";
import { RealFft } from "../../../src/media/echo/real-fft.ts";
import { Random } from "../../support/random.ts";

test.each([
  8, 16, 32, 128, 256, 512,
])("a transform of %i samples is the sum by its definition, and has an inverse", (size) => {
  const random = new Random(size);
  const samples = Float64Array.from({ length: size }, () => random.between(-1, 1));
  const re = new Float64Array(size / 2 + 1);
  const im = new Float64Array(size / 2 + 1);
  const fft = new RealFft(size);
  fft.forward(samples, re, im);
  for (let k = 0; k <= size / 2; k += 1) {
    const sum = (wave: (angle: number) => number): number =>
      samples.reduce((total, sample, i) => total + sample * wave((2 * Math.PI * k * i) / size), 0);
    expect(re[k]).toBeCloseTo(sum(Math.cos), 9);
    expect(im[k]).toBeCloseTo(-sum(Math.sin), 9);
  }
  const again = new Float64Array(size);
  fft.inverse(re, im, again);
  for (let i = 0; i < size; i += 1) expect(again[i]).toBeCloseTo(samples[i] as number, 12);
});
