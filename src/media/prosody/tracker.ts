import { strict as assert } from "node:assert";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import type { BusRateHz } from "../voice-activity/detector.ts";
import type { Prosody } from "./prosody.ts";

/** The level is measured so often, ms. */
const STEP_MS = 10;
const STEPS_A_FRAME = FRAME_MS / STEP_MS;
/** How much of the speech before a pause is looked at. */
const STRETCH_STEPS = 600 / STEP_MS;
/** What is remembered: the stretch, and the silence until it is judged. */
const STEPS = STRETCH_STEPS + 200 / STEP_MS;
/** The caller's level is the mean, in dB, of the steps this near to the loudest one. */
const LOUD_WITHIN = energyRatio(20);
/**
 * Below that level by so much the caller is quiet: what a room or a line adds after the voice is below it, and on development speech
 * it is nearest to the last clear sample, at p90 and not only at the median.
 */
const QUIET_BELOW = energyRatio(12);
/** What comes back in a pause and is nearer to the caller's level than this may be speech. */
const SOUND_BELOW = energyRatio(20);
const QUIET_STEPS_MAX = 300 / STEP_MS;
/** With fewer steps of speech there is nothing to judge. */
const SPEECH_STEPS_MIN = 6;

/**
 * Hears the level of one caller, and says at a pause since when the caller is quiet, and whether a sound has come back. Allocates
 * nothing but what `atPause` returns.
 */
export class ProsodyTracker {
  readonly #stepSamples: number;
  /** The mean square of each step; a ring. */
  readonly #energies = new Float64Array(STEPS);
  #next = 0;
  #steps = 0;
  #silentFrames = 0;
  /** A step with more energy is no silence; Infinity before the pause was judged. */
  #soundEnergy = Number.POSITIVE_INFINITY;
  #hasDiedAway = false;
  #quietMs = 0;
  #soundMs = 0;

  constructor(rateHz: BusRateHz) {
    this.#stepSamples = (rateHz / 1_000) * STEP_MS;
  }

  /**
   * Takes one frame of FRAME_MS at the bus's rate; borrowed until it returns. Returns whether a sound came back with it, once a pause
   * and only after `atPause` has judged the pause: then the judgement has changed.
   */
  frame(samples: Int16Array, isSpeech: boolean): boolean {
    if (samples.length !== this.#stepSamples * STEPS_A_FRAME) assert.fail("one frame at the tracker's own rate");
    let loudest = 0;
    for (let step = 0; step < STEPS_A_FRAME; step += 1) loudest = Math.max(loudest, this.#step(samples, step));
    if (isSpeech) {
      if (this.#silentFrames > 0) this.#speechAgain();
      return false;
    }
    this.#silentFrames += 1;
    // First the last speech must have died away.
    if (loudest < this.#soundEnergy) this.#hasDiedAway = this.#soundEnergy !== Number.POSITIVE_INFINITY;
    else if (this.#hasDiedAway && this.#soundMs === 0) {
      this.#soundMs = this.#silentFrames * FRAME_MS;
      return true;
    }
    return false;
  }

  /** What is known of the current pause; undefined where there was too little speech before it, or it began long ago. */
  atPause(): Prosody | undefined {
    if (this.#soundEnergy === Number.POSITIVE_INFINITY && !this.#judge()) return undefined;
    return { quietMs: this.#quietMs, soundMs: this.#soundMs };
  }

  #speechAgain(): void {
    this.#silentFrames = 0;
    this.#soundEnergy = Number.POSITIVE_INFINITY;
    this.#hasDiedAway = false;
    this.#soundMs = 0;
  }

  #step(samples: Int16Array, step: number): number {
    let sum = 1;
    const end = (step + 1) * this.#stepSamples;
    for (let at = step * this.#stepSamples; at < end; at += 1) sum += (samples[at] as number) ** 2;
    const energy = sum / this.#stepSamples;
    this.#energies[this.#next] = energy;
    this.#next = this.#next + 1 === STEPS ? 0 : this.#next + 1;
    if (this.#steps < STEPS) this.#steps += 1;
    return energy;
  }

  /** Finds the level of the speech before the pause, and since when it was not reached. Returns whether there was any. */
  #judge(): boolean {
    const silent = this.#silentFrames * STEPS_A_FRAME;
    const known = Math.min(STRETCH_STEPS, this.#steps - silent);
    if (known < SPEECH_STEPS_MIN || silent === 0) return false;
    let loudest = 0;
    for (let ago = silent; ago < silent + known; ago += 1) loudest = Math.max(loudest, this.#energyAgo(ago));
    let logarithms = 0;
    let count = 0;
    for (let ago = silent; ago < silent + known; ago += 1) {
      const energy = this.#energyAgo(ago);
      if (energy < loudest * LOUD_WITHIN) continue;
      logarithms += Math.log(energy);
      count += 1;
    }
    if (count < SPEECH_STEPS_MIN) return false;
    const speechEnergy = Math.exp(logarithms / count);
    this.#soundEnergy = speechEnergy * SOUND_BELOW;
    const quietEnergy = speechEnergy * QUIET_BELOW;
    let quiet = 0;
    while (quiet < Math.min(known, QUIET_STEPS_MAX) && this.#energyAgo(silent + quiet) < quietEnergy) quiet += 1;
    this.#quietMs = quiet * STEP_MS;
    return true;
  }

  /** The energy of the step that ended so many steps before the newest one. */
  #energyAgo(ago: number): number {
    const at = this.#next - 1 - ago;
    return this.#energies[at < 0 ? at + STEPS : at] as number;
  }
}

/** The ratio of the mean squares of a sound and of one that is louder by so many dB. */
function energyRatio(belowDb: number): number {
  return 10 ** (-belowDb / 10);
}
