import { verdictLines } from "../harness/verdict.ts";
import { coresLine } from "../report/machine-line.ts";
import { textTable } from "../report/text-table.ts";
import type { LoadResult } from "./result.ts";
import { stepRows } from "./step-rows.ts";

/** The result for the terminal. */
export function loadText(result: LoadResult): string {
  const tables = stepRows(result).map(({ columns, rows }) => textTable(columns, rows));
  return [...tables, coresLine(result.cores), verdictLines(result.budgets).join("\n")].join("\n\n");
}
