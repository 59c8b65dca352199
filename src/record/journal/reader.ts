import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import type { CallId } from "../../core/ids.ts";
import { JournalDecoder } from "./format.ts";
import { type JournalRecord, journalUnreadable } from "./records.ts";

const READ_BYTES = 64 * 1024;

/** The folder of an installation's journals. */
export const journalDirectory = (dataDir: string): string => join(dataDir, "journals");

/** The path of a call's journal. */
export const journalPath = (dataDir: string, callId: CallId): string =>
  join(journalDirectory(dataDir), `${callId}.tlj`);

/**
 * Reads a journal from its beginning and passes each record to `onRecord`, the header first. The event loop runs
 * between chunks. Resolves with whether the file ends in the middle of a record because its writer died; the incomplete
 * record is dropped.
 *
 * Rejects with `journal_unreadable` when there is no such file or it is not a journal; earlier records have been passed
 * on by then. An error that `onRecord` throws ends the reading and is rethrown.
 */
export async function readJournal(path: string, onRecord: (record: JournalRecord) => void): Promise<{ torn: boolean }> {
  return { torn: (await new JournalReader(path, onRecord).readMore()) === "torn" };
}

/**
 * A journal that is read in several steps, one at a time, each from where the last one stopped. It may grow in between.
 */
export class JournalReader {
  readonly #path: string;
  readonly #decoder: JournalDecoder;
  /** All records before this offset have been passed on. */
  #offsetBytes = 0;

  constructor(path: string, onRecord: (record: JournalRecord) => void) {
    this.#path = path;
    this.#decoder = new JournalDecoder(onRecord);
  }

  /**
   * Reads to the end of the file, or until `enough()`, which is called before each record, returns true. At the end the
   * file may be `torn`: its last record is incomplete, and its writer may still complete it. Rejects as `readJournal`
   * does.
   */
  async readMore(enough?: () => boolean): Promise<"stopped" | "end" | "torn"> {
    const file = await openJournal(this.#path);
    try {
      return await this.#readFrom(file, enough);
    } finally {
      await file.close();
    }
  }

  async #readFrom(file: FileHandle, enough = (): boolean => false): Promise<"stopped" | "end" | "torn"> {
    let buffer: Buffer = Buffer.allocUnsafe(READ_BYTES);
    let filled = 0;
    for (;;) {
      const bytesRead = await readSome(file, buffer, filled, this.#offsetBytes + filled);
      if (bytesRead === 0) return filled > 0 ? "torn" : "end";
      filled += bytesRead;
      const used = this.#decoder.push(buffer.subarray(0, filled), enough);
      this.#offsetBytes += used;
      if (enough()) return "stopped";
      buffer.copyWithin(0, used, filled);
      filled -= used;
      // The record is longer than the buffer. The decoder has already checked its length.
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
    throw journalUnreadable("reading the file failed", error);
  }
}
