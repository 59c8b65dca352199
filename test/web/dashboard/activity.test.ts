import { expect, test } from "vitest";
import { type Activities, withActivity } from "../../../web/dashboard/app/events/activity.ts";
import { LOST } from "../../../web/dashboard/app/events/event.ts";

const activity = (id: string, turnDelayMs: number | null) => ({
  ...{ id, state: "listening", agentTurns: 1, callerTurns: 1, turnDelayMs },
});
const reported = (...calls: unknown[]) => ({ id: "", type: "calls.activity", data: { calls } });

test("the latest activity of each call is known until the call has ended", () => {
  const one = withActivity(new Map(), reported(activity("call_1", null), activity("call_2", 500)));
  const two = withActivity(one, reported(activity("call_1", 700)));
  expect([...two.values()].map(({ id, turnDelayMs }) => [id, turnDelayMs])).toEqual([
    ["call_1", 700],
    ["call_2", 500],
  ]);
  const ended = { id: "event_1", type: "call.ended", data: { call: { id: "call_1" } } };
  expect([...withActivity(two, ended).keys()]).toEqual(["call_2"]);
});

test("after lost events nothing is known: a call may have ended among them", () => {
  const known: Activities = new Map([["call_1", activity("call_1", 900)]]);
  expect([...withActivity(known, LOST)]).toEqual([]);
});

test("other events, and events of another form, change nothing", () => {
  const known: Activities = new Map([["call_1", activity("call_1", 900)]]);
  for (const event of [
    { id: "1", type: "call.ended" },
    { id: "1", type: "calls.activity" },
  ])
    expect(withActivity(known, event)).toBe(known);
  expect([...withActivity(known, reported(null, 7, {})).keys()]).toEqual(["call_1"]);
});
