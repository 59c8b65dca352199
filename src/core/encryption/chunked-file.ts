import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import {
  CHUNK_HEAD_BYTES,
  CHUNK_OVERHEAD_BYTES,
  ChunkOpener,
  ChunkSealer,
  chunkHeadOf,
  FILE_HEAD_BYTES,
  isEncrypted,
  type MediaContent,
  type MediaKey,
  mayBecomeEncrypted,
  mediaUnreadable,
} from "./chunks.ts";

/** The plain bytes of every chunk of a file that is read by ranges, except for the last. */
export const RANGE_CHUNK_BYTES = 64 * 1024;
const SEALED_CHUNK_BYTES = RANGE_CHUNK_BYTES + CHUNK_OVERHEAD_BYTES;

/** Writes a file from its beginning to its end. */
export interface FileOutput {
  /** `bytes` are read before the promise resolves. */
  write(bytes: Uint8Array): Promise<void>;
  /** Writes the rest. Call it once, last. */
  end(): Promise<void>;
}

/** Writes plain bytes; with a key, in chunks that can be read by ranges. The caller closes the file. */
export const fileOutputOf = (file: FileHandle, content: MediaContent, key: MediaKey | undefined): FileOutput =>
  key === undefined
    ? { write: (bytes) => file.writeFile(bytes), end: async () => {} }
    : new ChunkedOutput(file, new ChunkSealer(key, content));

class ChunkedOutput implements FileOutput {
  readonly #file: FileHandle;
  readonly #sealer: ChunkSealer;
  readonly #chunk = Buffer.allocUnsafeSlow(RANGE_CHUNK_BYTES);
  #filled = 0;

  constructor(file: FileHandle, sealer: ChunkSealer) {
    this.#file = file;
    this.#sealer = sealer;
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      // A full chunk waits for more bytes, because the last one is sealed as such.
      if (this.#filled === RANGE_CHUNK_BYTES) await this.#seal(false);
      const part = bytes.subarray(at, at + RANGE_CHUNK_BYTES - this.#filled);
      this.#chunk.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
    }
  }

  end(): Promise<void> {
    return this.#seal(true);
  }

  async #seal(isFinal: boolean): Promise<void> {
    const sealed = this.#sealer.seal(this.#chunk.subarray(0, this.#filled), isFinal);
    this.#filled = 0;
    await this.#file.writeFile(sealed);
  }
}

/** Where the bytes of a file come from: a `FileHandle`, or something else that is read by ranges. */
export interface RangedSource {
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ buffer: Buffer; bytesRead: number }>;
  createReadStream(range?: { start?: number; end?: number }): Readable;
  close(): Promise<void>;
}

/** A file that is read by ranges. */
export interface RangedFile {
  /** The plain bytes. */
  bytes: number;
  /** The bytes from `start` to `end`, both included. The stream closes the file. */
  stream(range?: { start?: number; end?: number }): Readable;
}

/**
 * A file that `fileOutputOf` has written, `fileBytes` long. Rejects with `media_unreadable` when it is encrypted and
 * there is no key, when there is a key and it is not encrypted, and when its last chunk is missing or was changed.
 */
export async function rangedFileOf(
  handle: RangedSource,
  fileBytes: number,
  content: MediaContent,
  key: MediaKey | undefined,
): Promise<RangedFile> {
  const head = await exactly(handle, 0, Math.min(FILE_HEAD_BYTES, fileBytes));
  if (key === undefined) {
    if (isEncrypted(head)) throw mediaUnreadable("its key is missing");
    return { bytes: fileBytes, stream: (range) => handle.createReadStream(range) };
  }
  const file = new ChunkedFile(handle, fileBytes, new ChunkOpener(key, content, head));
  await file.checkEnd();
  const { bytes } = file;
  return {
    bytes,
    stream: ({ start = 0, end = bytes - 1 } = {}) => new ChunkStream(handle, file, start, end),
  };
}

class ChunkedFile {
  readonly #handle: RangedSource;
  readonly #opener: ChunkOpener;
  readonly #chunks: number;
  readonly bytes: number;

  constructor(handle: RangedSource, fileBytes: number, opener: ChunkOpener) {
    const sealedBytes = fileBytes - FILE_HEAD_BYTES;
    this.#handle = handle;
    this.#opener = opener;
    this.#chunks = Math.ceil(sealedBytes / SEALED_CHUNK_BYTES);
    this.bytes = sealedBytes - this.#chunks * CHUNK_OVERHEAD_BYTES;
  }

