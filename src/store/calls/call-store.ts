import type { CallCost, ProviderUsage } from "../../core/billing/prices.ts";
import type { CallAnalysis } from "../../core/calls/analysis.ts";
import type { LatencySummary } from "../../core/calls/latency.ts";
import type { CallNetwork } from "../../core/calls/network.ts";
import type { CallDirection, CarrierPrice, PhoneCallFacts } from "../../core/calls/phone.ts";
import type { EndReason } from "../../core/calls/reasons.ts";
import type { RecordingPause } from "../../core/calls/recording-pause.ts";
import type { CallSpec, ConnectionType } from "../../core/calls/spec.ts";
import type { StartParameters } from "../../core/calls/start-parameters.ts";
import type { TranscriptTurn } from "../../core/calls/transcript.ts";
import type { EpochMs } from "../../core/clocks.ts";
import type {
  AccountId,
  AgentId,
  ApiKeyId,
  CallId,
  CarrierCallId,
  NodeName,
  PublishableKeyId,
  ToolCallId,
  WorkerId,
} from "../../core/ids.ts";
import type { RedactionKind } from "../../core/redaction/kinds.ts";
import type { Act } from "../accounts/audit-store.ts";
import type { VariableValues } from "../agent-store.ts";
import type { ToolRunWords } from "../tool-store.ts";
import type { TranscriptionEnd } from "../transcription-store.ts";

/**
 * `created` → `active` → `ended` or `failed`; or `created` → `expired`, when the token was not redeemed in time. Telephone calls are
 * `queued`, if the service places them, and `ringing` instead of `created`, and never expire: see `PhoneCallStore`.
 */
export const CALL_STATUSES = ["created", "queued", "ringing", "active", "ended", "expired", "failed"] as const;
export type CallStatus = (typeof CALL_STATUSES)[number];

/** The part of a call's configuration that may be spoken. Once stored, only a redemption reads it. */
export type CallPrompts = Pick<CallSpec, "systemPrompt" | "greeting">;
/** The rest of the configuration, which the record shows. */
export type CallSettings = Omit<CallSpec, keyof CallPrompts>;

/** The stereo WAV recording of a call. Its path follows from the call's id. */
export interface RecordingInfo {
  channels: number;
  sampleRateHz: number;
  durationMs: number;
  /** False when audio is missing because the disk was too slow or a process was lost. */
  complete: boolean;
}

/** A call as the API shows it. */
export interface CallRecord {
  id: CallId;
  accountId: AccountId;
  agentId?: AgentId;
  /** The version of the agent; absent in records of older versions of the service. */
  agentVersion?: number;
  /** The values of the agent's variables, which may be spoken. Absent without an agent, and where no words are stored. */
  variables?: VariableValues;
  status: CallStatus;
  settings: CallSettings;
  createdAtMs: EpochMs;
  /** When the token was redeemed. */
  startedAtMs?: EpochMs;
  endedAtMs?: EpochMs;
  /** From redemption to the end, by a monotonic clock. */
  durationMs?: number;
  endReason?: EndReason;
  /** The carrier's id of the call, verbatim. */
  carrierCallId?: CarrierCallId;
  /** What the carrier's start handed to the call. Absent before the end, where there was nothing, and when words are not stored. */
  parameters?: StartParameters;
  recording?: RecordingInfo;
  /**
   * False when turns may be missing from the transcript because the journal is truncated. Absent before the end, and in
   * older records.
   */
  transcriptComplete?: boolean;
  counters?: Readonly<Record<string, number>>;
  latency?: LatencySummary;
  /** Absent before the end, and for a call that had no leg on RTP. */
  network?: CallNetwork;
  usage?: readonly ProviderUsage[];
  /** Absent where the service had no prices. */
  cost?: CallCost;
  /**
   * Present in telephone calls. Its `headers` are absent when words are not stored, and once the transcript was deleted. The
   * carrier's id of the call is `carrierCallId`.
   */
  phone?: PhoneCallFacts;
  /** What the carrier charges for a telephone call, once that is known. */
  carrierPrice?: CarrierPrice;
  /** How often each kind was found and redacted; absent before the end, and where nothing is redacted. */
  redaction?: Readonly<Partial<Record<RedactionKind, number>>>;
  /** When neither audio nor words were stored; absent where they always were. */
  recordingPauses?: readonly RecordingPause[];
  /** What an LLM has found out about the call; absent before the end, and where that is not wanted. */
  analysis?: CallAnalysis;
  /** When retention deleted the recording and the transcript. */
  recordingDeletedAtMs?: EpochMs;
  transcriptDeletedAtMs?: EpochMs;
}

