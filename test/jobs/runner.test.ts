import { describe, expect, onTestFinished, test } from "vitest";
import {
  JOB_HEARTBEAT_MS,
  JOB_LEASE_MS,
  JOB_LOSSES_MAX,
  JOB_POLL_MS,
  JOB_PROGRESS_MS,
  JOB_SEPARATION_MS_MAX,
  JOBS_CONCURRENT_MAX,
  JOBS_PER_LANE_MAX,
  JOBS_UNSETTLED_MAX,
} from "../../src/core/limits/service/jobs.ts";
import { type JobContext, JobFailure, type JobHandler, JobPostponed } from "../../src/jobs/handler.ts";
import { JobRunner } from "../../src/jobs/runner.ts";
import type { ClaimedJob, JobStore } from "../../src/store/job-store.ts";
import { openSqliteStores } from "../../src/store/sqlite/open-stores.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { memoryLog } from "../support/memory-log.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { ageClockOf } from "../support/tokens.ts";

const KIND = "test.work";

/** A runner over a real store in virtual time, whose handler does what a test says. */
async function scene(
  run: JobHandler["run"],
  options: Partial<JobHandler> & { jobs?: (jobs: JobStore) => Partial<JobStore>; startsLater?: boolean } = {},
) {
  const clock = new ManualClock();
  const stores = await openSqliteStores(temporaryDirectory(), clock, { ageClock: ageClockOf(clock) });
  onTestFinished(() => stores.close());
  const attempts: string[] = [];
  const { log, lines } = memoryLog();
  const { jobs: changed, startsLater = false, ...handler } = options;
  const jobs = new Proxy(stores.jobs, {
    get: (target, name: keyof JobStore) => {
      const own = changed?.(target)[name] ?? target[name];
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
  const runnerOf = () =>
    new JobRunner({
      jobs,
      handlers: { [KIND]: { attemptMsMax: 60_000, retryDelaysMs: [1_000, 10_000], run, ...handler } },
      clock,
      log,
      onAttempt: (_, outcome) => void attempts.push(outcome),
    });
  const runner = runnerOf();
  if (!startsLater) runner.start();
  const enqueue = (payload: object = {}, more: object = {}) => stores.jobs.enqueue({ kind: KIND, payload, ...more });
  const counts = async () => {
    const { counts: rows } = await stores.jobs.statistics();
    return Object.fromEntries(rows.map(({ status, jobs: count }) => [status, count]));
  };
  return { clock, stores, runner, runnerOf, enqueue, attempts, counts, lines };
}

describe("a runner of jobs", () => {
  test("does a new job at once, and it is gone", async () => {
    const done: unknown[] = [];
    const { clock, enqueue, attempts, counts } = await scene(async ({ payload }) => void done.push(payload));
    await enqueue({ n: 1 });
    await clock.play(50);
    expect([done, attempts, await counts()]).toEqual([[{ n: 1 }], ["done"], {}]);
  });

  test("tries again after each delay, varied by a fifth, and then the job is dead", async () => {
    const times: number[] = [];
    const { clock, enqueue, attempts, counts, lines } = await scene(async () => {
      times.push(Number(clock.nowMs()));
      throw new Error("no");
    });
    await enqueue();
    await clock.play(60_000);
    const [first = 0, second = 0, third = 0] = times;
    expect(times).toHaveLength(3);
    expect(second - first).toBeGreaterThanOrEqual(800);
    expect(second - first).toBeLessThanOrEqual(1_200 + 600);
    expect(third - second).toBeGreaterThanOrEqual(8_000);
    expect(third - second).toBeLessThanOrEqual(12_000 + 600);
    expect([attempts, await counts()]).toEqual([["retry", "retry", "dead"], { dead: 1 }]);
    expect(lines.join("")).toContain("job is dead");
  });

  test("a failure that cannot be mended is final, and one that names its delay is obeyed", async () => {
    const { clock, enqueue, attempts, counts } = await scene(async ({ payload, attempt }) => {
      const { kind } = payload as { kind: string };
      if (kind === "final") throw new JobFailure("never", "never");
      if (attempt === 1) throw new JobFailure("later", { afterMs: 30_000 });
    });
    await enqueue({ kind: "final" });
    await clock.play(100);
    expect(await counts()).toEqual({ dead: 1 });
    await enqueue({ kind: "later" });
    await clock.play(29_000);
    expect(attempts).toEqual(["dead", "retry"]);
    await clock.play(2_000);
    expect(attempts).toEqual(["dead", "retry", "done"]);
  });

  test("a handler that hangs is aborted after its time, and attempted again", async () => {
    const signals: AbortSignal[] = [];
    const { clock, enqueue, attempts } = await scene(
      (_, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
      { attemptMsMax: 5_000 },
    );
    await enqueue();
    await clock.play(4_900);
    expect([attempts, signals[0]?.aborted]).toEqual([[], false]);
    await clock.play(400);
    expect([attempts, signals[0]?.aborted]).toEqual([["retry"], true]);
    await clock.play(1_800);
    expect(signals).toHaveLength(2);
  });

  test("a job that takes long is not taken by another runner, whose heartbeats keep it", async () => {
    let runs = 0;
    let finish = (): void => {};
    const { clock, enqueue, runnerOf, attempts } = await scene(() => {
      runs += 1;
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    runnerOf().start();
    await enqueue();
    await clock.play(4 * JOB_LEASE_MS);
    expect(runs).toBe(1);
    finish();
    await clock.play(100);
    expect(attempts).toEqual(["done"]);
  });

  test("only a few jobs of one lane are in progress, and those of other lanes do not wait for them", async () => {
    const begun: string[] = [];
    const { clock, enqueue } = await scene(({ lane }) => {
      begun.push(lane);
      return lane === "slow" ? new Promise(() => {}) : Promise.resolve();
    });
    for (let n = 0; n < 100; n++) await enqueue({ n }, { lane: "slow" });
    for (let n = 0; n < 20; n++) await enqueue({ n }, { lane: `quick-${n}` });
    await clock.play(1_000);
    expect(begun.filter((lane) => lane === "slow")).toHaveLength(JOBS_PER_LANE_MAX);
    expect(begun.filter((lane) => lane !== "slow")).toHaveLength(20);
  });

  test("H4: twenty lanes whose jobs hang leave slots for others", async () => {
    const begun: string[] = [];
    const { clock, enqueue } = await scene(({ lane }) => {
      begun.push(lane);
      return lane.startsWith("slow") ? new Promise(() => {}) : Promise.resolve();
    });
    for (let slow = 0; slow < 20; slow++) for (let n = 0; n < 10; n++) await enqueue({ n }, { lane: `slow-${slow}` });
    await clock.play(1_000);
    for (let n = 0; n < 20; n++) await enqueue({ n }, { lane: `quick-${n}` });
    await clock.play(2_000);
    expect(new Set(begun.filter((lane) => lane.startsWith("slow"))).size).toBe(20);
    expect(begun.filter((lane) => !lane.startsWith("slow"))).toHaveLength(20);
  });

  test("H4: many jobs of one lane do not wait for polls while another lane hangs with many", async () => {
    let quick = 0;
    const { clock, enqueue } = await scene(({ lane }) => {
      if (lane === "slow") return new Promise(() => {});
      quick += 1;
      return Promise.resolve();
    });
    for (let n = 0; n < 200; n++) await enqueue({ n }, { lane: "slow" });
    await clock.play(JOB_POLL_MS);
    for (let n = 0; n < 100; n++) await enqueue({ n }, { lane: "quick", delayMs: 10 });
    await clock.play(JOB_POLL_MS + 50);
    expect(quick).toBe(100);
  });

  test("a kind may have fewer jobs in progress than a lane", async () => {
    let begun = 0;
    const run = () => {
      begun += 1;
      return new Promise<void>(() => {});
    };
    const { clock, enqueue } = await scene(run, { concurrentMax: 2 });
    for (let n = 0; n < 5; n++) await enqueue({ n });
    await clock.play(1_000);
    expect(begun).toBe(2);
  });

  test("also where each of its jobs has a lane with a name of its own", async () => {
    const begun = new Map<string, number>();
    const { clock, enqueue } = await scene(
      ({ lane }) => {
        begun.set(lane, (begun.get(lane) ?? 0) + 1);
        return new Promise<void>(() => {});
      },
      { concurrentMax: 2 },
    );
    for (let n = 0; n < 5; n++) for (const lane of ["one", "other"]) await enqueue({ n }, { lane });
    await clock.play(1_000);
    expect([...begun]).toEqual([
      ["one", 2],
      ["other", 2],
    ]);
  });

  test("a kind may have fewer jobs in progress in all lanes together, and the next begins when one is done", async () => {
    const running: (() => void)[] = [];
    const { clock, enqueue } = await scene(
      () =>
        new Promise<void>((resolve) => {
          running.push(resolve);
        }),
      { concurrentTotalMax: 2 },
    );
    for (const lane of ["one", "other", "third"]) await enqueue({}, { lane });
    await clock.play(1_000);
    expect(running).toHaveLength(2);
    running[0]?.();
    await clock.play(1_000);
    expect(running).toHaveLength(3);
  });

  test("a postponed job is attempted later with all its attempts", async () => {
    let attempts = 0;
    const { clock, enqueue, counts } = await scene(async ({ attempt }) => {
      attempts += 1;
      expect(attempt).toBe(1);
      if (attempts < 4) throw new JobPostponed(2_000);
    });
    await enqueue();
    await clock.play(1_000);
    expect([attempts, await counts()]).toEqual([1, { pending: 1 }]);
    await clock.play(8_000);
    expect([attempts, await counts()]).toEqual([4, {}]);
  });

  test("a job of a kind that it does not know is left to one that does", async () => {
    const { clock, stores, counts } = await scene(async () => {});
    await stores.jobs.enqueue({ kind: "test.of-the-next-version", payload: {} });
    await clock.play(5_000);
    expect(await counts()).toEqual({ pending: 1 });
  });

  test("a cancelled job is aborted at the next heartbeat, and its outcome is dropped", async () => {
    let context: JobContext | undefined;
    const { clock, stores, enqueue, attempts } = await scene((_, given) => {
      context = given;
      return new Promise((_resolve, reject) =>
        given.signal.addEventListener("abort", () => reject(new Error("aborted"))),
      );
    });
    const id = await enqueue();
    await clock.play(100);
    if (id !== undefined) await stores.jobs.cancel(id);
    await clock.play(JOB_HEARTBEAT_MS);
    expect([context?.signal.aborted, attempts, (await stores.jobs.list({ limit: 1 })).jobs]).toEqual([true, [], []]);
  });

  test("a job that ends its process every time is dead at last", async () => {
    const { clock, stores, runner, enqueue, attempts, counts } = await scene(async () => {}, { startsLater: true });
    const id = await enqueue({}, { delayMs: 1_000 });
    const claim = (kind: string) => ({ runnerId: "doomed", kinds: [kind], fullLanes: [], limit: 1 });
    clock.advance(1_000);
    for (let loss = 0; loss <= JOB_LOSSES_MAX; loss++) {
      expect((await stores.jobs.claim(claim(KIND))).map((job) => job.id)).toEqual([id]);
      clock.stall(JOB_LEASE_MS);
      // Its claim has ended, and it may have to wait.
      await stores.jobs.claim(claim("test.other"));
      clock.stall(JOB_SEPARATION_MS_MAX);
    }
    runner.start();
    await clock.play(2_000);
    expect([attempts, await counts()]).toEqual([["dead"], { dead: 1 }]);
  });

  test("while the store is away nothing is lost: what was done is stored when it is back", async () => {
    let isAway = false;
    const away = () => Promise.reject(new Error("the store is away"));
    const { clock, enqueue, attempts, counts } = await scene(
      async () => {
        isAway = true;
      },
      { jobs: () => (isAway ? { settle: away, claim: away, extend: away } : {}) },
    );
    await enqueue();
    await clock.play(4_000);
    expect([attempts, await counts()]).toEqual([["done"], { running: 1 }]);
    isAway = false;
    await clock.play(2_000);
    expect(await counts()).toEqual({});
  });

  test("while outcomes cannot be stored, a bounded number of jobs is done, and all the others once they can", async () => {
    let isAway = true;
    const { clock, enqueue, attempts, counts } = await scene(async () => {}, {
      jobs: (jobs) => ({
        settle: (...args) => (isAway ? Promise.reject(new Error("the disk is full")) : jobs.settle(...args)),
      }),
    });
    const JOBS = 2 * (JOBS_UNSETTLED_MAX + JOBS_CONCURRENT_MAX);
    for (let n = 0; n < JOBS; n += 1) await enqueue({}, { lane: `lane ${n}` });
    await clock.play(JOB_LEASE_MS);
    expect(attempts.length).toBeGreaterThanOrEqual(JOBS_UNSETTLED_MAX);
    expect(attempts.length).toBeLessThanOrEqual(JOBS_UNSETTLED_MAX + JOBS_CONCURRENT_MAX);
    isAway = false;
    await clock.play(JOB_LEASE_MS);
    expect([attempts.length, await counts()]).toEqual([JOBS, {}]);
  });

  test("a store that is away at the start stops nothing: schedules exist and jobs are taken when it is back", async () => {
    let isAway = true;
    const done: unknown[] = [];
    const away = () => Promise.reject(new Error("the store is away"));
    const { clock, enqueue, counts, lines } = await scene(async ({ payload }) => void done.push(payload), {
      schedule: "0 * * * *",
      jobs: () => (isAway ? { enqueue: away, claim: away } : {}),
    });
    await clock.play(2 * JOB_POLL_MS);
    expect(await counts()).toEqual({});
    expect(lines.join("")).toContain("jobs could not be claimed");
    isAway = false;
    await enqueue({ n: 1 });
    await clock.play(2 * JOB_POLL_MS);
    expect(done).toEqual([{ n: 1 }]);
    expect((await counts()).pending).toBeGreaterThanOrEqual(1);
  });

  test("what a handler reports while it works is in the job's record, and gone when a schedule's next run begins", async () => {
    let finish = (): void => {};
    const { clock, stores } = await scene(
      (_, { reportProgress }) => {
        reportProgress({ calls: 3 });
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
      { schedule: "0 * * * *" },
    );
    const progress = async () => (await stores.jobs.list({ limit: 1 })).jobs[0]?.progress;
    await clock.play(3_600_000 + JOB_PROGRESS_MS + 2 * JOB_POLL_MS);
    expect(await progress()).toEqual({ calls: 3 });
    finish();
    await clock.play(1_000);
    expect(await progress()).toBeUndefined();
  });

  test("runs what has a schedule at its times, once however many runners start, and never lets it die", async () => {
    const times: string[] = [];
    const { clock, runnerOf, counts } = await scene(
      async () => {
        times.push(new Date(Number(clock.epochMs())).toISOString().slice(11, 16));
        if (times.length === 1) throw new Error("the first time it fails");
      },
      { schedule: "30 * * * *", retryDelaysMs: [60_000] },
    );
    runnerOf().start();
    await clock.play(2 * 3_600_000);
    expect(times).toEqual(["00:30", expect.stringMatching(/^00:3[012]$/), "01:30"]);
    expect(await counts()).toEqual({ pending: 1 });
  });

  test("stops when what is in progress is settled, and hands back the rest", async () => {
    const waiting: ClaimedJob[] = [];
    let finish = (): void => {};
    const { clock, runner, enqueue, stores, attempts } = await scene(
      (job) =>
        new Promise((resolve) => {
          waiting.push(job);
          if ((job.payload as { n: number }).n === 1) finish = resolve;
        }),
    );
    await enqueue({ n: 1 });
    await enqueue({ n: 2 });
    await clock.play(100);
    const stopped = runner.stop(5_000);
    finish();
    await clock.drive(stopped);
    expect(attempts).toEqual(["done"]);
    expect((await stores.jobs.list({ limit: 5 })).jobs).toMatchObject([{ status: "pending", attempts: 0 }]);
  });
});
