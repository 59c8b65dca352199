import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../../core/clock.ts";
import { elapsedMs } from "../../core/clocks.ts";
import { PROCESS_START_MS_MAX } from "../../core/limits/service/processes.ts";
import { SupervisorFile } from "../../process/supervisor/state-file.ts";
import type { Roll } from "../../process/supervisor/supervisor.ts";
import { runningSupervisor } from "./running-supervisor.ts";

const POLL_MS = 100;
/** For each worker, also of a roll already in progress. A supervisor without progress for this long hangs. */
const PROGRESS_MS_MAX = 3 * PROCESS_START_MS_MAX;

/** Requests a roll of the service of this data directory, and reports its progress until it is over. Throws when it fails. */
export async function roll(dataDir: string, say: (line: string) => void): Promise<void> {
  const file = new SupervisorFile(dataDir);
  const state = runningSupervisor(file);
  // A roll in progress continues first: the requested one is the next.
  const number = (state.roll?.number ?? 0) + 1;
  if (state.roll?.state === "running") say("another roll is in progress; this one follows it");
  process.kill(state.pid, "SIGHUP");
  let printed = 0;
  let previous = "";
  for (let progressMs = systemClock.nowMs(); ; await delay(POLL_MS)) {
    const roll = runningSupervisor(file).roll;
    // Includes the roll before it.
    const latest = JSON.stringify(roll) ?? "";
    if (latest !== previous) progressMs = systemClock.nowMs();
    previous = latest;
    if (roll !== undefined && roll.number >= number) {
      for (const { pid, byPid } of roll.replaced.slice(printed)) {
        printed += 1;
        say(`${printed} of ${roll.workers}: worker ${pid ?? "(dead)"} was replaced by ${byPid}`);
      }
      if (isOver(roll, number)) {
        say("every worker was replaced; the old ones exit when their calls have ended, within DRAIN_MS");
        return;
      }
    }
    if (elapsedMs(progressMs, systemClock.nowMs()) > PROGRESS_MS_MAX)
      throw new Error("the supervisor has stopped reporting progress: see its log");
  }
}

function isOver({ state, number }: Roll, requested: number): boolean {
  if (state === "failed" && number === requested) {
    throw new Error(
      "the worker roll was aborted; the workers that were not replaced keep running: see the service's log",
    );
  }
  return state !== "running" || number !== requested;
}
