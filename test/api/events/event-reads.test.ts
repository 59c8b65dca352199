import { expect, test } from "vitest";
import { EventReads } from "../../../src/api/events/event-reads.ts";
import { type AccountId, asAccountId } from "../../../src/core/ids.ts";
import { EVENT_PAGES_SHARED_MAX } from "../../../src/core/limits/control-api/events.ts";
import type { StreamEvent } from "../../../src/store/webhooks/event-stream-store.ts";

const [ONE, OTHER] = ["1", "2"].map((digit) => asAccountId(`account_01980000-0000-7000-8000-00000000000${digit}`)) as [
  AccountId,
  AccountId,
];

/** Reads of a store that has one event after every number, and counts what it is asked. */
function countedReads() {
  const asked: string[] = [];
  const reads = new EventReads({
    events: {
      read: async (accountId, after) => {
        asked.push(`${accountId === ONE ? "one" : "other"} after ${after}`);
        const event = { type: "call.ended", callId: `call_${after}`, createdAtMs: 0, sequence: after + 1 };
        return [{ ...event, id: `event_${after}`, accountId } as unknown as StreamEvent];
      },
    },
    documents: {
      calls: {
        get: async (_account: AccountId, callId: string) => {
          asked.push(callId);
          return undefined;
        },
      },
    } as never,
  });
  return { reads, asked };
}

test("streams of an account at the same place read once, and have its messages made once", async () => {
  const { reads, asked } = countedReads();
  const pages = await Promise.all([reads.read(ONE, 7), reads.read(ONE, 7), reads.read(ONE, 7)]);
  const messages = await Promise.all(pages.map(([event]) => event?.message()));
  // Its call was deleted.
  expect(messages).toEqual([undefined, undefined, undefined]);
  expect(asked).toEqual(["one after 7", "call_7"]);
});

test("another place, and another account, is read by itself", async () => {
  const { reads, asked } = countedReads();
  await Promise.all([reads.read(ONE, 7), reads.read(ONE, 8), reads.read(OTHER, 7)]);
  expect(asked).toEqual(["one after 7", "one after 8", "other after 7"]);
});

test("a stream that catches up over many reads does not fill the memory", async () => {
  const { reads, asked } = countedReads();
  for (let after = 0; after <= EVENT_PAGES_SHARED_MAX; after += 1) await reads.read(ONE, after);
  await reads.read(ONE, 0);
  expect(asked.filter((what) => what === "one after 0")).toHaveLength(2);
});
