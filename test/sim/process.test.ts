import { expect, test } from "vitest";
import { ManualClock } from "../support/manual-clock.ts";
import { Process } from "./process.ts";

test("while the event loop is blocked the network continues, and the process's timers wait for the end of the stall", () => {
  for (const inputFirst of [false, true]) {
    const world = new ManualClock();
    const process = new Process(world, inputFirst);
    const log: string[] = [];
    const note = (what: string): void => {
      log.push(`${what} ${world.nowMs()}`);
    };
    process.after(50, () => note("timer"));
    world.after(50, () => note("world"));
    world.after(60, () => process.input(() => note("input")));
    process.after(300, () => note("later"));
    world.advance(10);
    process.stall(100);
    world.advance(500);
    const due = inputFirst ? ["input 110", "timer 110"] : ["timer 110", "input 110"];
    expect(log).toEqual(["world 50", ...due, "later 300"]);
    expect(process.pending).toBe(0);
  }
});

test("a timer that is cancelled while it waits for the end of a stall does not run", () => {
  const world = new ManualClock();
  const process = new Process(world, true);
  let ran = 0;
  const cancel = process.after(50, () => {
    ran += 1;
  });
  process.stall(100);
  world.advance(60);
  process.input(cancel);
  world.advance(100);
  expect([ran, process.pending]).toEqual([0, 0]);
});

test("a timer that could not run is not late", () => {
  const world = new ManualClock();
  const process = new Process(world, false);
  world.advance(100);
  process.stall(200);
  world.advance(210);
  process.stall(50);
  expect(process.latestMs(50, 20)).toBe(70);
  expect(process.latestMs(150, 20)).toBe(380);
  expect(process.latestMs(400, 20)).toBe(420);
});
