import type { AgeMs, EpochMs } from "../../core/clocks.ts";
import type {
  AccountId,
  AgentId,
  ApiKeyId,
  CallId,
  DeliveryId,
  EventId,
  JobId,
  WebhookId,
  WorkerId,
} from "../../core/ids.ts";

/**
 * The tables for Kysely. Times are integers of ms; booleans are 0 or 1; JSON columns hold only what this
 * service wrote.
 */
export interface Tables {
  accounts: { id: AccountId; name: string; created_at: EpochMs };
  api_keys: {
    id: ApiKeyId;
    account_id: AccountId;
    name: string;
    /** SHA-256 of the key, lower-case hex. */
    hash: string;
    visible_prefix: string;
    created_at: EpochMs;
    revoked_at: EpochMs | null;
  };
  agents: {
    id: AgentId;
    account_id: AccountId;
    /** JSON of a string, as are the other prompts: databases cannot be relied on to store NUL in a text. */
    name: string;
    base_prompt: string;
    context: string;
    custom_instructions: string;
    language_id: string;
    voice_id: string;
    /** JSON, as are `tool_ids` and `corpus_ids`. */
    call_settings: string;
    tool_ids: string;
    corpus_ids: string;
    created_at: EpochMs;
    updated_at: EpochMs;
  };
  calls: {
    id: CallId;
    account_id: AccountId;
    /** The saved agent that the call was created from. */
    agent_id: AgentId | null;
    /** The API key that created the call; null in calls of older versions. */
    api_key_id: ApiKeyId | null;
    status: string;
    /** JSON of CallSettings without its tools. */
    settings: string;
    /** JSON of CallPrompts; always null when the call is not recorded. */
    words: string | null;
    recording_enabled: number;
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
    /** JSON of the carrier's id of the call, a text of any characters. */
    carrier_call_id: string | null;
    /** JSON of StartParameters; always null when the call is not recorded. */
    parameters: string | null;
    /** 0 when turns may be missing; null before the end, and in records of older versions. */
    transcript_complete: number | null;
    /** JSON of RecordingInfo. */
    recording: string | null;
    /** JSON, names to numbers. */
    counters: string | null;
    /** JSON of LatencySummary. */
    latency: string | null;
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
  };
  /** The metadata of calls, as lists find it. */
  call_metadata: { call_id: CallId; account_id: AccountId /** See `pairHash`. */; pair_hash: string };
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
  /** Counters that only grow; `control` counts the starts of the control process. */
  epochs: { name: string; value: number };
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
  /** Durable jobs. */
  jobs: {
    id: JobId;
    /** Null for the service's own. */
    account_id: AccountId | null;
    kind: string;
    lane: string;
    /** Kind and key while the job is live and has a key; unique. */
    live_key: string | null;
    /** JSON. */
    payload: string;
    status: string;
    /** The boot, and the time of its AgeClock at which a pending job is due, or the claim of a running one ends. */
    boot_id: string;
    due_age_ms: AgeMs;
    /** The time by the wall clock; decides after another boot. */
    due_at: EpochMs;
    deadline_at: EpochMs | null;
    attempts: number;
    /** How often its runner was lost. */
    losses: number;
    /** Who has claimed it; null unless it is running. */
    runner_id: string | null;
    /** JSON of a text. */
    last_error: string | null;
    /** JSON. */
    progress: string | null;
    created_at: EpochMs;
    died_at: EpochMs | null;
  };
  /** The keys that have sealed something, so that a start with the wrong key is noticed. */
  sealing_keys: { id: string; created_at: EpochMs };
  webhooks: {
    id: WebhookId;
    account_id: AccountId;
    url: string;
    /** JSON of a text. */
    description: string;
    /** JSON of a list. */
    event_types: string;
    /** Null while it is enabled. */
    disabled_reason: string | null;
    failing_since: EpochMs | null;
    /** Sealed. */
    secret: string;
    previous_secret: string | null;
    previous_secret_until: EpochMs | null;
    created_at: EpochMs;
    updated_at: EpochMs;
  };
  /** Facts, written in their own transactions. */
  webhook_events: {
    id: EventId;
    account_id: AccountId;
    type: string;
    call_id: CallId | null;
    /** Names the fact; unique, so that it has one id for ever. */
    fact: string;
    /** JSON; null for `call.ended`. */
    data: string | null;
    created_at: EpochMs;
  };
  webhook_deliveries: {
    id: DeliveryId;
    account_id: AccountId;
    webhook_id: WebhookId;
    event_id: EventId;
    status: string;
    attempts: number;
    /** JSON of DeliveryAnswer. */
    answer: string | null;
    created_at: EpochMs;
    last_attempt_at: EpochMs | null;
    next_attempt_at: EpochMs | null;
  };
  turns: {
    call_id: CallId;
    /** 0 for the first turn of the call. */
    position: number;
    account_id: AccountId;
    role: string;
    /** JSON of the text, because it may contain NUL. Always null when the call is not recorded. */
    text: string | null;
    start_ms: number;
    end_ms: number;
    interrupted: number;
    approximate: number;
    /** JSON of TurnLatency. */
    latency: string | null;
  };
}
