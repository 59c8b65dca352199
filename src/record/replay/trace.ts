import type { CallSnapshot } from "../../call/snapshot.ts";
import type { TranscriptTurn } from "../../core/calls/spec.ts";
import { EventLister, type ListedEvent } from "../events/event-list.ts";
import { readJournal } from "../journal/reader.ts";
import { type JournalRecord, journalUnreadable } from "../journal/records.ts";
import { isFailureJournaled, ReplayMachine } from "./machine.ts";

/** How much around a moment explains it. */
const CONTEXT_BEFORE_MS = 3_000;
const CONTEXT_AFTER_MS = 1_000;

/** One moment of a call, explained. */
export interface Trace {
  /** ms since redemption; the journal's last moment at most. */
  atMs: number;
  /** What happened around it and what the call did about it, as it was journaled, in the order of time. */
  events: readonly ListedEvent[];
  /** The transcript until then: turns that were over. */
  turns: readonly TranscriptTurn[];
  /** How the call stood, by the machine of this build. */
  snapshot: CallSnapshot;
}

/**
 * Runs the call machine over a journal until `atMs`, and tells how the call stood then. Where the machine fails before that,
 * it is told how it stood when it did.
 *
 * Rejects with `journal_unreadable`, also when the call was not to be recorded.
 */
export async function traceJournal(path: string, atMs: number): Promise<Trace> {
  const tracing = new TraceBuilder(atMs);
  await readJournal(path, (record) => tracing.take(record));
  return tracing.trace();
}

class TraceBuilder {
  readonly #untilMs: number;
  readonly #turns: TranscriptTurn[] = [];
  #machine: ReplayMachine | undefined;
  #lister: EventLister | undefined;
  #listed: ListedEvent[] = [];
  #lastMs = 0;
  #failed = false;

  constructor(untilMs: number) {
    this.#untilMs = untilMs;
  }

  take(record: JournalRecord): void {
    if (record.kind === "header") {
      this.#machine = new ReplayMachine(record.header, (command) => {
        if (command.kind === "turn") this.#turns.push(command.turn);
      });
      this.#lister = new EventLister(record.header, (event) => this.#listed.push(event));
      return;
    }
    const { timeMs } = record;
    if (timeMs <= this.#untilMs + CONTEXT_AFTER_MS) this.#lister?.take(record);
    if (timeMs > this.#untilMs) return;
    this.#lastMs = timeMs;
    if (record.kind === "command" || this.#failed) return;
    // Why it failed is for the comparison to tell.
    this.#failed = this.#machine?.failure !== undefined && !isFailureJournaled(record);
    if (!this.#failed) this.#machine?.handle(record);
  }

  trace(): Trace {
    if (this.#machine === undefined) throw journalUnreadable("it breaks off before the end of its header");
    const atMs = Math.min(this.#untilMs, this.#lastMs);
    const events = this.#listed.filter(
      (event) => event.atMs >= atMs - CONTEXT_BEFORE_MS && event.atMs <= atMs + CONTEXT_AFTER_MS,
    );
    return { atMs, events, turns: this.#turns, snapshot: this.#machine.call.snapshot };
  }
}
