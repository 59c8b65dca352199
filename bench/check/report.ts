import { ratioSection } from "../compare/page.ts";
import type { CompareResult } from "../compare/result.ts";
import { verdictLines } from "../harness/verdict.ts";
import { growthSections } from "../load/page.ts";
import type { LoadResult } from "../load/result.ts";
import { page, type Section } from "../report/html.ts";
import { machineLine } from "../report/machine-line.ts";
import { budgetSection } from "../report/sections.ts";
import { stallSections } from "../stall/report.ts";
import type { StallResult } from "../stall/result.ts";
import { readResult } from "./read-results.ts";
import type { CheckResult } from "./result.ts";

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
