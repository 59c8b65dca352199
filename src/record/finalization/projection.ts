import type { CallEvent } from "../../call/events.ts";
import type { EndReason, TranscriptTurn } from "../../core/calls/spec.ts";
import type { JournalHeader } from "../journal/records.ts";
import { type FrameCounts, summarizeJournal } from "../journal/summary.ts";
import { replayJournal, type TimedCommand } from "../replay/replay.ts";
import { isSubsetEqual } from "../replay/subset-equal.ts";

type UsageEvent = Extract<CallEvent, { kind: "usage" }>;

/** The record of a call, as its journal tells it. */
export interface ProjectedCall {
  header: JournalHeader;
  /** What was heard, in order; without text when the call was not to be recorded. */
  turns: TranscriptTurn[];
  endReason: EndReason;
  /** The carrier's own id for the call; undefined where it had none, or never came. */
  carrierCallId: string | undefined;
  /** What providers did for it, part by part. */
  usageEvents: readonly UsageEvent[];
  /** From redemption to the end, or to the last thing that was journaled. */
  durationMs: number;
  frames: FrameCounts;
  /** The journal has its call's end. Where it breaks off `endReason` is what the call machine made of that. */
  hasEnd: boolean;
  /** The journal has its end, and the audio of all frames that should have some. */
  complete: boolean;
}

/**
 * Makes the record of a call from its journal. Of a call whose journal has no end, because its worker died, the call machine is
 * run again over what was journaled, and then ended: so the turns are there as they were heard until that moment, the unfinished
 * ones too.
 *
 * Rejects with `journal_unreadable`.
 */
export async function projectJournal(path: string): Promise<ProjectedCall> {
  const journaled: TimedCommand[] = [];
  const used: UsageEvent[] = [];
  let carrierCallId: string | undefined;
  const { header, durationMs, endReason, frames, complete } = await summarizeJournal(path, (record) => {
    if (record.kind === "command") journaled.push({ timeMs: record.timeMs, command: record.command });
    else if (record.kind === "event" && record.event.kind === "usage") used.push(record.event);
    else if (record.kind === "event" && record.event.kind === "leg-started") carrierCallId = record.event.carrierCallId;
  });
  const told = { header, carrierCallId, usageEvents: used, durationMs, frames, complete };
  if (endReason !== undefined) return { ...told, hasEnd: true, endReason, turns: turnsOf(journaled) };
  const commands = header.spec === undefined ? journaled : await replayToEnd(path, journaled);
  const last = commands.at(-1)?.command;
  const lost = last?.kind === "end" ? last.reason : "worker_lost";
  return { ...told, hasEnd: false, endReason: lost, turns: turnsOf(commands) };
}

/** The commands of a call that broke off, and those that end it; without the latter where the call cannot be run again as it was. */
async function replayToEnd(path: string, journaled: TimedCommand[]): Promise<TimedCommand[]> {
  try {
    const { replayed } = await replayJournal(path, "worker_lost");
    // Another version of the call machine may decide otherwise than the one that spoke with the caller.
    return isSubsetEqual(journaled, replayed.slice(0, journaled.length)) ? replayed : journaled;
  } catch {
    // What broke the worker may break the replay too; then what was journaled is what there is.
    return journaled;
  }
}

function turnsOf(commands: readonly TimedCommand[]): TranscriptTurn[] {
  return commands.flatMap(({ command }) => (command.kind === "turn" ? [command.turn] : []));
}
