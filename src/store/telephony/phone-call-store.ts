import type { CarrierPrice, PhoneCallFacts } from "../../core/calls/phone.ts";
import type { EndReason } from "../../core/calls/reasons.ts";
import type { CallSpec } from "../../core/calls/spec.ts";
import type { EpochMs } from "../../core/clocks.ts";
import type { AccountId, ApiKeyId, CallId, CarrierId, PhoneNumberId, WorkerId } from "../../core/ids.ts";
import type { CallAgent, CallRecord, LimitReached } from "../calls/call-store.ts";

/** The telephone side of a call, as the machine of `telephony/machine/` knows it. */
export interface StoredPhoneCall {
  callId: CallId;
  accountId: AccountId;
  /** The API key that asked for it. */
  apiKeyId?: ApiKeyId;
  facts: PhoneCallFacts;
  carrierId: CarrierId;
  phoneNumberId?: PhoneNumberId;
  /** The carrier's id of the call, once it is known. */
  carrierCallId?: string;
  /** JSON of the machine's state. */
  state: unknown;
  /** How many events it has handled. */
  eventCount: number;
  /** When the machine wants a `tick`, Unix time; undefined for never. */
  dueAtMs?: EpochMs;
  /** The worker that carries the call, while it is active. */
  workerId?: WorkerId;
}

export interface NewPhoneCall {
  accountId: AccountId;
  apiKeyId?: ApiKeyId | undefined;
  agent?: CallAgent | undefined;
  spec: CallSpec;
  facts: PhoneCallFacts;
  carrierId: CarrierId;
  phoneNumberId?: PhoneNumberId | undefined;
  /** Known for an inbound call; one carrier has each once. */
  carrierCallId?: string | undefined;
  /** `queued` for an outbound call; `ringing` for an inbound one, which holds a slot from the start. Neither has a token. */
  status: "queued" | "ringing";
  /** So many outbound calls of the carrier, and of all carriers of the account, may wait for a slot. */
  waitingMax?: { carrier: number; account: number } | undefined;
  /** So many calls may the account create a minute, over all nodes of a cluster. */
  creationsPerMinute?: number | undefined;
  state: unknown;
  /** The first events, which led to `state`. */
  events: readonly PhoneCallEventRow[];
  dueAtMs?: EpochMs | undefined;
  /** As for `NewCall`, without a token. */
  idempotency?: { keyHash: string; fingerprint: string } | undefined;
}

/** One line of a telephone call's journal: what happened, and what was asked of the carrier because of it. */
export interface PhoneCallEventRow {
  atMs: EpochMs;
  /** JSON of the event, without secrets and tokens. */
  event: unknown;
  /** JSON of the commands that it led to. */
  commands: readonly unknown[];
}

/** A step of the machine, to be stored in one transaction. */
export interface PhoneCallStep {
  state: unknown;
  row: PhoneCallEventRow;
  dueAtMs: EpochMs | undefined;
  carrierCallId?: string | undefined;
  carrierCode?: string | undefined;
  /** Whether the call holds a slot of `Capacity` from now on; as before where it is absent. A call that is over holds none. */
  holdsSlot?: boolean | undefined;
  /** Whether the carrier is asked for nothing more of this call but its price. */
  isOver: boolean;
  /** The status of the call's record from now on, where it has no stream yet. */
  status?: "queued" | "ringing" | undefined;
  /** A stream may connect to the call with this token. */
  token?: { hash: string; ttlMs: number; sealed?: string } | undefined;
  /** The call is over without a stream: its record ends. `ended` for all reasons but the service's own faults. */
  end?: { status: "ended" | "failed"; endReason: EndReason } | undefined;
  /** Also after the end. */
  price?: CarrierPrice | undefined;
  /** Jobs of the call's account that carry out what must survive this process, stored in the same transaction. */
  jobs: readonly { kind: string; payload: object; lane?: string; key?: string; delayMs?: number }[];
}

export type PhoneCallCreation =
  | { kind: "created"; call: CallRecord }
  /** An earlier request with this idempotency key, or an earlier webhook of this carrier's call, created it. */
  | { kind: "replayed"; call: CallRecord }
  | { kind: "mismatch" }
  /** The account has created `creationsPerMinute` calls. */
  | LimitReached
  /** It has `waitingMax` outbound calls that wait for a slot. */
  | { kind: "full"; of: "carrier" | "account" };

/** Whose calls are counted for a limit. */
export type CountedOwner = { phoneNumberId: PhoneNumberId } | { carrierId: CarrierId } | { accountId: AccountId };

/** The telephone side of calls. Rejects as CallStore does. */
export interface PhoneCallStore {
  /** Stores the call with its record, `call.created` and its first events; a call with the same carrier call id is found instead. */
  create(call: NewPhoneCall): Promise<PhoneCallCreation>;
  /** What an earlier request with the same idempotency key created; undefined where there is none, or no key. */
  findRepeated(call: Pick<NewPhoneCall, "accountId" | "idempotency">): Promise<PhoneCallCreation | undefined>;
  get(callId: CallId): Promise<StoredPhoneCall | undefined>;
  findByCarrierCall(carrierId: CarrierId, carrierCallId: string): Promise<StoredPhoneCall | undefined>;
  /**
   * Stores a step of the machine where the call has still handled `eventCount` events; false, and nothing is stored, where another
   * process was faster.
   */
  step(callId: CallId, eventCount: number, step: PhoneCallStep): Promise<boolean>;
  /**
   * Calls whose machines are due: those of each carrier in turn, so that none waits for another's. Of one carrier first those that hold
   * a slot, then the longest due. What it costs grows with the number of carriers, and not with that of calls.
   */
  due(nowMs: EpochMs, limit: number): Promise<readonly CallId[]>;
  /** Calls that hold a slot and are neither active nor over: dialling, ringing, or answered. For `Capacity.restore`. */
  listPending(): Promise<readonly { callId: CallId; accountId: AccountId; apiKeyId?: ApiKeyId }[]>;
  /** How many inbound calls of a number, or calls of a carrier, hold a slot and are not over; of an account, with its other calls. */
  countLive(of: CountedOwner): Promise<number>;
  /**
   * Runs `work` while no other process counts the calls of these owners, so that their limits hold over all nodes of a cluster. Not for
   * many at a time: each holds a connection.
   */
  countAlone(owners: readonly CountedOwner[], work: () => Promise<void>): Promise<void>;
  /**
   * Notes that a call is placed from a number now, so that the next one waits for `gapMs`, at whichever node. Returns in how many ms one
   * may be placed where none may now; then nothing is noted.
   */
  paceDial(carrierId: CarrierId, from: string, gapMs: number): Promise<number>;
  /** The token of the latest step that had one, sealed, while it can be redeemed: for a webhook that arrives twice. */
  sealedToken(callId: CallId): Promise<string | undefined>;
  /** Of an account's call, in order, after the first `from`. Undefined for an unknown call and one of another account. */
  events(
    accountId: AccountId,
    callId: CallId,
    page: { from: number; limit: number },
  ): Promise<readonly PhoneCallEventRow[] | undefined>;
}
