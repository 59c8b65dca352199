/** What a run has to say of a budget. */
export interface Verdict {
  budget: string;
  /** What was measured, in words and with its unit. */
  measured: string;
  /** `not shown`: this run's load is not the one that the budget speaks of, and what was seen does not decide it. */
  verdict: "holds" | "missed" | "not shown";
}

export const verdictOf = (holds: boolean): Verdict["verdict"] => (holds ? "holds" : "missed");

/** One line each, for the terminal. */
export const verdictLines = (verdicts: readonly Verdict[]): string[] =>
  verdicts.map(({ budget, measured, verdict }) => `${verdict.padEnd(9)}  ${budget}: ${measured}`);
