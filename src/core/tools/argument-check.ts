import type { SchemaResult } from "../schemas/checker.ts";
import { failed, type ToolOutcome } from "./outcome.ts";

const TOO_SLOW = "the arguments take too long to check";

/** The outcome of a tool whose arguments are not checked any more: that took too long too often. */
export const argumentsNotChecked = (): ToolOutcome => failed("arguments", TOO_SLOW);

/** The outcome of a tool whose arguments do not fit its schema, or could not be checked; undefined where they fit. */
export function argumentProblem(result: SchemaResult): ToolOutcome | undefined {
  switch (result.outcome) {
    case "answered":
      if (result.answer.kind === "fits") return undefined;
      if (result.answer.kind === "invalid") return failed("arguments", "the tool's own schema cannot be compiled");
      return failed("arguments", `the arguments do not fit: ${result.answer.reason}`);
    case "over_budget":
      return argumentsNotChecked();
    case "refused":
      return failed("busy", "too many tools are running");
    case "failed":
      return failed("internal", "it could not be carried out");
  }
}
