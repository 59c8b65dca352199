import type { Usage } from "../core/billing/usage.ts";
import type { EpochMs } from "../core/clocks.ts";
import type { AccountId, CallId, JobId, TranscriptionId } from "../core/ids.ts";
import type { RetainedPart } from "../core/retention.ts";
import type { TranscriptionOptions, TranscriptionSource, TranscriptionStatus } from "../core/transcriptions/options.ts";
import type { PartKey, PartOutcome } from "../core/transcriptions/part.ts";
import type { TranscriptionResult } from "../core/transcriptions/result.ts";
import type { Act } from "./accounts/audit-store.ts";

/** A transcription, without its result. */
export interface Transcription {
  readonly id: TranscriptionId;
  readonly accountId: AccountId;
  readonly createdAtMs: EpochMs;
  readonly status: TranscriptionStatus;
  readonly source: TranscriptionSource;
  readonly options: TranscriptionOptions;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The recorded call that is transcribed again. */
  readonly callId?: CallId;
  /** Where the audio is fetched; absent for other sources. */
  readonly url?: string;
  /** The name of the uploaded file, as the client gave it. */
  readonly fileName?: string;
  /** The audio is deleted as soon as it is transcribed. */
  readonly deletesAudio: boolean;
  /** Its audio may be on the disk, or is still to be fetched. False for live ones. */
  readonly hasAudio: boolean;
  /** How much is done; and how much there is, once that is known. */
  readonly doneMs: number;
  readonly durationMs?: number;
  readonly startedAtMs?: EpochMs;
  readonly endedAtMs?: EpochMs;
  /** Why it failed: a stable code, and words that a person understands. */
  readonly failure?: { readonly code: string; readonly message: string };
  /** What its requests used, the repeated and the lost ones included, summed by provider and model; absent until it is over. */
  readonly usage?: readonly ({ readonly provider: string } & Usage)[];
  /** When retention deleted its result. */
  readonly resultDeletedAtMs?: EpochMs;
}

export type NewTranscription = Pick<
  Transcription,
  "id" | "accountId" | "source" | "options" | "metadata" | "callId" | "url" | "fileName" | "deletesAudio"
>;

/** What distinguishes a request that may be repeated. */
export interface IdempotentTranscription {
  /** SHA-256 of the idempotency key, lower-case hex. */
  readonly keyHash: string;
  /** Of everything that was asked for. */
  readonly fingerprint: string;
}

/** `mismatch`: another request had this key. */
export type TranscriptionCreation =
  | { readonly kind: "created" | "replayed"; readonly transcription: Transcription }
  | { readonly kind: "mismatch" };

/** A transcription that is over, of which a part is to be deleted. */
export interface DueTranscription {
  readonly id: TranscriptionId;
  readonly endedAtMs: EpochMs;
}

export interface DueTranscriptionQuery {
  /** The part that they still have; `recording` is the audio, and `transcript` the result. */
  readonly part: RetainedPart;
  readonly endedBeforeMs: EpochMs;
  /** Only those after this one in the list's order. */
  readonly after?: DueTranscription | undefined;
  readonly limit: number;
}

/** A part that was asked for; `outcome` once it is transcribed. */
export interface StoredPart extends PartKey {
  readonly requests: number;
  readonly outcome?: PartOutcome;
}

export type TranscriptionEnd =
  | { readonly status: "completed"; readonly result: TranscriptionResult }
  | {
      readonly status: "failed";
      readonly failure: { readonly code: string; readonly message: string };
      /** What was final of a live one until then. */
      readonly result?: TranscriptionResult | undefined;
    };

export interface TranscriptionQuery {
  readonly accountId: AccountId;
  readonly status?: TranscriptionStatus | undefined;
  readonly source?: TranscriptionSource | undefined;
  readonly callId?: CallId | undefined;
  readonly createdAfterMs?: EpochMs | undefined;
  readonly createdBeforeMs?: EpochMs | undefined;
  /** Those that were created before this one, the newest first. */
  readonly before?: TranscriptionId | undefined;
  readonly limit: number;
}

