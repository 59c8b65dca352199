import type { CallDirection } from "../../../core/calls/phone.ts";
import type { AgeMs, EpochMs } from "../../../core/clocks.ts";
import type {
  AccountId,
  AgentId,
  ApiKeyId,
  CallId,
  CarrierId,
  NodeName,
  PhoneNumberId,
  PublishableKeyId,
  WorkerId,
} from "../../../core/ids.ts";

/** Calls and what belongs to one. */
export interface CallTables {
  calls: {
    id: CallId;
    account_id: AccountId;
    /** The saved agent that the call was created from. */
    agent_id: AgentId | null;
    /** The version of the agent; null in calls of older versions. */
    agent_version: number | null;
    /** JSON of the values of the agent's variables; always null when words are not stored. */
    variables: string | null;
    /** The API key that created the call; null in calls of older versions. */
    api_key_id: ApiKeyId | null;
    status: string;
    /** JSON of CallSettings without its tools. */
    settings: string;
    /** JSON of CallPrompts; always null when words are not stored. */
    words: string | null;
    recording_enabled: number;
    /** Null in calls of older versions: as `recording_enabled`. */
    transcript_enabled: number | null;
    created_at: EpochMs;
    started_at: EpochMs | null;
    ended_at: EpochMs | null;
    duration_ms: number | null;
    end_reason: string | null;
    worker_id: WorkerId | null;
    /**
     * Of the redemption: the number of the worker's connection and the control process's epoch; 0 while there is none.
     */
    worker_connection: number;
    epoch: number;
    /**
     * The node of a cluster that was named for the call, carries it, or did; null in a service without a name. While the call is active,
     * the number of the start that may end it, as in `nodes.incarnation`.
     */
    node: NodeName | null;
    node_incarnation: number | null;
    /** JSON of the carrier's id of the call, a text of any characters. */
    carrier_call_id: string | null;
    /** JSON of StartParameters; always null when words are not stored. */
    parameters: string | null;
    /** 0 when turns may be missing; null before the end, and in records of older versions. */
    transcript_complete: number | null;
    /** JSON of RecordingInfo. */
    recording: string | null;
    /** JSON, names to numbers. */
    counters: string | null;
    /** JSON of LatencySummary. */
    latency: string | null;
    /** JSON of CallNetwork. */
    network: string | null;
    /** JSON, a list of ProviderUsage. */
    usage: string | null;
    /** JSON of CallCost. */
    cost: string | null;
    /** When retention deleted the recording (also set when there was none) and the transcript. */
    recording_deleted_at: EpochMs | null;
    transcript_deleted_at: EpochMs | null;
    /** Of the settings, as a column because lists filter by it. */
    connection_type: string;
    /** JSON of the settings' tools, which can be long and which no list shows. */
    tools: string;
    /** Null in all calls but those of the telephone, as are the following. */
    direction: CallDirection | null;
    /** JSON of a text, as is `to_number`: see `phoneAddress`. */
    from_number: string | null;
    to_number: string | null;
    /** Stays when the carrier or the number is deleted. */
    carrier_id: CarrierId | null;
    phone_number_id: PhoneNumberId | null;
    /** JSON of a text. */
    carrier_code: string | null;
    /** JSON of CarrierPrice. */
    carrier_price: string | null;
    /** JSON, names to texts; always null when words are not stored. */
    phone_headers: string | null;
    /** JSON of how often each kind was found; null where nothing is redacted. */
    redaction: string | null;
    /** JSON of RecordingPause, a list; null where there was none. */
    recording_pauses: string | null;
    /** JSON of AnalysisSettings; null where no analysis is wanted. */
    analysis_settings: string | null;
    /** JSON of CallAnalysis; null before the end. */
    analysis: string | null;
  };
  /** The calls of publishable keys that are not over, or whose end is not stored yet. */
  web_calls: {
    call_id: CallId;
    account_id: AccountId;
    publishable_key_id: PublishableKeyId;
    /** Names the client's address; see `addressHash`. */
    address_hash: string;
    /** The day of its creation in UTC, as in `2026-11-21`. Its cost counts for this day. */
    day: string;
    /** What the agent's own limit of cost leaves the call; 0 where the agent has none. */
    reserved_cost: number;
  };
  /** What the calls of publishable keys that are over have cost. */
  web_call_costs: {
    publishable_key_id: PublishableKeyId;
    day: string;
    /** Empty for all addresses together. */
    address_hash: string;
    account_id: AccountId;
    cost: number;
  };
  /** The metadata and the headers of calls, as lists find them. */
  call_metadata: { call_id: CallId; account_id: AccountId /** See `pairHash` and `headerHash`. */; pair_hash: string };
  stream_tokens: {
    /** SHA-256 of the token, lower-case hex. */
    token_hash: string;
    account_id: AccountId;
    call_id: CallId;
    /** By the wall clock, only for records. */
    expires_at: EpochMs;
    /** The boot, and the time of its AgeClock at which the token expires. These decide. */
    boot_id: string;
    expires_age_ms: AgeMs;
    redeemed_at: EpochMs | null;
    /** The nonce of the redemption that used the token. */
    redemption_nonce: string | null;
  };
  /** Requests with an idempotency key, so that a repeated one creates no second call. */
  idempotent_requests: {
    account_id: AccountId;
    /** SHA-256 of the idempotency key, lower-case hex. */
    key_hash: string;
    call_id: CallId;
    fingerprint: string;
    sealed_token: string;
    created_at: EpochMs;
    /** The boot, and the time of its AgeClock at which the request was made. */
    boot_id: string;
    created_age_ms: AgeMs;
  };
  /** The keys that have sealed something, so that a start with the wrong key is noticed. */
  media_keys: {
    call_id: CallId;
    account_id: AccountId;
    /** The call's media key as base64url, sealed. */
    sealed_key: string;
    created_at: EpochMs;
  };
  turns: {
    call_id: CallId;
    /** 0 for the first turn of the call. */
    position: number;
    account_id: AccountId;
    role: string;
    /** JSON of the text, because it may contain NUL. Always null when words are not stored. */
    text: string | null;
    start_ms: number;
    end_ms: number;
    interrupted: number;
    approximate: number;
    /** JSON of TurnLatency. */
    latency: string | null;
    /** JSON of ReplyPassages, without names where words are not stored. */
    retrieval: string | null;
  };
}
