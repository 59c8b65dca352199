import { expect, test } from "vitest";
import { measureCarrierA } from "../../bench/micro/carrier-a.ts";

test("the micro benchmark of carrier_a still runs, and its fast paths allocate nothing", () => {
  const measured = measureCarrierA(20);
  expect(measured.map(({ name }) => name)).toEqual(["carrier_a decode", "carrier_a encode"]);
  for (const { ratio, oursHeapBytes, plainHeapBytes } of measured) {
    expect(ratio).toBeGreaterThan(0);
    expect(oursHeapBytes).toBeLessThan(1);
    expect(plainHeapBytes).toBeGreaterThan(200);
  }
});
