import type { Kysely } from "kysely";
import type { AccountId, TranscriptionId } from "../../../core/ids.ts";
import { RESULT_TEXT_CHARS_MAX } from "../../../core/limits/transcriptions/transcriptions.ts";
import type { TranscriptionResult } from "../../../core/transcriptions/result.ts";
import type { SqlDatabase } from "../database.ts";
import type { Tables } from "../tables.ts";
import { pauseAfterTransaction } from "../transaction-pacing.ts";

/** Makes one write of a result; false, and nothing is written, where the writer may not write of its transcription any more. */
export type WriteResult = (write: (db: Kysely<Tables>) => Promise<void>) => Promise<boolean>;

/**
 * Stores a result, which may have several MB, in short transactions. It does not count before its transcription says so in a
 * transaction of its own, which waits for the disk. An earlier one that was not finished is replaced. False where `write` was.
 */
export async function insertResult(
  database: SqlDatabase,
  { id, accountId }: { id: TranscriptionId; accountId: AccountId },
  result: TranscriptionResult,
  write: WriteResult = anyWrite(database),
): Promise<boolean> {
  if (!(await trimResult(database, id, 0, write))) return false;
  for (const [position, text] of textsOf(JSON.stringify(result)).entries()) {
    const begunMs = performance.now();
    const row = { transcription_id: id, position, account_id: accountId, text };
    const isWritten = await write(
      async (db) => void (await db.insertInto("transcription_results").values(row).execute()),
    );
    if (!isWritten) return false;
    if (position > 0) await pauseAfterTransaction(performance.now() - begunMs);
  }
  return true;
}

const anyWrite =
  (database: SqlDatabase): WriteResult =>
  async (write) => {
    await database.withoutSync(write);
    return true;
  };

/** Undefined where nothing is stored. */
export async function readResult(db: Kysely<Tables>, id: TranscriptionId): Promise<TranscriptionResult | undefined> {
  const rows = await db
    .selectFrom("transcription_results")
    .select("text")
    .where("transcription_id", "=", id)
    .orderBy("position")
    .execute();
  return rows.length === 0 ? undefined : JSON.parse(rows.map(({ text }) => text).join(""));
}

/** Deletes the end of a result, in short transactions, down to its first texts, so many of which stay. False where `write` was. */
export async function trimResult(
  database: SqlDatabase,
  id: TranscriptionId,
  texts: number,
  write: WriteResult = anyWrite(database),
): Promise<boolean> {
  for (;;) {
    const begunMs = performance.now();
    const last = await database.db
      .selectFrom("transcription_results")
      .select("position")
      .where("transcription_id", "=", id)
      .orderBy("position", "desc")
      .limit(1)
      .executeTakeFirst();
    if (last === undefined || last.position < texts) return true;
    const isDeleted = await write(async (db) => {
      await db
        .deleteFrom("transcription_results")
        .where("transcription_id", "=", id)
        .where("position", "=", last.position)
        .execute();
    });
    if (!isDeleted) return false;
    await pauseAfterTransaction(performance.now() - begunMs);
  }
}

/** Cuts a text, but never between the two halves of one character: they have no UTF-8 of their own. */
export function textsOf(text: string, charsMax = RESULT_TEXT_CHARS_MAX): readonly string[] {
  const texts: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + charsMax, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    texts.push(text.slice(start, end));
    start = end;
  }
  return texts;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
