import { getPriority } from "node:os";
import { beforeAll, describe, expect, test } from "vitest";
import { CONTROL_NICE } from "../../../src/core/limits/service/processes.ts";
import { RawWs } from "../../support/network/raw-ws.ts";
import { beginCalls, brokenCalls, hangUpAll, sendFrames, workerPids } from "../../support/services/live-workers.ts";
import { MEDIA_SERVERS_HERE } from "../../support/services/media-servers.ts";
import { Service, until } from "../../support/services/service.ts";

describe.each(MEDIA_SERVERS_HERE)("with the media server %s", (mediaServer) => {
  /** Long enough for any machine; how long it takes on a quiet one `npm run chaos` tells. */
  const RESTART_MS_MAX = 20_000;
  /** Several waits of that length. */
  const TEST_MS_MAX = 120_000;
  /** The chance that the kernel gives them all to one of two workers is 1 in 2,048. */
  const CALLS = 12;
  const FRAMES = 10;

  /** On SIGUSR2 an exception is thrown that is not caught. */
  const TIME_BOMB = "process.on('SIGUSR2',()=>{throw%20new%20Error('planted')})";

  let service: Service;
  beforeAll(async () => {
    const env = { MEDIA_SERVER: mediaServer, WORKERS: "2", NODE_OPTIONS: `--import=data:text/javascript,${TIME_BOMB}` };
    service = await Service.start({ env });
  });

  /** Another worker has come into the place of the one that died. */
  const replaced = (pid: number): Promise<unknown> =>
    until("another worker", RESTART_MS_MAX, () => {
      const pids = workerPids(service);
      return pids.length === 2 && !pids.includes(pid);
    });

  /** Something happens to one of two workers: its calls are lost and recovered, and the other's lose nothing. */
  async function expectOnlyItsOwnCallsLost(strike: (pid: number) => void): Promise<void> {
    const calls = await beginCalls(service, CALLS);
    sendFrames(calls, FRAMES);
    const [pid] = workerPids(service);
    if (pid === undefined) throw new Error("the service has no worker");
    strike(pid);
    const lost = await brokenCalls(service, calls, pid);
    const spared = calls.filter((call) => !lost.includes(call));
    expect([lost.length > 0, spared.length > 0]).toEqual([true, true]);
    sendFrames(spared, FRAMES);
    for (const { id } of lost) {
      const record = await service.ended(id, RESTART_MS_MAX);
      expect(record).toMatchObject({ endReason: "worker_lost" });
    }
    await replaced(pid);
    sendFrames(spared, FRAMES);
    expect(await hangUpAll(service, spared)).toEqual(spared.map(() => ({ endReason: "caller_hangup", lost: 0 })));
  }

  test("the control process has a lower priority than the workers, whatever it has to do", () => {
    const [pid = 0] = workerPids(service);
    expect(getPriority(service.pid("control"))).toBe(Math.max(getPriority(pid), CONTROL_NICE));
  });

  describe("two workers on one port", () => {
    test("K1: a killed worker loses its calls, which are recorded as lost, and the calls of the other lose no frame", {
      timeout: TEST_MS_MAX,
    }, async () => {
      await expectOnlyItsOwnCallsLost((pid) => process.kill(pid, "SIGKILL"));
    });

    test("K11: an uncaught exception ends only its own worker", { timeout: TEST_MS_MAX }, async () => {
      await expectOnlyItsOwnCallsLost((pid) => process.kill(pid, "SIGUSR2"));
      expect(service.logged("process failed")).toMatchObject([{ process: "worker", code: "internal" }]);
    });

    test("a worker with a blocked event loop is killed and replaced, and the reason is logged", {
      timeout: TEST_MS_MAX,
    }, async () => {
      await expectOnlyItsOwnCallsLost((pid) => process.kill(pid, "SIGSTOP"));
      expect(service.logged("process died").at(-1)).toMatchObject({ signal: "SIGKILL", reason: "worker_stalled" });
    });

    test("T2: exactly one of 100 simultaneous upgrades with one token succeeds, 24 times", {
      timeout: TEST_MS_MAX,
    }, async () => {
      for (let round = 0; round < 24; round += 1) {
        const { id, websocketUrl } = await service.createCall();
        const sockets = await Promise.all(Array.from({ length: 100 }, () => RawWs.connect(websocketUrl)));
        const { pathname } = new URL(websocketUrl);
        const statuses = await Promise.all(sockets.map(async (ws) => (await ws.upgrade(pathname))?.status));
        expect(statuses.filter((status) => status === 101)).toHaveLength(1);
        expect(statuses.filter((status) => status === 401)).toHaveLength(99);
        for (const ws of sockets) ws.destroy();
        expect((await service.ended(id)).endReason).toBe("caller_hangup");
      }
    });

    test("T3: at most one of 100 peers that disconnect before the response got the call, and the token is spent", {
      timeout: TEST_MS_MAX,
    }, async () => {
      for (let round = 0; round < 8; round += 1) {
        const { id, websocketUrl } = await service.createCall();
        const sockets = await Promise.all(Array.from({ length: 100 }, () => RawWs.connect(websocketUrl)));
        const { pathname } = new URL(websocketUrl);
        for (const ws of sockets) ws.sendUpgrade(pathname);
        // After the redemption of the first, before the answer to most.
        if (round % 2 === 0) await new Promise((resolve) => setTimeout(resolve, round));
        for (const [index, ws] of sockets.entries()) index % 2 === 0 ? ws.destroy() : ws.reset();
        await Promise.all(sockets.map((ws) => ws.closed));
        const late = await RawWs.connect(websocketUrl);
        const status = (await late.upgrade(pathname))?.status;
        late.destroy();
        expect([101, 401]).toContain(status);
        expect((await service.ended(id)).endReason).toBe("caller_hangup");
        const again = await RawWs.connect(websocketUrl);
        expect((await again.upgrade(pathname))?.status).toBe(401);
        again.destroy();
      }
    });
  });
});