/** A call as lists show it: without its tools and its analysis, whose schemas can be a hundred times as long as the rest. */
export type ListedCall = Omit<CallRecord, "settings" | "analysis"> & {
  settings: Omit<CallSettings, "tools" | "analysis">;
};

/** The saved agent of a new call. */
export interface CallAgent {
  id: AgentId;
  version: number;
  /** The values of its variables, defaults included. */
  variables: VariableValues;
}

export interface NewCall {
  accountId: AccountId;
  /** The saved agent that the specification comes from; absent for a call with an inline configuration. */
  agent?: CallAgent | undefined;
  /** The API key that asked for it. */
  apiKeyId?: ApiKeyId | undefined;
  /** Present when a web page starts the call with a publishable key, whose limits then decide. */
  web?: WebCallStart | undefined;
  spec: CallSpec;
  /** SHA-256 of the stream token in lower-case hex. */
  tokenHash: string;
  /** How long the token can be redeemed, from now. */
  tokenTtlMs: number;
  /** Present when the client sent an idempotency key, so that a repeated request creates nothing. */
  idempotency?: IdempotentRequest | undefined;
  /** The node of a cluster that is to carry the call; by default the one that stores it. */
  node?: NodeName | undefined;
  /** So many calls the API key and the account may have at once, over all nodes; undefined where they are not counted by the store. */
  callsMax?:
    | { perApiKey?: number | undefined; perAccount?: number | undefined; creationsPerMinute?: number | undefined }
    | undefined;
}

/** Who starts a call by a publishable key. */
export interface WebCallStart {
  publishableKeyId: PublishableKeyId;
  /** Names the client's address without showing it; see `addressHash`. */
  addressHash: string;
}

/** Why a publishable key does not start a call: it was revoked meanwhile, or one of its limits is reached. */
export const WEB_CALL_REFUSALS = [
  "revoked",
  "concurrent_calls",
  "concurrent_calls_of_address",
  "cost",
  "cost_of_address",
] as const;
export type WebCallRefusal = (typeof WEB_CALL_REFUSALS)[number];

/** A request that may be repeated. Only its sender can recover the token from these members. */
export interface IdempotentRequest {
  /** SHA-256 of the idempotency key, in lower-case hex. */
  keyHash: string;
  /** Differs between requests with the same idempotency key and different contents. */
  fingerprint: string;
  /** The call's token, encrypted so that the client's repeated request can decrypt it; returned as it is. */
  sealedToken: string;
}

/** What an earlier request with the same idempotency key created, within 24 h. */
export type Repetition =
  /** Its call as it was created, and the sealed token of that time; in a cluster with the node that carries it, or is to. */
  | { kind: "replayed"; call: CallRecord; sealedToken: string; node?: NodeName }
  /** Another request has this idempotency key. */
  | { kind: "mismatch" };

/**
 * The outcome of a creation. All requests with one idempotency key create one call within 24 h, also when they are
 * concurrent.
 */
export type Creation =
  | { kind: "created"; call: CallRecord; node?: NodeName }
  | Repetition
  | LimitReached
  /** Only for a call with `web`; nothing is stored. */
  | { kind: "web-call-refused"; reason: WebCallRefusal };

