import { Resampler } from "../../../sdk/src/worklet/resampler.ts";
import { SIDES, type Side } from "./messages.ts";

/** After an empty queue playback begins when so much is there: messages come every 100 ms, and not evenly. */
const START_MS = 200;
/** With more than this the audio that waits is dropped down to `START_MS`: what is heard is never much later than the call. */
const LATE_MS_MAX = 600;
const SCALE = 1 / 32_768;

/**
 * Both sides of a call between the messages that carry them and the loudspeaker, at its rate. Silence where there is nothing to play.
 */
export class HeardAudio {
  readonly #rateHz: number;
  readonly #resamplers: Readonly<Record<Side, Resampler>>;
  /** Both sides in turn. */
  readonly #messages: Int16Array[] = [];
  /** Samples of the first message that were played, of both sides. */
  #at = 0;
  /** Samples of one side that wait. */
  #waiting = 0;
  #isPlaying = false;
  #input = new Float32Array(0);

  /** `rateHz` is that of the messages, `outputHz` that of the loudspeaker. */
  constructor(rateHz: number, outputHz: number) {
    this.#rateHz = rateHz;
    this.#resamplers = { caller: new Resampler(rateHz, outputHz), agent: new Resampler(rateHz, outputHz) };
  }

  /** How much waits to be played. */
  get waitingMs(): number {
    return (this.#waiting / this.#rateHz) * 1_000;
  }

  /** Both sides in turn; they are not copied. */
  push(samples: Int16Array): void {
    this.#messages.push(samples);
    this.#waiting += samples.length >> 1;
    if (this.waitingMs > LATE_MS_MAX) this.#drop(this.#waiting - this.#samplesOf(START_MS));
  }

  /** Fills both outputs, which have the same length, with what comes next. */
  read(outputs: Readonly<Record<Side, Float32Array>>): void {
    const count = this.#resamplers.caller.needed(outputs.caller.length);
    if (this.#input.length < count) this.#input = new Float32Array(count);
    const input = this.#input.subarray(0, count);
    if (!this.#isPlaying) this.#isPlaying = this.#waiting >= this.#samplesOf(START_MS);
    SIDES.forEach((side, channel) => {
      input.fill(0);
      if (this.#isPlaying) this.#peek(input, channel);
      this.#resamplers[side].write(input);
      this.#resamplers[side].read(outputs[side]);
    });
    if (!this.#isPlaying) return;
    this.#drop(Math.min(count, this.#waiting));
    if (this.#waiting === 0) this.#isPlaying = false;
  }

  /** Copies what comes next of one side, as far as it is there. */
  #peek(into: Float32Array, channel: number): void {
    let filled = 0;
    let at = this.#at;
    for (const message of this.#messages) {
      for (; at < message.length && filled < into.length; at += 2, filled += 1) {
        into[filled] = (message[at + channel] as number) * SCALE;
      }
      if (filled === into.length) return;
      at = 0;
    }
  }

  #drop(samples: number): void {
    this.#waiting -= samples;
    this.#at += 2 * samples;
    for (let first = this.#messages[0]; first !== undefined && this.#at >= first.length; first = this.#messages[0]) {
      this.#at -= first.length;
      this.#messages.shift();
    }
  }

  #samplesOf(ms: number): number {
    return (this.#rateHz * ms) / 1_000;
  }
}
