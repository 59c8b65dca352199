import { codeOf } from "../core/errors.ts";
import type { Logger } from "../core/log/logger.ts";

/** Takes every step of a cleanup in order; a step that fails is logged, and the next one is taken. Never throws. */
export function cleanUp(log: Logger, steps: readonly (() => unknown)[]): void {
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      log.error({ err: error, code: codeOf(error), fault: "bug" }, "call cleanup failed");
    }
  }
}
