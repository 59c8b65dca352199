import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { GrowingFileReader } from "../../core/encryption/chunked-file.ts";
import { isEncrypted, type MediaFile, type MediaKey, mediaUnreadable } from "../../core/encryption/chunks.ts";
import { codeOf } from "../../core/errors.ts";
import type { CallId } from "../../core/ids.ts";
import { JOURNAL_BACKLOG_BYTES_MAX } from "../../core/limits/storage/storage.ts";
import { JournalDecoder, type JournalDecoderOptions } from "./format.ts";
import { type JournalHeader, type JournalRecord, journalUnreadable } from "./records.ts";

const READ_BYTES = 64 * 1024;
/** While a long journal is read to its end, more is read at once, up to this: each read costs a step of the event loop. */
const READ_BYTES_MAX = 256 * 1024;

/** The folder of an installation's journals. */
export const journalDirectory = (dataDir: string): string => join(dataDir, "journals");

/** The path of a call's journal. */
export const journalPath = (dataDir: string, callId: CallId): string =>
  join(journalDirectory(dataDir), `${callId}.tlj`);

/** A journal to read: its path alone where it is not encrypted. */
export type JournalFile = string | MediaFile;

/** The journal of a call with this key; undefined for a call without one, whose journal is not encrypted. */
export const journalFileOf = (dataDir: string, callId: CallId, key: MediaKey | undefined): MediaFile => ({
  path: journalPath(dataDir, callId),
  key,
});

/**
 * Reads a journal from its beginning and passes each record to `onRecord`, the header first. The event loop runs
 * between chunks. Resolves with whether the file ends in the middle of a record because its writer died; the incomplete
 * record is dropped.
 *
 * Rejects with `journal_unreadable` when there is no such file or it is not a journal, when it is encrypted without its
 * key, and at a chunk that was changed or moved; earlier records have been passed on by then. An error that `onRecord` throws ends the reading and is rethrown.
 */
export async function readJournal(
  journal: JournalFile,
  onRecord: (record: JournalRecord) => void,
): Promise<{ torn: boolean }> {
  return { torn: (await new JournalReader(journal, onRecord).readMore()) === "torn" };
}

/** The first record of a journal; undefined where it cannot be read. */
export async function journalHeaderOf(journal: JournalFile): Promise<JournalHeader | undefined> {
  let header: JournalHeader | undefined;
  try {
    await new JournalReader(journal, (record) => {
      if (record.kind === "header") header = record.header;
    }).readMore(() => header !== undefined);
  } catch {
    return undefined;
  }
  return header;
}

/**
 * A journal that is read in several steps, one at a time, each from where the last one stopped. It may grow in between.
 */
export class JournalReader {
  readonly #path: string;
  readonly #decoder: JournalDecoder;
  readonly #bytes: JournalBytes;
  /** All records before this offset have been passed on. */
  #offsetBytes = 0;
  /** The file that was read first; undefined before that. */
  #inode: bigint | undefined;

  constructor(
    journal: JournalFile,
    onRecord: (record: JournalRecord) => void,
    options: Pick<JournalDecoderOptions, "leavesOutFramesIn"> = {},
  ) {
    const { path, key } = typeof journal === "string" ? { path: journal, key: undefined } : journal;
    this.#path = path;
    this.#bytes = key === undefined ? new PlainBytes() : new EncryptedBytes(key);
    this.#decoder = new JournalDecoder(onRecord, options);
  }

  /**
   * Reads to the end of the file, or until `enough()`, which is called before each record, returns true. At the end the
   * file may be `torn`: its last record is incomplete, or it is encrypted and lacks its final chunk, and its writer may
   * still complete it. `replaced`: another file has its name since the first step, and nothing of it is read: the journal was redacted,
   * and is to be read from its beginning by another reader. Rejects as `readJournal` does.
   */
  async readMore(enough?: () => boolean): Promise<"stopped" | "end" | "torn" | "replaced"> {
    const file = await openJournal(this.#path);
    try {
      const { ino } = await file.stat({ bigint: true });
      this.#inode ??= ino;
      if (ino !== this.#inode) return "replaced";
      return await this.#readFrom(file, enough);
    } finally {
      this.#bytes.release();
      await file.close();
    }
  }

  async #readSome(file: FileHandle, into: Buffer, fromBytes: number): Promise<number> {
    try {
      return await this.#bytes.read(file, into, fromBytes);
    } catch (error) {
      throw journalUnreadable(
        error instanceof Error && codeOf(error) === "media_unreadable" ? error.message : "reading the file failed",
        error,
      );
    }
  }

  async #readFrom(file: FileHandle, enough = (): boolean => false): Promise<"stopped" | "end" | "torn"> {
    let buffer: Buffer = Buffer.allocUnsafe(READ_BYTES);
    let filled = 0;
    for (;;) {
      const bytesRead = await this.#readSome(file, buffer.subarray(filled), this.#offsetBytes + filled);
      if (bytesRead === 0) return filled > 0 || !this.#bytes.isComplete ? "torn" : "end";
      filled += bytesRead;
      const used = this.#decoder.push(buffer.subarray(0, filled), enough);
      this.#offsetBytes += used;
      if (enough()) return "stopped";
      const isFull = filled === buffer.length;
      const rest = buffer.subarray(used, filled);
      // Nothing was used where a record is longer than the buffer. The decoder has already checked its length.
      if (isFull && (used === 0 || buffer.length < READ_BYTES_MAX)) buffer = Buffer.allocUnsafe(2 * buffer.length);
      rest.copy(buffer);
      filled = rest.length;
    }
  }
}

async function openJournal(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    throw journalUnreadable("it cannot be opened", error);
  }
}

/** The plain bytes of a journal. */
interface JournalBytes {
  /** Nothing that its writer wrote is missing, as far as the file itself can tell. */
  readonly isComplete: boolean;
  /** Reads from an offset in the plain bytes into all of `into` or a part of it. Resolves with how many. */
  read(file: FileHandle, into: Buffer, fromBytes: number): Promise<number>;
  /** Keeps no bytes until the next read. */
  release(): void;
}

class PlainBytes implements JournalBytes {
  readonly isComplete = true;

  async read(file: FileHandle, into: Buffer, fromBytes: number): Promise<number> {
    const { bytesRead } = await file.read(into, 0, into.length, fromBytes);
    if (fromBytes === 0 && isEncrypted(into.subarray(0, bytesRead))) throw mediaUnreadable("its key is missing");
    return bytesRead;
  }

  release(): void {}
}

class EncryptedBytes extends GrowingFileReader implements JournalBytes {
  constructor(key: MediaKey) {
    super(key, "journal", JOURNAL_BACKLOG_BYTES_MAX);
  }
}
