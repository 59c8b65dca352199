import { execFile } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import { SupervisorFile } from "../../../src/process/supervisor/state-file.ts";
import { builtProgram } from "../../support/services/build.ts";
import { beginCalls, hangUpAll, type LiveCall, sendFrames, workerPids } from "../../support/services/live-workers.ts";
import { MEDIA_SERVERS_HERE } from "../../support/services/media-servers.ts";
import { Service } from "../../support/services/service.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

describe.each(MEDIA_SERVERS_HERE)("with the media server %s", (mediaServer) => {
  const CALLS = 6;
  const FRAMES = 5;
  /** More than a machine with other things to do needs to start two workers, one after the other. */
  const ROLL_MS_MAX = 60_000;

  let service: Service;
  beforeAll(async () => {
    service = await Service.start({ env: { MEDIA_SERVER: mediaServer, WORKERS: "2", DRAIN_MS: "60000" } });
  });

  /** Runs `npm run admin`. */
  function admin(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    return new Promise((resolve) => {
      execFile(process.execPath, [builtProgram("cli/admin"), ...args], (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      });
    });
  }

  test("K9: a roll replaces every worker without losing a call or an upgrade", {
    timeout: 2 * ROLL_MS_MAX,
  }, async () => {
    const before = workerPids(service);
    const long = await beginCalls(service, CALLS);
    let isOver = false;
    const rolled = admin("roll", "--data-dir", service.dataDir).finally(() => {
      isOver = true;
    });
    const short: LiveCall[] = [];
    while (!isOver) {
      const [call] = await beginCalls(service, 1);
      if (call === undefined) break;
      short.push(call);
      sendFrames([call, ...long], FRAMES);
      if (short.length % 2 === 0) call.caller.hangUp();
      // As fast as people speak: more would be a flood.
      await delay(FRAMES * FRAME_MS);
    }
    const after = workerPids(service);
    const { code, stdout, stderr } = await rolled;
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n")).toEqual([
      `1 of 2: worker ${before[0]} was replaced by ${after[0]}`,
      `2 of 2: worker ${before[1]} was replaced by ${after[1]}`,
      "every worker was replaced; the old ones exit when their calls have ended, within DRAIN_MS",
      "",
    ]);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    const calls = [...long, ...short];
    expect(calls.length).toBeGreaterThan(CALLS + 4);
    expect(await hangUpAll(service, calls)).toEqual(calls.map(() => ({ endReason: "caller_hangup", lost: 0 })));
    // The old ones have nothing to do any more, and go by themselves.
    await expect
      .poll(
        () =>
          service
            .logged("process exited")
            .map(({ pid }) => pid)
            .sort(),
        { timeout: 20_000 },
      )
      .toEqual([...before].sort());
    expect(service.logged("process died")).toEqual([]);
    // On a busy machine a redemption may take too long; nothing else refuses a stream. The control process logs one that
    // failed there, too.
    const refused = calls.reduce((sum, { caller }) => sum + caller.busyCount, 0);
    const failed = service.logged("token redemption failed").filter((line) => line.process === "worker");
    expect(refused).toBe(failed.length);
  });

  test("the supervisor's state file is removed with it, and no other process is taken for a supervisor", async () => {
    const file = new SupervisorFile(service.dataDir);
    expect(file.read()?.pid).toBe(service.process.groupId);
    expect(await service.stop()).toBe(0);
    expect(file.read()).toBeUndefined();
    const nowhere = await admin("roll", "--data-dir", service.dataDir);
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining("no service runs here")]);

    const dataDir = temporaryDirectory();
    const left = new SupervisorFile(dataDir);
    left.write({ pid: process.pid, start: "long ago" });
    const another = await admin("roll", "--data-dir", dataDir);
    expect([another.code, another.stderr]).toEqual([
      1,
      `process ${process.pid} is not a Trunkline supervisor: nothing was done\n`,
    ]);
    left.write({ pid: 2 ** 22, start: "long ago" });
    expect((await admin("roll", "--data-dir", dataDir)).stderr).toContain("has exited");
    expect(await admin("rolls")).toMatchObject({ code: 2, stderr: expect.stringContaining("npm run admin -- roll") });
  });
});
