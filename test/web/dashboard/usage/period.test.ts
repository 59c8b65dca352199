import { expect, test } from "vitest";
import { daysOf, periodOf, rangeOf } from "../../../../web/dashboard/pages/usage/period.ts";

const NOW_MS = Date.parse("2026-11-28T23:30:00Z");

test.each([
  { query: {}, firstDay: "2026-10-30", lastDay: "2026-11-28", why: "30 days up to today without anything" },
  { query: { days: "7" }, firstDay: "2026-11-22", lastDay: "2026-11-28", why: "one of the lengths" },
  { query: { days: "8" }, firstDay: "2026-10-30", lastDay: "2026-11-28", why: "the default for a length that is none" },
  { query: { from: "2026-11-01" }, firstDay: "2026-11-01", lastDay: "2026-11-28", why: "from a day until today" },
  { query: { to: "2026-03-01" }, firstDay: "2026-01-31", lastDay: "2026-03-01", why: "the days before an end" },
  { query: { from: "2026-13-01", to: "soon" }, firstDay: "2026-10-30", lastDay: "2026-11-28", why: "what is no day" },
])("an address has its period: $why", ({ query, firstDay, lastDay }) => {
  expect(periodOf(query, NOW_MS)).toEqual({ firstDay, lastDay });
});

test("the service is asked for the whole of both days, in UTC", () => {
  expect(rangeOf({ firstDay: "2026-02-28", lastDay: "2026-02-28" })).toEqual({
    from: "2026-02-28T00:00:00.000Z",
    to: "2026-03-01T00:00:00.000Z",
  });
});

test("a period has all of its days, and none where it ends before it begins", () => {
  expect(daysOf({ firstDay: "2026-02-27", lastDay: "2026-03-02" })).toEqual([
    "2026-02-27",
    "2026-02-28",
    "2026-03-01",
    "2026-03-02",
  ]);
  expect(daysOf({ firstDay: "2026-03-02", lastDay: "2026-03-01" })).toEqual([]);
});
