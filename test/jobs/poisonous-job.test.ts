import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { addMs } from "../../src/core/clocks.ts";
import { JOB_LEASE_MS, JOB_POLL_MS } from "../../src/core/limits/service/jobs.ts";
import { JobRunner } from "../../src/jobs/runner.ts";
import type { Stores } from "../../src/store/stores.ts";
import { ManualClock, sleep } from "../support/manual-clock.ts";
import { memoryLog } from "../support/memory-log.ts";
import { playUntil } from "../support/stores/delivering-process.ts";
import { EVERY_SHARED_DATABASE, Lifetime } from "../support/stores/killable-stores.ts";

const OTHERS = 30;
const WORK_MS = 400;
/** Time passes in steps: what is due is done, and then nothing happens for a while, because hours of polls would take long. */
const STEP_MS = WORK_MS + 2 * JOB_POLL_MS;
const NOTHING_MS = 4_000;
const STEPS_MAX = 5_000;

/** Which of the other jobs are in progress, and which are done. */
interface Work {
  current: number;
  done: Set<unknown>;
}

/** A process that does jobs until the poisonous one ends it. */
async function live(stores: Stores, life: Lifetime, clock: ManualClock, work: Work): Promise<void> {
  const plan = { attemptMsMax: 60_000, retryDelaysMs: [1_000] };
  const handlers = {
    "test.poison": { ...plan, run: async () => life.end() },
    "test.work": {
      ...plan,
      run: async ({ payload }: { payload: unknown }, { signal }: { signal: AbortSignal }) => {
        work.current += 1;
        await sleep(clock, WORK_MS, signal);
        if (life.isOver) return;
        work.current -= 1;
        work.done.add((payload as { n: number }).n);
      },
    },
  };
  const own = { ...systemClock, nowMs: () => clock.nowMs(), epochMs: () => clock.epochMs() };
  const after = (delayMs: number, task: () => void) => clock.after(delayMs, () => !life.isOver && task());
  const runner = new JobRunner({ jobs: stores.jobs, handlers, clock: { ...own, after }, log: memoryLog().log });
  runner.start();
}

describe.each(EVERY_SHARED_DATABASE)("a job on $name that ends its process each time", ({ isHere, make }) => {
  test.skipIf(!isHere)(
    "is dead at last, and the jobs that were in progress beside it are done",
    { timeout: 120_000 },
    async () => {
      const clock = new ManualClock();
      const database = await make();
      const observer = await database.open(new Lifetime(), clock);
      const work: Work = { current: 0, done: new Set() };
      await observer.jobs.enqueue({ kind: "test.poison", payload: {} });
      for (let n = 0; n < OTHERS; n++)
        await observer.jobs.enqueue({ kind: "test.work", payload: { n }, lane: `lane-${n}` });
      const isOver = async (): Promise<boolean> =>
        (await observer.jobs.list({ limit: OTHERS + 1 })).jobs.every(({ status }) => status === "dead");
      for (let steps = 0; steps < STEPS_MAX && !(await isOver()); ) {
        const life = new Lifetime();
        const stores = await database.open(life, clock);
        work.current = 0;
        await live(stores, life, clock, work);
        for (; steps < STEPS_MAX && !life.isOver && !(await isOver()); steps++) {
          const untilMs = addMs(clock.nowMs(), STEP_MS);
          await playUntil(
            clock,
            () => [{ life }],
            () => life.isOver || clock.nowMs() >= untilMs,
          );
          if (work.current === 0) clock.stall(NOTHING_MS);
        }
        life.end();
        await stores.close();
        clock.stall(JOB_LEASE_MS);
      }
      const { jobs } = await observer.jobs.list({ limit: OTHERS + 1 });
      expect(jobs.map(({ kind, status }) => [kind, status])).toEqual([["test.poison", "dead"]]);
      expect(work.done.size).toBe(OTHERS);
      await observer.close();
    },
  );
});
