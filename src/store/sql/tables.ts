import type { Generated } from "kysely";
import type { CallDirection } from "../../core/calls/phone.ts";
import type { CarrierType } from "../../core/calls/spec.ts";
import type { AgeMs, EpochMs } from "../../core/clocks.ts";
import type {
  AccountId,
  AccountSecretId,
  AgentId,
  ApiKeyId,
  AuditEventId,
  CallId,
  CarrierId,
  CorpusId,
  DeliveryId,
  DocumentId,
  EventId,
  JobId,
  NodeMessageId,
  NodeName,
  PhoneNumberId,
  PublishableKeyId,
  ToolId,
  ToolRunId,
  TranscriptionId,
  UserId,
  WebhookId,
  WorkerId,
} from "../../core/ids.ts";
import type { AccountSecretKind } from "../accounts/account-secret-store.ts";

/**
 * The tables for Kysely. Times are integers of ms; booleans are 0 or 1; JSON columns hold only what this
 * service wrote.
 */
export interface Tables {
  accounts: {
    id: AccountId;
    name: string;
    created_at: EpochMs;
    /** Null in accounts that were never changed. */
    updated_at: EpochMs | null;
    /** JSON of AccountSettings; null for empty ones. */
    settings: string | null;
    /** Goes up with every change. */
    version: Generated<number>;
  };
  /** Sealed secrets, of which an account has one of each kind and name. */
  account_secrets: {
    id: AccountSecretId;
    account_id: AccountId;
    kind: AccountSecretKind;
    name: string;
    /** Sealed. */
    sealed_secret: string;
    last_characters: string;
    /** JSON, a list of the servers that may receive it; null for kinds without such a list. */
    hosts: string | null;
    created_at: EpochMs;
  };
  api_keys: {
    id: ApiKeyId;
    account_id: AccountId;
    name: string;
    /** SHA-256 of the key, lower-case hex. */
    hash: string;
    visible_prefix: string;
    created_at: EpochMs;
    revoked_at: EpochMs | null;
    /** JSON, a list of Scope; null for the default ones. */
    scopes: string | null;
    expires_at: EpochMs | null;
    last_used_at: EpochMs | null;
    /** Of the text before the last rotation. */
    previous_hash: string | null;
    previous_prefix: string | null;
    previous_until: EpochMs | null;
    /** Null in API keys that were never changed. */
    updated_at: EpochMs | null;
  };
  users: {
    id: UserId;
    account_id: AccountId;
    /** In lower case. */
    email: string;
    name: string;
    role: string;
    /** The text of a hash by scrypt, with its parameters; null until the invitation is accepted. */
    password_hash: string | null;
    created_at: EpochMs;
    updated_at: EpochMs;
    last_sign_in_at: EpochMs | null;
  };
  user_secrets: {
    /** SHA-256 of the text, lower-case hex. */
    hash: string;
    account_id: AccountId;
    user_id: UserId;
    /** One of `session`, `device`, and the kinds of links. */
    kind: string;
    created_at: EpochMs;
    expires_at: EpochMs;
  };
  /** What lets the browser of the operator start calls without a person or an API key. */
  owner_secrets: {
    /** SHA-256 of the text, lower-case hex. */
    hash: string;
    account_id: AccountId;
    /** `link` or `page`. */
    kind: string;
    created_at: EpochMs;
    expires_at: EpochMs;
  };
  /** Keys by which web pages start calls. They are no secrets, so the text is stored. */
  publishable_keys: {
    id: PublishableKeyId;
    account_id: AccountId;
    name: string;
    key: string;
    /** JSON of a list of ids. */
    agent_ids: string;
    /** JSON of a list. */
    origins: string;
    /** JSON of PublishableKeyLimits. */
    limits: string;
    created_at: EpochMs;
    updated_at: EpochMs;
    revoked_at: EpochMs | null;
  };
  /** The origins of publishable keys that are not revoked, as preflights look for them. */
  publishable_key_origins: { publishable_key_id: PublishableKeyId; account_id: AccountId; origin: string };
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
  /** Only ever added to. */
  audit_events: {
    id: AuditEventId;
    account_id: AccountId;
    actor_kind: string;
    actor_id: string;
    action: string;
    target_kind: string;
    target_id: string;
    /** JSON of AuditDetails. */
    details: string;
    request_id: string | null;
    created_at: EpochMs;
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
    /** JSON of a list of AgentVariable. */
    variables: string;
    /** JSON of a list of names. */
    allowed_overrides: string;
    /** The version whose definition these columns are. */
    live_version: number;
    draft_version: number | null;
    /** Null in agents that an older version of the service made. */
    published_at: EpochMs | null;
    deleted_at: EpochMs | null;
  };
  /** The versions of agents. */
  agent_versions: {
    agent_id: AgentId;
    version: number;
    account_id: AccountId;
    created_at: EpochMs;
    /** The id of an API key or a person. */
    created_by: string | null;
    published_at: EpochMs | null;
    /** JSON of AgentDefinition; the last column, so that lists do not read past it. */
    definition: string;
  };
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
  /** Accounts at carriers. */
  carriers: {
    id: CarrierId;
    account_id: AccountId;
    carrier: CarrierType;
    name: string;
    /** JSON, names to texts. */
    public_credentials: string;
    /** JSON of all credentials, sealed; empty where the key was lost and forgotten. */
    sealed_credentials: string;
    webhook_key: string;
    max_concurrent_calls: number | null;
    calls_per_second: number;
    /** JSON of a list, as is `allowed_numbers`. */
    allowed_countries: string | null;
    allowed_numbers: string | null;
    created_at: EpochMs;
    updated_at: EpochMs;
    verified_at: EpochMs;
  };
  /** Telephone numbers, of which an account has each once. */
  phone_numbers: {
    id: PhoneNumberId;
    account_id: AccountId;
    /** E.164. */
    number: string;
    carrier_id: CarrierId;
    carrier_number_id: string;
    name: string;
    agent_id: AgentId | null;
    inbound_webhook_url: string | null;
    /** Sealed; null without an address. */
    inbound_webhook_secret: string | null;
    max_concurrent_calls: number | null;
    /** JSON of a text. */
    refusal_text: string | null;
    is_attached: number;
    /** JSON of NumberRouting; null while it is not attached, unless the attachment was forgotten without asking the carrier. */
    routing_before: string | null;
    created_at: EpochMs;
    updated_at: EpochMs;
  };
  /** The machines of telephone calls. */
  phone_calls: {
    call_id: CallId;
    account_id: AccountId;
    carrier_id: CarrierId;
    /** JSON of a text; one carrier has each once. */
    carrier_call_id: string | null;
    /** JSON. */
    state: string;
    event_count: number;
    /** Null where the machine waits for no time. */
    due_at: EpochMs | null;
    /** 1 while it holds a slot, and after its end. */
    holds_slot: number;
    /**
     * 0 while the carrier may have to be asked for something other than the price; null in rows of an earlier version, which leaves the 0
     * where it ends a call.
     */
    is_over: number | null;
    /** Of the latest token; both null before there is one, and `sealed_token` where it was not given. */
    token_hash: string | null;
    sealed_token: string | null;
  };
  /** The journals of telephone calls. */
  phone_call_events: {
    call_id: CallId;
    /** 0 for the first event of the call. */
    position: number;
    account_id: AccountId;
    at: EpochMs;
    /** JSON. */
    event: string;
    /** JSON of a list. */
    commands: string;
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
  /** The import that has begun and not ended; see `TransferStore.beginImport`. */
  unfinished_imports: { id: string };
  /** The id by which the bucket knows this database; one row, once there has been a bucket. */
  bucket_claims: { name: string; database_id: string; is_confirmed: 0 | 1 };
  /** Counters that only grow; `control` counts the starts of the control process. */
  epochs: { name: string; value: number };
  /** One row for each API key, account, carrier and number whose calls are counted: a transaction that counts changes it, so that no other counts at the same time. */
  call_counts: {
    owner: ApiKeyId | AccountId | CarrierId | PhoneNumberId;
    counted: number;
    /** Of an account with `creationsPerMinute`, over all nodes: how many had not run out at the second, by the database's clock. */
    creations: Generated<number | null>;
    creations_at: Generated<EpochMs | null>;
  };
  /** When the next call may be placed from a number, over all nodes, by the database's clock. */
  dial_paces: { carrier_id: CarrierId; from_number: string; next_at: EpochMs };
  /** The nodes of a cluster: see `NodeStore`. Times are the database's own. */
  nodes: {
    name: NodeName;
    installation: string;
    incarnation: number;
    media_url: string | null;
    webrtc_url: string | null;
    relay_url: string | null;
    version: string;
    ipc_version: number;
    journal_version: number;
    state: string;
    call_slots: number;
    calls: number;
    webrtc_slots: number;
    webrtc_calls: number;
    started_at: EpochMs;
    lease_until: EpochMs;
    /** Since then the lease was renewed without a gap. */
    renewed_since: EpochMs;
    /** The node that has taken the calls. */
    taken_by: NodeName | null;
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
    /** The node of a cluster whose files it needs; null where any node can do it. */
    node: NodeName | null;
  };
  /** The keys that have sealed something, so that a start with the wrong key is noticed. */
  media_keys: {
    call_id: CallId;
    account_id: AccountId;
    /** The call's media key as base64url, sealed. */
    sealed_key: string;
    created_at: EpochMs;
  };
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
    /** 1 while too many of its deliveries wait. */
    is_full: number;
    /** Its deliveries are deleted first, and then it. */
    deleted_at: EpochMs | null;
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
    transcription_id: TranscriptionId | null;
    document_id: DocumentId | null;
    /** Names the fact; unique, so that it has one id for ever. */
    fact: string;
    /** JSON; null for `call.ended` and for events of transcriptions and documents. */
    data: string | null;
    created_at: EpochMs;
  };
  /** The accounts that read their events as a stream. */
  event_streams: {
    account_id: AccountId;
    /** Facts until then are kept in `stream_events`. */
    kept_until: EpochMs;
    last_sequence: number;
    /** Events up to this number may have been lost. */
    lost_through: number;
  };
  /** Facts of these accounts, written in their own transactions. */
  stream_events: {
    id: EventId;
    account_id: AccountId;
    type: string;
    call_id: CallId | null;
    transcription_id: TranscriptionId | null;
    document_id: DocumentId | null;
    /** JSON; null for `call.ended` and for events of transcriptions and documents. */
    data: string | null;
    created_at: EpochMs;
    /** Null until `EventStreamStore.number`. */
    sequence: number | null;
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
  /** Saved tools. */
  tools: {
    id: ToolId;
    account_id: AccountId;
    /** Of the definition, as is `name`, which is JSON of a text. */
    type: string;
    name: string;
    version: number;
    created_at: EpochMs;
    updated_at: EpochMs;
    /** JSON of SavedToolDefinition. */
    definition: string;
    /** JSON of McpListing; null for other tools. */
    listing: string | null;
  };
  /** Runs of saved tools, of calls that are over and of tests. */
  tool_runs: {
    id: ToolRunId;
    account_id: AccountId;
    tool_id: ToolId;
    /** Null for a test. */
    call_id: CallId | null;
    name: string;
    started_at: EpochMs;
    duration_ms: number | null;
    failed: number | null;
    /** JSON of ToolRunWords; null when words are not stored. */
    words: string | null;
  };
  transcriptions: {
    id: TranscriptionId;
    account_id: AccountId;
    created_at: EpochMs;
    status: string;
    source: string;
    /** JSON of TranscriptionOptions. */
    options: string;
    /** JSON. */
    metadata: string;
    /** The call may be deleted since. */
    call_id: CallId | null;
    url: string | null;
    /** JSON of a text. */
    file_name: string | null;
    deletes_audio: number;
    has_audio: number;
    /** 1 while words of it are stored: its result, or the parts of one whose job was given up. */
    has_result: number;
    done_ms: number;
    duration_ms: number | null;
    started_at: EpochMs | null;
    ended_at: EpochMs | null;
    /** JSON of a code and a message. */
    failure: string | null;
    /** JSON, a list of usage by provider; null before the end. */
    usage: string | null;
    /** When retention deleted the result. */
    result_deleted_at: EpochMs | null;
  };
  /** The parts that were requested, of transcriptions that are not over, or whose job was given up and may be attempted again. */
  transcription_parts: {
    transcription_id: TranscriptionId;
    channel: number;
    start_ms: number;
    end_ms: number;
    account_id: AccountId;
    requests: number;
    /** The provider of each request, followed by a space each. */
    providers: Generated<string>;
    /** JSON, the usage of its outcome; null until it is transcribed, as is `outcome`. */
    usage: string | null;
    /** JSON of PartOutcome. */
    outcome: string | null;
  };
  /** The JSON of each result, cut into texts that one transaction can write. It counts once its transcription has `has_result`. */
  transcription_results: {
    transcription_id: TranscriptionId;
    /** 0 for the first text. */
    position: number;
    account_id: AccountId;
    text: string;
  };
  /** Requests with an idempotency key, so that a repeated one creates no second transcription. */
  transcription_requests: {
    account_id: AccountId;
    /** SHA-256 of the idempotency key, lower-case hex. */
    key_hash: string;
    transcription_id: TranscriptionId;
    fingerprint: string;
    created_at: EpochMs;
    /** The boot, and the time of its AgeClock at which the request was made. */
    boot_id: string;
    created_age_ms: AgeMs;
  };
  corpora: {
    id: CorpusId;
    account_id: AccountId;
    created_at: EpochMs;
    updated_at: EpochMs;
    /** JSON of a text, as is `description`. */
    name: string;
    description: string;
    language_id: string;
    mode: string;
    /** JSON. */
    metadata: string;
    /** Unique over all corpora: see `ChangedCorpus`. */
    revision: number;
    /** Its documents are deleted meanwhile; of itself nothing but this row is left. */
    deleted_at: EpochMs | null;
  };
  documents: {
    id: DocumentId;
    account_id: AccountId;
    corpus_id: CorpusId;
    created_at: EpochMs;
    updated_at: EpochMs;
    /** JSON of a text, as is `file_name`. */
    name: string;
    source: string;
    url: string | null;
    file_name: string | null;
    /** JSON. */
    metadata: string;
    status: string;
    version: number;
    ready_version: number | null;
    file_version: number | null;
    /** JSON of DocumentFacts. */
    facts: string | null;
    /** Of the facts; 0 while there are none. */
    chunks: number;
    characters: number;
    /** JSON of DocumentFailure. */
    failure: string | null;
    processed_at: EpochMs | null;
    /** 1 while something must be deleted: all of it, or what earlier versions have left. */
    needs_cleaning: number;
    deleted_at: EpochMs | null;
  };
  /** The chunks of the version of a document that can be found, of the one that is processed, and of some that are to be deleted. */
  document_chunks: {
    document_id: DocumentId;
    version: number;
    ordinal: number;
    account_id: AccountId;
    /** JSON, a list of texts. */
    headings: string;
    page: number | null;
    text: string;
  };
  /** Requests with an idempotency key, so that a repeated one creates no second document. */
  document_requests: {
    account_id: AccountId;
    /** SHA-256 of the idempotency key, lower-case hex. */
    key_hash: string;
    document_id: DocumentId;
    fingerprint: string;
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
  /** Requests of the nodes of a cluster to each other, with their answers. Only Postgres has any. */
  node_messages: {
    id: NodeMessageId;
    from_node: NodeName;
    to_node: NodeName;
    kind: string;
    /** Sealed JSON. */
    body: string;
    /** 1: one whose node has died at it is handled again. */
    is_repeatable: number;
    /** By the clock of the database, as `answered_at`. After it the message is not handled any more. */
    expires_at: EpochMs;
    /** The start of the node that handles it; null before. */
    taken_by: string | null;
    /** Sealed JSON; null before it was handled. */
    answer: string | null;
    answered_at: EpochMs | null;
  };
}
