import { S3mini } from "s3mini";
import { unavailable } from "../../core/errors.ts";
import {
  BUCKET_DELETIONS_CONCURRENT_MAX,
  BUCKET_PART_BYTES,
  BUCKET_PUT_RETRIES_MAX,
  BUCKET_REQUEST_MS_MAX,
} from "../../core/limits/storage/bucket.ts";
import { type Bucket, type ByteRange, type ByteSource, bucketRefused, type ListedObject } from "./bucket.ts";
import { type RetryBudget, withRetries } from "./retries.ts";

/** Where a bucket is, and what opens it. */
export interface BucketSettings {
  /** `https://host/bucket`, or `https://bucket.host`. */
  url: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** Objects of one list. S3 has a thousand at most. */
const KEYS_PER_LIST = 1_000;
/** Answers that say what is wrong with the request rather than with the moment. */
const REFUSALS: readonly number[] = [301, 307, 400, 401, 403, 404, 405];
/** Codes of such answers that another attempt may not get. */
const PASSING_CODES: readonly string[] = ["RequestTimeout", "RequestTimeTooSkewed", "SlowDown"];

export interface S3BucketOptions extends BucketSettings {
  /** How long one request may take, its body included. */
  requestMsMax?: number;
}

/**
 * See `Bucket`: a bucket of an S3-compatible store. Only `putLarge` makes attempts twice, whose work would be lost:
 * for all others who asks knows what can wait.
 */
export class S3Bucket implements Bucket {
  readonly #s3: S3mini;

  constructor({ url, region, accessKeyId, secretAccessKey, requestMsMax = BUCKET_REQUEST_MS_MAX }: S3BucketOptions) {
    this.#s3 = new S3mini({ endpoint: url, region, accessKeyId, secretAccessKey, requestAbortTimeout: requestMsMax });
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.#ask("put", async () => {
      const response = await this.#s3.putObject(key, bytes);
      await response.arrayBuffer();
    });
  }

  async putLarge(key: string, source: ByteSource): Promise<void> {
    if (source.bytes <= BUCKET_PART_BYTES) {
      const bytes = source.bytes === 0 ? new Uint8Array() : await source.read({ start: 0, end: source.bytes - 1 });
      await withRetries(() => this.put(key, bytes));
      return;
    }
    await this.#putParts(key, source);
  }

  async #putParts(key: string, source: ByteSource): Promise<void> {
    const budget: RetryBudget = { left: BUCKET_PUT_RETRIES_MAX };
    const ask = <T>(request: () => Promise<T>): Promise<T> => withRetries(() => this.#ask("put", request), budget);
    const uploadId = await ask(() => this.#s3.getMultipartUploadId(key));
    try {
      const parts: { partNumber: number; etag: string }[] = [];
      for (let start = 0; start < source.bytes; start += BUCKET_PART_BYTES) {
        const end = Math.min(start + BUCKET_PART_BYTES, source.bytes) - 1;
        const bytes = await source.read({ start, end });
        parts.push(await ask(() => this.#s3.uploadPart(key, uploadId, bytes, parts.length + 1)));
      }
      const bytesOf = (): Promise<number | undefined> => withRetries(() => this.bytesOf(key), budget);
      const bytesBefore = await bytesOf();
      await ask(() => this.#s3.completeMultipartUpload(key, uploadId, parts)).catch(async (error: unknown) => {
        // An attempt whose answer was lost may have completed it: the others are errors then, for there is no such upload any more.
        if (bytesBefore === source.bytes || (await bytesOf()) !== source.bytes) throw error;
      });
    } catch (error) {
      // Parts that belong to no object would be paid for. Where this fails too, a rule of the bucket deletes them.
      await this.#s3.abortMultipartUpload(key, uploadId).catch(() => undefined);
      throw error;
    }
  }

  async get(key: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    if (range !== undefined && range.end < range.start)
      return (await this.bytesOf(key)) === undefined ? undefined : NONE;
    return await this.#ask("get", async () => {
      try {
        const response = await (range === undefined
          ? this.#s3.getObjectRaw(key)
          : this.#s3.getObjectRaw(key, false, range.start, range.end + 1));
        return new Uint8Array(await response.arrayBuffer());
      } catch (error) {
        if (statusOf(error) === 416) return NONE;
        if (isMissing(error)) return undefined;
        throw error;
      }
    });
  }

  async bytesOf(key: string): Promise<number | undefined> {
    return await this.#ask("head", async () => {
      try {
        return await this.#s3.getContentLength(key);
      } catch (error) {
        const cause = error instanceof Error ? error.cause : undefined;
        // The answer to HEAD has no body that would tell a missing object from a missing bucket.
        if (statusOf(cause) === 404) return undefined;
        throw cause ?? error;
      }
    });
  }

  async ageMsOf(key: string): Promise<number | undefined> {
    return await this.#ask("get", async () => {
      try {
        const { headers } = await this.#s3.getObjectRaw(key, false, 0, 1);
        const [nowMs, putMs] = ["date", "last-modified"].map((name) => Date.parse(headers.get(name) ?? ""));
        const ageMs = (nowMs ?? Number.NaN) - (putMs ?? Number.NaN);
        return Number.isNaN(ageMs) ? undefined : Math.max(0, ageMs);
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    });
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    let token: string | undefined;
    do {
      const page = await this.#ask("list", async () => {
        const listed = await this.#s3.listObjectsPaged("/", prefix, KEYS_PER_LIST, token);
        if (listed?.objects == null) throw bucketRefused("there is no such bucket");
        return { objects: listed.objects, next: listed.nextContinuationToken };
      });
      for (const { Key, Size } of page.objects) yield { key: Key, bytes: Size };
      token = page.next;
    } while (token !== undefined);
  }

  async delete(keys: readonly string[]): Promise<void> {
    // One by one: some S3-compatible stores have no deletion of several.
    for (let at = 0; at < keys.length; at += BUCKET_DELETIONS_CONCURRENT_MAX) {
      const some = keys.slice(at, at + BUCKET_DELETIONS_CONCURRENT_MAX);
      await Promise.all(some.map((key) => this.#ask("delete", () => this.#s3.deleteObject(key))));
    }
  }

  async #ask<T>(operation: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      throw errorOf(operation, error);
    }
  }
}

const NONE = new Uint8Array();

interface ServiceError extends Error {
  status: number;
  serviceCode?: string;
}

const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && "status" in error && typeof error.status === "number";

const statusOf = (error: unknown): number | undefined => (isServiceError(error) ? error.status : undefined);

const isMissing = (error: unknown): boolean =>
  isServiceError(error) && error.status === 404 && error.serviceCode !== "NoSuchBucket";

/** The answers of S3 name keys and requests, never credentials; what the library adds to its messages is left out all the same. */
function errorOf(operation: string, error: unknown): Error {
  if (!isServiceError(error)) {
    if (error instanceof Error && "code" in error && error.code === "bucket_refused") return error;
    const name = error instanceof Error ? error.name : "";
    const why = name === "TimeoutError" ? "it did not answer in time" : "it cannot be reached";
    return unavailable(`the bucket failed to ${operation}: ${why}`, causeOf(error));
  }
  const { status, serviceCode } = error;
  const answer = `${operation}: status ${status}, ${serviceCode ?? "no code"}`;
  if (REFUSALS.includes(status) && !PASSING_CODES.includes(serviceCode ?? "")) return bucketRefused(answer);
  return unavailable(`the bucket failed to ${answer}`);
}

/** What the system said, without the request. */
function causeOf(error: unknown): Error | undefined {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
  return code === undefined ? undefined : Object.assign(new Error(code), { code });
}
