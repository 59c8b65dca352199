/** The shape of a Kaiser window: 60 dB in the stop band, which begins 3.6 / (width in s) Hz above the pass band. */
const BETA = 5.65;

/**
 * One tap of a low-pass filter without gain: a sinc of `cutoffHz` (the -6 dB point) under a Kaiser window
 * `widthS` seconds wide; `atS` is the tap's distance from the middle, in seconds.
 */
export function lowPassTap(atS: number, cutoffHz: number, widthS: number): number {
  const position = (2 * atS) / widthS;
  if (Math.abs(position) >= 1) return 0;
  const angle = 2 * Math.PI * cutoffHz * atS;
  const sinc = angle === 0 ? 1 : Math.sin(angle) / angle;
  return sinc * besselI0(BETA * Math.sqrt(1 - position * position));
}

/** The modified Bessel function of the first kind, order 0, by its power series. */
function besselI0(x: number): number {
  let term = 1;
  let sum = 1;
  for (let n = 1; term > sum * 1e-12; n += 1) {
    term *= (x / (2 * n)) ** 2;
    sum += term;
  }
  return sum;
}
