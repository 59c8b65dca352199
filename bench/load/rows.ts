import { FRAME_MS } from "../../src/core/limits/streams/media.ts";
import type { CompareResult, ContestantName } from "../compare/result.ts";
import type { Spread } from "../harness/statistics.ts";
import type { Measured } from "../measurement/result.ts";
import type { Colour } from "../report/charts.ts";

// What terminals and pages show of servers under load, under the same names.

export interface LatencyRow {
  title: string;
  colour: Colour;
  dashed: boolean;
  /** Shown in the chart; the others only stand in the table. */
  charted: boolean;
  spread: Spread;
}

/** Every kind of latency that was measured, the references first. */
export function latencyRows({ contestants }: CompareResult): LatencyRow[] {
  return contestants.flatMap(({ name, title, latency }) => {
    const row = (what: string, spread: Spread | undefined, { dashed = false, charted = true } = {}): LatencyRow[] =>
      spread === undefined ? [] : [{ title: `${title}: ${what}`, colour: colourOf(name), dashed, charted, spread }];
    return [
      ...row("sent → back at the caller", latency.roundTrip),
      ...row("sent → received by the STT", latency.toStt),
      ...row("due → written", latency.written, { dashed: true }),
      ...row("due → read by the caller", latency.arrived, { charted: false }),
    ];
  });
}

/**
 * What a call added to the memory of the process, KiB: the most of all rounds. That is the first one's, as a rule, which holds
 * what the process needs once, too; later rounds find memory that is there already.
 */
export const memoryOf = ({ rounds }: Pick<Measured, "rounds">): number =>
  Math.max(...rounds.map(({ memoryPerCallBytes }) => memoryPerCallBytes)) / 1_024;

/** Full-duplex calls for which a core would do, by CPU time alone: an estimate, straight on from the load that was measured. */
export const callsPerCore = ({ cost }: Pick<Measured, "cost">): number => 1e6 / (cost.totalUs * (1_000 / FRAME_MS));

const COLOURS: Readonly<Record<ContestantName, Colour>> = {
  echo: "echo",
  typical: "typical",
  trunkline: "ours",
  trunkline_ws: "ws",
  trunkline_recorded: "extra",
};

export const colourOf = (name: ContestantName): Colour => COLOURS[name];
