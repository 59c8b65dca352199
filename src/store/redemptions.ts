import type { ConnectionType } from "../core/calls/spec.ts";
import type { RedeemedCall } from "./call-handoff.ts";
import type { CallPrompts } from "./call-store.ts";

/** Who redeems a token, in which numbers a later recovery can compare without a clock. */
export interface Redeemer {
  /** Another one at each start of a worker. */
  workerId: string;
  /** The number of the worker's connection to the control process, counted from its start: 1, 2, ... */
  connection: number;
  /** The number of the control process's start; see EpochStore. */
  epoch: number;
  /** Stands for this one redemption; whoever knows it may return it. */
  nonce: string;
}

/** A call that waits for its stream again. */
export interface ReturnedCall {
  callId: string;
  /** How long its token is good from now on; not above 0 when it has run out meanwhile. */
  remainingMs: number;
}

/**
 * The redemption of stream tokens. Every operation rejects with `unavailable` when the store cannot answer just now.
 *
 * A token's age is measured by the store's AgeClock, never by the wall clock: a restart of any process keeps tokens, a step of the
 * wall clock changes nothing, and after a reboot every token from before it is expired.
 */
export interface Redemptions {
  /**
   * Exchanges a token's hash for its call, which becomes `active` in the same step: once, whoever asks at the same time. Undefined
   * for unknown, expired and used tokens alike, and where `only` is given for those of calls of other transports, which stay good.
   * Rejects with `unavailable` when the outcome is unknown.
   */
  redeem(tokenHash: string, redeemer: Redeemer, only?: readonly ConnectionType[]): Promise<RedeemedCall | undefined>;
  /**
   * Takes back a redemption that no call came of: the call is `created` again and its token good for the rest of its time. Undefined,
   * and nothing changes, unless the token's last redemption had this nonce and its call is active and has no stream.
   */
  returnRedemption(tokenHash: string, nonce: string): Promise<ReturnedCall | undefined>;
}

/**
 * The prompts and greetings of calls that are not recorded, by call id: in memory alone, from the call's creation to its end. The
 * thread that redeems has them; whoever creates and ends calls passes them on.
 */
export interface UnpersistedPrompts {
  get(callId: string): CallPrompts | undefined;
  set(callId: string, words: CallPrompts): unknown;
  delete(callId: string): unknown;
}

/** Numbers for the starts of the control process, so that what was before a start is known without a clock. */
export interface EpochStore {
  /** One more than ever before, by whichever process. */
  next(): Promise<number>;
}
