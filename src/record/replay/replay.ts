import type { EndReason } from "../../core/calls/reasons.ts";
import { type CallMs, callMs } from "../../core/clocks.ts";
import { type JournalFile, readJournal } from "../journal/reader.ts";
import type { JournaledCommand, JournalRecord } from "../journal/records.ts";
import { isFailureJournaled, ReplayMachine } from "./machine.ts";

/** A command and its time, ms since redemption. */
export interface TimedCommand {
  timeMs: CallMs;
  command: JournaledCommand;
}

/** The journaled commands of a call and those of its replay. In a complete journal of this build they are equal. */
export interface Replay {
  journaled: TimedCommand[];
  replayed: TimedCommand[];
}

/**
 * Runs the state machine over the events of a journal.
 *
 * With `endReason`, a call whose journal has no end is ended for that reason at the time of its last record; without
 * it, the call stays as it is. Rejects with `journal_unreadable` when the journal has no words, because its events are
 * then incomplete, and with whatever the state machine throws.
 */
export async function replayJournal(journal: JournalFile, endReason?: EndReason): Promise<Replay> {
  const replaying = new ReplayRun();
  await readJournal(journal, (record) => replaying.take(record));
  replaying.checkFailure();
  if (endReason !== undefined) replaying.end(endReason);
  return replaying;
}

class ReplayRun implements Replay {
  readonly journaled: TimedCommand[] = [];
  readonly replayed: TimedCommand[] = [];
  #machine: ReplayMachine | undefined;
  #nowMs = callMs(0);

  take(record: JournalRecord): void {
    const { timeMs } = record;
    this.#nowMs = timeMs;
    if (record.kind === "command") this.journaled.push({ timeMs, command: record.command });
    else if (record.kind === "attached") return;
    else if (record.kind !== "header") {
      if (!isFailureJournaled(record)) this.checkFailure();
      this.#machine?.handle(record);
    } else {
      const sink = (command: JournaledCommand) => this.replayed.push({ timeMs: this.#nowMs, command });
      this.#machine = new ReplayMachine(record, sink);
    }
  }

  /** Throws the last error of the state machine, if there is one. */
  checkFailure(): void {
    const failure = this.#machine?.failure;
    if (failure !== undefined) throw failure;
  }

  end(reason: EndReason): void {
    this.#machine?.call.handle({ kind: "end-requested", reason }, this.#nowMs);
  }
}
