import type { Generated } from "kysely";
import type { AgeMs, EpochMs } from "../../../core/clocks.ts";
import type { AccountId, CallId, TranscriptionId } from "../../../core/ids.ts";

/** Transcriptions of files and live ones. */
export interface TranscriptionTables {
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
}
