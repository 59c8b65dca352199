import { TrunklineError } from "../../core/errors.ts";

/** Bytes of an object from `start` to `end`, both included. */
export interface ByteRange {
  start: number;
  end: number;
}

/** An object as it is listed. */
export interface ListedObject {
  key: string;
  bytes: number;
}

/** Bytes that are too many to be in memory at once. They do not change while they are put. */
export interface ByteSource {
  bytes: number;
  /** The bytes from `start` to `end`, both included. */
  read(range: ByteRange): Promise<Uint8Array>;
}

/**
 * Objects by key, in a store that other machines share. A key has letters, digits, `-`, `_`, `.` and `/`.
 *
 * What was put can be read by its key at once, but a list may lack it, and have what was deleted, for some time: nothing may depend
 * on a list that a key can tell.
 *
 * Every operation rejects with `unavailable` when the bucket does not answer, or answers that it cannot at present; with
 * `bucket_refused` when it refuses the credentials, the region or the bucket itself; and with `wrong_bucket` where it belongs to
 * another database. It may be repeated: putting the same bytes again, and deleting what is not there, change nothing.
 */
export interface Bucket {
  /** Stores an object of at most BUCKET_PART_BYTES. It is there as a whole or not at all. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /**
   * Stores an object of any length, of which a few parts are in memory at once. It is there as a whole or not at all. A request that the
   * bucket does not answer, or answers that it cannot at present, is made again some times.
   */
  putLarge(key: string, source: ByteSource): Promise<void>;
  /** The bytes of an object, or a range of them; what the range has beyond the end is left out. Undefined where there is no such object. */
  get(key: string, range?: ByteRange): Promise<Uint8Array | undefined>;
  /** The length of an object in bytes; undefined where there is no such object. */
  bytesOf(key: string): Promise<number | undefined>;
  /**
   * How long ago an object was put, ms, by the clock of the bucket, which may count whole seconds. Undefined where there is no such object,
   * or the bucket does not say.
   */
  ageMsOf(key: string): Promise<number | undefined>;
  /** The objects whose keys begin with `prefix`, in the order of their keys. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Deletes objects. Those that are not there are no error. */
  delete(keys: readonly string[]): Promise<void>;
}

/** The bucket refuses this service for good: `what` says why, without credentials. */
export const bucketRefused = (what: string, cause?: unknown): TrunklineError =>
  new TrunklineError("bucket_refused", "service", `the bucket refuses this service: ${what}`, { cause });

/** The bucket belongs to another database, or the database to another bucket. */
export const wrongBucket = (what: string): TrunklineError => new TrunklineError("wrong_bucket", "service", what);
