import { type Clock, systemClock } from "../../../src/core/clock.ts";
import { elapsedMs, type MonotonicMs } from "../../../src/core/clocks.ts";
import { BUCKET_PART_BYTES } from "../../../src/core/limits/storage/bucket.ts";
import type { Bucket, ByteRange, ByteSource, ListedObject } from "../../../src/store/bucket/bucket.ts";

/** See `Bucket`: objects in the memory of this process. */
export class MemoryBucket implements Bucket {
  readonly #objects = new Map<string, Uint8Array>();
  readonly #putAtMs = new Map<string, MonotonicMs>();
  readonly #clock: Pick<Clock, "nowMs">;

  constructor(clock: Pick<Clock, "nowMs"> = systemClock) {
    this.#clock = clock;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    this.#objects.set(key, Uint8Array.from(bytes));
    this.#putAtMs.set(key, this.#clock.nowMs());
  }

  async putLarge(key: string, source: ByteSource): Promise<void> {
    const bytes = new Uint8Array(source.bytes);
    for (let start = 0; start < source.bytes; start += BUCKET_PART_BYTES)
      bytes.set(await source.read({ start, end: Math.min(start + BUCKET_PART_BYTES, source.bytes) - 1 }), start);
    await this.put(key, bytes);
  }

  async get(key: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    const bytes = this.#objects.get(key);
    if (bytes === undefined) return undefined;
    return range === undefined ? bytes.slice() : bytes.slice(range.start, range.end + 1);
  }

  async bytesOf(key: string): Promise<number | undefined> {
    return this.#objects.get(key)?.length;
  }

  async ageMsOf(key: string): Promise<number | undefined> {
    const putAtMs = this.#objects.has(key) ? this.#putAtMs.get(key) : undefined;
    return putAtMs === undefined ? undefined : elapsedMs(putAtMs, this.#clock.nowMs());
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    const keys = [...this.#objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    for (const key of keys) yield { key, bytes: this.#objects.get(key)?.length ?? 0 };
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.#objects.delete(key);
  }
}
