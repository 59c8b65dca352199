// A program that does jobs, one kind of which ends it. It says which of the others it has done.
import { pino } from "pino";
import { systemClock } from "../../../src/core/clock.ts";
import { ageMs, elapsedMs } from "../../../src/core/clocks.ts";
import { JobRunner } from "../../../src/jobs/runner.ts";
import { openStores, type StorePlace } from "../../../src/store/open-stores.ts";
import { openPostgresStores } from "../../../src/store/postgres/open-stores.ts";

/** Where the jobs are, and the time on the age clock at the start. */
export interface ExitingRunnerPlace extends StorePlace {
  bootId: string;
  startAgeMs: number;
  /** With which the job ends the process. */
  exitCode: number;
}

const place = JSON.parse(process.argv[2] ?? "") as ExitingRunnerPlace;
const startedMs = systemClock.nowMs();
const ageClock = {
  bootId: place.bootId,
  nowMs: () => ageMs(Math.floor(place.startAgeMs + elapsedMs(startedMs, systemClock.nowMs()))),
};
const { jobs } =
  place.databaseUrl === undefined
    ? await openStores(place, systemClock, { ageClock })
    : await openPostgresStores(place.databaseUrl, systemClock, { ageClock });
const plan = { attemptMsMax: 60_000, retryDelaysMs: [] };
const handlers = {
  "test.exits": { ...plan, run: async () => process.exit(place.exitCode) },
  "test.works": { ...plan, run: async ({ id }: { id: string }) => void process.send?.(id) },
};
new JobRunner({ jobs, handlers, clock: systemClock, log: pino({ level: "silent" }) }).start();
