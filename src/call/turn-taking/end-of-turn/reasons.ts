import type { EndOfTurnEvidence } from "./evidence.ts";
import { FEATURES } from "./features.ts";
import { WEIGHTS } from "./weights.ts";

/** So many reasons stand in an event. */
const REASONS_MAX = 3;
/** What weighs less is no reason. */
const REASON_MIN = 0.25;

/** What weighed most, the most first: names of features, and the signals of others with their values. */
export function reasonsOf(features: Float64Array, { provider, model }: EndOfTurnEvidence): string[] {
  const reasons: string[] = [];
  if (provider !== undefined) reasons.push(`provider ${provider.toFixed(2)}`);
  if (model !== undefined) reasons.push(`turn model ${model.toFixed(2)}`);
  const weighed = new Set<number>();
  while (reasons.length < REASONS_MAX) {
    let best = -1;
    let most = REASON_MIN;
    for (let at = 0; at < features.length; at += 1) {
      const weight = Math.abs((WEIGHTS[at] as number) * (features[at] as number));
      if (weight < most || weighed.has(at)) continue;
      most = weight;
      best = at;
    }
    if (best < 0) break;
    weighed.add(best);
    reasons.push(nameOf(best, features[best] as number));
  }
  return reasons;
}

function nameOf(feature: number, value: number): string {
  const { name, opposite } = FEATURES[feature] as (typeof FEATURES)[number];
  return value < 0 ? opposite : name;
}
