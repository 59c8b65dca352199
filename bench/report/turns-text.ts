import { goalsOf } from "../turns/budgets.ts";
import type { TurnsResult } from "../turns/turns-result.ts";
import { verdictLines } from "../verdict.ts";
import { textTable } from "./text-table.ts";
import { interruptedTable, type TurnsTable, unwantedTable } from "./turns-rows.ts";

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
