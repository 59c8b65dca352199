import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type NetworkReport, networkOf } from "../../../src/core/calls/network.ts";

const report = (of: Partial<NetworkReport> = {}): NetworkReport => ({
  packetsIn: 500,
  lostIn: 0,
  packetsOut: 500,
  lostOut: 0,
  jitterInMs: 4,
  ...of,
});

describe("the network of a call", () => {
  test("is unknown without a report", () => {
    expect(networkOf([])).toBeUndefined();
  });

  test("has the loss of all packets, whatever the length of a report", () => {
    const reports = [
      report({ lostIn: 50, packetsOut: 100 }),
      report({ packetsIn: 1_500, lostOut: 3, packetsOut: 900 }),
    ];
    expect(networkOf(reports)).toMatchObject({ lossInPercent: 2.5, lossOutPercent: 0.3 });
  });

  test("has medians of jitter and round trip, which one bad report does not change", () => {
    const figures = [3.1, 400, 2.9].map((ms) => report({ jitterInMs: ms, jitterOutMs: ms + 1, roundTripMs: 10 * ms }));
    expect(networkOf(figures)).toMatchObject({ jitterInMs: 3.1, jitterOutMs: 4.1, roundTripMs: 31 });
  });

  test("leaves out what was not measured", () => {
    expect(networkOf([report({ packetsOut: 0 })])).toEqual({ lossInPercent: 0, jitterInMs: 4 });
    expect(networkOf([report({ packetsIn: 0, jitterInMs: 0 })])).toEqual({ lossOutPercent: 0 });
  });

  test("is a share of 0 to 100, whatever the client reports", () => {
    const counts = fc.integer({ min: -0x80_0000, max: 0x7f_ffff });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(500), counts), { minLength: 1 }), (given) => {
        const reports = given.map(([packetsOut, lostOut]) => report({ packetsOut, lostOut }));
        const { lossOutPercent = 0 } = networkOf(reports) ?? {};
        expect(lossOutPercent).toBeGreaterThanOrEqual(0);
        expect(lossOutPercent).toBeLessThanOrEqual(100);
      }),
    );
  });
});
