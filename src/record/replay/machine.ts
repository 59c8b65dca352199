import type { CallMachine } from "../../call/call.ts";
import type { CallCommand } from "../../call/events.ts";
import { createCallMachine } from "../../call/machine.ts";
import type { CallMs, MediaMs } from "../../core/clocks.ts";
import type { TurnId } from "../../core/ids.ts";
import type { JournaledCommand, JournaledEvent, JournalRecord } from "../journal/records.ts";
import { journaledCommand } from "../journal/redact.ts";
import { TRANSCRIPTS_SINCE_VERSION } from "../journal/versions.ts";
import { type ReplaySetup, replaySetupOf } from "./setup.ts";

/** A record of an input of the call, as the state machine gets it: without audio. */
export type JournaledInput =
  | { kind: "frame-in"; timeMs: CallMs; isSpeech: boolean; mediaMs: MediaMs }
  | { kind: "frame-out"; timeMs: CallMs; turnId: TurnId; samples: number }
  | { kind: "event"; timeMs: CallMs; event: JournaledEvent };

type HeaderRecord = Extract<JournalRecord, { kind: "header" }>;

/** The state machine, run over a journal as the worker ran it over the call. */
export class ReplayMachine {
  readonly call: CallMachine;
  readonly setup: ReplaySetup;
  #failure: unknown;

  /**
   * `sink` gets each command that a journal of this version has, as it holds it. Throws `journal_unreadable` when the
   * call cannot be replayed.
   */
  constructor({ version, header }: HeaderRecord, sink: (command: JournaledCommand) => void) {
    const hasTranscripts = version >= TRANSCRIPTS_SINCE_VERSION;
    this.setup = replaySetupOf(header);
    const { spec, parameters } = this.setup;
    this.call = createCallMachine({
      spec,
      rateHz: header.leg.outboundRateHz,
      sttHasInterim: header.sttHasInterim,
      sttFinalPerUtterance: header.sttFinalPerUtterance,
      parameters,
      promptTokensMax: header.promptTokensMax,
      sink: (command) => {
        if (hasTranscripts || command.kind !== "transcript") sink(asJournaled(command));
      },
    });
  }

  /**
   * What the state machine threw at the last input; undefined when it threw nothing. The journal continues after that
   * only where the worker's state machine failed, too: with an `internal-error` (`isFailureJournaled`).
   */
  get failure(): unknown {
    return this.#failure;
  }

  /** Never throws: see `failure`. */
  handle(happening: JournaledInput): void {
    this.#failure = undefined;
    try {
      this.#handle(happening);
    } catch (error) {
      this.#failure = error;
    }
  }

  #handle(happening: JournaledInput): void {
    const { timeMs } = happening;
    switch (happening.kind) {
      case "frame-in":
        this.call.handle({ kind: "frame-in", isSpeech: happening.isSpeech, mediaMs: happening.mediaMs }, timeMs);
        return;
      case "frame-out":
        this.call.handle({ kind: "frame-out", turnId: happening.turnId, samples: happening.samples }, timeMs);
        return;
      case "event":
        this.call.handle(happening.event, timeMs);
        return;
    }
  }
}

/** Whether `next`, the input after one at which the replay failed, says that the worker's state machine failed, too. */
export const isFailureJournaled = (next: JournaledInput): boolean =>
  next.kind === "event" && next.event.kind === "internal-error";

/** Through JSON, as the journaled command: values that JSON does not distinguish must not differ here. */
const asJournaled = (command: CallCommand): JournaledCommand =>
  JSON.parse(JSON.stringify(journaledCommand(command, true))) as JournaledCommand;
