import { isDeepStrictEqual } from "node:util";
import { TrunklineError } from "../../core/errors.ts";
import { JournalReader } from "../journal/reader.ts";
import {
  type JournaledCommand,
  type JournalHeader,
  type JournalRecord,
  journalUnreadable,
} from "../journal/records.ts";
import { isFailureJournaled, type JournaledInput, ReplayMachine } from "./machine.ts";
import type { ReplaySetup } from "./setup.ts";
import { isSubsetEqual } from "./subset-equal.ts";

/** The first command of a journal that the machine did not give, or the first that it gave beside it. */
export interface Difference {
  /** ms since redemption. */
  atMs: number;
  /** The event that both commands answer; undefined when the journal has a command before anything happened. */
  after: JournaledInput | undefined;
  /** Undefined where the journal has none. */
  journaled: JournaledCommand | undefined;
  /** Undefined where the machine gave none. */
  replayed: JournaledCommand | undefined;
  /** What the machine failed with, when that is why it gave none. */
  failure: string | undefined;
}

/** What came of running the call machine over a journal again. */
export interface Comparison {
  header: JournalHeader;
  setup: ReplaySetup;
  /** How much of the journal was gone through. */
  events: number;
  /** Commands that are the same. */
  commands: number;
  /** The last moment that was gone through, ms since redemption. */
  comparedUntilMs: number;
  /** The journal's end was reached, and it is none of a call: its worker died, or its disk failed. */
  truncated: boolean;
  difference: Difference | undefined;
}

/**
 * Runs the call machine over a journal, up to and with `untilMs`, and compares each command with the one that was journaled, to
 * the last digit. Ends at the first difference. A journal of an older build tells less of some commands: what it does not
 * tell is not compared.
 *
 * Rejects with `journal_unreadable`, also when the call was not to be recorded.
 */
export async function compareJournal(path: string, untilMs = Number.POSITIVE_INFINITY): Promise<Comparison> {
  const comparing = new JournalComparer(untilMs);
  const journal = new JournalReader(path, (record) => comparing.take(record));
  const stoppedAt = await journal.readMore(() => comparing.done);
  return comparing.result(stoppedAt !== "enough");
}

class JournalComparer {
  readonly #untilMs: number;
  #header: JournalHeader | undefined;
  #machine: ReplayMachine | undefined;
  #lastInput: JournaledInput | undefined;
  /** What the machine gave for `#after`, and the journal has not told yet. */
  #expected: JournaledCommand[] = [];
  #difference: Difference | undefined;
  #events = 0;
  #commands = 0;
  #atMs = 0;
  #ended = false;
  #isPastEnd = false;

  constructor(untilMs: number) {
    this.#untilMs = untilMs;
  }

  /** Nothing more is to be read. */
  get done(): boolean {
    return this.#isPastEnd || this.#difference !== undefined;
  }

  take(record: JournalRecord): void {
    if (record.kind === "header") {
      this.#header = record.header;
      this.#machine = new ReplayMachine(record.header, (command) => this.#expected.push(command));
      return;
    }
    if (record.kind === "command") {
      this.#onCommand(record.command);
      return;
    }
    // Every command of an event stands in front of the next event.
    this.#expectNothingPending(isFailureJournaled(record));
    this.#isPastEnd = record.timeMs > this.#untilMs;
    if (!this.done) this.#onInput(record);
  }

  result(atEnd: boolean): Comparison {
    const [header, setup] = [this.#header, this.#machine?.setup];
    if (header === undefined || setup === undefined)
      throw journalUnreadable("it breaks off before the end of its header");
    // A writer that died may have died between an event and its commands.
    if (this.#ended) this.#expectNothingPending(false);
    else this.#expectNoFailure(false);
    return {
      header,
      setup,
      events: this.#events,
      commands: this.#commands,
      comparedUntilMs: this.#atMs,
      truncated: atEnd && !this.#ended,
      difference: this.#difference,
    };
  }

  #onInput(record: JournaledInput): void {
    this.#lastInput = record;
    this.#atMs = record.timeMs;
    this.#events += 1;
    this.#machine?.handle(record);
  }

  #onCommand(journaled: JournaledCommand): void {
    if (journaled.kind === "end") this.#ended = true;
    const cameOut = this.#expected.shift();
    if (cameOut === undefined || !this.#isSame(journaled, cameOut)) this.#reportDifference(journaled, cameOut);
    else this.#commands += 1;
  }

  /** Before anything else happens, what the machine gave must have been in the journal. */
  #expectNothingPending(isFailureJournaled: boolean): void {
    const [cameOut] = this.#expected;
    if (cameOut !== undefined) this.#reportDifference(undefined, cameOut);
    this.#expectNoFailure(isFailureJournaled);
  }

  /** What the machine failed at differs, unless it failed there in the worker, too. */
  #expectNoFailure(isJournaled: boolean): void {
    const failure = this.#machine?.failure;
    if (failure === undefined || isJournaled) return;
    this.#reportDifference(undefined, undefined, failure instanceof TrunklineError ? failure.code : String(failure));
  }

  #reportDifference(
    journaled: JournaledCommand | undefined,
    replayed: JournaledCommand | undefined,
    failure?: string,
  ): void {
    const after = this.#lastInput && withoutAudio(this.#lastInput);
    this.#difference ??= { atMs: this.#atMs, after, journaled, replayed, failure };
  }

  #isSame(journaled: JournaledCommand, cameOut: JournaledCommand): boolean {
    const { assumed = [], unmatched = [] } = this.#machine?.setup ?? {};
    const isOlder = assumed.length + unmatched.length > 0;
    return isOlder ? isSubsetEqual(journaled, cameOut) : isDeepStrictEqual(journaled, cameOut);
  }
}

/** A record's audio is lent, and this outlives it. */
function withoutAudio(happening: JournaledInput): JournaledInput {
  const { kind, timeMs } = happening;
  switch (kind) {
    case "frame-in":
      return { kind, timeMs, isSpeech: happening.isSpeech, mediaMs: happening.mediaMs };
    case "frame-out":
      return { kind, timeMs, turnId: happening.turnId, samples: happening.samples };
    case "event":
      return happening;
  }
}
