import { type Clock, systemClock } from "../../core/clock.ts";
import { elapsedMs } from "../../core/clocks.ts";

/** Where a command says what it does. */
export interface AdminOutput {
  /** Says a line. */
  say: (line: string) => void;
  /** How far a long command is. It may be called for every row or file; not every line is said. */
  progress: (line: () => string) => void;
}

/** How often progress is said. */
const PROGRESS_MS = 2_000;

/** Writes lines, and those of progress at most every PROGRESS_MS, the first one as late. */
export function pacedOutput(write: (line: string) => void, clock: Pick<Clock, "nowMs"> = systemClock): AdminOutput {
  let saidMs = clock.nowMs();
  return {
    say: write,
    progress: (line) => {
      if (elapsedMs(saidMs, clock.nowMs()) < PROGRESS_MS) return;
      saidMs = clock.nowMs();
      write(line());
    },
  };
}
