/** The middle one of `values`, which stay as they are; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  if (!Number.isInteger(middle)) return sorted[Math.floor(middle)] as number;
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** The mean of `values`, and twice its standard error: how far the true mean may well be from it. Infinity of one value. */
export function meanWithError(values: readonly number[]): { mean: number; error: number } {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  if (count < 2) return { mean, error: Number.POSITIVE_INFINITY };
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, error: 2 * Math.sqrt(squares / (count - 1) / count) };
}

/** Student's t at 97.5 % for 1, 2, … degrees of freedom; the last serves for more, for which it is a little too large. */
const T_975 = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23];

/**
 * The mean of `values`, and half of its interval of 95 % by Student's t, for few values. It knows nothing of what all values have in
 * common. Infinity of one value.
 */
export function meanWithin95(values: readonly number[]): { mean: number; error: number } {
  const { mean, error } = meanWithError(values);
  const t = T_975[Math.min(values.length - 1, T_975.length) - 1] ?? Number.POSITIVE_INFINITY;
  return { mean, error: (t * error) / 2 };
}

/** How times are spread, ms. Exact: made of every single value, with no buckets. */
export interface Spread {
  count: number;
  p50: number;
  p90: number;
  p95: number;
  p99: number;
  p999: number;
  p9999: number;
  max: number;
}

/** Sorts `valuesMs` in place. */
export function spreadOf(valuesMs: Float32Array): Spread {
  valuesMs.sort();
  const at = (share: number): number => valuesMs[Math.ceil(share * valuesMs.length) - 1] ?? Number.NaN;
  return {
    count: valuesMs.length,
    p50: at(0.5),
    p90: at(0.9),
    p95: at(0.95),
    p99: at(0.99),
    p999: at(0.999),
    p9999: at(0.9999),
    max: at(1),
  };
}
