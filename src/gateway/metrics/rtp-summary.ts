import type { RtpReadings } from "../../media/rtp/reception.ts";

/** What is known of the RTP of a call; both keep changing. */
export interface RtpCounts {
  readonly readings: Readonly<RtpReadings>;
  readonly counters: object;
}

/** The fields of the log line `call ended`. Numbers only. */
export const rtpSummary = ({ readings, counters }: RtpCounts): object => ({
  packetsLost: readings.packetsLost,
  jitterMs: rounded(readings.jitterMs),
  peerPacketsLost: rounded(readings.peerPacketsLost),
  peerJitterMs: rounded(readings.peerJitterMs),
  roundTripMs: rounded(readings.roundTripMs),
  ...counters,
});

/** To tenths; undefined where it is unknown. */
const rounded = (value: number): number | undefined => (Number.isNaN(value) ? undefined : Math.round(value * 10) / 10);
