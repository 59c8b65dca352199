import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { asCallId, asCarrierCallId, asWorkerId } from "../../../src/core/ids.ts";
import { LOAD_REPORT_MS } from "../../../src/core/limits/service/admission.ts";
import { HandoffServer } from "../../../src/store/handoff/control-server.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { handoffClient } from "../../support/services/handoff-client.ts";
import { handoffServer } from "../../support/services/handoff-server.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

test("a worker reports its load when it connects, then every 250 ms and on changes, and not after it has disconnected", async () => {
  const path = join(temporaryDirectory(), "control.sock");
  const clock = new ManualClock();
  const events: [string, number][] = [];
  const server = new HandoffServer(
    handoffServer(path, {
      onWorkerConnected: (workerId, _connection, _callIds, { callCount }) =>
        events.push([`${workerId} came`, callCount]),
      onLoadReported: (workerId, { callCount }) => events.push([workerId, callCount]),
      onWorkerDisconnected: (workerId) => events.push([`${workerId} went`, Number.NaN]),
    }),
  );
  await server.listen();
  onTestFinished(() => server.close());
  let callCount = 0;
  const handoff = handoffClient(path, {
    workerId: asWorkerId("a"),
    load: () => ({ callCount: callCount++, callsMax: 9, loopLagMs: 0, acceptsCalls: true }),
    clock,
  });
  const seen = async (count: number): Promise<void> => {
    while (events.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  await seen(1);
  clock.advance(LOAD_REPORT_MS - 1);
  clock.advance(1);
  await seen(2);
  clock.advance(2 * LOAD_REPORT_MS);
  await seen(4);
  handoff.sendLoad();
  await seen(5);
  await handoff.close();
  await seen(6);
  expect(events).toEqual([
    ["a came", 0],
    ["a", 1],
    ["a", 2],
    ["a", 3],
    ["a", 4],
    ["a went", Number.NaN],
  ]);
  expect(clock.pending).toBe(0);
});

test("F14-4: the carrier's id of a call reaches the control process when its stream starts, whatever its characters", async () => {
  const path = join(temporaryDirectory(), "control.sock");
  const clock = new ManualClock();
  const events: string[][] = [];
  let workers = 0;
  const server = new HandoffServer(
    handoffServer(path, {
      clock,
      onWorkerConnected: () => (workers += 1),
      onStreamStarted: (callId, carrierCallId) => events.push([callId, carrierCallId]),
    }),
  );
  await server.listen();
  onTestFinished(() => server.close());
  const handoff = handoffClient(path, {
    workerId: asWorkerId("a"),
    clock,
  });
  // While the control process is not connected nothing is sent; the call's end carries the id then.
  handoff.streamStarted(asCallId("call_0"), asCarrierCallId("CA0"));
  while (workers === 0) await new Promise((resolve) => setImmediate(resolve));
  handoff.streamStarted(asCallId("call_1"), asCarrierCallId("two\nlines \u0000 👋"));
  while (events.length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(events).toEqual([["call_1", "two\nlines \u0000 👋"]]);
  await handoff.close();
});
