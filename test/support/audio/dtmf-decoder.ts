const ROWS_HZ = [697, 770, 852, 941];
const COLUMNS_HZ = [1_209, 1_336, 1_477, 1_633];
const KEYPAD = ["123A", "456B", "789C", "*0#D"];
const WINDOW_MS = 10;
/** dBm0: what is weaker is no tone for a receiver. */
const LEAST_DBM0 = -25;
/** The largest sine of G.711 is at 3.17 dBm0. */
const FULL_SCALE = 32_636;
const FULL_SCALE_DBM0 = 3.17;

/** A digit as a receiver hears it, ms; the level of each of its two frequencies, dBm0. */
export interface HeardDigit {
  digit: string;
  startMs: number;
  endMs: number;
  lowDbm0: number;
  highDbm0: number;
}

/** The level of one frequency in the samples, dBm0: a Goertzel filter. */
export function levelDbm0(samples: Int16Array, hz: number, rateHz: number): number {
  const factor = 2 * Math.cos((2 * Math.PI * hz) / rateHz);
  let [before, last] = [0, 0];
  for (const sample of samples) [before, last] = [last, sample + factor * last - before];
  const power = before * before + last * last - factor * before * last;
  const peak = (2 * Math.sqrt(Math.max(power, 1e-9))) / samples.length;
  return 20 * Math.log10(peak / FULL_SCALE) + FULL_SCALE_DBM0;
}

const strongest = (samples: Int16Array, tonesHz: readonly number[], rateHz: number): [at: number, dbm0: number] => {
  const levels = tonesHz.map((hz) => levelDbm0(samples, hz, rateHz));
  const most = Math.max(...levels);
  return [levels.indexOf(most), most];
};

/** The share of the sound's power that is in these two frequencies. */
function purity(samples: Int16Array, tonesHz: readonly number[], rateHz: number): number {
  const power = samples.reduce((sum, each) => sum + each ** 2, 0) / samples.length;
  const inTones = tonesHz.reduce((sum, hz) => {
    const peak = 10 ** ((levelDbm0(samples, hz, rateHz) - FULL_SCALE_DBM0) / 20) * FULL_SCALE;
    return sum + peak ** 2 / 2;
  }, 0);
  return inTones / power;
}

/** The DTMF digits in a sound, written from ITU-T Q.23 and Q.24 and not from `src/`. */
export function dtmfIn(samples: Int16Array, rateHz: number): HeardDigit[] {
  const windowSamples = (WINDOW_MS / 1_000) * rateHz;
  const spanSamples = 2.5 * windowSamples;
  const heard: HeardDigit[] = [];
  let current: HeardDigit | undefined;
  for (let at = 0; at + spanSamples <= samples.length; at += windowSamples) {
    const span = samples.subarray(at, at + spanSamples);
    const [row, lowDbm0] = strongest(span, ROWS_HZ, rateHz);
    const [column, highDbm0] = strongest(span, COLUMNS_HZ, rateHz);
    const isTone =
      Math.min(lowDbm0, highDbm0) > LEAST_DBM0 &&
      purity(span, [ROWS_HZ[row] ?? 0, COLUMNS_HZ[column] ?? 0], rateHz) > 0.7;
    const digit = KEYPAD[row]?.[column] ?? "";
    const timeMs = (at / rateHz) * 1_000;
    if (!isTone) current = undefined;
    else if (current?.digit === digit) {
      current.endMs = timeMs + WINDOW_MS * 2.5;
      current.lowDbm0 = Math.max(current.lowDbm0, lowDbm0);
      current.highDbm0 = Math.max(current.highDbm0, highDbm0);
    } else {
      current = { digit, startMs: timeMs, endMs: timeMs + WINDOW_MS * 2.5, lowDbm0, highDbm0 };
      heard.push(current);
    }
  }
  // Q.24: what is shorter than 40 ms need not be heard.
  return heard.filter(({ startMs, endMs }) => endMs - startMs >= 40);
}

/** The digits alone. */
export const digitsIn = (samples: Int16Array, rateHz: number): string =>
  dtmfIn(samples, rateHz)
    .map(({ digit }) => digit)
    .join("");
