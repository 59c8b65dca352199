import { RealFft } from "./real-fft.ts";

/** The caller's audio that is compared, samples: 80 ms. */
export const SEGMENT_SAMPLES = 640;
/** The length of the reference that is searched, samples: one transform. */
export const SEARCHED_SAMPLES = 4_096;
/** Delays that one search covers, samples: 432 ms. */
export const SEARCHED_DELAYS = SEARCHED_SAMPLES - SEGMENT_SAMPLES;
/** Linear prediction makes voiced sounds noise-like: the correlation of two people's vowels would be high. */
const ORDER = 8;

/** The newest part of a segment: two frames. */
const END_SAMPLES = 320;
const NEAR_SAMPLES = 8;

const fft = new RealFft(SEARCHED_SAMPLES);
const bins = SEARCHED_SAMPLES / 2 + 1;
const whiteSegment = new Float64Array(SEARCHED_SAMPLES);
const whiteReference = new Float64Array(SEARCHED_SAMPLES);
const correlation = new Float64Array(SEARCHED_SAMPLES);
const aRe = new Float64Array(bins);
const aIm = new Float64Array(bins);
const bRe = new Float64Array(bins);
const bIm = new Float64Array(bins);
const autocorrelation = new Float64Array(ORDER + 1);
const predictor = new Float64Array(ORDER + 1);
const previous = new Float64Array(ORDER + 1);

/** Where in the reference the segment was found best; one object, overwritten by the next search. */
export interface DelayMatch {
  /** The place of the segment's first sample in the reference, samples. */
  offset: number;
  /** The absolute value of the normalised correlation there, 0 to 1. */
  correlation: number;
}
const match: DelayMatch = { offset: 0, correlation: 0 };

/**
 * Finds the `segment` (SEGMENT_SAMPLES) in the `reference` (SEARCHED_SAMPLES) by the normalised correlation of the two,
 * both whitened by the segment's linear predictor. Two transforms there and one back, about 0.2 ms. Allocates nothing.
 */
export function findSegment(segment: Float64Array, reference: Float64Array): DelayMatch {
  predict(segment, 0);
  const segmentEnergy = whiten(segment, SEGMENT_SAMPLES, whiteSegment);
  const referenceEnergy = whiten(reference, SEARCHED_SAMPLES, whiteReference);
  match.offset = 0;
  match.correlation = 0;
  if (segmentEnergy === 0 || referenceEnergy === 0) return match;
  whiteSegment.fill(0, SEGMENT_SAMPLES);
  correlate();
  pickPeak(segmentEnergy, (0.01 * referenceEnergy * SEGMENT_SAMPLES) / SEARCHED_SAMPLES);
  return match;
}

/**
 * The normalised correlation, 0 to 1, of the last 40 ms of the `segment` with the `reference`, which has as many samples
 * and was sent one known delay before: the highest of that delay and NEAR_SAMPLES around it. Allocates nothing.
 */
export function correlationOfEnd(segment: Float64Array, reference: Float64Array): number {
  const from = SEGMENT_SAMPLES - END_SAMPLES;
  predict(segment, from);
  whiten(segment, SEGMENT_SAMPLES, whiteSegment);
  whiten(reference, SEGMENT_SAMPLES, whiteReference);
  let best = 0;
  for (let shift = -NEAR_SAMPLES; shift <= NEAR_SAMPLES; shift += 1) {
    let product = 0;
    let segmentEnergy = 1;
    let referenceEnergy = 1;
    for (let i = from; i < SEGMENT_SAMPLES - NEAR_SAMPLES; i += 1) {
      const a = whiteSegment[i] as number;
      const b = whiteReference[i + shift] as number;
      product += a * b;
      segmentEnergy += a * a;
      referenceEnergy += b * b;
    }
    const correlation = Math.abs(product) / Math.sqrt(segmentEnergy * referenceEnergy);
    if (correlation > best) best = correlation;
  }
  return best;
}

/** The linear predictor of the segment from there on: Levinson and Durbin. The noise floor of -30 dB keeps it from extremes. */
function predict(segment: Float64Array, from: number): void {
  for (let lag = 0; lag <= ORDER; lag += 1) {
    let sum = 0;
    for (let i = from + lag; i < SEGMENT_SAMPLES; i += 1) sum += (segment[i] as number) * (segment[i - lag] as number);
    autocorrelation[lag] = sum;
  }
  let error = (autocorrelation[0] as number) * 1.001 + 1;
  predictor.fill(0);
  predictor[0] = 1;
  for (let i = 1; i <= ORDER; i += 1) {
    let sum = 0;
    for (let j = 0; j < i; j += 1) sum += (predictor[j] as number) * (autocorrelation[i - j] as number);
    const reflection = -sum / error;
    previous.set(predictor);
    for (let j = 1; j < i; j += 1) predictor[j] = (previous[j] as number) + reflection * (previous[i - j] as number);
    predictor[i] = reflection;
    error *= 1 - reflection * reflection;
  }
}

/** Filters `samples` by the predictor's error filter; returns the result's energy. */
function whiten(samples: Float64Array, count: number, into: Float64Array): number {
  const p1 = predictor[1] as number;
  const p2 = predictor[2] as number;
  const p3 = predictor[3] as number;
  const p4 = predictor[4] as number;
  const p5 = predictor[5] as number;
  const p6 = predictor[6] as number;
  const p7 = predictor[7] as number;
  const p8 = predictor[8] as number;
  let energy = 0;
  into.fill(0, 0, ORDER);
  for (let i = ORDER; i < count; i += 1) {
    const value =
      (samples[i] as number) +
      p1 * (samples[i - 1] as number) +
      p2 * (samples[i - 2] as number) +
      p3 * (samples[i - 3] as number) +
      p4 * (samples[i - 4] as number) +
      p5 * (samples[i - 5] as number) +
      p6 * (samples[i - 6] as number) +
      p7 * (samples[i - 7] as number) +
      p8 * (samples[i - 8] as number);
    into[i] = value;
    energy += value * value;
  }
  return energy;
}

function correlate(): void {
  fft.forward(whiteSegment, aRe, aIm);
  fft.forward(whiteReference, bRe, bIm);
  for (let k = 0; k < bins; k += 1) {
    const re = (aRe[k] as number) * (bRe[k] as number) + (aIm[k] as number) * (bIm[k] as number);
    bIm[k] = (aRe[k] as number) * (bIm[k] as number) - (aIm[k] as number) * (bRe[k] as number);
    bRe[k] = re;
  }
  fft.inverse(bRe, bIm, correlation);
}

/** The highest normalised correlation. `floor` is energy added to the reference's, so that its pauses win nothing. */
function pickPeak(segmentEnergy: number, floor: number): void {
  let energy = floor;
  for (let i = 0; i < SEGMENT_SAMPLES; i += 1) energy += (whiteReference[i] as number) ** 2;
  let best = 0;
  for (let offset = 0; offset < SEARCHED_DELAYS; offset += 1) {
    const value = (correlation[offset] as number) ** 2 / (energy > floor ? energy : floor);
    if (value > best) {
      best = value;
      match.offset = offset;
    }
    energy += (whiteReference[offset + SEGMENT_SAMPLES] as number) ** 2 - (whiteReference[offset] as number) ** 2;
  }
  match.correlation = Math.sqrt(best / segmentEnergy);
}
