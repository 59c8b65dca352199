import type { EndOfTurnEvidence } from "./evidence.ts";
import { FEATURES, featuresOf } from "./features.ts";
import { reasonsOf } from "./reasons.ts";
import { BIAS, WEIGHTS } from "./weights.ts";

/** How long the caller's pause must be to end the turn, and why. */
export interface EndOfTurnDecision {
  /** 0 to 1. */
  readonly probability: number;
  /** The pause from the last voiced frame that ends the turn, ms, between the floor and the ceiling. */
  readonly waitMs: number;
  /** Short names of what weighed most, for the event: `["provider 0.92", "question"]`. */
  readonly reasons: readonly string[];
}

/** For how long the caller must have been quiet: with a turn that is certainly over, and with one that certainly is not. */
export const QUIET_MS_MIN = 100;
export const QUIET_MS_MAX = 800;
/** After the last voiced frame: the sound of the pause is judged by then. */
export const WAIT_MS_MIN = 60;
/** A sound that came back in the pause is speech within this time, or none. */
export const SOUND_HOLD_MS = 200;
/** The STT's own signal, and that of the local turn model, are taken as they are, but never for certain. */
const SIGNAL_MIN = 0.02;

const features = new Float64Array(FEATURES.length);

/**
 * Judges a pause: a logistic function of the features, whose weights are fitted to recorded speech, and of the signals of others.
 * Pure: the same evidence always gives the same decision, on every machine.
 */
export function decideEndOfTurn(evidence: EndOfTurnEvidence): EndOfTurnDecision {
  featuresOf(evidence, features);
  let score = BIAS + logOdds(evidence.provider) + logOdds(evidence.model);
  for (let at = 0; at < features.length; at += 1) score += (WEIGHTS[at] as number) * (features[at] as number);
  const probability = Math.round(1_000 / (1 + Math.exp(-score))) / 1_000;
  const quietMs = QUIET_MS_MIN + (QUIET_MS_MAX - QUIET_MS_MIN) * (1 - probability);
  return { probability, waitMs: waitMsOf(quietMs, evidence), reasons: reasonsOf(features, evidence) };
}

/** The pause from the last voiced frame in which the caller has been quiet for `quietMs`. */
function waitMsOf(quietMs: number, { prosody }: EndOfTurnEvidence): number {
  const waitMs = Math.max(WAIT_MS_MIN, quietMs - (prosody?.quietMs ?? 0));
  const soundMs = prosody?.soundMs ?? 0;
  return Math.round(soundMs > 0 ? Math.max(waitMs, soundMs + SOUND_HOLD_MS) : waitMs);
}

function logOdds(signal: number | undefined): number {
  if (signal === undefined) return 0;
  const sure = Math.max(SIGNAL_MIN, Math.min(1 - SIGNAL_MIN, signal));
  return Math.log(sure / (1 - sure));
}
