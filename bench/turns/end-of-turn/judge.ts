import {
  QUIET_MS_MAX,
  QUIET_MS_MIN,
  SOUND_HOLD_MS,
  WAIT_MS_MIN,
} from "../../../src/call/turn-taking/end-of-turn/decision.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import type { SpokenKind } from "./callers.ts";
import type { Example } from "./examples.ts";

// What comes of the pauses of callers when turns end by a rule. Without the call: the bench's conversations have all of it.

/** The weights of the features, and last the bias. */
export type Weights = Float64Array;

export interface Outcome {
  kind: SpokenKind;
  utterances: number;
  early: number;
  /** From the last clear sample to the frame with which the turn ends, ms, ascending; of turns that were not early. */
  delaysMs: number[];
}

export function scoreOf({ features }: Example, weights: Weights): number {
  let score = weights[features.length] as number;
  for (let at = 0; at < features.length; at += 1) score += (weights[at] as number) * (features[at] as number);
  return score;
}

/** For how long the caller must have been quiet, ms. */
export const quietMsOf = (example: Example, weights: Weights): number =>
  QUIET_MS_MIN + (QUIET_MS_MAX - QUIET_MS_MIN) / (1 + Math.exp(scoreOf(example, weights)));

/** The pause after which the turn ends, ms, as `decideEndOfTurn` decides and the words allow. */
export function firesAtMs({ quietMs, soundMs, settledMs }: Example, wantedQuietMs: number): number {
  const waitMs = Math.max(WAIT_MS_MIN, wantedQuietMs - quietMs, settledMs);
  const heldMs = soundMs > 0 && soundMs <= waitMs ? Math.max(waitMs, soundMs + SOUND_HOLD_MS) : waitMs;
  return Math.ceil(heldMs / FRAME_MS) * FRAME_MS;
}

/** What comes of all utterances, by kind, when a pause ends a turn after `firesAt` ms. */
export function outcomesOf(examples: readonly Example[], firesAt: (example: Example) => number): Outcome[] {
  const outcomes = new Map<SpokenKind, Outcome>();
  let over: string | undefined;
  for (const example of examples) {
    const { kind, language, utterance, lengthMs, afterEndMs } = example;
    const name = `${language} ${utterance}`;
    const outcome = outcomes.get(kind) ?? { kind, utterances: 0, early: 0, delaysMs: [] };
    outcomes.set(kind, outcome);
    if (Number.isFinite(lengthMs) === false) outcome.utterances += 1;
    if (over === name) continue;
    const waitMs = firesAt(example);
    if (waitMs >= lengthMs) continue;
    over = name;
    // The answer's first frame leaves with the next tick, which is half a frame later on average.
    const delayMs = afterEndMs + waitMs + FRAME_MS / 2;
    if (Number.isFinite(lengthMs) || delayMs < 0) outcome.early += 1;
    else outcome.delaysMs.push(delayMs);
  }
  for (const { delaysMs } of outcomes.values()) delaysMs.sort((a, b) => a - b);
  return [...outcomes.values()];
}
