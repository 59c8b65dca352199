import type { CallId, CarrierId } from "../core/ids.ts";

// The kinds of background jobs. Stores enqueue the first two, those of telephone calls, transcriptions, documents and tools in their
// own transactions; the others run by a schedule.

/** Renders the recording of a call; the payload is `{callId}`. */
export const RENDER_JOB = "recording.render";

/** Analyses an ended call; the payload is `{callId}`, the key is that id, and the lane is the account. */
export const ANALYSIS_JOB = "call.analyse";

/** Announces the end of a call whose analysis is not there in time; the payload is `{callId}`, and the key is that id. */
export const ENDED_EVENT_JOB = "call.announce-end";

/** Sends one delivery of a webhook; the payload is `{deliveryId}`. */
export const DELIVERY_JOB = "webhook.deliver";

/**
 * Deletes files of a call on the disk of the node that carried it, which is not the one that deletes the call; the payload is
 * `{callId, part}`, and the key is both.
 */
export const CALL_FILES_JOB = "call.delete-files";

/**
 * Deletes from the bucket once more what was deleted there: what had been sent before may have arrived since. The payload is what is
 * deleted of which call, and the key is both.
 */
export const BUCKET_DELETION_JOB = "bucket.delete";

/** Deletes a file from the bucket that belongs to no transcription and no document; the payload is a `FileCheck`. */
export const FILE_CHECK_JOB = "file.check";

/** Deletes by retention. */
export const RETENTION_JOB = "retention.run";

/** Deletes old dead jobs, and old events of webhooks. */
export const CLEAN_JOB = "jobs.clean";

/** Seals with the current key what was sealed with an earlier one. */
export const RESEAL_JOB = "secrets.reseal";

/** Notes which webhooks have too many deliveries waiting. */
export const WEBHOOK_LIMIT_JOB = "webhooks.limit";

/** Asks a carrier for something that a telephone call needs; the payload is a `PhoneCallJob`. */
export const PHONE_CALL_JOB = "telephony.carrier";

/** Transcribes a file; the payload is `{transcriptionId}`, the key is that id, and the lane is the account. */
export const TRANSCRIPTION_JOB = "transcription.run";

/** Processes a version of a document; the payload is `{documentId, version}`, the key is both, and the lane is the account. */
export const DOCUMENT_JOB = "document.process";

/** Deletes what is stored of deleted corpora and documents, and of earlier versions; the payload is `{corpusId, documentId}`. */
export const CORPUS_CLEAN_JOB = "corpus.clean";
/** Lists the tools of an MCP server again; the payload is `{toolId, accountId}`, the key the tool's id. */
export const TOOL_LISTING_JOB = "tools.list";

/** The key of the job that hangs up a call at its carrier: the carrier is in use until the job is done. */
export const hangUpKey = (carrierId: CarrierId, callId: CallId | ""): string => `hang-up ${carrierId} ${callId}`;

/** The lane of a carrier's hang-ups: those that it does not answer hold up only each other. */
export const hangUpLane = (carrierId: CarrierId): string => `${carrierId} hang-up`;

/**
 * The jobs that a node of a cluster does itself which it stores: they need one of its workers, or are done soonest where the journal is.
 * Those of a node that is gone others do, by what takes its place: the journal in the bucket, the carrier's word about a call.
 */
export const MOVABLE_JOB_KINDS: readonly string[] = [RENDER_JOB, PHONE_CALL_JOB];
/** Those that need a file which a client has uploaded. Where no bucket has it, the node that took it does them, and no other. */
export const FILE_JOB_KINDS: readonly string[] = [TRANSCRIPTION_JOB, DOCUMENT_JOB];

export const JOB_KINDS = [
  RENDER_JOB,
  ANALYSIS_JOB,
  ENDED_EVENT_JOB,
  DELIVERY_JOB,
  PHONE_CALL_JOB,
  TRANSCRIPTION_JOB,
  DOCUMENT_JOB,
  CORPUS_CLEAN_JOB,
  TOOL_LISTING_JOB,
  CALL_FILES_JOB,
  BUCKET_DELETION_JOB,
  FILE_CHECK_JOB,
  RETENTION_JOB,
  CLEAN_JOB,
  RESEAL_JOB,
  WEBHOOK_LIMIT_JOB,
] as const;
export type JobKind = (typeof JOB_KINDS)[number];
