import type { CallCost, ProviderUsage } from "../core/billing/prices.ts";
import type { LatencySummary } from "../core/calls/latency.ts";
import type { CallSpec, ConnectionType, EndReason, TranscriptTurn } from "../core/calls/spec.ts";

/** `created` → `active` → `ended` or `failed`; or `created` → `expired`, when nobody redeemed the token in time. */
export const CALL_STATUSES = ["created", "active", "ended", "expired", "failed"] as const;
export type CallStatus = (typeof CALL_STATUSES)[number];

/** The part of a call's configuration that may be spoken aloud. Once it is stored, only a redemption reads it. */
export type CallPrompts = Pick<CallSpec, "systemPrompt" | "greeting">;
/** The rest of it, which the record shows. */
export type CallSettings = Omit<CallSpec, keyof CallPrompts>;

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
  agentId?: string;
  status: CallStatus;
  settings: CallSettings;
  createdAtMs: number;
  /** When the token was redeemed. */
  startedAtMs?: number;
  endedAtMs?: number;
  /** From redemption to the end, by a monotonic clock. */
  durationMs?: number;
  endReason?: EndReason;
  /** The carrier's own id for the call, in its own words. */
  carrierCallId?: string;
  recording?: RecordingInfo;
  /** False when turns may be missing from the transcript: the journal breaks off. Absent before the end, and in older records. */
  transcriptComplete?: boolean;
  counters?: Readonly<Record<string, number>>;
  latency?: LatencySummary;
  usage?: readonly ProviderUsage[];
  /** Absent where the service had no prices. */
  cost?: CallCost;
  /** When retention deleted the recording, and the transcript. */
  recordingDeletedAtMs?: number;
  transcriptDeletedAtMs?: number;
}

/** A call as a list shows it: without its tools, whose schemas can be a hundred times as long as the rest. */
export type ListedCall = Omit<CallRecord, "settings"> & { settings: Omit<CallSettings, "tools"> };

export interface NewCall {
  accountId: string;
  /** The saved agent that the specification was made of; absent for a call whose configuration was given inline. */
  agentId?: string | undefined;
  /** The API key that asked for it. */
  apiKeyId?: string | undefined;
  spec: CallSpec;
  /** SHA-256 of the stream token in lower-case hex. */
  tokenHash: string;
  /** How long from now the token can be redeemed. */
  tokenTtlMs: number;
  /** Present when the client named its request, so that repeating it creates nothing. */
  idempotency?: IdempotentRequest | undefined;
}

/** A request that may come again. Nothing here lets anybody but the one who sent it make out the token. */
export interface IdempotentRequest {
  /** SHA-256 of the client's own name for the request, in lower-case hex. */
  keyHash: string;
  /** Differs between two requests of one name that do not ask for the same. */
  fingerprint: string;
  /** The call's token, sealed so that the client's next request opens it; given back as it is. */
  sealedToken: string;
}

/** Why there is no place: the workers carry all that they can, the API key has as many calls as it may, or the account may spend no more. */
export type AdmissionRefusal = "overloaded" | "rate_limited" | "spend_limit";

/** What became of a creation. A request of one name creates one call, however many come at the same time, for 24 h. */
export type Creation =
  | { kind: "created"; call: CallRecord }
  /** The same request came before: this is its call as it was created, and the token as it was sealed then. */
  | { kind: "repeated"; call: CallRecord; sealedToken: string }
  /** There is no place for one call more. */
  | { kind: "refused"; reason: AdmissionRefusal }
  /** Another request has this name. */
  | { kind: "mismatch" };

/** Which calls of an account to list. Every condition that is given must hold. Times are ms since the Unix epoch. */
export interface CallQuery {
  status?: CallStatus | undefined;
  connectionType?: ConnectionType | undefined;
  /** The carrier's own id for the call, whole. */
  carrierCallId?: string | undefined;
  /** Created at this time or later. */
  createdFromMs?: number | undefined;
  /** Created before this time. */
  createdBeforeMs?: number | undefined;
  /** Top-level keys of the metadata, each with the text of its value: a string as it is, numbers and booleans as JSON. */
  metadata?: Readonly<Record<string, string>> | undefined;
  /** Only calls behind this one in the list's order. */
  afterCallId?: string | undefined;
  /** At most so many; at least 1. */
  limit: number;
}

/** A call that waits for its stream. */
export interface WaitingCall {
  id: string;
  /** The API key that asked for it; absent in those of older versions. */
  apiKeyId?: string;
  /** How long its token is good from now on; above 0. */
  remainingMs: number;
}

