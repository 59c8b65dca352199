import type { NetworkReport } from "../../core/calls/network.ts";
import type { RtpReadings } from "./reception.ts";

type Totals = Pick<RtpReadings, "packetsExpected" | "packetsLost" | "peerPacketsExpected" | "peerPacketsLost">;

/** Divides the readings of one leg into reports, one after the other. */
export class NetworkReporter {
  #before: Totals = { packetsExpected: 0, packetsLost: 0, peerPacketsExpected: 0, peerPacketsLost: 0 };

  /** What came since the report before; undefined where nothing has. */
  take(readings: Readonly<RtpReadings>): NetworkReport | undefined {
    const before = this.#before;
    const { packetsExpected, packetsLost, peerPacketsExpected, jitterMs, peerJitterMs, roundTripMs } = readings;
    const peerPacketsLost = Number.isNaN(readings.peerPacketsLost) ? 0 : readings.peerPacketsLost;
    const packetsIn = packetsExpected - before.packetsExpected;
    const packetsOut = peerPacketsExpected - before.peerPacketsExpected;
    if (packetsIn === 0 && packetsOut === 0) return undefined;
    this.#before = { packetsExpected, packetsLost, peerPacketsExpected, peerPacketsLost };
    return {
      packetsIn,
      lostIn: packetsLost - before.packetsLost,
      packetsOut,
      lostOut: peerPacketsLost - before.peerPacketsLost,
      jitterInMs: toTenths(jitterMs),
      ...(Number.isNaN(peerJitterMs) ? {} : { jitterOutMs: toTenths(peerJitterMs) }),
      ...(Number.isNaN(roundTripMs) ? {} : { roundTripMs: toTenths(roundTripMs) }),
    };
  }
}

const toTenths = (ms: number): number => Math.round(ms * 10) / 10;