/** The API key or the account has as many calls as it may, or has created as many; nothing is stored. Only for a call with `callsMax`. */
export interface LimitReached {
  kind: "limit-reached";
  reason: "api_key_calls" | "account_calls" | "account_creations";
  /** After so long the account may create another call; absent where that is unknown. */
  waitMs?: number;
}

/** Calls of a list. */
export interface CallPage {
  calls: readonly ListedCall[];
  /** Others may follow. */
  more: boolean;
  /**
   * `afterCallId` of the next page; present when there may be one. The page has fewer calls than requested, or none, where
   * filters that rarely meet would take too long.
   */
  continueAfterId?: CallId;
}

/** Which calls of an account to list. Every condition that is given must hold. */
export interface CallQuery {
  status?: CallStatus | undefined;
  connectionType?: ConnectionType | undefined;
  endReason?: EndReason | undefined;
  /** The saved agent that the call was created from. */
  agentId?: AgentId | undefined;
  /** The carrier's complete id of the call, as the client knows it. */
  carrierCallId?: string | undefined;
  /** Only telephone calls have one. */
  direction?: CallDirection | undefined;
  /** Both ends of a telephone call, as the record shows them. */
  from?: string | undefined;
  to?: string | undefined;
  /** Created at this time or later. */
  createdFromMs?: EpochMs | undefined;
  /** Created before this time. */
  createdBeforeMs?: EpochMs | undefined;
  /** Top-level keys of the metadata, each with its value as text: strings as they are, numbers and booleans as JSON. */
  metadata?: Readonly<Record<string, string>> | undefined;
  /** Headers of a telephone call, by names in any case, each with its whole value. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Only calls after this one in the list's order. */
  afterCallId?: CallId | undefined;
  /** The maximum number of calls; at least 1. */
  limit: number;
}

/** A call that waits for its stream. */
export interface WaitingCall {
  id: CallId;
  accountId: AccountId;
  /** The API key that asked for it; absent in those of older versions. */
  apiKeyId?: ApiKeyId;
  connectionType: ConnectionType;
  /** How long its token is still valid; above 0. */
  remainingMs: number;
}

/** A call that a worker carries, or carried when it was lost. */
export interface ActiveCall {
  id: CallId;
  accountId: AccountId;
  /** The API key that asked for it; absent in those of older versions. */
  apiKeyId?: ApiKeyId;
  /**
   * The worker that redeemed the call's token, the number of its connection at that time, and the control process's
   * epoch.
   */
  workerId: WorkerId;
  workerConnection: number;
  epoch: number;
  recordingEnabled: boolean;
}

/** Identifies one redemption in the call's row; a call that is returned and redeemed again gets another. */
export type CallRedemption = Pick<ActiveCall, "workerId" | "workerConnection" | "epoch">;

/** What the journal of a call says of it. */
export interface RestoredCall {
  id: CallId;
  accountId: AccountId;
  spec: CallSpec | undefined;
  startedAtMs: EpochMs;
  /** Of a call that is live. */
  redemption?: CallRedemption;
}

/** A call after a request to end it. */
export interface Cancellation {
  call: CallRecord;
  /** The worker that carries the call, while it is active. */
  workerId?: WorkerId;
  /** Whether this request ended it; false when it was over before. */
  cancelled: boolean;
}

/** A tool call of the LLM, from the journal. */
export interface CallToolRun {
  toolCallId: ToolCallId;
  name: string;
  /** Milliseconds since redemption. */
  startMs: number;
  /** Null when the call ended first, as is `failed`. */
  durationMs: number | null;
  failed: boolean | null;
  /** Absent where the journal has no words. */
  words?: ToolRunWords;
}