/** Every operation rejects with `unavailable` when the store cannot answer at present. */
export interface TranscriptionStore {
  /**
   * Stores a transcription that is queued, and the job that does it (`TRANSCRIPTION_JOB`, lane: the account) in the same transaction.
   * `live` ones have no job: `CallStore` creates, starts, ends and cancels them with their call.
   */
  create(transcription: NewTranscription): Promise<Transcription>;
  /** As `create`, once for all requests of the account with this key within IDEMPOTENCY_MS. */
  createOnce(transcription: NewTranscription, request: IdempotentTranscription): Promise<TranscriptionCreation>;
  /**
   * Calls `listener` after the commit when this store has ended, cancelled or removed one, or its job was cancelled or given up, with its
   * state; undefined for one that was removed.
   */
  onOver(listener: (id: TranscriptionId, transcription: Transcription | undefined) => void): void;
  get(accountId: AccountId, id: TranscriptionId): Promise<Transcription | undefined>;
  /** For jobs, which know no account. */
  find(id: TranscriptionId): Promise<Transcription | undefined>;
  list(query: TranscriptionQuery): Promise<{ transcriptions: readonly Transcription[]; more: boolean }>;
  result(accountId: AccountId, id: TranscriptionId): Promise<TranscriptionResult | undefined>;

  /**
   * `queued` becomes `processing`, unless `concurrentMax` others of the account are `processing`, live ones apart, which count as calls.
   * Returns the latest state, undefined when it was deleted. What is over stays so.
   */
  start(id: TranscriptionId, concurrentMax?: number): Promise<Transcription | undefined>;
  /** How far it is: the greatest `doneMs` counts. Nothing changes once it is over. */
  progress(id: TranscriptionId, doneMs: number, durationMs: number | undefined): Promise<void>;
  /** The parts that were requested, with their outcomes, so that none is requested again. */
  parts(id: TranscriptionId): Promise<readonly StoredPart[]>;
  /**
   * A request for a part is about to be sent to a provider: it is counted before, with the length of the part as its usage, whatever
   * becomes of it. False when the transcription is over or deleted.
   */
  requesting(id: TranscriptionId, part: PartKey, provider: string): Promise<boolean>;
  /** A part is transcribed. A second outcome of a part changes nothing. */
  transcribed(id: TranscriptionId, part: PartKey, outcome: PartOutcome): Promise<void>;
  /**
   * Ends it, and stores the event `transcription.completed` or `.failed` in the same transaction; its parts are deleted. Those of one
   * whose job was given up stay, so that another attempt of the job requests the others alone. Returns false
   * when it was over or deleted already: then nothing changes.
   */
  end(id: TranscriptionId, end: TranscriptionEnd): Promise<boolean>;

  /** Cancels one that is not over, and its job. Returns the latest state; undefined for an unknown one. */
  cancel(accountId: AccountId, id: TranscriptionId): Promise<Transcription | undefined>;
  /** Its audio has been deleted. */
  audioDeleted(id: TranscriptionId): Promise<void>;
  /**
   * Deletes it with its parts, its result, its events and its job. Returns whether there was one. The caller has deleted its audio.
   * `act` is recorded in the audit log; without it the service itself acts.
   */
  remove(accountId: AccountId, id: TranscriptionId, act?: Act): Promise<boolean>;
  /** The job that does it, while there is one. */
  jobOf(id: TranscriptionId): Promise<JobId | undefined>;

  /** Those of the account that are over and match the query, the earliest end first. */
  listDue(accountId: AccountId, query: DueTranscriptionQuery): Promise<readonly DueTranscription[]>;
  /** Deletes the result of one that is over, and its parts, where its job was given up; its record shows the time. */
  deleteResult(id: TranscriptionId): Promise<void>;
}
