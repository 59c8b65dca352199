import { open, rename, rm } from "node:fs/promises";
import type { Clock } from "../../core/clock.ts";
import { elapsedMs, type MonotonicMs } from "../../core/clocks.ts";
import { asDocumentId, asTranscriptionId, type DocumentId, type JobId, type TranscriptionId } from "../../core/ids.ts";
import { BUCKET_LATE_MS, BUCKET_PART_BYTES, RESERVATION_MS } from "../../core/limits/storage/bucket.ts";
import { FILE_CHECK_JOB } from "../job-kinds.ts";
import type { JobStore } from "../job-store.ts";
import type { Bucket } from "./bucket.ts";
import { ObjectFile } from "./object-file.ts";
import { putFile } from "./put-file.ts";
import { withRetries } from "./retries.ts";

const FILE_MODE = 0o600;
/** Of a file that is being fetched. */
export const PARTIAL_SUFFIX = ".part";

export const TRANSCRIPTIONS_PREFIX = "transcriptions/";
export const DOCUMENTS_PREFIX = "documents/";

export const transcriptionKey = (id: TranscriptionId): string => `${TRANSCRIPTIONS_PREFIX}${id}`;
export const documentKey = (id: DocumentId, version: number): string => `${DOCUMENTS_PREFIX}${id}.${version}`;

/** What a file is of. */
export type FileOwner = { transcriptionId: TranscriptionId } | { documentId: DocumentId; version: number };

/** What the file with this key is of; undefined for the key of anything else. */
export function ownerOfKey(key: string): FileOwner | undefined {
  const [, transcription, document, version] =
    /^(?:transcriptions\/(transcription_[\w-]+)|documents\/(doc_[\w-]+)\.(\d{1,9}))$/.exec(key) ?? [];
  if (transcription !== undefined) return { transcriptionId: asTranscriptionId(transcription) };
  if (document === undefined) return undefined;
  return { documentId: asDocumentId(document), version: Number(version) };
}

/** The payload of FILE_CHECK_JOB. */
export interface FileCheck {
  key: string;
  /** It ends a reservation: no other upload stores a file with this key meanwhile. */
  isReservation: boolean;
}

export interface SharedFilesOptions {
  bucket: Bucket;
  jobs: Pick<JobStore, "enqueue" | "cancel">;
  clock: Pick<Clock, "nowMs">;
  /** Throws while this disk has too little room to fetch a file. */
  requireRoom: () => void;
}

/** A reservation that this process has. */
interface Reservation {
  job: JobId;
  sinceMs: MonotonicMs;
  /** Its upload has failed: the next one of this process takes its place. */
  isFree: boolean;
}

/**
 * Files that clients have uploaded, in the bucket, where all nodes have them. The disk of a node has one as long as it is uploaded or
 * processed there. Every operation rejects as `Bucket` and `JobStore` do.
 */
export class SharedFiles {
  readonly #bucket: Bucket;
  readonly #jobs: Pick<JobStore, "enqueue" | "cancel">;
  /** The files of this disk that this process knows to be in the bucket. */
  readonly #copies = new Set<string>();
  /** In the order of their beginnings. */
  readonly #reservations = new Map<string, Reservation>();
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #requireRoom: () => void;

  constructor({ bucket, jobs, clock, requireRoom }: SharedFilesOptions) {
    this.#bucket = bucket;
    this.#jobs = jobs;
    this.#clock = clock;
    this.#requireRoom = requireRoom;
  }

  /**
   * Keeps others from storing a file with this key, until `remove` or RESERVATION_MS later. A job then deletes it, unless something has it:
   * a node may die between the file and the record. False where another one has the reservation; not where an upload of this process has
   * failed and left it.
   */
  async reserve(key: string): Promise<boolean> {
    const nowMs = this.#clock.nowMs();
    this.#forgetReservations(nowMs);
    const earlier = this.#reservations.get(key);
    if (earlier?.isFree === true) {
      // Two that come at once: one takes it.
      this.#reservations.delete(key);
      await this.#jobs.cancel(earlier.job);
    }
    const check: FileCheck = { key, isReservation: true };
    const job = await this.#jobs.enqueue({ kind: FILE_CHECK_JOB, payload: check, key, delayMs: RESERVATION_MS });
    if (job === undefined) return false;
    this.#reservations.set(key, { job, sinceMs: nowMs, isFree: false });
    return true;
  }

  /** Those whose jobs are due by now. */
  #forgetReservations(nowMs: MonotonicMs): void {
    for (const [key, { sinceMs }] of this.#reservations) {
      if (elapsedMs(sinceMs, nowMs) < RESERVATION_MS) return;
      this.#reservations.delete(key);
    }
  }

  /** Stores a file of this disk, which stays here until `dropCopy`. */
  async store(key: string, path: string): Promise<void> {
    await putFile(this.#bucket, key, path);
    this.#copies.add(path);
  }

  /** Whether the bucket is known to have this file of this disk. */
  hasCopy(path: string): boolean {
    return this.#copies.has(path);
  }

  /**
   * Brings a file to this disk, as a whole or not at all. Resolves with whether there is one, and rejects as `requireRoom` throws.
   */
  async fetch(key: string, path: string): Promise<boolean> {
    const bytes = await this.#bucket.bytesOf(key);
    if (bytes === undefined) return false;
    const partial = `${path}${PARTIAL_SUFFIX}`;
    try {
      const file = await open(partial, "w", FILE_MODE);
      try {
        for (let start = 0; start < bytes; start += BUCKET_PART_BYTES) {
          this.#requireRoom();
          const range = { start, end: Math.min(start + BUCKET_PART_BYTES, bytes) - 1 };
          const part = await withRetries(() => this.#bucket.get(key, range));
          // It was deleted meanwhile.
          if (part === undefined) return false;
          await file.writeFile(part);
        }
      } finally {
        await file.close();
      }
      await rename(partial, path);
    } finally {
      await rm(partial, { force: true });
    }
    this.#copies.add(path);
    return true;
  }

  /** Deletes the file from this disk where the bucket is known to have it. */
  async dropCopy(path: string): Promise<void> {
    if (this.#copies.delete(path)) await rm(path, { force: true });
  }

  /** The length of a file in bytes; undefined where there is none. */
  bytesOf(key: string): Promise<number | undefined> {
    return this.#bucket.bytesOf(key);
  }

  /** A file, to be read by ranges; undefined where there is none. */
  async open(key: string): Promise<{ file: ObjectFile; bytes: number } | undefined> {
    const bytes = await this.#bucket.bytesOf(key);
    return bytes === undefined ? undefined : { file: new ObjectFile(this.#bucket, key), bytes };
  }

  /** Deletes a file, and has it deleted again when nothing can be on its way any more. */
  async remove(key: string): Promise<void> {
    const check: FileCheck = { key, isReservation: false };
    const reservation = this.#reservations.get(key);
    try {
      await this.#jobs.enqueue({ kind: FILE_CHECK_JOB, payload: check, key: `late ${key}`, delayMs: BUCKET_LATE_MS });
      await this.#bucket.delete([key]);
      if (reservation !== undefined) await this.#jobs.cancel(reservation.job);
      this.#reservations.delete(key);
    } finally {
      // Where that failed, its job still deletes the file, unless another upload comes before.
      if (reservation !== undefined) reservation.isFree = true;
    }
  }
}
