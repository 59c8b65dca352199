import { verdictLines } from "../harness/verdict.ts";
import { textTable } from "../report/text-table.ts";
import { goalsOf } from "./budgets.ts";
import type { TurnsResult } from "./result.ts";
import { interruptedTable, type TurnsTable, unwantedTable } from "./rows.ts";

/** The result for the terminal. */
export function turnsText(result: TurnsResult): string {
  const shown = ({ columns, rows }: TurnsTable): string => textTable(columns, rows);
  return [
    shown(interruptedTable(result, ["interruptions", "in noise"])),
    "",
    shown(unwantedTable(result, ["sounds", "echo", "noise"])),
    "",
    ...verdictLines(goalsOf(result)),
  ].join("\n");
}
