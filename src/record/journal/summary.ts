import type { EndReason } from "../../core/calls/reasons.ts";
import { callMs, millisecondsOf } from "../../core/clocks.ts";
import { type JournalFile, readJournal } from "./reader.ts";
import { type JournalHeader, type JournalRecord, journalUnreadable } from "./records.ts";

/** Frames of a call; `missingAudio` counts those whose audio should be in the journal and is not. */
export interface FrameCounts {
  in: number;
  out: number;
  missingAudio: number;
}

/** The result of reading a journal once. */
export interface JournalSummary {
  header: JournalHeader;
  /** From redemption to the end, or to the last record. */
  durationMs: number;
  /** Undefined when the journal is truncated because its worker died or its disk failed. */
  endReason: EndReason | undefined;
  frames: FrameCounts;
  /** Whether the journal has its end, and the audio of every frame whose audio was to be recorded. */
  complete: boolean;
}

/**
 * Reads a journal once and passes every record to `onRecord`. Rejects with `journal_unreadable`, also without a header.
 */
export async function summarizeJournal(
  journal: JournalFile,
  onRecord: (record: JournalRecord) => void,
): Promise<JournalSummary> {
  const builder = new SummaryBuilder();
  const { torn } = await readJournal(journal, (record) => {
    builder.take(record);
    onRecord(record);
  });
  const { header, lastMs, endReason, frames } = builder;
  if (header === undefined) throw journalUnreadable("it is truncated within its header");
  const hasOwnEnd = endReason !== undefined && header.redaction?.recovered !== true;
  const complete = hasOwnEnd && !torn && frames.missingAudio === 0;
  return { header, durationMs: millisecondsOf(lastMs), endReason, frames, complete };
}

class SummaryBuilder {
  readonly frames: FrameCounts = { in: 0, out: 0, missingAudio: 0 };
  header: JournalHeader | undefined;
  lastMs = callMs(0);
  endReason: EndReason | undefined;

  take(record: JournalRecord): void {
    this.lastMs = record.timeMs;
    switch (record.kind) {
      case "header":
        this.header = record.header;
        return;
      case "frame-in":
        this.frames.in += 1;
        if (record.audioOmitted) this.frames.missingAudio += 1;
        return;
      case "frame-out":
        this.frames.out += 1;
        if (record.audioOmitted) this.frames.missingAudio += 1;
        return;
      case "command":
        if (record.command.kind === "end") this.endReason = record.command.reason;
        return;
      case "event":
      case "attached":
        return;
    }
  }
}
