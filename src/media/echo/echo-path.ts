import { ECHO_DELAY_MS_MAX } from "../../core/limits/streams/echo.ts";
import { BANDS, ECHO_SAMPLES_PER_MS, LEVEL_DB_MIN } from "./band-levels.ts";
import type { CallerLevels } from "./caller-levels.ts";
import type { ReferenceSignal } from "./reference-signal.ts";

/** An echo may seem to precede its playback by this: when it is played is an estimate. */
const EARLY_SAMPLES = 20 * ECHO_SAMPLES_PER_MS;
export const DELAY_SAMPLES_MAX = ECHO_DELAY_MS_MAX * ECHO_SAMPLES_PER_MS;

/** A caller's band is more than echo when it is louder than predicted by this, dB. */
const MARGIN_DB = 6;
/** An echo dies away by this in a frame at least, dB: the response of a room of some 60 ms. */
const DECAY_DB = 6;
/** Audio played within this span may be in one window of an echo: a room delays part of it, and delays drift. */
const OLDER_SAMPLES = 20 * ECHO_SAMPLES_PER_MS;
const NEWER_SAMPLES = 10 * ECHO_SAMPLES_PER_MS;
/** An echo is not louder than this against what was sent, dB: louder, it would howl. */
const GAIN_DB_MAX = -4;
/** The highest gain while nothing is known of the line, dB. */
const UNKNOWN_GAIN_DB = -6;
const GAIN_DB_MIN = -60;
/** What was sent shows the gain where it is louder than this, dB. */
const CLEAR_DB = 25;
/** The gains of single bands differ from their mean by this, dB. */
const SPREAD_DB = 6;
/** The share by which a gain follows a frame. It rises quickly, as a gain that is too low lets echo pass as speech. */
const GAIN_RISE = 0.3;
const GAIN_FALL = 0.05;
/** How fast the highest gain that a line without a known delay can have is forgotten, dB a frame. */
const BOUND_RISE_DB = 0.02;

const sent = new Float32Array(BANDS);
const sentBefore = new Float32Array(BANDS);

/**
 * What is known of the way of the agent's audio through the caller's line: its delay, and its gain by bands. Predicts
 * the highest level that an echo can have. Positions are samples of the reference's timeline.
 */
export class EchoPath {
  readonly #reference: ReferenceSignal;
  /** Samples from playback until the echo arrives; NaN while none was found. */
  #delay = Number.NaN;
  /** Valid while the delay is known, dB. */
  readonly #gains = new Float32Array(BANDS);
  /** The highest gains that an echo of any delay can have, by what was heard of the line, dB. */
  readonly #bounds = new Float32Array(BANDS).fill(UNKNOWN_GAIN_DB);
  /** The prediction for the last frame, dB. */
  readonly #predicted = new Float32Array(BANDS).fill(LEVEL_DB_MIN);
  #audibleBands = 0;

  constructor(reference: ReferenceSignal) {
    this.#reference = reference;
  }

