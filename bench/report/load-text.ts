import type { LoadResult } from "../load/load-result.ts";
import { verdictLines } from "../verdict.ts";
import { coresLine } from "./machine-line.ts";
import { stepRows } from "./step-rows.ts";
import { textTable } from "./text-table.ts";

/** The result for the terminal. */
export function loadText(result: LoadResult): string {
  const tables = stepRows(result).map(({ columns, rows }) => textTable(columns, rows));
  return [...tables, coresLine(result.cores), verdictLines(result.budgets).join("\n")].join("\n\n");
}
