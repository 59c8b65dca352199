import type { CarrierType, ConnectionType } from "../core/calls/spec.ts";
import type { CallId, WorkerId } from "../core/ids.ts";
import type { RedeemedCall } from "./call-handoff.ts";
import type { CallPrompts } from "./calls/call-store.ts";

/** Who redeems a token, in numbers that a later recovery can compare without a clock. */
export interface Redeemer {
  /** Differs at each start of a worker. */
  workerId: WorkerId;
  /** The number of the worker's connection to the control process, counted from its start: 1, 2, ... */
  connection: number;
  /** The number of the control process's start; see EpochStore. */
  epoch: number;
  /** Identifies this redemption, and is required to return it. */
  nonce: string;
}

/** What the request for a stream shows of its sender. */
export interface StreamProof {
  /** The stream's address with its token, as its sender may have signed it. Never logged. */
  url: string;
  /** With lower-case names. */
  headers: Readonly<Record<string, string>>;
}

/** Whether the sender of a stream knows these credentials of an account at this carrier. */
export type StreamAuthentication = (
  carrier: CarrierType,
  credentials: Readonly<Record<string, string>>,
  proof: StreamProof,
) => boolean;

/** A call that waits for its stream again. */
export interface ReturnedCall {
  callId: CallId;
  /** How long its token is still valid; not above 0 when it has expired meanwhile. */
  remainingMs: number;
}

/**
 * The redemption of stream tokens. Every operation rejects with `unavailable` when the store cannot answer at present.
 *
 * The store's AgeClock measures a token's age, never the wall clock. Tokens survive the restart of any process, a step
 * of the wall clock changes nothing, and after a reboot all earlier tokens are expired.
 */
export interface Redemptions {
  /**
   * Exchanges a token's hash for its call, which becomes `active` in the same step. Of concurrent requests one
   * succeeds. Undefined for unknown, expired and used tokens alike. With `only`, also undefined for tokens of calls of
   * other connection types, which stay valid. A telephone call has credentials of its own: `only` does not count for its token, and
   * without a `proof` of these the result is undefined, and the token stays valid. Rejects with `unavailable` when the outcome is
   * unknown.
   */
  redeem(
    tokenHash: string,
    redeemer: Redeemer,
    only?: readonly ConnectionType[],
    proof?: StreamProof,
  ): Promise<RedeemedCall | undefined>;
  /**
   * Whether `proof` shows that the sender of a further stream of this telephone call knows the call's own credentials. Rejects with
   * `unavailable` when that cannot be found out.
   */
  isStreamOf(callId: CallId, proof: StreamProof): Promise<boolean>;
  /**
   * Returns a redemption that led to no call: the call is `created` again, a telephone call `ringing`, and its token valid for the
   * rest of its time. Undefined, and nothing changes, unless the token's last redemption had this nonce and its call is active and
   * has no stream. (That of a telephone call is not looked for: it has its carrier's id before.)
   */
  returnRedemption(tokenHash: string, nonce: string): Promise<ReturnedCall | undefined>;
}

/**
 * The prompts and greetings of calls that store no words, by call id: only in memory, from the call's creation to its
 * end. The handoff thread holds them; the stores that create and end calls pass them on.
 */
export interface UnpersistedPrompts {
  get(callId: CallId): CallPrompts | undefined;
  set(callId: CallId, words: CallPrompts): unknown;
  delete(callId: CallId): unknown;
}
