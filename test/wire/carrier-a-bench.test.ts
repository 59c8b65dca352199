import { expect, test } from "vitest";
import { compareCarrierA } from "../../bench/micro/carrier-a.ts";

test("the comparison of carrier_a with the plain way still runs, and its fast paths allocate nothing", () => {
  const audio = Uint8Array.from({ length: 8_000 }, (_, at) => (at * 31) & 255);
  const compared = compareCarrierA(audio, 20);
  expect(compared.map(({ name }) => name)).toEqual(["decode", "encode"]);
  for (const { ratio, oursHeapBytes, plainHeapBytes } of compared) {
    expect(ratio).toBeGreaterThan(0);
    expect(oursHeapBytes).toBeLessThan(1);
    expect(plainHeapBytes).toBeGreaterThan(200);
  }
});
