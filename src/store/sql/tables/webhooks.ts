import type { EpochMs } from "../../../core/clocks.ts";
import type {
  AccountId,
  CallId,
  DeliveryId,
  DocumentId,
  EventId,
  TranscriptionId,
  WebhookId,
} from "../../../core/ids.ts";

/** Webhooks, events and streams of events. */
export interface WebhookTables {
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
    /** JSON of FailedAttempt, one after the other with commas between them. */
    failed_attempts: string | null;
  };
}
