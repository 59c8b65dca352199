import { strict as assert } from "node:assert";
import type { ConnectionType } from "../../core/calls/spec.ts";
import { OPUS_REFUSALS } from "../../core/metrics/labels.ts";
import type { CallCounts } from "../../core/metrics/worker-readings.ts";
import type { CallReading } from "./call-counters.ts";

type Countable = Pick<CallReading, "connectionType"> & { counts: Readonly<CallCounts> };

/** The counters of all calls of a process, by connection type; types without calls report 0. */
export class TotalCounters {
  /** Sums over ended calls. */
  readonly #ended: ReadonlyMap<ConnectionType, CallCounts>;

  /** `connectionTypes`: all that calls can have. */
  constructor(connectionTypes: readonly ConnectionType[]) {
    this.#ended = new Map(connectionTypes.map((type) => [type, zeroCounts()]));
  }

  /** Adds the counters of a call that has ended. */
  addEnded(reading: Countable): void {
    add(this.#ended, reading);
  }

  /** The sums over ended calls and the given live ones. */
  withLive(readings: readonly Countable[]): Map<ConnectionType, CallCounts> {
    const sums = new Map([...this.#ended].map(([type, counts]) => [type, copyOf(counts)]));
    for (const reading of readings) add(sums, reading);
    return sums;
  }
}

function add(sums: ReadonlyMap<ConnectionType, CallCounts>, { connectionType, counts }: Countable): void {
  const sum = sums.get(connectionType);
  assert.ok(sum !== undefined, "every connection type has counters from the start");
  addCounts(sum, counts);
}

/** New counts, all zero; the caller owns them. */
export const zeroCounts = (): CallCounts => ({
  framesIn: 0,
  framesOut: 0,
  late: 0,
  underruns: 0,
  malformed: 0,
  ignored: 0,
  flooded: 0,
  early: 0,
  lateAudio: 0,
  duplicateAudio: 0,
  staleAudio: 0,
  parametersDropped: 0,
  echoFrames: 0,
  opusRefused: zeroRefusals(),
});

/** New counts of refused Opus packets, all zero. */
export const zeroRefusals = (): CallCounts["opusRefused"] => ({
  too_large: 0,
  too_long: 0,
  no_frames: 0,
  corrupted: 0,
});

const copyOf = (counts: Readonly<CallCounts>): CallCounts => ({ ...counts, opusRefused: { ...counts.opusRefused } });

/** Adds the counters of one call to `sum`. */
export function addCounts(sum: CallCounts, counts: Readonly<CallCounts>): void {
  sum.framesIn += counts.framesIn;
  sum.framesOut += counts.framesOut;
  sum.late += counts.late;
  sum.underruns += counts.underruns;
  sum.malformed += counts.malformed;
  sum.ignored += counts.ignored;
  sum.flooded += counts.flooded;
  sum.early += counts.early;
  sum.lateAudio += counts.lateAudio;
  sum.duplicateAudio += counts.duplicateAudio;
  sum.staleAudio += counts.staleAudio;
  sum.parametersDropped += counts.parametersDropped;
  sum.echoFrames += counts.echoFrames;
  for (const reason of OPUS_REFUSALS) sum.opusRefused[reason] += counts.opusRefused[reason];
}
