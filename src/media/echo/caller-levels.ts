import { BANDS, bandLevels, ECHO_FRAME_SAMPLES, LEVEL_DB_MIN, WINDOW_SAMPLES } from "./band-levels.ts";
import { SEGMENT_SAMPLES } from "./delay-search.ts";

/** A band is above the noise by this much when it has a sound of its own, dB. */
const ABOVE_NOISE_DB = 6;
/** Levels below this are never speech, dB: rounding to 16 bits, and to mu-law near zero. */
const AUDIBLE_DB = 18;
/** How the noise follows the levels of a frame: a share downwards, dB a frame upwards. */
const NOISE_FALL = 0.15;
const NOISE_RISE_DB = 0.4;
/** In voiced frames noise hardly rises: they contain speech or echo. */
const NOISE_RISE_VOICED_DB = 0.08;
/** How fast the highest level of the last second is forgotten, dB a frame. */
const PEAK_FALL_DB = 0.2;

const window = new Float64Array(WINDOW_SAMPLES);

/** The last 80 ms of the caller's audio, the levels of its bands, and the noise of the line in each. */
export class CallerLevels {
  readonly #history = new Int16Array(SEGMENT_SAMPLES);
  /** The levels of the last frame, dB. */
  readonly levels = new Float32Array(BANDS);
  /** The highest levels of the last second, roughly, dB. */
  readonly peaks = new Float32Array(BANDS);
  /** NaN until the first unvoiced frame. */
  readonly #noise = new Float32Array(BANDS).fill(Number.NaN);

  /** Audio before the next frame is unknown; the noise is kept. */
  reset(): void {
    this.#history.fill(0);
    this.peaks.fill(LEVEL_DB_MIN);
  }

  /** The frame does not continue the one before it. */
  gap(): void {
    this.#history.fill(0);
  }

  /** Takes one frame, at ECHO_RATE_HZ or at twice that; does not retain it. */
  push(frame: Int16Array, voiced: boolean): void {
    const history = this.#history;
    history.copyWithin(0, ECHO_FRAME_SAMPLES);
    const at = SEGMENT_SAMPLES - ECHO_FRAME_SAMPLES;
    if (frame.length === ECHO_FRAME_SAMPLES) history.set(frame, at);
    else
      for (let i = 0; i < ECHO_FRAME_SAMPLES; i += 1)
        history[at + i] = ((frame[2 * i] as number) + (frame[2 * i + 1] as number)) / 2;
    for (let i = 0; i < WINDOW_SAMPLES; i += 1) window[i] = history[SEGMENT_SAMPLES - WINDOW_SAMPLES + i] as number;
    bandLevels(window, this.levels, 0);
    for (let band = 0; band < BANDS; band += 1) this.#track(band, voiced);
  }

  #track(band: number, voiced: boolean): void {
    const level = this.levels[band] as number;
    const noise = this.#noise[band] as number;
    if (!voiced && Number.isNaN(noise)) this.#noise[band] = level;
    else if (level < noise) this.#noise[band] = noise + NOISE_FALL * (level - noise);
    else this.#noise[band] = noise + (voiced ? NOISE_RISE_VOICED_DB : NOISE_RISE_DB);
    const peak = (this.peaks[band] as number) - PEAK_FALL_DB;
    this.peaks[band] = level > peak ? level : peak;
  }

  /** Whether the band has a sound of its own in the last frame: it is louder than the noise, as far as that is known. */
  isAudible(band: number): boolean {
    const level = this.levels[band] as number;
    return level > AUDIBLE_DB && !(level <= (this.#noise[band] as number) + ABOVE_NOISE_DB);
  }

  /** Writes the last SEGMENT_SAMPLES to `into`. */
  copySegment(into: Float64Array): void {
    into.set(this.#history);
  }
}
