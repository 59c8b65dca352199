import { QUIET_MS_MAX, QUIET_MS_MIN, SOUND_HOLD_MS } from "../../../src/call/turn-taking/end-of-turn/decision.ts";
import type { SpokenKind } from "./callers.ts";
import type { Example } from "./examples.ts";
import type { Weights } from "./judge.ts";

// Fits the weights to what matters: how long callers wait at the end of their turns, and how often they are answered before it.

/**
 * What an early answer costs, in ms of waiting by each of the callers of that kind: the knob between delay and early answers. Pauses
 * that were cut into sentences are made, and cost less than those that somebody made.
 */
export const EARLY_COST_MS: Readonly<Record<SpokenKind, number>> = {
  "single sentence": 1_500,
  "several sentences": 1_800,
  number: 1_600,
  spelling: 1_600,
  hesitation: 200,
};
/** Small differences of a pause's length count as far as it is uncertain by so much. */
const SOFT_MS = 15;
/** What is known of a weight before any speech was heard. */
export interface Prior {
  /** 1: not negative; -1: not positive; 0: either. */
  sign: -1 | 0 | 1;
  /** The weight of a feature of which the examples say nothing. */
  prior: number;
  /** The weight is that, whatever the examples say. */
  isStated: boolean;
}

/** The cost of a weight that is not the one expected. */
const WEIGHT_COST = 0.4;
const STEPS = 2_500;
const STEP_SIZE = 0.02;
/** Adam's: Kingma and Ba, 2015. */
const [MEMORY, SQUARES_MEMORY] = [0.9, 0.999];

/**
 * The weights, and last the bias, with the least cost; those for which `isUsed` is false are 0. The same examples always give the
 * same weights.
 */
export function fitWeights(
  examples: readonly Example[],
  priors: readonly Prior[],
  isUsed: (feature: number) => boolean = () => true,
): Weights {
  const count = priors.length;
  const ends = new Map<SpokenKind, number>();
  for (const { kind, lengthMs } of examples) {
    if (lengthMs === Number.POSITIVE_INFINITY) ends.set(kind, (ends.get(kind) ?? 0) + 1);
  }
  const weights = new Float64Array(count + 1);
  for (const [at, { prior, isStated }] of priors.entries()) if (isStated && isUsed(at)) weights[at] = prior;
  const [slope, mean, square] = [0, 1, 2].map(() => new Float64Array(count + 1)) as [Weights, Weights, Weights];
  for (let step = 1; step <= STEPS; step += 1) {
    slope.fill(0);
    for (const example of examples) addSlope(example, weights, ends.get(example.kind) ?? 1, slope);
    for (let at = 0; at <= count; at += 1) {
      if (at < count && (!isUsed(at) || priors[at]?.isStated === true)) continue;
      const here =
        (slope[at] as number) +
        WEIGHT_COST * ((weights[at] as number) - (priors[at]?.prior ?? (weights[at] as number)));
      mean[at] = MEMORY * (mean[at] as number) + (1 - MEMORY) * here;
      square[at] = SQUARES_MEMORY * (square[at] as number) + (1 - SQUARES_MEMORY) * here * here;
      const likely = (mean[at] as number) / (1 - MEMORY ** step);
      const spread = Math.sqrt((square[at] as number) / (1 - SQUARES_MEMORY ** step));
      const moved = (weights[at] as number) - (STEP_SIZE * likely) / (spread + 1e-8);
      const sign = priors[at]?.sign ?? 0;
      weights[at] = sign === 0 || moved * sign >= 0 ? moved : 0;
    }
  }
  return weights.map((weight) => Math.round(weight * 100) / 100);
}

/** Adds the slope of the example's cost by each weight. */
function addSlope(example: Example, weights: Weights, ends: number, slope: Weights): void {
  const { features, lengthMs, kind } = example;
  let score = weights[features.length] as number;
  for (let at = 0; at < features.length; at += 1) score += (weights[at] as number) * (features[at] as number);
  const probability = 1 / (1 + Math.exp(-score));
  const quietMs = QUIET_MS_MIN + (QUIET_MS_MAX - QUIET_MS_MIN) * (1 - probability);
  let costPerMs = 1 / ends;
  if (lengthMs !== Number.POSITIVE_INFINITY) {
    const early = 1 / (1 + Math.exp(-(quietUntilMs(example) - quietMs) / SOFT_MS));
    costPerMs = (-EARLY_COST_MS[kind] * early * (1 - early)) / SOFT_MS / ends;
  }
  const byScore = -costPerMs * (QUIET_MS_MAX - QUIET_MS_MIN) * probability * (1 - probability);
  for (let at = 0; at < features.length; at += 1)
    slope[at] = (slope[at] as number) + byScore * (features[at] as number);
  slope[features.length] = (slope[features.length] as number) + byScore;
}

/** How long the caller is quiet in a pause, as the decision measures it. */
const quietUntilMs = ({ lengthMs, quietMs, soundMs }: Example): number =>
  quietMs + (soundMs > 0 && lengthMs <= soundMs + SOUND_HOLD_MS ? soundMs : lengthMs);
