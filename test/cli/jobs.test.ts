import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { readAdminCommand } from "../../src/cli/admin/arguments.ts";
import { UsageError } from "../../src/cli/command.ts";
import { systemClock } from "../../src/core/clock.ts";
import type { JobId } from "../../src/core/ids.ts";
import type { JobHandler } from "../../src/jobs/handler.ts";
import { JobRunner } from "../../src/jobs/runner.ts";
import type { JobOutcome, NewJob } from "../../src/store/job-store.ts";
import { openStores, type StorePlace } from "../../src/store/open-stores.ts";
import type { Stores } from "../../src/store/stores.ts";
import { recordedOutput } from "../support/admin-output.ts";
import { memoryLog } from "../support/memory-log.ts";
import { hasPostgres } from "../support/postgres/server.ts";
import { builtProgram } from "../support/services/build.ts";
import { runProgram } from "../support/services/run-program.ts";
import { migratedDatabase } from "../support/stores/every-store.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const KIND = "test.work";
const RUNNER = "runner-1";
const ATTEMPT_MS_MAX = 60_000;
/** Long enough for any machine: what is waited for takes three seconds. */
const SOON = { timeout: 30_000 };
const SERVICE_MS_MAX = 120_000;

const sqlite = async (): Promise<StorePlace> => ({ dataDir: temporaryDirectory(), databaseUrl: undefined });
const postgres = async (): Promise<StorePlace> => ({
  dataDir: temporaryDirectory(),
  databaseUrl: await migratedDatabase(),
});

