import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ } from "../../src/core/limits/streams/media.ts";
import { MU_LAW, mulawEncode } from "../../src/media/g711.ts";

/** Something that sounds on the line all the time, over and over. */
export interface Layer {
  /** Signed 16-bit values, 8,000 Hz. */
  samples: Float32Array;
  gain: number;
  /** From which sample on. */
  from: number;
}

export interface LineSounds {
  /** What the caller utters, and the sample of the line at which it begins. */
  utterance?: { samples: Float32Array; at: number };
  layers: readonly Layer[];
  /** What the caller's telephone hears of the agent. */
  echo?: { gain: number; delayMs: number };
}

/** A second of the agent, for the echo. */
const ECHO_HISTORY_SAMPLES = CARRIER_RATE_HZ;

/**
 * The caller's end of a telephone line: everything that sounds there, in mu-law, 20 ms at a time. What is played to the caller
 * must be given frame by frame, each before the frame that is spoken meanwhile is asked for.
 */
export class CallerLine {
  readonly #sounds: LineSounds;
  readonly #echoSamples: number;
  readonly #played = new Float32Array(ECHO_HISTORY_SAMPLES);
  #playedCount = 0;
  #spokenCount = 0;
  readonly #frame = new Int16Array(CARRIER_FRAME_SAMPLES);
  readonly #bytes = new Uint8Array(CARRIER_FRAME_SAMPLES);

  constructor(sounds: LineSounds) {
    this.#sounds = sounds;
    this.#echoSamples = Math.round(((sounds.echo?.delayMs ?? 0) * CARRIER_RATE_HZ) / 1_000);
  }

  /** The next frame starts to play at the caller: mu-law, read before this returns. */
  played(bytes: Uint8Array): void {
    for (const byte of bytes) {
      this.#played[this.#playedCount % ECHO_HISTORY_SAMPLES] = MU_LAW.decodeTable[byte] as number;
      this.#playedCount += 1;
    }
  }

  /** The 20 ms that have just been spoken; reused. */
  speak(): Uint8Array {
    for (let n = 0; n < this.#frame.length; n += 1) {
      const sample = Math.round(this.#at(this.#spokenCount + n));
      this.#frame[n] = Math.max(-32_768, Math.min(32_767, sample));
    }
    this.#spokenCount += this.#frame.length;
    mulawEncode(this.#frame, this.#bytes);
    return this.#bytes;
  }

  #at(sample: number): number {
    const { utterance, layers, echo } = this.#sounds;
    let sum = 0;
    for (const { samples, gain, from } of layers) sum += gain * (samples[(from + sample) % samples.length] as number);
    if (utterance !== undefined) sum += utterance.samples[sample - utterance.at] ?? 0;
    const heard = sample - this.#echoSamples;
    if (echo !== undefined && heard >= 0) sum += echo.gain * (this.#played[heard % ECHO_HISTORY_SAMPLES] as number);
    return sum;
  }
}
