import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { childModule } from "../../src/core/child-processes/child-module.ts";
import { systemClock } from "../../src/core/clock.ts";
import { JOB_LEASE_MS, JOB_LOSSES_MAX, JOB_SEPARATION_MS_MAX } from "../../src/core/limits/service/jobs.ts";
import { openPostgresStores } from "../../src/store/postgres/open-stores.ts";
import { openSqliteStores } from "../../src/store/sqlite/open-stores.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { hasPostgres } from "../support/postgres/server.ts";
import { migratedDatabase } from "../support/stores/every-store.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { ageClockOf } from "../support/tokens.ts";
import type { ExitingRunnerPlace } from "./programs/exiting-runner.ts";

const BOOT_ID = "boot-1";
const EXIT_CODE = 7;
/** A process begins its claim some time after its start. */
const LEASE_MS = 3 * JOB_LEASE_MS;

/** Starts a process that takes jobs. */
function runnerProcess(place: ExitingRunnerPlace): ChildProcess {
  const { path, execArgv } = childModule(import.meta.url, "./programs/exiting-runner");
  const child = fork(path, [JSON.stringify(place)], { execArgv });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

describe.each([
  { name: "SQLite", isHere: true, databaseUrl: async () => undefined },
  { name: "Postgres (only where postgresql is installed)", isHere: hasPostgres, databaseUrl: migratedDatabase },
])("a job on $name whose handler ends its process", ({ isHere, ...place }) => {
  test.skipIf(!isHere)(
    "is taken by the next process, and is dead at last, and the others are done",
    {
      timeout: 120_000,
    },
    async () => {
      const clock = new ManualClock();
      const ageClock = ageClockOf(clock, BOOT_ID);
      const [dataDir, databaseUrl] = [temporaryDirectory(), await place.databaseUrl()];
      const stores =
        databaseUrl === undefined
          ? await openSqliteStores(dataDir, systemClock, { ageClock })
          : await openPostgresStores(databaseUrl, systemClock, { ageClock });
      onTestFinished(() => stores.close());
      const start = () =>
        runnerProcess({
          dataDir,
          databaseUrl,
          bootId: BOOT_ID,
          exitCode: EXIT_CODE,
          startAgeMs: Number(ageClock.nowMs()),
        });
      const exits = await stores.jobs.enqueue({ kind: "test.exits", payload: {} });
      const job = async () => exits && (await stores.jobs.get(exits));

      expect((await once(start(), "exit"))[0]).toBe(EXIT_CODE);
      expect(await job()).toMatchObject({ status: "running" });
      clock.advance(LEASE_MS);
      expect((await once(start(), "exit"))[0]).toBe(EXIT_CODE);

      // Many more processes, which end as soon as they have it.
      const claim = (kind: string) => ({ runnerId: "doomed", kinds: [kind], fullLanes: [], limit: 1 });
      /** The claim ends, and after that the time for which a job waits that was lost often. */
      const lose = async (): Promise<void> => {
        clock.advance(LEASE_MS);
        await stores.jobs.claim(claim("test.none"));
        clock.advance(JOB_SEPARATION_MS_MAX);
      };
      for (let losses = 2; losses <= JOB_LOSSES_MAX; losses++) {
        await lose();
        expect(await stores.jobs.claim(claim("test.exits"))).toMatchObject([{ id: exits, losses, attempt: 1 }]);
      }
      await lose();
      const works = await stores.jobs.enqueue({ kind: "test.works", payload: {} });
      const last = start();
      expect((await once(last, "message"))[0]).toBe(works);
      await expect.poll(job, { timeout: 10_000 }).toMatchObject({
        status: "dead",
        lastError: `its runner was lost ${JOB_LOSSES_MAX + 1} times`,
      });
      expect(last.exitCode).toBeNull();
    },
  );
});
