import type { CheckResult } from "../check/check-result.ts";
import { readResult } from "../check/read-results.ts";
import type { CompareResult } from "../compare/compare-result.ts";
import type { LoadResult } from "../load/load-result.ts";
import type { StallResult } from "../stall/stall-result.ts";
import { verdictLines } from "../verdict.ts";
import { ratioSection } from "./compare-page.ts";
import { page, type Section } from "./html.ts";
import { growthSections } from "./load-page.ts";
import { machineLine } from "./machine-line.ts";
import { budgetSection } from "./sections.ts";
import { stallSections } from "./stall-report.ts";

/** One line a budget, for the terminal. */
export function checkText({ lines }: CheckResult): string {
  const held = lines.filter(({ verdict }) => verdict === "holds").length;
  return [...verdictLines(lines), "", `${held} of ${lines.length} hold`].join("\n");
}

/** And as a page by itself, with charts of the results in `folder` that they were read from. */
export function checkPage(result: CheckResult, folder: URL): string {
  const { machine, fromResults, lines } = result;
  const how = fromResults ? "From results that were there." : "All benches were run for it, one after the other.";
  const charts = <R>(source: "compare" | "load" | "stall", draw: (found: R) => Section[]): Section[] => {
    const found = readResult<R>(source, folder);
    return found === undefined ? [] : draw(found);
  };
  return page("Trunkline's budgets", `${how} ${machineLine(machine)}`, [
    budgetSection(lines),
    ...charts<CompareResult>("compare", (found) => [ratioSection(found)]),
    ...charts<LoadResult>("load", growthSections),
    ...charts<StallResult>("stall", stallSections),
  ]);
}
