import { expect, test } from "vitest";
import { monotonicMs } from "../../../src/core/clocks.ts";
import { NetworkReporter } from "../../../src/media/rtp/network-reporter.ts";
import { rtpPacket } from "../../../src/media/rtp/packet.ts";
import { type RtpReadings, RtpReception } from "../../../src/media/rtp/reception.ts";

const fresh = (): RtpReadings => ({ ...new RtpReception("ours").readings });

test("without packets there is no report", () => {
  expect(new NetworkReporter().take(fresh())).toBeUndefined();
});

test("a report has what came since the one before, and what the client has not reported is absent", () => {
  const reporter = new NetworkReporter();
  const readings = { ...fresh(), packetsExpected: 100, packetsLost: 3, jitterMs: 4.26 };
  expect(reporter.take(readings)).toEqual({ packetsIn: 100, lostIn: 3, packetsOut: 0, lostOut: 0, jitterInMs: 4.3 });
  expect(reporter.take(readings)).toBeUndefined();
  const client = { peerPacketsExpected: 80, peerPacketsLost: 2, peerJitterMs: 1.04, roundTripMs: 38.46 };
  expect(reporter.take({ ...readings, packetsExpected: 150, ...client })).toEqual({
    ...{ packetsIn: 50, lostIn: 0, jitterInMs: 4.3 },
    ...{ packetsOut: 80, lostOut: 2, jitterOutMs: 1, roundTripMs: 38.5 },
  });
  expect(reporter.take({ ...readings, packetsExpected: 150, ...client, peerPacketsExpected: 90 })).toMatchObject({
    ...{ packetsIn: 0, packetsOut: 10, lostOut: 0 },
  });
});

test("a stream that restarts is counted with the one before", () => {
  const reception = new RtpReception("ours");
  const packet = (ssrc: number, sequence: number, verdict: "taken" | "restarted" = "taken"): void => {
    const header = { payloadType: 111, marker: false, sequence, timestamp: 960 * sequence, ssrc };
    reception.received({ ...rtpPacket(), ...header }, verdict, monotonicMs(20 * sequence));
  };
  packet(1, 0);
  packet(1, 9);
  packet(2, 500, "restarted");
  packet(2, 502);
  expect(new NetworkReporter().take(reception.readings)).toMatchObject({ packetsIn: 13, lostIn: 9 });
});
