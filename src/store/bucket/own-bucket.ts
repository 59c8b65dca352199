import { isDeepStrictEqual } from "node:util";
import type { BucketClaimStore } from "../bucket-claim-store.ts";
import { type Bucket, type ByteRange, type ByteSource, type ListedObject, wrongBucket } from "./bucket.ts";

/** The object that says to which database a bucket belongs. */
export const MARKER_KEY = "trunkline.json";

/** Below these are the objects of a service; a bucket that has some belongs to a database. */
export const OBJECT_PREFIXES = ["journals/", "recordings/", "transcriptions/", "documents/"] as const;

/**
 * A bucket that refuses everything with `wrong_bucket` until it has been seen to belong to this database. A bucket without a marker
 * and without objects is taken into possession, once: afterwards one without the marker is another one, or was emptied.
 */
export class OwnBucket implements Bucket {
  readonly #bucket: Bucket;
  readonly #claims: BucketClaimStore;
  #checked: Promise<void> | undefined;

  constructor(bucket: Bucket, claims: BucketClaimStore) {
    this.#bucket = bucket;
    this.#claims = claims;
  }

  /**
   * Resolves when the bucket is this database's. Rejects with `wrong_bucket` where it is not, and as `Bucket` and `BucketClaimStore`
   * do where that is not known at present; it is asked again then.
   */
  check(): Promise<void> {
    this.#checked ??= this.#check().catch((error: unknown) => {
      this.#checked = undefined;
      throw error;
    });
    return this.#checked;
  }

  async #check(): Promise<void> {
    const bucket = this.#bucket;
    const { databaseId, isConfirmed } = await this.#claims.claim();
    const marker = await bucket.get(MARKER_KEY);
    if (marker === undefined) {
      if (isConfirmed)
        throw wrongBucket("the bucket has no marker of this database: it is another one than before, or was emptied");
      if (await hasObjects(bucket))
        throw wrongBucket("the bucket has objects of a service, but no marker: it belongs to another database");
      await bucket.put(MARKER_KEY, Buffer.from(JSON.stringify({ databaseId })));
    } else if (!isDeepStrictEqual(markerOf(marker), { databaseId }))
      throw wrongBucket(
        "the bucket has the marker of another database: the database was emptied, or the bucket is another",
      );
    if (!isConfirmed) await this.#claims.confirm();
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.check();
    await this.#bucket.put(key, bytes);
  }

  async putLarge(key: string, source: ByteSource): Promise<void> {
    await this.check();
    await this.#bucket.putLarge(key, source);
  }

  async get(key: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    await this.check();
    return await this.#bucket.get(key, range);
  }

  async bytesOf(key: string): Promise<number | undefined> {
    await this.check();
    return await this.#bucket.bytesOf(key);
  }

  async ageMsOf(key: string): Promise<number | undefined> {
    await this.check();
    return await this.#bucket.ageMsOf(key);
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    await this.check();
    yield* this.#bucket.list(prefix);
  }

  async delete(keys: readonly string[]): Promise<void> {
    await this.check();
    await this.#bucket.delete(keys);
  }
}

async function hasObjects(bucket: Bucket): Promise<boolean> {
  for (const prefix of OBJECT_PREFIXES) for await (const _ of bucket.list(prefix)) return true;
  return false;
}

/** The marker as it was written; undefined for anything else. */
function markerOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}
