import type { CallCommand, CallEvent } from "../../call/events.ts";
import type { TurnParameters } from "../../call/parameters.ts";
import type { CallSpec } from "../../core/calls/spec.ts";
import type { CallMs, MediaMs } from "../../core/clocks.ts";
import { TrunklineError } from "../../core/errors.ts";
import type { AccountId, CallId, TurnId } from "../../core/ids.ts";
import type { RedactionKind } from "../../core/redaction/kinds.ts";
import type { FrameCodec } from "../../media/frame-codec.ts";

/**
 * The format of a leg's audio in the journal. The caller's codec is known once the stream starts, from `leg-started`.
 */
export interface JournaledLeg {
  /** The rate of the caller's frames, Hz: the internal rate. */
  inboundRateHz: number;
  /** The rate of the agent's frames, Hz: the leg's rate. */
  outboundRateHz: number;
  outboundCodec: FrameCodec;
}

/** The voice activity detector of every call before journals named it. */
export const DETECTOR_BEFORE = "fvad3";

/** What a journal holds of its call before anything happens in it. */
export interface JournalStart {
  callId: CallId;
  accountId: AccountId;
  /** When the token was redeemed, ISO 8601 UTC. All other times in a journal count from it. */
  startedAt: string;
  spec: CallSpec;
  leg: JournaledLeg;
  /**
   * The version of the voice activity detector that decided about the frames, until the first `detector-changed`.
   * Absent in older journals: DETECTOR_BEFORE decided.
   */
  detector?: string;
  /** The state machine's inputs: whether the STT sends interim transcripts, and the turn parameters. */
  sttHasInterim: boolean;
  /** The STT sends one final for each utterance. Absent means false, as in older journals. */
  sttFinalPerUtterance?: boolean;
  parameters: Readonly<TurnParameters>;
  /** The maximum size of a prompt, estimated tokens. Absent where there is no limit, as in older journals. */
  promptTokensMax?: number;
}

/**
 * The first record. Without `spec` the words of the call are not stored: the journal holds none, and it cannot be
 * replayed.
 */
export interface JournalHeader extends Omit<JournalStart, "spec"> {
  /** Name and version of the software that wrote the journal. */
  software: string;
  /**
   * The ICU version of the Node.js that wrote the journal. The state machine uses it to split words of scripts without
   * spaces. Absent in older journals.
   */
  icu?: string;
  /** The weights that scored the ends of turns: TURN_WEIGHTS. Absent in older journals. */
  turnWeights?: string;
  spec?: CallSpec;
  /** What rendering needs of the spec, in a journal that has audio and no words. */
  audio?: Pick<CallSpec, "connectionType" | "maxDurationMs">;
  /** What the result of a live transcription needs of the spec, in a journal that was redacted. */
  transcription?: Pick<CallSpec, "language">;
  /** What was taken from the journal once the call was over; it then has no spec. */
  redaction?: JournalRedaction;
}

/** What was redacted in a journal. */
export interface JournalRedaction {
  /** How often each kind was found. */
  found: Partial<Record<RedactionKind, number>>;
  /** The journal had no end, because its worker died: the last commands are those of a replay. */
  recovered?: true;
}

/**
 * What rendering needs of the spec; undefined where the journal has no audio. A journal of an older version has a spec
 * only with audio.
 */
export const audioSpecOf = ({ spec, audio }: JournalHeader): JournalHeader["audio"] =>
  spec?.recordingEnabled === true ? spec : audio;

/** What the result of a live transcription needs of the spec; undefined for a conversation. */
export const transcriptionSpecOf = ({ spec, transcription }: JournalHeader): JournalHeader["transcription"] =>
  spec?.mode === "transcription" ? { language: spec.language } : transcription;

/** Events that are journaled as JSON: all but the two that occur for every frame. */
export type OccasionalEvent = Exclude<CallEvent, { kind: "frame-in" | "frame-out" }>;

/** How much was left out where a text, a list of words or the parameters of a start were; `chars` counts UTF-16 units. */
export interface Redacted {
  chars?: number;
  wordCount?: number;
  parameterCount?: number;
}

export type JournaledEvent = OccasionalEvent & Redacted;

/**
 * `generate-reply` carries the whole conversation, which the journal already has; only the number of messages is
 * recorded. The same holds for `transcript` and `interim`, of which only the length is recorded, whether or not words are.
 */
export type JournaledCommand =
  | (Exclude<CallCommand, { kind: "generate-reply" | "preemptive-start" }> & Redacted)
  | { kind: "generate-reply"; turnId: TurnId; messages: number; language: string }
  | { kind: "preemptive-start"; messages: number; language: string };

/**
 * One record of a journal. Times are milliseconds since redemption. `audio` is in its direction's codec and borrowed:
 * it is valid until the called function returns. It is empty when audio is not stored, when `audioOmitted`,
 * because the disk did not keep up, and in a frame of silence that a caller's DTX left out.
 */
export type JournalRecord =
  /** `version` is that of the journal. */
  | { kind: "header"; timeMs: CallMs; version: number; header: JournalHeader }
  | {
      kind: "frame-in";
      timeMs: CallMs;
      mediaMs: MediaMs;
      isSpeech: boolean;
      audio: Uint8Array;
      audioOmitted: boolean;
    }
  | {
      kind: "frame-out";
      timeMs: CallMs;
      turnId: TurnId;
      samples: number;
      audio: Uint8Array;
      audioOmitted: boolean;
    }
  /**
   * The stream of an attachment starts. Frames and events after it belong to that attachment until the next starts, and
   * `mediaMs` counts from here. Attachments are numbered from 1.
   */
  | { kind: "attached"; timeMs: CallMs; attachment: number }
  | { kind: "event"; timeMs: CallMs; event: JournaledEvent }
  | { kind: "command"; timeMs: CallMs; command: JournaledCommand };

/** A journal is missing or invalid. `what` says how, without quoting content. */
export const journalUnreadable = (what: string, cause?: unknown): TrunklineError =>
  new TrunklineError("journal_unreadable", "service", `the journal cannot be read: ${what}`, { cause });

/** A journal is of a later version than this build reads: it may be whole, and another build reads it. `what` says which version. */
export const journalUnsupported = (what: string): TrunklineError =>
  new TrunklineError("journal_unsupported", "service", `the journal cannot be read: ${what}`);
