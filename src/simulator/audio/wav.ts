import { unavailable } from "../../core/errors.ts";
import { scanWav, type WavFormat, wavSamples } from "../../media/wav.ts";

/** What `readWavFormat` reads of a file. */
interface WavSummary {
  channels: number;
  sampleRateHz: number;
  durationMs: number;
}

/** Signed 16-bit mono. */
export interface MonoAudio {
  samples: Int16Array;
  rateHz: number;
}

/** Files with a rate outside of this range are not accepted as audio. */
const RATE_HZ_MIN = 1_000;
const RATE_HZ_MAX = 384_000;

/** Reads the format of a RIFF WAVE file of any encoding. Throws `unavailable` for other files. */
export function readWavFormat(file: Uint8Array): WavSummary {
  const { format, data } = audioOf(file);
  const { channels, rateHz: sampleRateHz, bytesPerSecond } = format;
  return { channels, sampleRateHz, durationMs: Math.round((data.byteLength * 1_000) / bytesPerSecond) };
}

/**
 * Reads the audio of a RIFF WAVE file: PCM of 8, 16, 24 or 32 bits or floating point, of any rate and any number of channels,
 * which are mixed. Throws `unavailable` for other files.
 */
export function readWav(file: Uint8Array): MonoAudio {
  const { format, data } = audioOf(file);
  const { encoding, channels, rateHz, bitsPerSample } = format;
  const samples = wavSamples(data, format);
  if (samples === undefined && channels === 0) throw unavailable("a WAVE file without channels");
  if (samples === undefined) {
    const found = `encoding ${encoding} of ${bitsPerSample} bits`;
    throw unavailable(`a WAVE file of ${found}; only PCM of 8, 16, 24 or 32 bits and floating point can be read`);
  }
  if (rateHz < RATE_HZ_MIN || rateHz > RATE_HZ_MAX) throw unavailable(`a WAVE file of ${rateHz} Hz`);
  return { samples, rateHz };
}

/** The format and the samples' bytes that the file contains, whatever its header claims. */
function audioOf(file: Uint8Array): { format: WavFormat; data: Uint8Array } {
  const found = scanWav(file);
  if (found.kind === "not-wav" || file.length < 12) throw unavailable("not a WAVE file");
  if (found.kind === "incomplete" || found.format === undefined) throw unavailable("a WAVE file without audio");
  return { format: found.format, data: file.subarray(found.at, found.at + found.byteLength) };
}
