import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { TrunklineError } from "../../core/errors.ts";
import { JournalDecoder } from "./format.ts";
import { type JournalRecord, journalUnreadable } from "./records.ts";

const READ_BYTES = 64 * 1024;

/** Where the journals of an installation are. */
export const journalDirectory = (dataDir: string): string => join(dataDir, "journals");

/** Where the journal of a call is. */
export const journalPath = (dataDir: string, callId: string): string =>
  join(journalDirectory(dataDir), `${callId}.tlj`);

/**
 * Reads a journal from the beginning and gives its records to `onRecord`, the header first, letting the loop run between
 * chunks. Resolves with whether the file ends in the middle of a record (its writer died): that rest is dropped.
 *
 * Rejects with `journal_unreadable` when there is no such file, or when it is not what we write; what came before was told.
 * Whatever `onRecord` throws ends the reading and comes out.
 */
export async function readJournal(path: string, onRecord: (record: JournalRecord) => void): Promise<{ torn: boolean }> {
  return { torn: (await new JournalReader(path, onRecord).readMore()) === "torn" };
}

/** A journal that is read in several goes, one at a time, each from where the last one stopped. It may grow in between. */
export class JournalReader {
  readonly #path: string;
  readonly #decoder: JournalDecoder;
  /** Everything in front of it has been told. */
  #offsetBytes = 0;

  constructor(path: string, onRecord: (record: JournalRecord) => void) {
    this.#path = path;
    this.#decoder = new JournalDecoder(onRecord);
  }

  /**
   * Reads to the end of the file, or until `enough`, which is asked before each record. At its end the file may be
   * `torn`: it breaks off within a record, whose rest its writer may still bring. Rejects as `readJournal`.
   */
  async readMore(enough?: () => boolean): Promise<"enough" | "end" | "torn"> {
    const file = await openJournal(this.#path);
    try {
      return await this.#readFrom(file, enough);
    } finally {
      await file.close();
    }
  }

  async #readFrom(file: FileHandle, enough = (): boolean => false): Promise<"enough" | "end" | "torn"> {
    let buffer: Buffer = Buffer.allocUnsafe(READ_BYTES);
    let filled = 0;
    for (;;) {
      const bytesRead = await readSome(file, buffer, filled, this.#offsetBytes + filled);
      if (bytesRead === 0) return filled > 0 ? "torn" : "end";
      filled += bytesRead;
      const used = this.#decoder.push(buffer.subarray(0, filled), enough);
      this.#offsetBytes += used;
      if (enough()) return "enough";
      buffer.copyWithin(0, used, filled);
      filled -= used;
      // A record that fills the buffer is longer than it; the decoder has bounded how long it can be.
      if (filled === buffer.length) buffer = Buffer.concat([buffer], 2 * buffer.length);
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

async function readSome(file: FileHandle, into: Buffer, at: number, fromBytes: number): Promise<number> {
  try {
    return (await file.read(into, at, into.length - at, fromBytes)).bytesRead;
  } catch (error) {
    throw journalUnreadable("the disk failed", error);
  }
}

/** The system's name, such as ENOENT or ENOSPC, of what kept a file from being read or written; undefined for any other error. */
export function systemErrorCodeOf(error: unknown): string | undefined {
  const cause = error instanceof TrunklineError ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
  return code?.startsWith("ERR_") ? undefined : code;
}
