import type { CallCommand, CallEvent } from "../../call/events.ts";
import type { TurnParameters } from "../../call/parameters.ts";
import type { CallSpec } from "../../core/calls/spec.ts";
import { TrunklineError } from "../../core/errors.ts";
import type { FrameCodec } from "../../media/frame-codec.ts";

/** What a leg's audio is journaled in. The caller's codec is only known once the stream begins: `leg-started` tells it. */
export interface JournaledLeg {
  /** The rate of the caller's frames, Hz: that of the bus. */
  inboundRateHz: number;
  /** The rate of the agent's frames, Hz: that of the leg. */
  outboundRateHz: number;
  outboundCodec: FrameCodec;
}

/** What a journal must know of its call before anything happens in it. */
export interface JournalStart {
  callId: string;
  accountId: string;
  /** When the token was redeemed, ISO 8601 UTC. All other times of a journal count from there. */
  startedAt: string;
  spec: CallSpec;
  leg: JournaledLeg;
  /** What the call machine was told of the ear, and the turn parameters that it runs with. */
  sttHasInterim: boolean;
  parameters: Readonly<TurnParameters>;
  /** What a prompt of the call may come to, estimated tokens. Absent where there is no bound, as in older journals. */
  promptTokensMax?: number;
}

/** The first record. Without `spec` the call was not to be recorded: nothing spoken is in the journal, and it cannot be replayed. */
export interface JournalHeader extends Omit<JournalStart, "spec"> {
  /** Name and version of the software that wrote the journal. */
  software: string;
  /** The ICU of the Node that wrote it. The call machine asks it for the words of scripts without blanks. Absent in older journals. */
  icu?: string;
  spec?: CallSpec;
}

/** Events that are journaled as JSON: all but the two that come with every frame. */
export type OccasionalEvent = Exclude<CallEvent, { kind: "frame-in" | "frame-out" }>;

/** How much is missing where a text or a list of words was emptied; `chars` counts UTF-16 units. */
export interface Redacted {
  chars?: number;
  wordCount?: number;
}

export type JournaledEvent = OccasionalEvent & Redacted;

/** An `ask` carries the whole conversation each time, which the journal has already: only the number of messages is kept. */
export type JournaledCommand =
  | (Exclude<CallCommand, { kind: "generate-reply" | "preemptive-start" }> & Redacted)
  | { kind: "generate-reply"; turnId: number; messages: number; language: string }
  | { kind: "preemptive-start"; messages: number; language: string };

/**
 * One record of a journal. Times are milliseconds since redemption. `audio` is in its direction's codec and lent: it is valid
 * until the function that was given the record returns. It is empty when the call is not recorded, and when `audioOmitted`, because
 * the disk could not keep up.
 */
export type JournalRecord =
  | { kind: "header"; timeMs: number; header: JournalHeader }
  | {
      kind: "frame-in";
      timeMs: number;
      mediaMs: number;
      isSpeech: boolean;
      audio: Uint8Array;
      audioOmitted: boolean;
    }
  | {
      kind: "frame-out";
      timeMs: number;
      turnId: number;
      samples: number;
      audio: Uint8Array;
      audioOmitted: boolean;
    }
  | { kind: "event"; timeMs: number; event: JournaledEvent }
  | { kind: "command"; timeMs: number; command: JournaledCommand };

/** A journal is missing, or is not what we write. `what` says which without quoting content. */
export const journalUnreadable = (what: string, cause?: unknown): TrunklineError =>
  new TrunklineError("journal_unreadable", "service", `the journal cannot be read: ${what}`, { cause });
