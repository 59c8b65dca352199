import { expect, test } from "vitest";
import { asAccountId, asCallId, asWorkerId } from "../../../src/core/ids.ts";
import type { Cancellation } from "../../../src/store/calls/call-store.ts";
import { EndRequests } from "../../../src/store/handoff/end-requests.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";

const CALL = { id: asCallId("call_1"), accountId: asAccountId("account_1") };

function scene(found: Partial<Cancellation>, failures = 0) {
  const clock = new ManualClock();
  const events: string[] = [];
  let left = failures;
  const ends = new EndRequests({
    calls: {
      async cancel(accountId, callId) {
        left -= 1;
        if (left >= 0) throw new Error("the store is away");
        events.push(`cancel ${accountId} ${callId}`);
        return found as Cancellation;
      },
    },
    endCall: (workerId, callId) => {
      events.push(`end ${workerId} ${callId}`);
      return workerId !== "away";
    },
    clock,
    log: memoryLog().log,
  });
  return { clock, ends, events };
}

test("ADV-M5: a call whose end was requested is ended when its redemption is returned, however often the store fails", async () => {
  const { clock, ends, events } = scene({ cancelled: true }, 2);
  expect(ends.request(asWorkerId("worker-1"), CALL)).toBe(true);
  await ends.redemptionReturned(CALL.id);
  await clock.play(5_000);
  expect(events).toEqual(["end worker-1 call_1", "cancel account_1 call_1"]);
  await ends.redemptionReturned(CALL.id);
  expect(events).toHaveLength(2);
});

test("ADV-M5: a call that was redeemed again before that is ended by its next worker", async () => {
  const { ends, events } = scene({ workerId: asWorkerId("worker-2"), cancelled: false });
  ends.request(asWorkerId("worker-1"), CALL);
  await ends.redemptionReturned(CALL.id);
  expect(events.at(-1)).toBe("end worker-2 call_1");
});

test("ADV-M5: a returned call without a request to end, or whose worker could not be reached, waits for its stream", async () => {
  const { ends, events } = scene({});
  await ends.redemptionReturned(CALL.id);
  expect(ends.request(asWorkerId("away"), CALL)).toBe(false);
  await ends.redemptionReturned(CALL.id);
  ends.request(asWorkerId("worker-1"), CALL);
  ends.callEnded(CALL.id);
  await ends.redemptionReturned(CALL.id);
  expect(events).toEqual(["end away call_1", "end worker-1 call_1"]);
});
