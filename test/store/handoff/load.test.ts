import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LOAD_REPORT_MS } from "../../../src/core/limits/admission.ts";
import { HandoffServer } from "../../../src/store/handoff/control-server.ts";
import { HandoffClient } from "../../../src/store/handoff/worker-client.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { handoffServer } from "../../support/services/handoff-server.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

test("a worker tells how it stands when it comes, from then on every 250 ms and when it has news, and nothing once it has gone", async () => {
  const path = join(temporaryDirectory(), "control.sock");
  const clock = new ManualClock();
  const told: [string, number][] = [];
  const server = new HandoffServer(
    handoffServer(path, {
      onWorkerConnected: (workerId, _connection, _callIds, { callCount }) => told.push([`${workerId} came`, callCount]),
      onLoadReported: (workerId, { callCount }) => told.push([workerId, callCount]),
      onWorkerDisconnected: (workerId) => told.push([`${workerId} went`, Number.NaN]),
    }),
  );
  await server.listen();
  onTestFinished(() => server.close());
  let callCount = 0;
  const handOff = new HandoffClient({
    path,
    workerId: "a",
    callIds: () => [],
    takeSpendReports: () => [],
    onAccountsOverLimit: () => {},
    load: () => ({ callCount: callCount++, callsMax: 9, loopLagMs: 0, acceptsCalls: true }),
    onIncompatibleControl: () => {},
    onEndRequested: () => {},
    metrics: async () => undefined,
    clock,
  });
  const seen = async (count: number): Promise<void> => {
    while (told.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  await seen(1);
  clock.advance(LOAD_REPORT_MS - 1);
  clock.advance(1);
  await seen(2);
  clock.advance(2 * LOAD_REPORT_MS);
  await seen(4);
  handOff.sendLoad();
  await seen(5);
  await handOff.close();
  await seen(6);
  expect(told).toEqual([
    ["a came", 0],
    ["a", 1],
    ["a", 2],
    ["a", 3],
    ["a", 4],
    ["a went", Number.NaN],
  ]);
  expect(clock.pending).toBe(0);
});

test("F14-4: the carrier's id of a call reaches the control process when its stream begins, whatever it is made of", async () => {
  const path = join(temporaryDirectory(), "control.sock");
  const clock = new ManualClock();
  const told: string[][] = [];
  let workers = 0;
  const server = new HandoffServer(
    handoffServer(path, {
      clock,
      onWorkerConnected: () => (workers += 1),
      onStreamStarted: (callId, carrierCallId) => told.push([callId, carrierCallId]),
    }),
  );
  await server.listen();
  onTestFinished(() => server.close());
  const handOff = new HandoffClient({
    path,
    workerId: "a",
    callIds: () => [],
    takeSpendReports: () => [],
    onAccountsOverLimit: () => {},
    load: () => ({ callCount: 0, callsMax: 9, loopLagMs: 0, acceptsCalls: true }),
    onIncompatibleControl: () => {},
    onEndRequested: () => {},
    metrics: async () => undefined,
    clock,
  });
  // While the control process is away nobody is told; the call's end tells it then.
  handOff.streamStarted("call_0", "CA0");
  while (workers === 0) await new Promise((resolve) => setImmediate(resolve));
  handOff.streamStarted("call_1", "two\nlines \u0000 👋");
  while (told.length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(told).toEqual([["call_1", "two\nlines \u0000 👋"]]);
  await handOff.close();
});