/** How a call ended, known once its journal is complete. */
export interface CallEnd {
  status: "ended" | "failed";
  endReason: EndReason;
  endedAtMs: EpochMs;
  durationMs: number;
  turns: readonly TranscriptTurn[];
  /** The first TOOL_RUNS_PER_CALL_MAX tool calls, in the order in which they began; none by default. */
  toolRuns?: readonly CallToolRun[] | undefined;
  /** False when `turns` may be incomplete; absent when that is unknown. */
  transcriptComplete?: boolean | undefined;
  /**
   * Absent where the stream had none, never started, or its id is unknown; the stored value then stays. At most
   * STREAM_ID_CHARS_MAX characters, any of them.
   */
  carrierCallId?: CarrierCallId | undefined;
  /** Stored only for a call that stores words. */
  parameters?: StartParameters | undefined;
  /** Whether there is a journal, from which a job renders the recording of a call that stores audio. */
  hasJournal?: boolean | undefined;
  /** Counters of the call, by name. */
  counters?: Readonly<Record<string, number>> | undefined;
  latency?: LatencySummary | undefined;
  redaction?: Readonly<Partial<Record<RedactionKind, number>>> | undefined;
  recordingPauses?: readonly RecordingPause[] | undefined;
  network?: CallNetwork | undefined;
  usage?: readonly ProviderUsage[] | undefined;
  cost?: CallCost | undefined;
  /** Of a live transcription, which ends in the same transaction. */
  transcription?: TranscriptionEnd | undefined;
}

/** A change of a call. A redemption is none: it may happen in another process. */
export type CallEvent =
  | { kind: "created"; callId: CallId; call: NewCall }
  /** A telephone call was created: it has no token, and takes a slot when it is dialled or comes in. */
  | { kind: "phone-created"; callId: CallId; spec: CallSpec }
  /**
   * The request that created the call was repeated while the call waits for its stream. Emitted before that can change,
   * possibly more than once a repetition.
   */
  | { kind: "repeated"; callId: CallId; spec: CallSpec }
  /** The call was cancelled, has ended or has expired. Emitted at most once a call. */
  | { kind: "ended"; callId: CallId; status: "ended" | "failed" | "expired"; endReason: EndReason }
  /**
   * The call is over, whichever redemption it had, but its redemption was returned before its end was stored: its token
   * is valid, and its stream must not be carried again with words that no table has.
   */
  | { kind: "end-not-stored"; callId: CallId }
  /** The call was deleted; one that had not ended is never reported as ended. */
  | { kind: "removed"; callId: CallId };

/**
 * Calls and their tokens, which `Redemptions` exchanges. Every operation rejects with `unavailable` when the store
 * cannot answer at present. The store's AgeClock measures the age of tokens and idempotency keys. Times in records are
 * of the wall clock and decide nothing.
 *
 * No words of a call with `transcriptEnabled: false` may reach a disk, and its prompt and greeting may be spoken. They
 * stay in memory (`UnpersistedPrompts`) until the call is over, turns are stored without text, and parameters are not
 * stored. The cost: a restart of the control process between such a call's creation and its redemption loses it. Its
 * token is then refused unless its client repeats the request with its idempotency key.
 *
 * A live transcription is a call whose id is that of its transcription (`liveTranscriptionOf`), which the same transactions create,
 * start, end and cancel. It is in no list of calls, in no usage of calls and in no event of calls; `remove` leaves its transcription.
 */
