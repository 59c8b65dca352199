import { expect, test } from "vitest";
import { asCallId, type CallId } from "../../../../src/core/ids.ts";
import { CallExpiry } from "../../../../src/process/control/calls/call-expiry.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { memoryLog } from "../../../support/memory-log.ts";

const INTERVAL_MS = 5_000;

function expiryOf(results: (readonly CallId[] | Error)[]) {
  const clock = new ManualClock();
  const { log, lines } = memoryLog();
  let runs = 0;
  const calls = {
    async expire() {
      runs += 1;
      const result = results.shift() ?? [];
      if (result instanceof Error) throw result;
      return result;
    },
  };
  new CallExpiry({ calls, clock, log }).start();
  return { clock, lines, runs: () => runs };
}

test("Calls are expired every 5 s, and only expired calls are logged", async () => {
  const { clock, lines, runs } = expiryOf([[], [asCallId("call_1"), asCallId("call_2")]]);
  await clock.play(INTERVAL_MS - 1);
  expect(runs()).toBe(0);
  await clock.play(1);
  expect([runs(), lines]).toEqual([1, []]);
  await clock.play(INTERVAL_MS);
  expect(runs()).toBe(2);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ calls: 2, msg: "calls expired" }]);
});

test("Expiry continues after a failure, which is logged", async () => {
  const { clock, lines, runs } = expiryOf([new Error("database is locked"), [asCallId("call_1")]]);
  await clock.play(2 * INTERVAL_MS);
  expect(runs()).toBe(2);
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(["expiring calls failed", "calls expired"]);
});
