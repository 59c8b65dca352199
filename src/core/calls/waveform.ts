/** The largest amplitude of each bucket of a recording, 0 to WAVEFORM_PEAK_MAX, for both sides. All buckets have the same length. */
export interface Waveform {
  /** The length of a bucket, ms. */
  bucketMs: number;
  caller: readonly number[];
  agent: readonly number[];
}

/** The amplitude of full scale in 16-bit PCM. */
export const WAVEFORM_PEAK_MAX = 32_767;
