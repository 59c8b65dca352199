import { expect, test } from "vitest";
import { CONNECTION_TYPES } from "../../../src/carriers/list.ts";
import { TotalCounters, zeroCounts } from "../../../src/gateway/metrics/total-counters.ts";

test("sums of ended and live calls are kept by connection type, and types without calls report 0", () => {
  const totals = new TotalCounters(CONNECTION_TYPES);
  const reading = (connectionType: "carrier_a" | "websocket", framesIn: number) => ({
    connectionType,
    counts: { ...zeroCounts(), framesIn, ignored: 1 },
  });
  totals.addEnded(reading("carrier_a", 50));
  totals.addEnded(reading("carrier_a", 7));
  const sums = totals.withLive([reading("carrier_a", 100), reading("websocket", 3)]);
  expect(sums.get("carrier_a")).toEqual({ ...zeroCounts(), framesIn: 157, ignored: 3 });
  expect(sums.get("websocket")).toEqual({ ...zeroCounts(), framesIn: 3, ignored: 1 });
  expect(sums.get("carrier_c")).toEqual(zeroCounts());
});

test("live calls are not added for good, because their counters keep changing", () => {
  const totals = new TotalCounters(CONNECTION_TYPES);
  const live = { connectionType: "carrier_b" as const, counts: { ...zeroCounts(), late: 2 } };
  expect(totals.withLive([live]).get("carrier_b")?.late).toBe(2);
  expect(totals.withLive([live]).get("carrier_b")?.late).toBe(2);
  expect(totals.withLive([]).get("carrier_b")?.late).toBe(0);
});
