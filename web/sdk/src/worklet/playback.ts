import { Resampler } from "./resampler.ts";

/** After an empty queue, playback begins when this much is there, so that a late message does not tear it again... */
const START_MS = 40;
/** ... or after this time, for what is shorter. */
const START_WAIT_MS = 60;
/** What was dropped is faded out in this time, so that it does not click. */
const RAMP_MS = 10;
/** Audio that waits beyond this is dropped: a service sends at most 150 ms ahead. */
const QUEUE_S_MAX = 30;
const SCALE = 1 / 32_768;

type Item = { samples: Int16Array; at: number } | { mark: string };

/**
 * The agent's audio between its messages and the loudspeaker. Counts what was played, returns a mark when all audio before it
 * was played, and drops the rest at a `clear`. Where there is nothing to play it plays silence, which counts as nothing.
 */
export class Playback {
  readonly #rateHz: number;
  readonly #resampler: Resampler;
  readonly #onMark: (name: string) => void;
  readonly #items: Item[] = [];
  /** Samples of `#items` that were not played. */
  #waiting = 0;
  #played = 0;
  #isPlaying = false;
  /** Samples of silence since there is something to play. */
  #waited = 0;
  /** The audio that is faded out, and how far that is. */
  #fading = new Int16Array(0);
  #faded = 0;
  #input = new Float32Array(0);

  /** `rateHz` is that of the messages, `outputHz` that of the loudspeaker. */
  constructor(rateHz: number, outputHz: number, onMark: (name: string) => void) {
    this.#rateHz = rateHz;
    this.#resampler = new Resampler(rateHz, outputHz);
    this.#onMark = onMark;
  }

  /** How much was played, without what was faded out. */
  get playedMs(): number {
    return (this.#played / this.#rateHz) * 1_000;
  }

  push(samples: Int16Array): void {
    if (this.#waiting + samples.length > QUEUE_S_MAX * this.#rateHz) return;
    this.#items.push({ samples, at: 0 });
    this.#waiting += samples.length;
  }

  mark(name: string): void {
    this.#items.push({ mark: name });
    this.#returnMarks();
  }

  /** Drops what was not played, with its marks, after a short ramp. Returns how much was played. */
  clear(): number {
    const ramp = new Int16Array((this.#rateHz * RAMP_MS) / 1_000);
    if (this.#isPlaying) {
      let at = 0;
      for (const item of this.#items) {
        if ("mark" in item || at === ramp.length) continue;
        const part = item.samples.subarray(item.at, item.at + ramp.length - at);
        ramp.set(part, at);
        at += part.length;
      }
    }
    this.#items.length = 0;
    this.#waiting = 0;
    this.#isPlaying = false;
    this.#waited = 0;
    this.#fading = ramp;
    this.#faded = 0;
    return this.playedMs;
  }

  /** Fills `output` with what comes next. */
  read(output: Float32Array): void {
    const count = this.#resampler.needed(output.length);
    if (this.#input.length < count) this.#input = new Float32Array(count);
    const input = this.#input.subarray(0, count);
    this.#next(input);
    this.#resampler.write(input);
    this.#resampler.read(output);
    this.#returnMarks();
  }

  #next(input: Float32Array): void {
    input.fill(0);
    if (!this.#isPlaying) this.#begin(input.length);
    if (this.#isPlaying) this.#play(input);
    this.#fade(input);
  }

  /** Whether playback begins: with enough audio, or after the wait. */
  #begin(samples: number): void {
    if (this.#waiting === 0) return;
    this.#waited += samples;
    const isEnough = this.#waiting >= (START_MS * this.#rateHz) / 1_000;
    if (isEnough || this.#waited >= (START_WAIT_MS * this.#rateHz) / 1_000) this.#isPlaying = true;
  }

  #play(input: Float32Array): void {
    let filled = 0;
    while (filled < input.length) {
      const item = this.#items[0];
      if (item === undefined) {
        this.#isPlaying = false;
        this.#waited = 0;
        break;
      }
      if ("mark" in item) {
        this.#onMark(item.mark);
        this.#items.shift();
        continue;
      }
      const count = Math.min(item.samples.length - item.at, input.length - filled);
      for (let k = 0; k < count; k += 1) input[filled + k] = (item.samples[item.at + k] as number) * SCALE;
      filled += count;
      item.at += count;
      this.#played += count;
      this.#waiting -= count;
      if (item.at === item.samples.length) this.#items.shift();
    }
  }

  #fade(input: Float32Array): void {
    const ramp = this.#fading;
    for (let k = 0; k < input.length && this.#faded < ramp.length; k += 1, this.#faded += 1) {
      const gain = SCALE * (1 - this.#faded / ramp.length);
      input[k] = (input[k] as number) + (ramp[this.#faded] as number) * gain;
    }
  }

  /** Returns the marks that nothing precedes. */
  #returnMarks(): void {
    for (let item = this.#items[0]; item !== undefined && "mark" in item; item = this.#items[0]) {
      this.#items.shift();
      this.#onMark(item.mark);
    }
  }
}
