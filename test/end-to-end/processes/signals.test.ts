import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { elapsedMs } from "../../../src/core/clocks.ts";
import { RawCaller } from "../../callers/raw-caller.ts";
import { Service, ServiceProcess, until } from "../../support/services/service.ts";

/** What a process may take to come so far that it can go, on a machine that has other things to do. */
const EXIT_MS_MAX = 20_000;

const nothingLeft = (service: ServiceProcess): Promise<unknown> =>
  until("no process to be left", EXIT_MS_MAX, () => service.living().length === 0);

test.each<[when: string, act: (service: ServiceProcess) => Promise<unknown>]>([
  ["at once", () => delay(0)],
  ["while its supervisor comes up", () => delay(300)],
  ["while its worker comes up", (service) => until("a child", EXIT_MS_MAX, () => service.living().length > 1)],
  [
    "while its control process comes up",
    (service) => until("the worker", EXIT_MS_MAX, () => service.log.some((line) => line.kind === "worker")),
  ],
])("K8: a service that is stopped %s never becomes ready, and leaves no process", async (_when, act) => {
  const service = new ServiceProcess({ env: { DRAIN_MS: "60000" } });
  await act(service);
  service.signal("SIGTERM");
  // Before its handlers stand the signal itself ends it.
  expect([0, null]).toContain(await service.exited);
  await nothingLeft(service);
  expect(service.log.filter(({ level }) => level === "fatal" || level === "error")).toEqual([]);
  expect(service.log.map(({ msg }) => msg)).not.toContain("service ready");
  expect(service.stderr).toBe("");
});

test("K8: a second signal ends all processes at once, during any part of the drain", async () => {
  const service = await Service.start({ env: { DRAIN_MS: "7200000" } });
  const { websocketUrl } = await service.createCall();
  const caller = await RawCaller.startAt(service, websocketUrl);
  await caller.ws.readFrame();
  service.process.signal("SIGTERM");
  await until("the drain to begin", 5_000, () => service.logged("drain started").length > 0);
  await delay(200);
  expect(service.process.living().length).toBeGreaterThan(2);
  const signalledMs = systemClock.nowMs();
  service.process.signal("SIGTERM");
  expect(await service.process.exited).toBe(1);
  expect(elapsedMs(signalledMs, systemClock.nowMs())).toBeLessThan(5_000);
  await nothingLeft(service.process);
  await until("the stream to end", 1_000, () => caller.ws.ended);
  caller.ws.destroy();
});

test("K8: SIGINT drains as SIGTERM does, and at once when there is no call", async () => {
  const service = await Service.start({ env: { DRAIN_MS: "7200000" } });
  service.process.signal("SIGINT");
  expect(await service.process.exited).toBe(0);
  expect(service.logged("service stopped")).toHaveLength(1);
  await nothingLeft(service.process);
});

test("K8: a service whose supervisor is killed while its processes start leaves no process", async () => {
  const service = new ServiceProcess({ env: { WORKERS: "2" } });
  await until("the worker", EXIT_MS_MAX, () => service.log.some((line) => line.kind === "worker"));
  service.signal("SIGKILL");
  await nothingLeft(service);
});
