import { expect, test } from "vitest";
import { HANDSHAKE_MS_MAX } from "../../../src/core/limits/streams/connections.ts";
import { WorkerRetirement } from "../../../src/process/worker/retirement.ts";
import { ManualClock } from "../../support/manual-clock.ts";

function worker(handshakes: number) {
  const clock = new ManualClock();
  const steps: string[] = [];
  const server = { handshakes, stopListening: () => void steps.push("stop listening") };
  const retirement = new WorkerRetirement({
    server,
    handoff: { sendLoad: () => void steps.push(`load, retiring ${retirement.hasStarted}`) },
    drain: { start: async () => void steps.push("drain") },
    clock,
  });
  /** The idle turn of the event loop takes real turns. */
  const start = async (): Promise<void> => {
    void retirement.start();
    while (!steps.includes("stop listening")) await clock.play(0);
  };
  return { clock, steps, server, retirement, start };
}

const STOPPED = ["load, retiring true", "stop listening"];

test("A retiring worker without open handshakes stops listening and drains", async () => {
  const { clock, steps, retirement, start } = worker(0);
  expect(retirement.hasStarted).toBe(false);
  await start();
  await clock.play(0);
  expect(steps).toEqual([...STOPPED, "drain"]);
});

test("A retiring worker drains when its open handshakes are complete", async () => {
  const { clock, steps, server, start } = worker(2);
  await start();
  await clock.play(1_000);
  expect(steps).toEqual(STOPPED);
  server.handshakes = 0;
  await clock.play(50);
  expect(steps).toEqual([...STOPPED, "drain"]);
});

test("A retiring worker drains after HANDSHAKE_MS_MAX although handshakes are open", async () => {
  const { clock, steps, start } = worker(1);
  await start();
  await clock.play(HANDSHAKE_MS_MAX - 1);
  expect(steps).toEqual(STOPPED);
  await clock.play(50);
  expect(steps).toEqual([...STOPPED, "drain"]);
});