  get isKnown(): boolean {
    return !Number.isNaN(this.#delay);
  }

  /** The known delay, samples; NaN while none was found. */
  get delay(): number {
    return this.#delay;
  }

  /** The mean gain of the bands, dB; of no meaning while no delay is known. */
  get gainDb(): number {
    let sum = 0;
    for (let band = 0; band < BANDS; band += 1) sum += this.#gains[band] as number;
    return sum / BANDS;
  }

  /** In how many bands the echo of the last prediction is louder than the line's noise. */
  get audibleBands(): number {
    return this.#audibleBands;
  }

  /** The agent begins to speak again: nothing of it resounds. */
  reset(): void {
    this.#predicted.fill(LEVEL_DB_MIN);
  }

  /** Positions of the caller's audio moved by `samples` against the reference. */
  shift(samples: number): void {
    this.#delay += samples;
  }

  /** In how many bands the caller's last window, which ends at `end`, is louder than an echo can be. */
  excessBands(caller: CallerLevels, end: number): number {
    if (this.isKnown) this.#readSent(end, this.#delay);
    else this.#readSentAnyDelay(caller, end);
    let excess = 0;
    this.#audibleBands = 0;
    for (let band = 0; band < BANDS; band += 1) {
      const gain = (this.isKnown ? this.#gains[band] : this.#bounds[band]) as number;
      const direct = (sent[band] as number) + gain;
      const resounding = (this.#predicted[band] as number) - DECAY_DB;
      const predicted = direct > resounding ? direct : resounding;
      this.#predicted[band] = predicted;
      if (!caller.isAudible(band)) continue;
      if ((caller.levels[band] as number) > predicted + MARGIN_DB) excess += 1;
      else this.#audibleBands += 1;
    }
    return excess;
  }

  /** The same for an echo of any delay, with the known gains: the delay may have changed. */
  excessBandsAnyDelay(caller: CallerLevels, end: number): number {
    this.#reference.levelsWithin(end - DELAY_SAMPLES_MAX, end + EARLY_SAMPLES, sent);
    let excess = 0;
    for (let band = 0; band < BANDS; band += 1) {
      const highest = (sent[band] as number) + (this.#gains[band] as number) + MARGIN_DB;
      if ((caller.levels[band] as number) > highest && caller.isAudible(band)) excess += 1;
    }
    return excess;
  }

  #readSent(end: number, delay: number): void {
    const at = end - delay;
    this.#reference.levelsWithin(at - OLDER_SAMPLES, at + NEWER_SAMPLES, sent);
  }

  /**
   * What was sent within all delays. What preceded that has come back by now, if it comes back at all: the caller's
   * highest level since then bounds the gain.
   */
  #readSentAnyDelay(caller: CallerLevels, end: number): void {
    this.#reference.levelsWithin(end - DELAY_SAMPLES_MAX, end + EARLY_SAMPLES, sent);
    this.#reference.levelsWithin(end - 2 * DELAY_SAMPLES_MAX, end - DELAY_SAMPLES_MAX, sentBefore);
    for (let band = 0; band < BANDS; band += 1) {
      const before = sentBefore[band] as number;
      if (before <= CLEAR_DB) continue;
      const risen = (this.#bounds[band] as number) + BOUND_RISE_DB;
      const observed = (caller.peaks[band] as number) - before;
      const bound = observed < risen ? observed : risen;
      this.#bounds[band] = bound > GAIN_DB_MIN ? bound : GAIN_DB_MIN;
    }
  }

  /** The last frame is an echo of the known delay: the gains follow it. */
  adapt(caller: CallerLevels): void {
    for (let band = 0; band < BANDS; band += 1) {
      const reference = sent[band] as number;
      if (reference <= CLEAR_DB) continue;
      const gain = this.#gains[band] as number;
      const difference = (caller.levels[band] as number) - reference - gain;
      if (difference > 0 && !caller.isAudible(band)) continue;
      const next = gain + (difference > 0 ? GAIN_RISE : GAIN_FALL) * difference;
      this.#gains[band] = next > GAIN_DB_MAX ? GAIN_DB_MAX : next < GAIN_DB_MIN ? GAIN_DB_MIN : next;
    }
  }

  /** The known delay was measured again: the gains stay. */
  refine(delay: number): void {
    this.#delay = delay;
  }

  /** The last frame is an echo of the known delay although it is louder than predicted: the gains were too low. */
  raise(caller: CallerLevels): void {
    for (let band = 0; band < BANDS; band += 1) {
      const observed = (caller.levels[band] as number) - (sent[band] as number);
      if ((sent[band] as number) <= CLEAR_DB || observed <= (this.#gains[band] as number)) continue;
      this.#gains[band] = observed < GAIN_DB_MAX ? observed : GAIN_DB_MAX;
    }
  }

  /** An echo of this delay was found in the last window, which ends at `end`; false where its gain shows it cannot be. */
  found(delay: number, caller: CallerLevels, end: number): boolean {
    this.#readSent(end, delay);
    let sum = 0;
    let clearBands = 0;
    for (let band = 0; band < BANDS; band += 1) {
      if ((sent[band] as number) <= CLEAR_DB || !caller.isAudible(band)) continue;
      sum += (caller.levels[band] as number) - (sent[band] as number);
      clearBands += 1;
    }
    const gain = sum / clearBands;
    if (!(gain < GAIN_DB_MAX)) return false;
    this.#delay = delay;
    for (let band = 0; band < BANDS; band += 1) {
      this.#gains[band] = gain + SPREAD_DB < GAIN_DB_MAX ? gain + SPREAD_DB : GAIN_DB_MAX;
      this.#predicted[band] = (sent[band] as number) + (this.#gains[band] as number);
    }
    this.raise(caller);
    return true;
  }
}
