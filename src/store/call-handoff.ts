import type { AccountProviders } from "../core/accounts/account-providers.ts";
import type { MediaState, PhoneRequest } from "../core/calls/phone-requests.ts";
import type { EndReason } from "../core/calls/reasons.ts";
import type { CallSpec, ConnectionType } from "../core/calls/spec.ts";
import type { EpochMs } from "../core/clocks.ts";
import type { AccountId, CallId, CarrierCallId } from "../core/ids.ts";
import type { AccountToolSecrets } from "../core/tools/secrets.ts";
import type { StreamProof } from "./redemptions.ts";

/** A call whose token was redeemed. It now belongs to the worker that redeemed it. */
export interface RedeemedCall {
  callId: CallId;
  accountId: AccountId;
  spec: CallSpec;
  /** The key of its journal and recording as text; absent where these are not encrypted. Never logged. */
  mediaKey?: string;
  /** Absent where the account's calls use the service's providers. It has API keys; never logged. */
  providers?: AccountProviders;
  /** The account's own secrets that the call's tools name; absent where they name none. Never logged. */
  toolSecrets?: AccountToolSecrets;
}

/** Of a call with `phoneControl`. */
export interface MediaReport {
  callId: CallId;
  state: MediaState;
}

/** The caller is on hold since then; no longer where it is absent. */
export interface HoldReport {
  callId: CallId;
  sinceMs?: EpochMs | undefined;
}

/**
 * How a call ended, by its worker's count. The record is right by this even when the disk was too full for the journal.
 */
export interface EndSummary {
  reason: EndReason;
  endedAtMs: EpochMs;
  /** From redemption to the end, by a monotonic clock. */
  durationMs: number;
  /** The number of frames of FRAME_MS. */
  framesIn: number;
  framesOut: number;
}

/**
 * The only interface between control process and workers. Redeeming a call's token hands the call to a worker. The
 * worker hands it back when it has ended and its journal is complete on disk.
 */
export interface CallHandoff {
  /** The keys that sign valid tokens; empty until the control process has sent them. */
  readonly tokenKeys: readonly Uint8Array[];
  /**
   * Exchanges a token, given by the SHA-256 of its text in lower-case hex, for its call. Of concurrent requests one
   * succeeds. Undefined for unknown, expired and used tokens alike. `only` and `proof` are those of `Redemptions.redeem`. Rejects with `unavailable` when the outcome is unknown; then no call may
   * begin, and the redemption is returned as soon as the store can be reached.
   */
  redeem(tokenHash: string, only?: readonly ConnectionType[], proof?: StreamProof): Promise<RedeemedCall | undefined>;
  /** See `Redemptions.isStreamOf`. Rejects with `unavailable`, too, when the control process does not answer in time. */
  isStreamOf(callId: CallId, proof: StreamProof): Promise<boolean>;
  /**
   * The call's stream has started, and its carrier has given it this id. Sent once: a control process that is not
   * connected then reads the id from the journal.
   */
  streamStarted(callId: CallId, carrierCallId: CarrierCallId): void;
  /**
   * The agent of a call with `phoneControl` wants something of the telephone network; false where the control process is not
   * connected. The answer, if there is one, is a PhoneUpdate.
   */
  phoneRequested(callId: CallId, request: PhoneRequest): boolean;
  /** A call with `phoneControl` has a media stream from now on, or has lost it. */
  mediaChanged(report: MediaReport): void;
  /** A caller is on hold from now on, or no longer. */
  holdChanged(report: HoldReport): void;
  /**
   * The call is over, and its journal is complete or has failed. Sent repeatedly until the control process acknowledges
   * it. `end` is absent for a call that never began.
   */
  ended(callId: CallId, end?: EndSummary): void;
}
