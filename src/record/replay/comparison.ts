import { isDeepStrictEqual } from "node:util";
import { type CallMs, callMs } from "../../core/clocks.ts";
import { TrunklineError, unavailable } from "../../core/errors.ts";
import { type JournalFile, JournalReader } from "../journal/reader.ts";
import {
  type JournaledCommand,
  type JournalHeader,
  type JournalRecord,
  journalUnreadable,
} from "../journal/records.ts";
import { isFailureJournaled, type JournaledInput, ReplayMachine } from "./machine.ts";
import type { ReplaySetup } from "./setup.ts";
import { isSubsetEqual } from "./subset-equal.ts";

/** The first journaled command that the replay did not give, or the first that only the replay gave. */
export interface Difference {
  /** ms since redemption. */
  atMs: CallMs;
  /** The event before both commands; undefined when the journal has a command before any event. */
  after: JournaledInput | undefined;
  /** Undefined where the journal has no such command. */
  journaled: JournaledCommand | undefined;
  /** Undefined where the replay gave no such command. */
  replayed: JournaledCommand | undefined;
  /** The error of the state machine, if that is why it gave none. */
  failure: string | undefined;
}

/** The result of replaying a journal. */
export interface Comparison {
  header: JournalHeader;
  setup: ReplaySetup;
  /** The number of events that were replayed. */
  events: number;
  /** The number of equal commands. */
  commands: number;
  /** The time of the last event that was replayed, ms since redemption. */
  comparedUntilMs: CallMs;
  /** The journal was read to its end and lacks the call's end: its worker died, or its disk failed. */
  truncated: boolean;
  /** The recording was paused then, ms since redemption: what follows lacks its words and was not compared. */
  pausedAtMs: CallMs | undefined;
  difference: Difference | undefined;
}

/**
 * Replays a journal up to and including `untilMs`, and compares each command with the journaled one exactly. Stops at
 * the first difference. A journal of an older build lacks members of some commands; these are not compared.
 *
 * Rejects with `journal_unreadable`, also when the journal has no words, and with `unavailable` once `signal` is aborted.
 */
export async function compareJournal(
  file: JournalFile,
  untilMs = callMs(Number.POSITIVE_INFINITY),
  signal?: AbortSignal,
): Promise<Comparison> {
  const comparing = new JournalComparer(untilMs);
  const journal = new JournalReader(file, (record) => comparing.take(record));
  const stoppedAt = await journal.readMore(() => comparing.done || signal?.aborted === true);
  if (signal?.aborted === true) throw unavailable("the replay was aborted");
  return comparing.result(stoppedAt !== "stopped");
}

class JournalComparer {
  readonly #untilMs: CallMs;
  #header: JournalHeader | undefined;
  #machine: ReplayMachine | undefined;
  #lastInput: JournaledInput | undefined;
  /** Commands that the replay gave for `#lastInput` and that have not been read from the journal yet. */
  #expected: JournaledCommand[] = [];
  #difference: Difference | undefined;
  #events = 0;
  #commands = 0;
  #atMs = callMs(0);
  #ended = false;
  #isPastEnd = false;
  #pausedAtMs: CallMs | undefined;

  constructor(untilMs: CallMs) {
    this.#untilMs = untilMs;
  }

  /** Reading can stop. */
  get done(): boolean {
    return this.#isPastEnd || this.#pausedAtMs !== undefined || this.#difference !== undefined;
  }

  take(record: JournalRecord): void {
    if (record.kind === "header") {
      this.#header = record.header;
      this.#machine = new ReplayMachine(record, (command) => this.#expected.push(command));
      return;
    }
    if (record.kind === "command") {
      this.#onCommand(record.command);
      return;
    }
    if (record.kind === "attached") return;
    // Every command of an event precedes the next event.
    this.#expectNothingPending(isFailureJournaled(record));
    this.#isPastEnd = record.timeMs > this.#untilMs;
    if (!this.done) this.#onInput(record);
  }

  result(atEnd: boolean): Comparison {
    const [header, setup] = [this.#header, this.#machine?.setup];
    if (header === undefined || setup === undefined) throw journalUnreadable("it is truncated within its header");
    // A writer may have died between an event and its commands.
    if (this.#ended && this.#pausedAtMs === undefined) this.#expectNothingPending(false);
    else this.#expectNoFailure(false);
    return {
      header,
      setup,
      events: this.#events,
      commands: this.#commands,
      comparedUntilMs: this.#atMs,
      truncated: atEnd && !this.#ended,
      pausedAtMs: this.#pausedAtMs,
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
    if (this.#pausedAtMs !== undefined) return;
    if (journaled.kind === "end") this.#ended = true;
    const replayed = this.#expected.shift();
    if (replayed === undefined || !this.#isSame(journaled, replayed)) this.#reportDifference(journaled, replayed);
    else this.#commands += 1;
    if (journaled.kind === "recording-paused") this.#pausedAtMs = this.#atMs;
  }

  /** All commands of the replay must have been in the journal before the next event. */
  #expectNothingPending(isFailureJournaled: boolean): void {
    const [replayed] = this.#expected;
    if (replayed !== undefined) this.#reportDifference(undefined, replayed);
    this.#expectNoFailure(isFailureJournaled);
  }

  /** A failure of the replay is a difference unless the worker's state machine failed there, too. */
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

  #isSame(journaled: JournaledCommand, replayed: JournaledCommand): boolean {
    const { assumed = [], unmatched = [] } = this.#machine?.setup ?? {};
    const isOlder = assumed.length + unmatched.length > 0;
    return isOlder ? isSubsetEqual(journaled, replayed) : isDeepStrictEqual(journaled, replayed);
  }
}

/** A record's audio is borrowed, and the result outlives it. */
function withoutAudio(input: JournaledInput): JournaledInput {
  const { kind, timeMs } = input;
  switch (kind) {
    case "frame-in":
      return { kind, timeMs, isSpeech: input.isSpeech, mediaMs: input.mediaMs };
    case "frame-out":
      return { kind, timeMs, turnId: input.turnId, samples: input.samples };
    case "event":
      return input;
  }
}
