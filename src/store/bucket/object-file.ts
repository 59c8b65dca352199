import { Readable } from "node:stream";
import type { RangedSource } from "../../core/encryption/chunked-file.ts";
import { unavailable } from "../../core/errors.ts";
import { BUCKET_READ_BYTES } from "../../core/limits/storage/bucket.ts";
import type { Bucket } from "./bucket.ts";

/** An object of the bucket that is read like a file. The last block that was read is in memory, so that chunks cost no request each. */
export class ObjectFile implements RangedSource {
  readonly #bucket: Bucket;
  readonly #key: string;
  #block: { at: number; bytes: Uint8Array } | undefined;

  constructor(bucket: Bucket, key: string) {
    this.#bucket = bucket;
    this.#key = key;
  }

  /** Rejects with `unavailable` also where the object was deleted meanwhile. */
  async read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ buffer: Buffer; bytesRead: number }> {
    let bytesRead = 0;
    while (bytesRead < length) {
      const some = (await this.#blockAt(position + bytesRead)).subarray(0, length - bytesRead);
      if (some.length === 0) break;
      buffer.set(some, offset + bytesRead);
      bytesRead += some.length;
    }
    return { buffer, bytesRead };
  }

  /** The bytes from here to the end of a block. */
  async #blockAt(position: number): Promise<Uint8Array> {
    const { at, bytes } = this.#block ?? { at: 0, bytes: NONE };
    if (position >= at && position < at + bytes.length) return bytes.subarray(position - at);
    const read = await this.#bucket.get(this.#key, { start: position, end: position + BUCKET_READ_BYTES - 1 });
    if (read === undefined) throw unavailable("an object was deleted from the bucket while it was read");
    this.#block = { at: position, bytes: read };
    return read;
  }

  createReadStream({ start = 0, end = Number.POSITIVE_INFINITY }: { start?: number; end?: number } = {}): Readable {
    const blocks = async function* (this: ObjectFile): AsyncGenerator<Uint8Array> {
      for (let at = start; at <= end; ) {
        const bytes = (await this.#blockAt(at)).subarray(0, end - at + 1);
        if (bytes.length === 0) return;
        yield bytes;
        at += bytes.length;
      }
    };
    return Readable.from(blocks.call(this), { objectMode: false });
  }

  async close(): Promise<void> {}
}

const NONE = new Uint8Array();