/** A call that some worker has, or had when it was lost. */
export interface ActiveCall {
  id: string;
  accountId: string;
  /** The API key that asked for it; absent in those of older versions. */
  apiKeyId?: string;
  /** The worker that redeemed the call's token, the number of its connection then, and that of the control process's start. */
  workerId: string;
  workerConnection: number;
  epoch: number;
  recordingEnabled: boolean;
}

/** One redemption, in the numbers that its call's row keeps of it; a call that was returned and redeemed again has others. */
export type CallRedemption = Pick<ActiveCall, "workerId" | "workerConnection" | "epoch">;

/** A call as it is after somebody asked for its end. */
export interface Cancellation {
  call: CallRecord;
  /** The worker that has the call, while it is active. */
  workerId?: string;
  /** Whether this was its end, rather than one before. */
  cancelled: boolean;
}

/** How a call ended, told once its journal is complete. */
export interface CallEnd {
  status: "ended" | "failed";
  endReason: EndReason;
  /** Milliseconds since the Unix epoch. */
  endedAtMs: number;
  durationMs: number;
  turns: readonly TranscriptTurn[];
  /** False when `turns` may lack some; absent when that is not known. */
  transcriptComplete?: boolean | undefined;
  /** Absent where the stream had none, or never began, or nobody knows: then it stays as it is. At most STREAM_ID_CHARS_MAX characters, any of them. */
  carrierCallId?: string | undefined;
  recording?: RecordingInfo | undefined;
  /** Whatever was counted during the call, by name. */
  counters?: Readonly<Record<string, number>> | undefined;
  latency?: LatencySummary | undefined;
  usage?: readonly ProviderUsage[] | undefined;
  cost?: CallCost | undefined;
}

/**
 * Calls and the tokens that stand for them, which `Redemptions` exchanges. Every operation rejects with `unavailable` when the store
 * cannot answer just now. The age of tokens and of named requests is measured by the store's AgeClock; times in records are of the
 * wall clock and decide nothing.
 *
 * No spoken word of a call with `recordingEnabled: false` may reach a disk, and its prompt and greeting are meant to be
 * spoken: they stay in memory (`UnwrittenWords`) until the call is over, and turns are stored without text. The price: a restart of
 * the control process between such a call's creation and its redemption loses it; its token is then refused, unless its client
 * repeats the request that it named.
 */
export interface CallStore {
  /**
   * Stores the call and its token in one step, or tells what an earlier request of the same name has made. `admit` is asked
   * before anything new is stored, and not where nothing is; what it has against the call refuses it.
   */
  create(call: NewCall, admit?: () => AdmissionRefusal | undefined): Promise<Creation>;
  /**
   * Undefined for unknown ids and for those of other accounts. A created call whose tokens have run out is `expired`
   * from that moment on, which is its end, whether `expire` has come by or not.
   */
  get(accountId: string, callId: string): Promise<CallRecord | undefined>;
  /** The account's calls, newest first, by the same rule about expiry as `get`; `more` when there are others behind them. */
  list(accountId: string, query: CallQuery): Promise<{ calls: readonly ListedCall[]; more: boolean }>;
  /**
   * At most `limit` turns (all where it is absent) in order behind the first `from`, with empty texts when the call was not
   * recorded; none before its end. Undefined as for `get`.
   */
  transcript(
    accountId: string,
    callId: string,
    range?: { from: number; limit: number },
  ): Promise<readonly TranscriptTurn[] | undefined>;
  /** Created calls whose tokens are still good, of all accounts: with the active ones those that take a place. */
  listWaiting(): Promise<readonly WaitingCall[]>;
  /** Active calls of one worker, or of all, oldest first: what must be recovered when a process was lost. */
  listActive(workerId?: string): Promise<readonly ActiveCall[]>;
  /**
   * Ends a created call, whose token is then refused; an active one is its worker's to end. Undefined as for `get`.
   */
  cancel(accountId: string, callId: string): Promise<Cancellation | undefined>;
  /**
   * Forgets a call that is over, or that was never begun, with its turns, its tokens and the name of its request. Returns
   * false, and forgets nothing, while it is active. Undefined as for `get`.
   */
  remove(accountId: string, callId: string): Promise<boolean | undefined>;
  /** Its carrier knows an active call by this id; of any other call nothing changes. */
  setCarrierCallId(callId: string, carrierCallId: string): Promise<void>;
  /**
   * Ends an active call, where `redemption` is given only while that is the one by which it is active. Only the first end counts;
   * returns whether this was the one.
   */
  finish(callId: string, end: CallEnd, redemption?: CallRedemption): Promise<boolean>;
  /** Turns created calls whose tokens have run out into `expired`; returns their ids. Call it every few seconds. */
  expire(): Promise<readonly string[]>;
}
