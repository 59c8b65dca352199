import { expect, test } from "vitest";
import { WorkerListener } from "../../../src/process/worker/listener.ts";
import { ManualClock } from "../../support/manual-clock.ts";

function listenerOn(port: number) {
  const steps: string[] = [];
  const state = { isFull: false };
  const listener = new WorkerListener({
    server: {
      async listen(host, port) {
        steps.push(`listen ${host}:${port}`);
        return port === 0 ? 4_711 : port;
      },
      stopListening: () => void steps.push("stop"),
      pauseListening: (isPaused) => void steps.push(`paused ${isPaused}`),
    },
    host: "127.0.0.1",
    port,
    isFull: () => state.isFull,
    clock: new ManualClock(),
  });
  return { listener, steps, state };
}

test("A worker listens on the port that it is given", async () => {
  const { listener, steps } = listenerOn(7_000);
  expect(listener.isListening).toBe(false);
  expect(await listener.listen()).toBe(7_000);
  expect([listener.isListening, steps]).toEqual([true, ["listen 127.0.0.1:7000"]]);
});

test("Port 0 is opened again by its number, so that SO_REUSEPORT is set for it", async () => {
  const { listener, steps } = listenerOn(0);
  expect(await listener.listen()).toBe(4_711);
  expect(steps).toEqual(["listen 127.0.0.1:0", "stop", "listen 127.0.0.1:4711"]);
});

test("A full worker pauses when the event loop is idle, and only if it is still full then", async () => {
  const { listener, steps, state } = listenerOn(7_000);
  state.isFull = true;
  const paused = listener.pauseWhenFull(true);
  expect(steps).toEqual([]);
  await paused;
  const freed = listener.pauseWhenFull(true);
  state.isFull = false;
  await freed;
  expect(steps).toEqual(["paused true", "paused false"]);
});

test("A worker with capacity listens again at once", () => {
  const { listener, steps } = listenerOn(7_000);
  void listener.pauseWhenFull(false);
  expect(steps).toEqual(["paused false"]);
});
