import { type Verdict, verdictOf } from "../harness/verdict.ts";
import type { Ratio } from "./result.ts";

/** What a frame pair may cost at most, in what it costs the references. */
export const TO_ECHO_MAX = 1.5;
export const TO_TYPICAL_MAX = 0.6;

/** Of our service with a journal without audio. A budget that is missed makes a run no worse. */
export const judgeCompare = (ratios: readonly Ratio[]): Verdict[] => [
  verdict("CPU per frame pair at most 1.5 times a bare echo's", ratios, "echo", TO_ECHO_MAX),
  verdict("CPU per frame pair at most 0.6 times a typical gateway's", ratios, "typical", TO_TYPICAL_MAX),
];

function verdict(budget: string, ratios: readonly Ratio[], to: string, max: number): Verdict {
  const ratio = ratios.find((candidate) => candidate.of === "trunkline" && candidate.to === to);
  const { median = Number.NaN, min = Number.NaN, max: highest = Number.NaN } = ratio ?? {};
  return {
    budget,
    measured: `${median.toFixed(2)} (rounds: ${min.toFixed(2)} to ${highest.toFixed(2)})`,
    verdict: verdictOf(median <= max),
  };
}