describe.each([
  ["SQLite", true, sqlite],
  ["Postgres (only where postgresql is installed)", hasPostgres, postgres],
] as const)("npm run admin -- jobs on %s", (_, isHere, makePlace) => {
  describe.skipIf(!isHere)("beside an open store", () => {
    let place: StorePlace;
    let stores: Stores;

    beforeEach(async () => {
      place = await makePlace();
      stores = await openStores(place, systemClock);
    });
    afterEach(() => stores.close());

    /** The lines that a command says. */
    const admin = async (...args: string[]): Promise<string[]> => {
      const output = recordedOutput();
      await readAdminCommand(["jobs", ...args]).work(place, output);
      return output.said.join("\n").split("\n");
    };
    const enqueue = async (job: Partial<NewJob> = {}): Promise<JobId> => {
      const id = await stores.jobs.enqueue({ kind: KIND, payload: { words: "not to be shown" }, ...job });
      if (id === undefined) throw new Error("not stored");
      return id;
    };
    const claim = (kind = KIND) => stores.jobs.claim({ runnerId: RUNNER, kinds: [kind], fullLanes: [], limit: 10 });
    const settled = async (outcome: JobOutcome, job?: Partial<NewJob>): Promise<JobId> => {
      const id = await enqueue(job);
      await claim(job?.kind);
      await stores.jobs.settle(RUNNER, new Map([[id, outcome]]));
      return id;
    };
    const dead = (error = "status 500", job?: Partial<NewJob>) => settled({ kind: "dead", error }, job);
    const statusOf = async (id: JobId) => (await stores.jobs.get(id))?.status;

    test("counts the jobs by kind and status, and says whether one is due", async () => {
      expect(await admin()).toEqual(["no jobs"]);
      await dead();
      await dead();
      await enqueue({ delayMs: 60_000 });
      await enqueue({ kind: "another.kind", delayMs: 60_000 });
      expect(await admin()).toEqual([
        "kind          pending  running  dead",
        "another.kind  1        0        0",
        "test.work     1        0        2",
        "no job is due",
      ]);
      await enqueue({ delayMs: -65_000 });
      expect((await admin()).at(-1)).toBe("the oldest job that is due has waited 1 min");
    });

    test("lists them newest first, with progress and last error in one line, and without what they are about", async () => {
      const failed = await dead("the endpoint\n\u001b[31m failed");
      const running = await enqueue({ kind: "another.kind" });
      await claim("another.kind");
      await stores.jobs.reportProgress(RUNNER, running, { calls: 3, of: 40 });
      const lines = await admin("list");
      expect(lines).toHaveLength(3);
      expect(lines[0]).toMatch(/^id +kind +status +attempts +age +progress +last error$/);
      expect(lines[1]).toMatch(new RegExp(`^${running} +another\\.kind +running +1 +\\d+ s +calls 3, of 40$`));
      expect(lines[2]).toMatch(
        new RegExp(`^${failed} +test\\.work +dead +1 +\\d+ s +the endpoint \ufffd\\[31m failed$`),
      );
      expect(lines.join()).not.toContain("not to be shown");
      expect(await admin("list", "--status", "dead")).toHaveLength(2);
      expect(await admin("list", "--kind", "another.kind")).toHaveLength(2);
      expect(await admin("list", "--status", "pending")).toEqual(["no jobs"]);
      expect((await admin("list", "--limit", "1")).at(-1)).toBe("there are more: --limit shows up to 1000");
    });

    test("replays dead jobs by id or by kind, and nothing where one of the ids is not of a dead job", async () => {
      const [first, second, other] = [await dead(), await dead(), await dead("no", { kind: "another.kind" })];
      const live = await enqueue({ delayMs: 60_000 });
      await expect(admin("replay", first, live, "job_unknown")).rejects.toThrow(
        `${live} is pending, not dead\nthere is no job job_unknown: it is done, or was cancelled\nnothing was changed`,
      );
      expect(await statusOf(first)).toBe("dead");
      expect(await admin("replay", first)).toEqual([
        "1 job is pending again, with all attempts and without a deadline",
      ]);
      expect([await statusOf(first), await statusOf(second)]).toEqual(["pending", "dead"]);
      await admin("replay", "--kind", KIND);
      expect([await statusOf(second), await statusOf(other)]).toEqual(["pending", "dead"]);
      expect(await admin("replay", "--kind", KIND)).toEqual([`no job of the kind ${KIND} is dead`]);
    });

    test("cancels live jobs, but not dead ones, nor what runs by a schedule", async () => {
      const [one, two, gone] = [await enqueue(), await enqueue({ delayMs: 60_000 }), await dead()];
      const scheduled = await enqueue({ kind: "another.kind", key: "schedule" });
      await expect(admin("cancel", one, gone, scheduled)).rejects.toThrow(
        `${gone} is dead already\n${scheduled} runs by a schedule, which cannot be cancelled\nnothing was changed`,
      );
      expect(await admin("cancel", one, two)).toEqual([
        `${one} is cancelled`,
        `${two} is cancelled`,
        "an attempt that is in progress is aborted within 2.5 s",
      ]);
      expect([await statusOf(one), await statusOf(two), await statusOf(gone)]).toEqual([undefined, undefined, "dead"]);
    });

    test("a running service does a job that is replayed, and aborts one that is cancelled", {
      timeout: SERVICE_MS_MAX,
    }, async () => {
      let fails = true;
      let aborts = 0;
      const waits = async ({ signal }: { signal: AbortSignal }): Promise<void> => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        aborts += 1;
      };
      const run: JobHandler["run"] = async ({ payload }, context) => {
        if ((payload as { waits?: boolean }).waits === true) await waits(context);
        else if (fails) throw new Error("it fails");
      };
      const handlers = { [KIND]: { run, attemptMsMax: ATTEMPT_MS_MAX, retryDelaysMs: [] } };
      const runner = new JobRunner({ jobs: stores.jobs, handlers, clock: systemClock, log: memoryLog().log });
      await runner.start();
      onTestFinished(() => runner.stop(0));
      const [replayed, cancelled] = [await enqueue(), await enqueue({ payload: { waits: true } })];
      await vi.waitFor(async () => expect(await statusOf(replayed)).toBe("dead"), SOON);
      fails = false;
      const env = { ...process.env, DATA_DIR: place.dataDir, DATABASE_URL: place.databaseUrl ?? "" };
      const program = (...args: string[]) =>
        promisify(execFile)(process.execPath, [builtProgram("cli/admin"), "jobs", ...args], { env });
      await program("replay", replayed);
      await vi.waitFor(async () => expect(await statusOf(replayed)).toBeUndefined(), SOON);
      await vi.waitFor(async () => expect(await statusOf(cancelled)).toBe("running"), SOON);
      await program("cancel", cancelled);
      await vi.waitFor(() => expect(aborts).toBe(1), SOON);
    });
  });
});

test.each<[problem: string, ...args: string[]]>([
  ['"lst" is not a command: it must be list, replay or cancel', "lst"],
  ['"x" is one argument too many after jobs list', "list", "x"],
  ['--status must be one of pending, running, dead, not "deaf"', "list", "--status", "deaf"],
  ['--limit must be a whole number from 1 to 1000, not "0"', "list", "--limit", "0"],
  ["jobs replay needs either ids of dead jobs, which jobs list shows, or --kind", "replay"],
  ["jobs replay needs either ids of dead jobs, which jobs list shows, or --kind", "replay", "job_1", "--kind", KIND],
  ["jobs cancel needs ids of jobs: jobs list shows them", "cancel"],
  ["--kind is not for jobs cancel", "cancel", "job_1", "--kind", KIND],
  ["--status is not for jobs", "--status", "dead"],
  ["--dry-run is for prune and clean-bucket and recover and forget-secrets only", "--dry-run"],
])("is refused: %s", (problem, ...args) => {
  expect(() => readAdminCommand(["jobs", ...args])).toThrow(new UsageError([problem]));
});

test("a command line that is refused is shown an example about jobs, and exits with 2", async () => {
  const answer = await runProgram([builtProgram("cli/admin"), "jobs", "cancel"]);
  expect(answer.code).toBe(2);
  expect(answer.stderr).toContain("\n\nFor example: npm run admin -- jobs list --status dead\n");
});
