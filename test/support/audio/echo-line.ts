import { MU_LAW } from "../../../src/media/g711.ts";
import type { Random } from "../random.ts";

/** How a caller's line returns what the agent says. */
export interface EchoLine {
  /** The gain of the echo, dB; -Infinity where the line returns nothing. */
  gainDb: number;
  delayMs: number;
  /** The length of the room's response, ms; 0 for a plain delay. */
  responseMs?: number;
  /** By how much the line's clock is fast, parts per million: the delay grows. */
  driftPpm?: number;
}

/** A room's response: the direct sound, then noise that falls by 60 dB. Its energy is 1. */
function responseOf(random: Random, samples: number): Float64Array {
  const response = new Float64Array(Math.max(samples, 1));
  response[0] = 1;
  for (let i = 1; i < samples; i += 1) response[i] = random.between(-1.7, 1.7) * Math.exp((-6.9 * i) / samples);
  const norm = Math.sqrt(response.reduce((sum, value) => sum + value * value, 0));
  return response.map((value) => value / norm);
}

/** Adds the echo of `agent` to `line`, from the sample `from` to `to` of the agent. Both are samples at `rateHz`. */
export function addEcho(
  random: Random,
  line: Float64Array,
  agent: Int16Array,
  { gainDb, delayMs, responseMs = 0, driftPpm = 0 }: EchoLine,
  { rateHz = 8_000, from = 0, to = agent.length } = {},
): void {
  const gain = 10 ** (gainDb / 20);
  if (gain === 0) return;
  const response = responseOf(random, Math.round((responseMs / 1_000) * rateHz));
  const delay = Math.round((delayMs / 1_000) * rateHz);
  for (let i = from; i < to; i += 1) {
    const value = (agent[i] as number) * gain;
    const at = Math.floor(i * (1 + driftPpm / 1e6)) + delay;
    if (value === 0) continue;
    for (let k = 0; k < response.length && at + k < line.length; k += 1)
      line[at + k] = (line[at + k] as number) + value * (response[k] as number);
  }
}

/** Adds white noise of this level, dB below full scale. */
export function addNoise(random: Random, line: Float64Array, levelDb: number): void {
  const amplitude = 32_768 * 10 ** (levelDb / 20) * Math.sqrt(3);
  for (let i = 0; i < line.length; i += 1) line[i] = (line[i] as number) + random.between(-amplitude, amplitude);
}

/** The signal after mu-law, one way. */
export const throughMulaw = (signal: ArrayLike<number>): Int16Array =>
  Int16Array.from({ length: signal.length }, (_, i) => {
    const sample = Math.max(-32_768, Math.min(32_767, Math.round(signal[i] as number)));
    return MU_LAW.decodeTable[MU_LAW.encodeTable[sample & 0xffff] as number] as number;
  });
