import type { CallMs } from "../../core/clocks.ts";
import type { TurnId } from "../../core/ids.ts";

/** From the first to the second, ms since redemption. */
export type Interval = readonly [fromMs: CallMs, toMs: CallMs];

/** A part of the audio of one reply, in samples from its beginning, as often as they are sent. */
export type SampleRange = readonly [from: number, to: number];

/** What the journal of a call may not keep. */
export interface FoundInCall {
  /** The redacted texts of the records that have words, in the order of these records: see `textsOf`. */
  readonly texts: readonly string[];
  /** When the caller said it. */
  readonly callerIntervals: readonly Interval[];
  /** Where in its replies the agent said it. */
  readonly agentRanges: ReadonlyMap<TurnId, readonly SampleRange[]>;
}
