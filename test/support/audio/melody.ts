import { toneSnrDb } from "./tone.ts";

/** Notes of the melody that callers hear on hold, Hz, whole periods of which nearly fit 100 ms. */
const NOTES_HZ = [290, 330, 390, 440, 490, 520, 590, 660];

/** In which share of the windows of 100 ms of `samples` one of the notes is most of the sound. */
export function melodyShare(samples: Int16Array, rateHz: number): number {
  const ratios = NOTES_HZ.map((hz) => toneSnrDb(samples, hz, rateHz, 100));
  const windows = ratios[0]?.length ?? 0;
  const found = Array.from({ length: windows }, (_, at) => ratios.some((each) => (each[at] ?? -1) > -1));
  return windows === 0 ? 0 : found.filter(Boolean).length / windows;
}
