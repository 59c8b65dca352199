import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CARRIER_RATE_HZ } from "../../src/core/limits/streams/media.ts";
import { scanWav } from "../../src/media/wav.ts";

/** The level of speech, as a share of full scale: -26 dB. */
const SPEECH_RMS = 32_768 * 10 ** (-26 / 20);
/** Samples below this are pauses and count for no level. */
const PAUSE = 200;
const SECONDS_MIN = 1;

/**
 * The prompts of one language, in the order of their names, as samples at 8 kHz and one level. `cache` is a folder with
 * the unpacked Debian packages, each under its name. Throws where the package is missing.
 */
export function readPrompts(cache: string, language: string): Float64Array[] {
  const name = `asterisk-core-sounds-${language}-wav`;
  const folder = join(cache, name, "usr/share/asterisk/sounds");
  if (!existsSync(folder))
    throw new Error(`${folder} is missing: apt-get download ${name}, then dpkg-deb -x it to ${join(cache, name)}`);
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".wav") && !file.includes("silence/"))
    .sort()
    .flatMap((file) => promptOf(readFileSync(join(folder, file))));
}

function promptOf(file: Buffer): Float64Array[] {
  const scan = scanWav(file);
  if (scan.kind !== "samples" || scan.format?.rateHz !== CARRIER_RATE_HZ) return [];
  const count = Math.min(scan.byteLength, file.length - scan.at) >> 1;
  const samples = Float64Array.from({ length: count }, (_, i) => file.readInt16LE(scan.at + 2 * i));
  const loud = samples.filter((sample) => Math.abs(sample) > PAUSE);
  if (count < SECONDS_MIN * CARRIER_RATE_HZ || loud.length < count / 10) return [];
  const gain = SPEECH_RMS / Math.sqrt(loud.reduce((sum, sample) => sum + sample * sample, 0) / loud.length);
  const from = samples.findIndex((sample) => Math.abs(sample) > PAUSE);
  return [samples.subarray(from).map((sample) => gain * sample)];
}
