import { expect, test } from "vitest";
import type { CallActivity } from "../../../src/core/calls/activity.ts";
import { asAccountId, asCallId } from "../../../src/core/ids.ts";
import { ACTIVITY_REPORT_MS } from "../../../src/core/limits/control-api/events.ts";
import { ActivityReports } from "../../../src/store/handoff/activity-reports.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const call = (name: string, changes: Partial<CallActivity> = {}): CallActivity => ({
  callId: asCallId(name),
  accountId: asAccountId("account_1"),
  state: "listening",
  agentTurns: 0,
  callerTurns: 0,
  ...changes,
});

function reporting() {
  const clock = new ManualClock();
  const sent: (readonly CallActivity[])[] = [];
  const now = { calls: [call("call_1"), call("call_2")], takes: true };
  const reports = new ActivityReports({
    activity: () => now.calls,
    send: (calls) => {
      if (now.takes) sent.push(calls);
      return now.takes;
    },
    clock,
  });
  const second = () => clock.play(ACTIVITY_REPORT_MS);
  return { reports, sent, now, second };
}

test("a worker reports all of its calls at first, then once a second those that have changed, and nothing where none has", async () => {
  const { reports, sent, now, second } = reporting();
  reports.start();
  expect(sent).toEqual([now.calls]);
  await second();
  expect(sent).toHaveLength(1);
  const thinking = call("call_2", { state: "thinking" });
  const begun = call("call_3", { state: "opening" });
  now.calls = [call("call_1"), thinking, begun];
  await second();
  expect(sent.slice(1)).toEqual([[thinking, begun]]);
  const answered = call("call_2", { state: "thinking", turnDelayMs: 500 });
  now.calls = [answered];
  await second();
  expect(sent.slice(2)).toEqual([[answered]]);
});

test("a worker that is asked again reports all of its calls again with its next report: not more often for those who ask often", async () => {
  const { reports, sent, now, second } = reporting();
  reports.start();
  for (let i = 0; i < 10; i += 1) reports.start();
  expect(sent).toEqual([now.calls]);
  await second();
  expect(sent).toEqual([now.calls, now.calls]);
  await second();
  expect(sent).toHaveLength(2);
});

test("what could not be sent is reported later, and nothing after the end", async () => {
  const { reports, sent, now, second } = reporting();
  now.takes = false;
  reports.start();
  await second();
  now.takes = true;
  await second();
  expect(sent).toEqual([now.calls]);
  reports.stop();
  now.calls = [];
  now.calls.push(call("call_4"));
  await second();
  expect(sent).toHaveLength(1);
});
