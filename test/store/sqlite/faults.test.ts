import { cpSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import type { CallId } from "../../../src/core/ids.ts";
import { JOB_HEARTBEAT_MS } from "../../../src/core/limits/service/jobs.ts";
import { JobRunner } from "../../../src/jobs/runner.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import { type ApiUnderTest, apiUnderTest, errorOf, MINIMAL_CALL } from "../../support/api/harness.ts";
import { endAt } from "../../support/calls/stored-calls.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { canFailWrites, FailingWrites } from "../../support/services/failing-writes.ts";
import { canMount, SmallDisk } from "../../support/services/small-disk.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { redeemedBy } from "../../support/tokens.ts";

const KIND = "test.work";
/** The most calls that still find room in the files of a full disk. */
const CALLS_MAX = 200;

describe("K4: a database of SQLite that cannot be written to refuses new calls, writes nothing half, and works again", () => {
  let api: ApiUnderTest;
  let runner: JobRunner;
  let live: CallId;
  /** How often the job was done, and what lets it end. */
  let done: number;
  let finishJob: () => void;

  /** The API over a database in this directory, with a live call and a job in progress. */
  async function begin(): Promise<void> {
    api = await apiUnderTest();
    done = 0;
    const { body } = await api.post(MINIMAL_CALL);
    const { id, websocketUrl } = body as { id: CallId; websocketUrl: string };
    await api.stores.redemptions.redeem(hashSecret(websocketUrl.split("/").at(-1) ?? ""), redeemedBy("worker-1"));
    live = id;
    const run = (): Promise<void> =>
      new Promise((resolve) => {
        done += 1;
        finishJob = resolve;
      });
    const handlers = { [KIND]: { attemptMsMax: 3_600_000, retryDelaysMs: [1_000], run } };
    runner = new JobRunner({ jobs: api.stores.jobs, handlers, clock: api.clock, log: memoryLog().log });
    await runner.start();
    await api.stores.jobs.enqueue({ kind: KIND, payload: {} });
    await api.clock.play(10);
    expect(done).toBe(1);
  }
  afterEach(async () => {
    await api.clock.drive(runner.stop(0));
    await api.close();
  });

  const end = (): Promise<boolean> => api.stores.calls.finish(live, endAt(api.clock));
  const calls = async (): Promise<number> =>
    (await api.stores.calls.list(api.accountId, { limit: 1_000 })).calls.length;

  /** While nothing can be written. */
  async function expectRefusals(): Promise<void> {
    const refused = await untilRefused();
    expect([refused.status, errorOf(refused).code]).toEqual([503, "unavailable"]);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    await expect(end()).rejects.toMatchObject({ code: "unavailable" });
    // The job is over, and its outcome cannot be stored.
    finishJob();
    await api.clock.play(JOB_HEARTBEAT_MS);
    expect(await api.stores.jobs.list({ limit: 2 })).toMatchObject({ jobs: [{ status: "running" }] });
    const read = await api.get(`/api/v1/calls/${live}`);
    expect(read).toMatchObject({ status: 200, body: { status: "active" } });
    expect((await api.get(`/api/v1/calls/${live}/transcript`)).body).toMatchObject({ data: [] });
  }

  async function untilRefused(): Promise<Awaited<ReturnType<ApiUnderTest["post"]>>> {
    for (let n = 0; n < CALLS_MAX; n++) {
      const answer = await api.post(MINIMAL_CALL);
      if (answer.status !== 201) return answer;
    }
    throw new Error("no call was refused");
  }

  async function expectRecovery(): Promise<void> {
    const before = await calls();
    expect((await api.post(MINIMAL_CALL)).status).toBe(201);
    expect(await calls()).toBe(before + 1);
    expect([await end(), await end()]).toEqual([true, false]);
    await api.clock.play(2_000);
    expect([done, await api.stores.jobs.list({ limit: 2 })]).toEqual([1, { jobs: [], more: false }]);
    const other = new Libsql(join(api.directory, "trunkline.db"));
    expect(other.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    expect(other.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
    other.close();
  }

  test("K4: while another program holds its lock for longer than the busy timeout", async () => {
    await begin();
    const other = new Libsql(join(api.directory, "trunkline.db"));
    other.exec("BEGIN IMMEDIATE");
    await expectRefusals();
    other.exec("ROLLBACK");
    other.close();
    await expectRecovery();
  });

  test("K4: while its files are removed, until the same ones are back", async () => {
    await begin();
    const names = readdirSync(api.directory).filter((name) => name.startsWith("trunkline.db"));
    for (const name of names) renameSync(join(api.directory, name), join(api.directory, `aside-${name}`));
    await expectRefusals();
    for (const name of names) renameSync(join(api.directory, `aside-${name}`), join(api.directory, name));
    await expectRecovery();
  });

  test.skipIf(!canFailWrites).each(["EROFS", "EIO"] as const)(
    "K4: while writes fail with %s, as on a disk that has become read-only or is broken (only where strace is installed)",
    async (error) => {
      await begin();
      const failing = await FailingWrites.begin(error);
      try {
        await expectRefusals();
      } finally {
        await failing.end();
      }
      await expectRecovery();
    },
  );

  describe("on a small disk", () => {
    let disk: SmallDisk;
    beforeEach(() => {
      if (!canMount) return;
      disk = new SmallDisk(4);
      onTestFinished(() => disk.remove());
      vi.stubEnv("TMPDIR", disk.path);
    });
    afterEach(() => vi.unstubAllEnvs());

    test.skipIf(!canMount)("K4: while the disk is full (only where mount for root is installed)", async () => {
      await begin();
      disk.fill();
      await expectRefusals();
      disk.empty();
      await expectRecovery();
    });
  });
});

test.skipIf(!canMount)(
  "K4: a database on a read-only disk is refused at the start in one line, and opened when it can be written to (only where mount for root is installed)",
  async () => {
    const disk = new SmallDisk(4);
    onTestFinished(() => disk.remove());
    const directory = temporaryDirectory();
    await (await openSqliteStores(directory, systemClock)).close();
    cpSync(directory, disk.path, { recursive: true });
    disk.setReadOnly(true);
    const opening = openSqliteStores(disk.path, systemClock);
    await expect(opening).rejects.toMatchObject({ code: "bad_configuration" });
    await expect(opening).rejects.toThrow(/^DATA_DIR "[^\n]+" cannot be used: EROFS: read-only file system[^\n]+$/);
    disk.setReadOnly(false);
    await (await openSqliteStores(disk.path, systemClock)).close();
  },
);
