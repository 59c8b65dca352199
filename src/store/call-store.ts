import type { CallSpec, EndReason, TranscriptTurn } from "../core/call-spec.ts";
import type { RedeemedCall } from "./hand-off.ts";

/** `created` → `active` → `ended` or `failed`; or `created` → `expired`, when nobody redeemed the token in time. */
export const CALL_STATUSES = ["created", "active", "ended", "expired", "failed"] as const;
export type CallStatus = (typeof CALL_STATUSES)[number];

/** The part of a call's configuration that may be spoken aloud. Once it is stored, only a redemption reads it. */
export type CallWords = Pick<CallSpec, "systemPrompt" | "greeting">;
/** The rest of it, which the record shows. */
export type CallSettings = Omit<CallSpec, keyof CallWords>;

/** What is known of a call's stereo WAV; where it lies follows from the call's id. */
export interface RecordingInfo {
  channels: number;
  sampleRateHz: number;
  durationMs: number;
  /** False when audio is missing from it, because the disk was too slow or a process was lost. */
  complete: boolean;
}

/** A call as the API shows it. Times named `At` are milliseconds since the Unix epoch. */
export interface CallRecord {
  id: string;
  accountId: string;
  status: CallStatus;
  settings: CallSettings;
  createdAtMs: number;
  /** When the token was redeemed. */
  startedAtMs?: number;
  endedAtMs?: number;
  /** From redemption to the end, by a monotonic clock. */
  durationMs?: number;
  endReason?: EndReason;
  recording?: RecordingInfo;
  counters?: Readonly<Record<string, number>>;
}

export interface NewCall {
  accountId: string;
  spec: CallSpec;
  /** SHA-256 of the stream token in lower-case hex. */
  tokenHash: string;
  /** How long from now the token can be redeemed. */
  tokenTtlMs: number;
}

/** A call that some worker has, or had when it was lost. */
export interface ActiveCall {
  id: string;
  accountId: string;
  /** The worker that redeemed the call's token. */
  workerId: string;
  startedAtMs: number;
  recordingEnabled: boolean;
}

/** How a call ended, told once its journal is complete. */
export interface CallEnd {
  status: "ended" | "failed";
  endReason: EndReason;
  /** Milliseconds since the Unix epoch. */
  endedAtMs: number;
  durationMs: number;
  turns: readonly TranscriptTurn[];
  recording?: RecordingInfo | undefined;
  /** Whatever was counted during the call, by name. */
  counters?: Readonly<Record<string, number>> | undefined;
}

/**
 * Calls and the tokens that stand for them. Every operation rejects with `unavailable` when the store cannot answer
 * just now.
 *
 * No spoken word of a call with `recordingEnabled: false` may reach a disk, and its prompt and greeting are meant to be
 * spoken: an implementation keeps them in memory until the token is redeemed or has run out, and stores turns without
 * text. The price: a restart between such a call's creation and its redemption loses it; its token is then refused.
 */
export interface CallStore {
  /** Stores the call and its token in one step. */
  create(call: NewCall): Promise<CallRecord>;
  /**
   * Exchanges a token's hash for its call, which becomes `active` on `workerId` in the same step: once, whoever asks at
   * the same time. Undefined for unknown, expired and used tokens alike. Rejects with `unavailable` when the outcome is
   * unknown.
   */
  redeem(tokenHash: string, workerId: string): Promise<RedeemedCall | undefined>;
  /**
   * Undefined for unknown ids and for those of other accounts. A created call whose tokens have run out is `expired`
   * from that moment on, which is its end, whether `expire` has come by or not.
   */
  get(accountId: string, callId: string): Promise<CallRecord | undefined>;
  /** The turns in order, with empty texts when the call was not recorded; none before its end. Undefined as for `get`. */
  transcript(accountId: string, callId: string): Promise<readonly TranscriptTurn[] | undefined>;
  /** Active calls of one worker, or of all, oldest first: what must be recovered when a process was lost. */
  listActive(workerId?: string): Promise<readonly ActiveCall[]>;
  /** Ends an active call. Only the first end counts; returns whether this was the one. */
  finish(callId: string, end: CallEnd): Promise<boolean>;
  /** Turns created calls whose tokens have run out into `expired`; returns their ids. Call it every few seconds. */
  expire(): Promise<readonly string[]>;
}
