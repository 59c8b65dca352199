import { Cron } from "croner";
import type { EpochMs } from "../core/clocks.ts";
import { millisecondsOf } from "../core/clocks.ts";

/** The key of a job that runs by a schedule: there is one of each kind. */
export const SCHEDULE_KEY = "schedule";

/** How long from `now` until a schedule's next time, ms. `schedule` is a valid one, as cron(8) writes it, in UTC. */
export function msUntilNext(schedule: string, now: EpochMs): number {
  const next = new Cron(schedule, { timezone: "UTC" }).nextRun(new Date(millisecondsOf(now)));
  if (next === null) throw new Error(`the schedule ${schedule} has no next time`);
  return next.getTime() - millisecondsOf(now);
}
