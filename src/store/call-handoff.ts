import type { CallSpec, ConnectionType, EndReason } from "../core/calls/spec.ts";

/** A call whose token was good: from here on it belongs to the worker that redeemed it. */
export interface RedeemedCall {
  callId: string;
  accountId: string;
  spec: CallSpec;
}

/** How a call ended, as its worker counted it: the record is right by this even when the disk was too full for the journal. */
export interface EndSummary {
  reason: EndReason;
  /** Milliseconds since the Unix epoch. */
  endedAtMs: number;
  /** From redemption to the end, by a monotonic clock. */
  durationMs: number;
  /** Frames of FRAME_MS. */
  framesIn: number;
  framesOut: number;
}

/**
 * The one thing the two planes share: a call is handed to the media plane by redeeming its token, and handed back when it
 * has ended and its journal is complete on disk.
 */
export interface CallHandoff {
  /** The keys that good tokens are signed with; none until the control process has told them. */
  readonly tokenKeys: readonly Uint8Array[];
  /**
   * Exchanges a token, given by the SHA-256 of its text in lower-case hex, for its call: once, whoever asks at the same time.
   * Undefined for unknown, expired and used tokens alike, and where `only` is given for those of calls of other transports,
   * which stay good. Rejects with `unavailable` when the outcome cannot be known; then no call may begin, and the redemption is given
   * back as soon as the store can be reached.
   */
  redeem(tokenHash: string, only?: readonly ConnectionType[]): Promise<RedeemedCall | undefined>;
  /**
   * The call's stream has begun, and its carrier knows it by this id. Sent once: a control process that is not connected then
   * reads the id from the journal.
   */
  streamStarted(callId: string, carrierCallId: string): void;
  /**
   * The call is over, and its journal is complete or has failed. Kept and repeated until the control process has it. `end` is absent
   * for a call that never began.
   */
  ended(callId: string, end?: EndSummary): void;
}
