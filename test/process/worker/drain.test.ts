import { expect, test } from "vitest";
import { DRAIN_EXIT_MS_MAX } from "../../../src/core/limits/service/processes.ts";
import { WorkerDrain } from "../../../src/process/worker/drain.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";

const DRAIN_MS = 60_000;

/** A worker whose calls end when `endCalls` is called, and whose handoff closes when `closeHandoff` is. */
function worker() {
  const clock = new ManualClock();
  const steps: string[] = [];
  let endCalls = (): void => {};
  let closeHandoff = (): void => {};
  const drain = new WorkerDrain({
    gateway: {
      drain: () =>
        new Promise((resolve) => {
          endCalls = resolve;
        }),
      endAllWithGoodbye: () => void steps.push("goodbye"),
    },
    handoff: {
      sendLoad: () => void steps.push(`load, draining ${drain.hasStarted}`),
      close: () =>
        new Promise((resolve) => {
          closeHandoff = resolve;
        }),
    },
    providers: { close: () => void steps.push("providers") },
    server: {
      pauseListening: (isPaused) => void steps.push(`listening ${!isPaused}`),
      close: () => void steps.push("server"),
    },
    clock,
    drainMs: DRAIN_MS,
    exit: (code) => void steps.push(`exit ${code}`),
  });
  return { clock, steps, drain, endCalls: () => endCalls(), closeHandoff: () => closeHandoff() };
}

const STARTED = ["load, draining true", "listening true"];

test("A draining worker reports its load, listens again, waits for its calls, and exits with 0", async () => {
  const { clock, steps, drain, endCalls, closeHandoff } = worker();
  expect(drain.hasStarted).toBe(false);
  void drain.start();
  void drain.start();
  await clock.play(DRAIN_MS - 1);
  expect(steps).toEqual(STARTED);
  endCalls();
  await settled();
  closeHandoff();
  await settled();
  expect(steps).toEqual([...STARTED, "server", "providers", "exit 0"]);
});

test("Calls that are live after DRAIN_MS end with a goodbye", async () => {
  const { clock, steps, drain, endCalls } = worker();
  void drain.start();
  await clock.play(DRAIN_MS);
  expect(steps).toEqual([...STARTED, "goodbye"]);
  endCalls();
  await settled();
  expect(steps.slice(3)).toEqual(["server", "providers"]);
});

test("A worker whose calls do not end exits with 1, DRAIN_EXIT_MS_MAX after the goodbyes", async () => {
  const { clock, steps, drain } = worker();
  void drain.start();
  await clock.play(DRAIN_MS + DRAIN_EXIT_MS_MAX - 1);
  expect(steps).toEqual([...STARTED, "goodbye"]);
  await clock.play(1);
  expect(steps.at(-1)).toBe("exit 1");
});

test("A worker whose ended calls are not acknowledged exits with 1 after DRAIN_EXIT_MS_MAX", async () => {
  const { clock, steps, drain, endCalls } = worker();
  void drain.start();
  endCalls();
  await settled();
  await clock.play(DRAIN_EXIT_MS_MAX - 1);
  expect(steps).toEqual([...STARTED, "server", "providers"]);
  await clock.play(1);
  expect(steps.at(-1)).toBe("exit 1");
});
