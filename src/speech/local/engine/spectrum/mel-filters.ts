/** The weights of the spectrum's bins from `first` on; all others are 0. */
export interface Filter {
  readonly first: number;
  readonly weights: Float64Array;
}

// Slaney's mel scale: linear up to 1,000 Hz, logarithmic above.
const LINEAR_HZ = 200 / 3;
const LOG_FROM_HZ = 1_000;
const LOG_FROM_MEL = LOG_FROM_HZ / LINEAR_HZ;
const LOG_STEP = Math.log(6.4) / 27;

const melOf = (hz: number): number =>
  hz < LOG_FROM_HZ ? hz / LINEAR_HZ : LOG_FROM_MEL + Math.log(hz / LOG_FROM_HZ) / LOG_STEP;

const hzOf = (mel: number): number =>
  mel < LOG_FROM_MEL ? mel * LINEAR_HZ : LOG_FROM_HZ * Math.exp(LOG_STEP * (mel - LOG_FROM_MEL));

/**
 * Triangles between neighbouring mel frequencies from 0 Hz to half the rate, each of the same area (Slaney's Auditory Toolbox), for
 * a spectrum of `spectrumBins` values over the same range.
 */
export function melFilters({
  bins,
  spectrumBins,
  rateHz,
}: Record<"bins" | "spectrumBins" | "rateHz", number>): readonly Filter[] {
  const topMel = melOf(rateHz / 2);
  const edges = Array.from({ length: bins + 2 }, (_, i) => hzOf((topMel * i) / (bins + 1)));
  return Array.from({ length: bins }, (_, bin) => {
    const [low, middle, high] = edges.slice(bin, bin + 3) as [number, number, number];
    const weights = Array.from({ length: spectrumBins }, (_, k) => {
      const hz = (k * rateHz) / (2 * (spectrumBins - 1));
      const height = Math.min((hz - low) / (middle - low), (high - hz) / (high - middle));
      return (Math.max(0, height) * 2) / (high - low);
    });
    const first = weights.findIndex((weight) => weight > 0);
    const last = weights.findLastIndex((weight) => weight > 0);
    return { first, weights: Float64Array.from(weights.slice(first, last + 1)) };
  });
}
