import { FRAME_MS, OUTPUT_CUSHION_FRAMES } from "../../../src/core/limits/streams/media.ts";
import type { Chronicle } from "../observer/chronicle.ts";
import { type Facts, isOver, TICK_MS } from "../observer/facts.ts";
import type { SimulatedTts } from "../providers/tts.ts";
import type { Rule } from "./rule.ts";

/** What a resampler and a frame that is not full hold back. */
const HELD_BACK_FRAMES = 2;

/** The caller does not wait for speech that is ready, and more is requested from the TTS before the audio runs out. */
export class Flow implements Rule {
  readonly #facts: Facts;
  readonly #chronicle: Chronicle;
  readonly #voice: SimulatedTts;
  #sinceMs: number | undefined;

  constructor(facts: Facts, chronicle: Chronicle, voice: SimulatedTts) {
    this.#facts = facts;
    this.#chronicle = chronicle;
    this.#voice = voice;
  }

  inspect(): void {
    const { nowMs } = this.#facts;
    if (!this.#keepsWaiting()) this.#sinceMs = undefined;
    else this.#sinceMs ??= nowMs;
    if (this.#sinceMs === undefined || nowMs <= this.#facts.latestMs(this.#sinceMs, 2 * TICK_MS)) return;
    const detail = `reply ${this.#facts.reply?.turnId} waits since ${this.#sinceMs} ms, at ${nowMs} ms`;
    this.#chronicle.violated("speech that is there is sent", detail);
  }

  #keepsWaiting(): boolean {
    const { end, reply, nowMs, playsUntilMs } = this.#facts;
    if (end !== undefined || reply === undefined || isOver(reply)) return false;
    if (reply.pausedMs !== undefined || playsUntilMs >= nowMs) return false;
    if (this.#voice.isWaiting) return true;
    const givenMs = reply.segments.reduce((sum, { spoken }) => sum + (spoken?.givenMs ?? 0), 0);
    return givenMs / FRAME_MS - reply.sentFrames > OUTPUT_CUSHION_FRAMES + HELD_BACK_FRAMES;
  }
}
