import type { ReplayCheck } from "../../core/calls/replay-check.ts";
import { callMs, millisecondsOf } from "../../core/clocks.ts";
import { SOFTWARE } from "../../core/runtime/version.ts";
import type { JournalFile } from "../journal/reader.ts";
import { compareJournal, type Difference } from "./comparison.ts";

/**
 * Replays a journal to its end and says whether the call can be explained by it. Rejects as `compareJournal` does; with `unavailable`
 * once `signal` is aborted.
 */
export async function checkReplay(journal: JournalFile, signal: AbortSignal): Promise<ReplayCheck> {
  const compared = await compareJournal(journal, callMs(Number.POSITIVE_INFINITY), signal);
  const { header, events, commands, comparedUntilMs, truncated, pausedAtMs, difference } = compared;
  return {
    identical: difference === undefined,
    events,
    commands,
    comparedUntilMs: millisecondsOf(comparedUntilMs),
    truncated,
    pausedAtMs: pausedAtMs && millisecondsOf(pausedAtMs),
    writtenBy: header.software,
    replayedBy: SOFTWARE,
    difference: difference && summaryOf(difference),
  };
}

const summaryOf = ({ atMs, after, journaled, replayed }: Difference): ReplayCheck["difference"] => ({
  atMs: millisecondsOf(atMs),
  after: after?.kind === "event" ? after.event.kind : after?.kind,
  journaled: journaled?.kind,
  replayed: replayed?.kind,
});