export interface CallStore {
  /**
   * Calls the listener at every change by this store, after its commit (where `CallEvent` says nothing else) and before
   * the operation resolves. What the listener throws, the operation rejects with.
   */
  subscribe(listener: (event: CallEvent) => void): void;
  /** What an earlier request with the same idempotency key created; undefined where there is none, or no key. */
  findRepeated(call: NewCall): Promise<Repetition | undefined>;
  /**
   * The version of the agent from which an earlier request with this idempotency key created its call, so that its
   * repetition means the same version. Undefined where there is none.
   */
  repeatedAgentVersion(accountId: AccountId, agentId: AgentId, keyHash: string): Promise<number | undefined>;
  /** Stores the call and its token in one step, or returns what `findRepeated` would. */
  create(call: NewCall): Promise<Creation>;
  /**
   * Undefined for unknown ids and for those of other accounts. A created call whose tokens have expired is `expired`
   * from that moment on, which is its end, whether `expire` has run or not.
   */
  get(accountId: AccountId, callId: CallId): Promise<CallRecord | undefined>;
  /**
   * Whether the settings of the call, of any account, have something to redact; undefined for unknown ids, and where the journal of the
   * call was deleted with its recording or its transcript.
   */
  isRedacted(callId: CallId): Promise<boolean | undefined>;
  /** The account's calls, newest first, with the same rule about expiry as `get`. */
  list(accountId: AccountId, query: CallQuery): Promise<CallPage>;
  /**
   * At most `limit` turns (all where it is absent) in order after the first `from`, with empty texts when words are
   * not stored; none before its end. Undefined as for `get`.
   */
  transcript(
    accountId: AccountId,
    callId: CallId,
    range?: { from: number; limit: number },
  ): Promise<readonly TranscriptTurn[] | undefined>;
  /** Created calls with valid tokens, of all accounts: with the active calls those that take a slot. */
  listWaiting(): Promise<readonly WaitingCall[]>;
  /** Active calls of one worker, or of all, oldest first: these are recovered when a process is lost. */
  listActive(workerId?: WorkerId): Promise<readonly ActiveCall[]>;
  /** The node of a cluster that carries a call or has carried it, whose disk has its files; undefined for none, and an unknown call. */
  nodeOf(callId: CallId): Promise<NodeName | undefined>;
  /** The worker that carries an active call of the account; undefined for any other call. */
  workerOf(accountId: AccountId, callId: CallId): Promise<WorkerId | undefined>;
  /**
   * Ends a created call, whose token is then refused. An active call is ended by its worker. A call that is `queued` or `ringing` is
   * on a telephone line or about to be: its record is returned with `cancelled: false` and without a worker, nothing is changed,
   * and the caller asks the driver of telephone calls to end it, whose machine hangs up first. Undefined as for `get`.
   */
  cancel(accountId: AccountId, callId: CallId): Promise<Cancellation | undefined>;
  /**
   * Deletes a call that is over or never began, with its turns, tokens, idempotency key and the journal of its telephone side.
   * Returns false, and deletes nothing, while it is active, or a telephone call that is not over. Undefined as for `get`. `act` is recorded in the audit log; without it the service
   * itself acts.
   */
  remove(accountId: AccountId, callId: CallId, act?: Act): Promise<boolean | undefined>;
  /** Stores the carrier's id of an active call; does nothing for any other call. */
  setCarrierCallId(callId: CallId, carrierCallId: CarrierCallId): Promise<void>;
  /**
   * Ends an active call; with `redemption`, only while the call is active by that one. Only the first end counts;
   * returns whether this was the first.
   */
  finish(callId: CallId, end: CallEnd, redemption?: CallRedemption): Promise<boolean>;
  /**
   * Makes an active call of what its journal says, because an older database does not know that it has begun; `finish`
   * ends it. Without `spec` only a call that has a row. With `redemption` that worker carries it, otherwise none. Does nothing for a call
   * that is active or has ended.
   */
  restore(call: RestoredCall): Promise<void>;
  /** Whether an ended call is to have a recording: it was not deleted meanwhile, nor was its recording. */
  awaitsRecording(callId: CallId): Promise<boolean>;
  /**
   * The recording of an ended call can be downloaded. Does nothing for a call that was deleted, or whose recording retention has deleted;
   * returns whether it was none of these.
   */
  setRecording(callId: CallId, recording: RecordingInfo): Promise<boolean>;
  /** The recording of an ended call can never be made; its counters say so. */
  recordingFailed(callId: CallId): Promise<void>;
  /**
   * Makes created calls with expired tokens `expired` and returns their ids. Call this every few seconds. The machine of a telephone
   * call, which is never `created`, decides what follows when its token expires.
   */
  expire(): Promise<readonly CallId[]>;
}
