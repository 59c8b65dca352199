import { expect, test } from "vitest";
import { type LiveCalls, loadLiveCalls, summaryOf } from "../../../../web/dashboard/pages/live/load.ts";

/** What the page shows of so many calls in each state. */
async function liveOf(counts: Readonly<Record<string, number>>): Promise<LiveCalls> {
  const get = async (_path: string, { query }: { query: { status: string; limit: number } }) => {
    const count = counts[query.status] ?? 0;
    const data = Array.from({ length: Math.min(count, query.limit) }, () => ({ status: query.status }));
    return { data, nextCursor: count > query.limit ? "next" : null };
  };
  return await loadLiveCalls({ get } as never, new AbortController().signal);
}

test("the page counts the calls that are live", async () => {
  expect(summaryOf(await liveOf({ active: 3, ringing: 1, created: 1 }))).toBe("3 in progress, 2 not connected yet");
  expect(summaryOf(await liveOf({}))).toBe("");
});

test("where a state has more calls than the page shows, the page says so", async () => {
  const live = await liveOf({ active: 240, queued: 100, created: 2 });
  expect([live.calls.length, live.cut]).toEqual([202, ["active"]]);
  expect(summaryOf(live)).toBe("100 or more in progress, 102 not connected yet");
  expect(summaryOf(await liveOf({ active: 1, queued: 101 }))).toBe("1 in progress, 100 or more not connected yet");
});
