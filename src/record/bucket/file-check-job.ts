import type { JobHandler } from "../../jobs/handler.ts";
import type { Bucket } from "../../store/bucket/bucket.ts";
import { type FileCheck, type FileOwner, ownerOfKey } from "../../store/bucket/shared-files.ts";
import type { DocumentStore } from "../../store/document-store.ts";
import type { ClaimedJob } from "../../store/job-store.ts";
import type { TranscriptionStore } from "../../store/transcription-store.ts";

const ATTEMPT_MS_MAX = 60_000;
/** A bucket that is away is asked again for a month, because what is left are words and audio. */
const RETRIES_MS = [10_000, 60_000, 600_000, ...Array.from({ length: 24 * 30 }, () => 3_600_000)];

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

/** Deletes a file from the bucket that belongs to no transcription and no document. */
export class FileCheckJob implements JobHandler {
  readonly attemptMsMax = ATTEMPT_MS_MAX;
  readonly retryDelaysMs = RETRIES_MS;
  readonly #records: FileRecords;
  readonly #bucket: Pick<Bucket, "delete">;

  constructor(records: FileRecords, bucket: Pick<Bucket, "delete">) {
    this.#records = records;
    this.#bucket = bucket;
  }

  async run(job: ClaimedJob): Promise<void> {
    const { key, isReservation } = job.payload as FileCheck;
    const owner = ownerOfKey(key);
    if (owner === undefined) return;
    const state = await stateOfFile(this.#records, owner);
    if (state === "unused" || (state === "pending" && isReservation)) await this.#bucket.delete([key]);
  }
}
