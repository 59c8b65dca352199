import type { Verdict } from "../harness/verdict.ts";
import { escaped, list, type Section, table } from "./html.ts";

// Sections that several pages have.

/** Nothing, unless a run shows nothing. */
export function invalidity(problems: readonly string[]): Section[] {
  if (problems.length === 0) return [];
  const lead = "The figures below are not to be used.";
  return [{ title: "This run shows nothing", lead, body: list(problems.map(escaped)) }];
}

const VERDICT_CLASS: Readonly<Record<Verdict["verdict"], string>> = {
  holds: "holds",
  missed: "missed",
  "not shown": "open",
};

export function budgetSection(verdicts: readonly Verdict[]): Section {
  const rows = verdicts.map(({ budget, measured, verdict }) => [
    escaped(budget),
    escaped(measured),
    `<span class="verdict ${VERDICT_CLASS[verdict]}">${verdict}</span>`,
  ]);
  return {
    title: "Budgets",
    lead: "<b>Not shown</b>: this run's load is not the one that the budget speaks of, and what was seen does not decide it.",
    body: table([{ title: "budget" }, { title: "measured here" }, { title: "" }], rows),
  };
}
