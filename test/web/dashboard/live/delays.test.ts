import { expect, test } from "vitest";
import { withDelay } from "../../../../web/dashboard/pages/live/delays.ts";

const turn = (callId: unknown, delayMs: unknown) => ({ id: "", type: "call.turn", data: { callId, delayMs } });

test("the latest delay of each call is shown until the call has ended", () => {
  const one = withDelay(new Map(), turn("call_1", 900));
  const two = withDelay(withDelay(one, turn("call_2", 500)), turn("call_1", 700));
  expect([...two]).toEqual([
    ["call_1", 700],
    ["call_2", 500],
  ]);
  const ended = { id: "event_1", type: "call.ended", data: { call: { id: "call_1" } } };
  expect([...withDelay(two, ended)]).toEqual([["call_2", 500]]);
});

test("other events, and events of another form, change nothing", () => {
  const delays = new Map([["call_1", 900]]);
  for (const event of [
    turn(1, 2),
    turn("call_1", "3"),
    { id: "", type: "events.lost" },
    { id: "1", type: "call.ended" },
  ])
    expect(withDelay(delays, event)).toBe(delays);
});
