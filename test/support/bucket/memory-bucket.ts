import { BUCKET_PART_BYTES } from "../../../src/core/limits/storage/bucket.ts";
import type { Bucket, ByteRange, ByteSource, ListedObject } from "../../../src/store/bucket/bucket.ts";

/** See `Bucket`: objects in the memory of this process. */
export class MemoryBucket implements Bucket {
  readonly #objects = new Map<string, Uint8Array>();

  async put(key: string, bytes: Uint8Array): Promise<void> {
    this.#objects.set(key, Uint8Array.from(bytes));
  }

  async putLarge(key: string, source: ByteSource): Promise<void> {
    const bytes = new Uint8Array(source.bytes);
    for (let start = 0; start < source.bytes; start += BUCKET_PART_BYTES)
      bytes.set(await source.read({ start, end: Math.min(start + BUCKET_PART_BYTES, source.bytes) - 1 }), start);
    this.#objects.set(key, bytes);
  }

  async get(key: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    const bytes = this.#objects.get(key);
    if (bytes === undefined) return undefined;
    return range === undefined ? bytes.slice() : bytes.slice(range.start, range.end + 1);
  }

  async bytesOf(key: string): Promise<number | undefined> {
    return this.#objects.get(key)?.length;
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    const keys = [...this.#objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    for (const key of keys) yield { key, bytes: this.#objects.get(key)?.length ?? 0 };
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.#objects.delete(key);
  }
}
