import { BUCKET_DELETION_RETRIES_MS, RESERVATION_MS } from "../../core/limits/storage/bucket.ts";
import { type JobHandler, JobPostponed } from "../../jobs/handler.ts";
import type { Bucket } from "../../store/bucket/bucket.ts";
import { type FileCheck, type FileOwner, ownerOfKey } from "../../store/bucket/shared-files.ts";
import type { DocumentStore } from "../../store/corpora/document-store.ts";
import type { ClaimedJob } from "../../store/job-store.ts";
import type { TranscriptionStore } from "../../store/transcription-store.ts";
import { keepsAudio } from "../retention/kept-audio.ts";

const ATTEMPT_MS_MAX = 60_000;

/** The records that files belong to. */
export interface FileRecords {
  transcriptions: Pick<TranscriptionStore, "find">;
  documents: Pick<DocumentStore, "find">;
}

/** What a file is to its record. `pending`: an upload may be about to make it that of its document. */
export async function stateOfFile(
  { transcriptions, documents }: FileRecords,
  owner: FileOwner,
): Promise<"used" | "pending" | "unused"> {
  if ("transcriptionId" in owner)
    return (await transcriptions.find(owner.transcriptionId))?.hasAudio === true ? "used" : "unused";
  const document = await documents.find(owner.documentId);
  if (document === undefined) return "unused";
  if (document.fileVersion === owner.version) return "used";
  return owner.version > document.version ? "pending" : "unused";
}

export interface FileCheckJobOptions {
  transcriptions: Pick<TranscriptionStore, "find" | "audioDeleted">;
  documents: Pick<DocumentStore, "find" | "fileDeleted">;
  bucket: Pick<Bucket, "delete">;
  /** Media are encrypted, which uploads are not: those are not kept. */
  encryptsMedia: boolean;
}

/**
 * Deletes a file from the bucket that belongs to no transcription and no document, and one that should have been deleted when its
 * transcription or document was ready: that had failed, or its process had died.
 */
export class FileCheckJob implements JobHandler {
  readonly attemptMsMax = ATTEMPT_MS_MAX;
  readonly retryDelaysMs = BUCKET_DELETION_RETRIES_MS;
  readonly #options: FileCheckJobOptions;

  constructor(options: FileCheckJobOptions) {
    this.#options = options;
  }

  async run(job: ClaimedJob): Promise<void> {
    const { transcriptions, documents, bucket } = this.#options;
    const { key, isReservation } = job.payload as FileCheck;
    const owner = ownerOfKey(key);
    if (owner === undefined) return;
    const state = await stateOfFile(this.#options, owner);
    if (state === "pending" && !isReservation) return;
    if (state === "used" && (await this.#keeps(owner))) return;
    await bucket.delete([key]);
    if ("transcriptionId" in owner) await transcriptions.audioDeleted(owner.transcriptionId);
    else await documents.fileDeleted(owner.documentId, owner.version);
  }

  /** Rejects with `JobPostponed` while the file is still needed that is not kept then. */
  async #keeps(owner: FileOwner): Promise<boolean> {
    const { transcriptions, documents, encryptsMedia } = this.#options;
    let isNeeded: boolean;
    if ("transcriptionId" in owner) {
      const transcription = await transcriptions.find(owner.transcriptionId);
      if (transcription !== undefined && keepsAudio(transcription, encryptsMedia)) return true;
      isNeeded = transcription !== undefined && transcription.endedAtMs === undefined;
    } else {
      if (!encryptsMedia) return true;
      isNeeded = (await documents.find(owner.documentId))?.status === "processing";
    }
    if (isNeeded) throw new JobPostponed(RESERVATION_MS);
    return false;
  }
}
