import type { CallSnapshot } from "../../call/snapshot.ts";
import type { TranscriptTurn } from "../../core/calls/transcript.ts";
import { addMs, type CallMs, callMs, earliest } from "../../core/clocks.ts";
import { EventLister, type ListedEvent } from "../events/event-list.ts";
import { type JournalFile, readJournal } from "../journal/reader.ts";
import { type JournalRecord, journalUnreadable } from "../journal/records.ts";
import { isFailureJournaled, ReplayMachine } from "./machine.ts";

/** How much before and after a time is shown with it. */
const CONTEXT_BEFORE_MS = 3_000;
const CONTEXT_AFTER_MS = 1_000;

/** The state of a call at one time, with the events around it. */
export interface Trace {
  /** ms since redemption; at most the time of the journal's last record. */
  atMs: CallMs;
  /** The journaled events and commands around that time, in order. */
  events: readonly ListedEvent[];
  /** The transcript until then: completed turns. */
  turns: readonly TranscriptTurn[];
  /** The call's state, by the state machine of this build. */
  snapshot: CallSnapshot;
}

/**
 * Runs the state machine over a journal until `atMs` and returns the call's state. If the state machine fails before
 * that, the state is that at the failure.
 *
 * Rejects with `journal_unreadable`, also when the journal has no words or is of a live transcription.
 */
export async function traceJournal(journal: JournalFile, atMs: CallMs): Promise<Trace> {
  const builder = new TraceBuilder(atMs);
  await readJournal(journal, (record) => builder.take(record));
  return builder.trace();
}

class TraceBuilder {
  readonly #untilMs: CallMs;
  readonly #turns: TranscriptTurn[] = [];
  #machine: ReplayMachine | undefined;
  #lister: EventLister | undefined;
  #listed: ListedEvent[] = [];
  #lastMs = callMs(0);
  #failed = false;

  constructor(untilMs: CallMs) {
    this.#untilMs = untilMs;
  }

  take(record: JournalRecord): void {
    if (record.kind === "header") {
      this.#machine = new ReplayMachine(record, (command) => {
        if (command.kind === "turn") this.#turns.push(command.turn);
      });
      this.#lister = new EventLister(record.header, (event) => this.#listed.push(event));
      return;
    }
    const { timeMs } = record;
    if (timeMs <= addMs(this.#untilMs, CONTEXT_AFTER_MS)) this.#lister?.take(record);
    if (timeMs > this.#untilMs) return;
    this.#lastMs = timeMs;
    if (record.kind === "command" || record.kind === "attached" || this.#failed) return;
    // After a failure the state stays as it is; `compareJournal` reports the failure.
    this.#failed = this.#machine?.failure !== undefined && !isFailureJournaled(record);
    if (!this.#failed) this.#machine?.handle(record);
  }

  trace(): Trace {
    if (this.#machine === undefined) throw journalUnreadable("it is truncated within its header");
    const atMs = earliest(this.#untilMs, this.#lastMs);
    const events = this.#listed.filter(
      (event) => event.atMs >= addMs(atMs, -CONTEXT_BEFORE_MS) && event.atMs <= addMs(atMs, CONTEXT_AFTER_MS),
    );
    const { snapshot } = this.#machine.call;
    if (snapshot === undefined) throw journalUnreadable("a live transcription has no state of a conversation");
    return { atMs, events, turns: this.#turns, snapshot };
  }
}
