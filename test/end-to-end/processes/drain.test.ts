import { connect } from "node:net";
import { beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { elapsedMs } from "../../../src/core/clocks.ts";
import { RawCaller } from "../../callers/raw-caller.ts";
import { readExposition, sampleOf } from "../../support/metrics/exposition.ts";
import { beginCalls, hangUpAll, sendFrames } from "../../support/services/live-workers.ts";
import { MEDIA_SERVERS_HERE } from "../../support/services/media-servers.ts";
import { NEW_CALL, Service, until, withStores } from "../../support/services/service.ts";

const CALLS = 6;
const FRAMES = 10;
/** What a machine that many share may add to a deadline of ours. */
const SLACK_MS = 5_000;

describe.each(MEDIA_SERVERS_HERE)("with the media server %s", (mediaServer) => {
  let service: Service;
  async function start(drainMs: number, env: Record<string, string> = {}): Promise<void> {
    const fixed = { MEDIA_SERVER: mediaServer, WORKERS: "2", DRAIN_MS: String(drainMs) };
    service = await Service.start({ env: { ...fixed, ...env } });
  }

  beforeEach(() => {
    service?.process.signal("SIGKILL");
  });

  test("K7: a stopping service refuses new calls at once, and live calls continue to their own end without losing a frame", async () => {
    await start(7_200_000);
    const calls = await beginCalls(service, CALLS);
    const waiting = await service.createCall();
    sendFrames(calls, FRAMES);
    service.process.signal("SIGTERM");
    await until(
      "the service to be unready",
      SLACK_MS,
      async () => (await service.fetch("GET", "/readyz")).status === 503,
    );
    // That is the control process alone. A worker that has heard of the drain offers no more places than it has calls.
    const metricsUrl = `http://127.0.0.1:${service.logged("metrics port ready").at(-1)?.port}/metrics`;
    await until("all workers to drain", SLACK_MS, async () => {
      const families = readExposition(await (await fetch(metricsUrl)).text());
      return sampleOf(families, "trunkline_call_slots_max") <= CALLS;
    });
    expect((await service.api("POST", "/calls", NEW_CALL)).status).toBe(503);
    // Whichever worker it comes to.
    for (let tries = 0; tries < 8; tries += 1) {
      const { caller, status } = await RawCaller.connect(waiting.websocketUrl);
      expect(status).toBe(503);
      caller.ws.destroy();
    }
    sendFrames(calls, FRAMES);
    expect(await hangUpAll(service, calls.slice(1))).toEqual(
      calls.slice(1).map(() => ({ endReason: "caller_hangup", lost: 0 })),
    );
    expect(service.process.living().length).toBeGreaterThan(1);
    // A request that does not end is not waited for.
    const { hostname, port } = new URL(service.apiUrl);
    const slow = connect(Number(port), hostname).on("error", () => {});
    slow.write("POST /api/v1/calls HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{");
    const [last] = calls;
    last?.caller.hangUp();
    expect(await service.process.exited).toBe(0);
    expect(service.logged("process died")).toEqual([]);
  });

  test("POST /drain of the metrics port ends the service once its live calls have ended", async () => {
    const token = "k3".repeat(16);
    await start(7_200_000, { OPERATOR_TOKEN: token });
    const calls = await beginCalls(service, CALLS);
    sendFrames(calls, FRAMES);
    const url = `http://127.0.0.1:${service.logged("metrics port ready").at(-1)?.port}/drain`;
    for (let count = 0; count < 2; count += 1) {
      const answer = await fetch(url, { method: "POST", headers: { authorization: `Bearer ${token}` } });
      expect([answer.status, await answer.json()]).toEqual([202, { status: "draining" }]);
    }
    const isUnready = async (): Promise<boolean> => (await service.fetch("GET", "/readyz")).status === 503;
    await until("the service to be unready", SLACK_MS, isUnready);
    sendFrames(calls, FRAMES);
    const [last, ...others] = calls;
    expect(await hangUpAll(service, others)).toEqual(others.map(() => ({ endReason: "caller_hangup", lost: 0 })));
    last?.caller.hangUp();
    expect(await service.process.exited).toBe(0);
  });

  test("K8: it exits by its own deadline although a worker and the control process are blocked, and no record is lost permanently", async () => {
    const drainMs = 1_000;
    await start(drainMs);
    const calls = await beginCalls(service, CALLS);
    sendFrames(calls, FRAMES);
    // A few frames alone are journaled within 750 ms.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    process.kill(service.pid("control"), "SIGSTOP");
    process.kill(service.pid("worker"), "SIGSTOP");
    const beganMs = systemClock.nowMs();
    service.process.signal("SIGTERM");
    await service.process.exited;
    expect(elapsedMs(beganMs, systemClock.nowMs())).toBeLessThan(drainMs + 5_000 + 2 * SLACK_MS);
    await until("nothing of the service to live", SLACK_MS, () => service.process.living().length === 0);
    const { dataDir, apiKey } = service;
    service = await Service.start({ dataDir, apiKey, env: { MEDIA_SERVER: mediaServer } });
    for (const { id } of calls) {
      const { endReason, counters } = await service.ended(id, 15_000);
      expect(["worker_lost", "drain_timeout"]).toContain(endReason);
      expect(counters?.framesIn).toBe(FRAMES);
    }
    await withStores(dataDir, async ({ calls }) => expect(await calls.listActive()).toEqual([]));
  });
});