  async checkEnd(): Promise<void> {
    if (this.#chunks === 0) throw mediaUnreadable("its end is missing");
    await this.chunk(this.#chunks - 1);
  }

  /** The plain bytes of a chunk. */
  async chunk(number: number): Promise<Buffer> {
    const isLast = number === this.#chunks - 1;
    const plainBytes = isLast ? this.bytes - number * RANGE_CHUNK_BYTES : RANGE_CHUNK_BYTES;
    if (plainBytes < 0) throw mediaUnreadable("its end is missing");
    const at = FILE_HEAD_BYTES + number * SEALED_CHUNK_BYTES;
    const sealed = await exactly(this.#handle, at, plainBytes + CHUNK_OVERHEAD_BYTES);
    const head = chunkHeadOf(sealed.readUInt32LE(0));
    if (head.isFinal !== isLast || head.plainBytes !== plainBytes) throw mediaUnreadable("its end is missing");
    return this.#opener.open(number, isLast, sealed.subarray(CHUNK_HEAD_BYTES));
  }
}

/** Decrypts the chunks of a range one after another, as fast as they are read. */
class ChunkStream extends Readable {
  readonly #handle: RangedSource;
  readonly #file: ChunkedFile;
  readonly #end: number;
  #at: number;

  constructor(handle: RangedSource, file: ChunkedFile, start: number, end: number) {
    super({ highWaterMark: RANGE_CHUNK_BYTES });
    this.#handle = handle;
    this.#file = file;
    this.#at = start;
    this.#end = end;
  }

  override _read(): void {
    this.#next().then(
      (bytes) => this.push(bytes),
      (error: Error) => this.destroy(error),
    );
  }

  async #next(): Promise<Buffer | null> {
    if (this.#at > this.#end) return null;
    const number = Math.floor(this.#at / RANGE_CHUNK_BYTES);
    const startAt = number * RANGE_CHUNK_BYTES;
    const plain = await this.#file.chunk(number);
    const part = plain.subarray(this.#at - startAt, this.#end + 1 - startAt);
    this.#at += part.length;
    return part;
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#handle.close().then(
      () => done(error),
      (closeError: Error) => done(error ?? closeError),
    );
  }
}

async function exactly(handle: RangedSource, at: number, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(bytes), 0, bytes, at);
  if (bytesRead < bytes) throw mediaUnreadable("it is shorter than it was");
  return buffer;
}

/**
 * Reads the plain bytes of a file whose chunks have any length, from the beginning on, while it may still grow. Each
 * read returns bytes of one chunk. The same bytes can be read again until later ones have been.
 */
export class GrowingFileReader {
  readonly #key: MediaKey;
  readonly #content: MediaContent;
  readonly #chunkBytesMax: number;
  #opener: ChunkOpener | undefined;
  /** The current chunk, its place in the file, and its first byte in the plain bytes. */
  #number = 0;
  #fileAt = FILE_HEAD_BYTES;
  #plainAt = 0;
  /** Undefined until it is read, or read again. */
  #chunk: { plain: Buffer; isFinal: boolean } | undefined;
  #isComplete = false;

  constructor(key: MediaKey, content: MediaContent, chunkBytesMax: number) {
    this.#key = key;
    this.#content = content;
    this.#chunkBytesMax = chunkBytesMax;
  }

  /** The final chunk has been read. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Keeps no bytes until the next read. */
  release(): void {
    this.#chunk = undefined;
  }

  /**
   * Copies bytes from `plainAt` on into `into`, at most as many as fit. Resolves with how many; 0 at the last complete
   * chunk. Rejects with `media_unreadable` for a chunk that its writer did not write there, and with the system's error.
   */
  async read(file: FileHandle, into: Buffer, plainAt: number): Promise<number> {
    for (;;) {
      this.#chunk ??= await this.#readChunk(file);
      if (this.#chunk === undefined) return 0;
      const { plain, isFinal } = this.#chunk;
      const from = plainAt - this.#plainAt;
      if (from < 0) throw mediaUnreadable("it is read backwards");
      if (from < plain.length) return plain.copy(into, 0, from);
      if (isFinal) return this.#end(file, plain.length);
      this.#number += 1;
      this.#fileAt += plain.length + CHUNK_OVERHEAD_BYTES;
      this.#plainAt += plain.length;
      this.#chunk = undefined;
    }
  }

  async #end(file: FileHandle, plainBytes: number): Promise<0> {
    const { bytesRead } = await file.read(Buffer.alloc(1), 0, 1, this.#fileAt + plainBytes + CHUNK_OVERHEAD_BYTES);
    if (bytesRead > 0) throw mediaUnreadable("it has bytes after its end");
    this.#isComplete = true;
    return 0;
  }

  /** The current chunk; undefined while it is not there completely. */
  async #readChunk(file: FileHandle): Promise<{ plain: Buffer; isFinal: boolean } | undefined> {
    this.#opener ??= await this.#open(file);
    if (this.#opener === undefined) return undefined;
    const word = Buffer.alloc(CHUNK_HEAD_BYTES);
    if ((await file.read(word, 0, CHUNK_HEAD_BYTES, this.#fileAt)).bytesRead < CHUNK_HEAD_BYTES) return undefined;
    const { plainBytes, isFinal } = chunkHeadOf(word.readUInt32LE(0));
    if (plainBytes > this.#chunkBytesMax) throw mediaUnreadable("a chunk is too long");
    const sealed = Buffer.allocUnsafe(plainBytes + CHUNK_OVERHEAD_BYTES - CHUNK_HEAD_BYTES);
    const { bytesRead } = await file.read(sealed, 0, sealed.length, this.#fileAt + CHUNK_HEAD_BYTES);
    if (bytesRead < sealed.length) return undefined;
    return { plain: this.#opener.open(this.#number, isFinal, sealed), isFinal };
  }

  /** Undefined while the head is not there completely. */
  async #open(file: FileHandle): Promise<ChunkOpener | undefined> {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(FILE_HEAD_BYTES), 0, FILE_HEAD_BYTES, 0);
    const head = buffer.subarray(0, bytesRead);
    return mayBecomeEncrypted(head) ? undefined : new ChunkOpener(this.#key, this.#content, head);
  }
}
