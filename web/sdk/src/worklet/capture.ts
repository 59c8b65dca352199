import { Resampler } from "./resampler.ts";

/** What one message holds. */
const MESSAGE_MS = 20;

/** The microphone's audio, from blocks of the browser to messages of 20 ms at the rate of the call. */
export class Capture {
  readonly #resampler: Resampler;
  readonly #onMessage: (samples: Int16Array<ArrayBuffer>) => void;
  readonly #resampled = new Float32Array(8_192);
  readonly #samples: number;
  #message: Int16Array<ArrayBuffer>;
  #filled = 0;

  /** `inputHz` is the rate of the blocks, `rateHz` that of the messages. */
  constructor(inputHz: number, rateHz: number, onMessage: (samples: Int16Array<ArrayBuffer>) => void) {
    this.#resampler = new Resampler(inputHz, rateHz);
    this.#onMessage = onMessage;
    this.#samples = (rateHz * MESSAGE_MS) / 1_000;
    this.#message = new Int16Array(this.#samples);
  }

  write(block: Float32Array): void {
    this.#resampler.write(block);
    const count = this.#resampler.read(this.#resampled);
    for (let k = 0; k < count; k += 1) {
      const sample = Math.round((this.#resampled[k] as number) * 32_768);
      this.#message[this.#filled] = Math.max(-32_768, Math.min(32_767, sample));
      this.#filled += 1;
      if (this.#filled < this.#samples) continue;
      this.#onMessage(this.#message);
      this.#message = new Int16Array(this.#samples);
      this.#filled = 0;
    }
  }
}
