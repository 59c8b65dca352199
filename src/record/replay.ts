import { Call } from "../call/call.ts";
import type { CallCommand } from "../call/events.ts";
import type { EndReason } from "../core/call-spec.ts";
import { readJournal } from "./journal-reader.ts";
import { type JournaledCommand, type JournalHeader, type JournalRecord, journalUnreadable } from "./journal-records.ts";
import { journaledCommand } from "./redact.ts";

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
  const replaying = new Replaying();
  await readJournal(path, (record) => replaying.take(record));
  if (endReason !== undefined) replaying.end(endReason);
  return replaying;
}

class Replaying implements Replay {
  readonly journaled: TimedCommand[] = [];
  readonly replayed: TimedCommand[] = [];
  #call: Call | undefined;
  #nowMs = 0;

  take(record: JournalRecord): void {
    this.#nowMs = record.timeMs;
    switch (record.kind) {
      case "header":
        this.#call = this.#begin(record.header);
        return;
      case "frame-in":
        this.#call?.handle({ kind: "frame-in", voiced: record.voiced, mediaMs: record.mediaMs }, record.timeMs);
        return;
      case "frame-out":
        this.#call?.handle({ kind: "frame-out", turnId: record.turnId, samples: record.samples }, record.timeMs);
        return;
      case "event":
        this.#call?.handle(record.event, record.timeMs);
        return;
      case "command":
        this.journaled.push({ timeMs: record.timeMs, command: record.command });
        return;
    }
  }

  end(reason: EndReason): void {
    this.#call?.handle({ kind: "end-requested", reason }, this.#nowMs);
  }

  #begin({ spec, leg, earHasPartials, parameters }: JournalHeader): Call {
    if (spec === undefined) throw journalUnreadable("its call was not to be recorded, and cannot be replayed");
    return new Call({
      spec,
      rateHz: leg.outboundRateHz,
      earHasPartials,
      parameters,
      sink: (command) => this.replayed.push({ timeMs: this.#nowMs, command: asJournaled(command) }),
    });
  }
}

/** Through JSON, as the journaled command went: what JSON does not tell apart must not differ here. */
const asJournaled = (command: CallCommand): JournaledCommand =>
  JSON.parse(JSON.stringify(journaledCommand(command, true))) as JournaledCommand;
