import type { AgeMs, EpochMs } from "../../core/clocks.ts";
import type { AccountId, AgentId, ApiKeyId, CallId, WorkerId } from "../../core/ids.ts";

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
    /** JSON of CallSettings. */
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
  };
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
