import type { EndReason } from "../../core/calls/spec.ts";
import { readJournal } from "../journal/reader.ts";
import type { JournaledCommand, JournalRecord } from "../journal/records.ts";
import { isFailureJournaled, ReplayMachine } from "./machine.ts";

/** A command, and when it was given, in ms since redemption. */
export interface TimedCommand {
  timeMs: number;
  command: JournaledCommand;
}

/** What a call did, and what the call machine makes of the same events again. In a whole journal of this software they are equal. */
export interface Replay {
  journaled: TimedCommand[];
  replayed: TimedCommand[];
}

/**
 * Runs the call machine over the events of a journal.
 *
 * With `endReason` a call that the journal does not see the end of is ended for that reason at its last moment; without, it is
 * left where it is. Rejects with `journal_unreadable` when the call was not to be recorded, for then its events are not whole; and
 * with whatever the call machine throws.
 */
export async function replayJournal(path: string, endReason?: EndReason): Promise<Replay> {
  const replaying = new ReplayRun();
  await readJournal(path, (record) => replaying.take(record));
  replaying.checkFailure();
  if (endReason !== undefined) replaying.end(endReason);
  return replaying;
}

class ReplayRun implements Replay {
  readonly journaled: TimedCommand[] = [];
  readonly replayed: TimedCommand[] = [];
  #machine: ReplayMachine | undefined;
  #nowMs = 0;

  take(record: JournalRecord): void {
    const { timeMs } = record;
    this.#nowMs = timeMs;
    if (record.kind === "command") this.journaled.push({ timeMs, command: record.command });
    else if (record.kind !== "header") {
      if (!isFailureJournaled(record)) this.checkFailure();
      this.#machine?.handle(record);
    } else {
      const sink = (command: JournaledCommand) => this.replayed.push({ timeMs: this.#nowMs, command });
      this.#machine = new ReplayMachine(record.header, sink);
    }
  }

  /** Throws what the machine threw last, if it did. */
  checkFailure(): void {
    const failure = this.#machine?.failure;
    if (failure !== undefined) throw failure;
  }

  end(reason: EndReason): void {
    this.#machine?.call.handle({ kind: "end-requested", reason }, this.#nowMs);
  }
}
