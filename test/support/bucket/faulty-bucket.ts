import type { Clock } from "../../../src/core/clock.ts";
import { unavailable } from "../../../src/core/errors.ts";
import type { Bucket, ByteRange, ByteSource, ListedObject } from "../../../src/store/bucket/bucket.ts";
import { MemoryBucket } from "./memory-bucket.ts";

/** A bucket with the faults of real ones. */
export class FaultyBucket implements Bucket {
  readonly inner: MemoryBucket;
  /** It answers nothing. */
  isAway = false;
  /** So many of the next reads fail. */
  failingReads = 0;
  /** Objects that no list shows: what was put while this is true. */
  listsLag = false;
  /** Holds every put until it is released. */
  hold: Promise<void> | undefined;
  /** The keys of all puts that arrived, in order. */
  readonly puts: string[] = [];
  readonly #unlisted = new Set<string>();

  constructor(clock?: Pick<Clock, "nowMs">) {
    this.inner = new MemoryBucket(clock);
  }

  #requireIt(): void {
    if (this.isAway) throw unavailable("the bucket is away");
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.hold;
    this.#requireIt();
    if (this.listsLag) this.#unlisted.add(key);
    await this.inner.put(key, bytes);
    this.puts.push(key);
  }

  async putLarge(key: string, source: ByteSource): Promise<void> {
    await this.hold;
    this.#requireIt();
    if (this.listsLag) this.#unlisted.add(key);
    await this.inner.putLarge(key, source);
    this.puts.push(key);
  }

  async get(key: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    this.#requireIt();
    if (this.failingReads > 0) {
      this.failingReads -= 1;
      throw unavailable("the bucket fails");
    }
    return await this.inner.get(key, range);
  }

  async bytesOf(key: string): Promise<number | undefined> {
    this.#requireIt();
    return await this.inner.bytesOf(key);
  }

  async ageMsOf(key: string): Promise<number | undefined> {
    this.#requireIt();
    return await this.inner.ageMsOf(key);
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    this.#requireIt();
    for await (const object of this.inner.list(prefix)) if (!this.#unlisted.has(object.key)) yield object;
  }

  async delete(keys: readonly string[]): Promise<void> {
    this.#requireIt();
    await this.inner.delete(keys);
  }

  /** All keys that are really there. */
  async keys(prefix = ""): Promise<readonly string[]> {
    const keys = [];
    for await (const { key } of this.inner.list(prefix)) keys.push(key);
    return keys;
  }
}
