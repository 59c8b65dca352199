import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { JournalDecoder } from "./journal-format.ts";
import { type JournalRecord, journalUnreadable } from "./journal-records.ts";

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
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (error) {
    throw journalUnreadable("it cannot be opened", error);
  }
  try {
    return { torn: await readRecords(file, new JournalDecoder(onRecord)) };
  } finally {
    await file.close();
  }
}

async function readRecords(file: FileHandle, decoder: JournalDecoder): Promise<boolean> {
  let buffer: Buffer = Buffer.allocUnsafe(READ_BYTES);
  let filled = 0;
  for (;;) {
    const bytesRead = await readSome(file, buffer, filled);
    if (bytesRead === 0) return filled > 0;
    filled += bytesRead;
    const used = decoder.push(buffer.subarray(0, filled));
    buffer.copyWithin(0, used, filled);
    filled -= used;
    // A record that fills the buffer is longer than it; the decoder has bounded how long it can be.
    if (filled === buffer.length) buffer = Buffer.concat([buffer], 2 * buffer.length);
  }
}

async function readSome(file: FileHandle, into: Buffer, at: number): Promise<number> {
  try {
    return (await file.read(into, at, into.length - at)).bytesRead;
  } catch (error) {
    throw journalUnreadable("the disk failed", error);
  }
}
