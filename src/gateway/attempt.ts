import { codeOf } from "../core/errors.ts";
import type { Logger } from "../core/log/logger.ts";

/** Runs every step of a cleanup in order; a step that fails is logged, and the next one runs. Never throws. */
export function attempt(log: Logger, steps: readonly (() => unknown)[]): void {
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      log.error({ err: error, code: codeOf(error), fault: "bug" }, "call cleanup failed");
    }
  }
}
