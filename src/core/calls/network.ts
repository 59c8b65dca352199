import { percentile } from "./latency.ts";

/**
 * What was measured of a leg on RTP since the report before. `In` is from the client to the service, `Out` the other
 * way, of which only the client knows: its figures are absent until it has reported. `lostIn` and `lostOut` are of
 * `packetsIn` and `packetsOut`, and negative where duplicates made up for more.
 */
export interface NetworkReport {
  packetsIn: number;
  lostIn: number;
  packetsOut: number;
  lostOut: number;
  /** RFC 3550, appendix A.8, at the time of the report. */
  jitterInMs: number;
  jitterOutMs?: number;
  roundTripMs?: number;
}

/** The network of a call in its record; absent is what was not measured. */
export interface CallNetwork {
  lossInPercent?: number;
  lossOutPercent?: number;
  jitterInMs?: number;
  jitterOutMs?: number;
  roundTripMs?: number;
}

/**
 * The figures of all reports of a call: loss over all of its packets, and the medians of the others, which one bad
 * second does not change. Undefined without a report.
 */
export function networkOf(reports: readonly NetworkReport[]): CallNetwork | undefined {
  if (reports.length === 0) return undefined;
  const lossInPercent = percentOf(sumOf(reports, "lostIn"), sumOf(reports, "packetsIn"));
  const lossOutPercent = percentOf(sumOf(reports, "lostOut"), sumOf(reports, "packetsOut"));
  const jitterInMs = medianOf(reports, "jitterInMs");
  const jitterOutMs = medianOf(reports, "jitterOutMs");
  const roundTripMs = medianOf(reports, "roundTripMs");
  return {
    ...(lossInPercent !== undefined && { lossInPercent }),
    ...(lossOutPercent !== undefined && { lossOutPercent }),
    ...(lossInPercent !== undefined && jitterInMs !== undefined && { jitterInMs }),
    ...(jitterOutMs !== undefined && { jitterOutMs }),
    ...(roundTripMs !== undefined && { roundTripMs }),
  };
}

const sumOf = (reports: readonly NetworkReport[], name: keyof NetworkReport): number =>
  reports.reduce((sum, { [name]: value = 0 }) => sum + value, 0);

/** To hundredths; undefined without packets. The client may report anything. */
const percentOf = (lost: number, packets: number): number | undefined =>
  packets === 0 ? undefined : Math.round(10_000 * Math.min(1, Math.max(0, lost / packets))) / 100;

function medianOf(reports: readonly NetworkReport[], name: keyof NetworkReport): number | undefined {
  const sorted = reports.flatMap(({ [name]: value }) => value ?? []).sort((a, b) => a - b);
  return sorted.length === 0 ? undefined : percentile(sorted, 50);
}
