import { BURST_MS_MAX, GROSS_TIMES, LOOP_SHARE_MAX } from "./limit.ts";
import type { BurstCost, RateCost } from "./result.ts";

// Whether a bound holds, and whether what was measured can tell.

export type LimitVerdict = "holds" | "exceeded" | "not measured";

/** A rate's share may be wrong by so much, whatever it is, and by half of itself where that is more. */
const SHARE_ERROR_MAX = LOOP_SHARE_MAX / 10;

/** A cost is above 0: a figure that is not is noise, however small its error is said to be. */
export function rateVerdict({ share, shareError }: Pick<RateCost, "share" | "shareError">): LimitVerdict {
  if (!(share > 0 && shareError <= Math.max(SHARE_ERROR_MAX, share / 2))) return "not measured";
  if (share - shareError > LOOP_SHARE_MAX) return "exceeded";
  return share + shareError <= LOOP_SHARE_MAX ? "holds" : "not measured";
}

/** The median counts, where all bursts cost something and differ by less than the bound. */
export function burstVerdict({
  minMs,
  medianMs,
  maxMs,
}: Pick<BurstCost, "minMs" | "medianMs" | "maxMs">): LimitVerdict {
  if (!(minMs > 0 && maxMs - minMs <= BURST_MS_MAX)) return "not measured";
  return medianMs <= BURST_MS_MAX ? "holds" : "exceeded";
}

/** Whether a share is grossly beyond its bound: more than a machine that is so slow at present explains. */
export const isGrossRate = ({ share, slowdown = 1 }: Pick<RateCost, "share" | "slowdown">): boolean =>
  share > GROSS_TIMES * LOOP_SHARE_MAX * slowdown;

export const isGrossBurst = ({ medianMs, slowdown = 1 }: Pick<BurstCost, "medianMs" | "slowdown">): boolean =>
  medianMs > GROSS_TIMES * BURST_MS_MAX * slowdown;

/**
 * Measures until a cost is not gross, at most `timesMax` times: what else the machine does, compiling and collecting garbage included, adds
 * to a figure now and then, and a code that costs more does so each time.
 */
export async function measuredAgain<Cost>(
  measure: () => Promise<Cost>,
  isGross: (cost: Cost) => boolean,
  timesMax: number,
): Promise<Cost> {
  for (let times = 1; ; times += 1) {
    const cost = await measure();
    if (!isGross(cost) || times === timesMax) return cost;
  }
}
