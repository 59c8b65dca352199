import { type Insertable, type Kysely, sql } from "kysely";
import type { TranscriptTurn } from "../../../core/calls/transcript.ts";
import type { AccountId, CallId } from "../../../core/ids.ts";
import { TRANSACTION_ROWS_MAX, TRANSACTION_TEXT_BYTES_MAX } from "../../../core/limits/storage/storage.ts";
import type { Tables } from "../tables.ts";
import { pauseAfterTransaction } from "../transaction-pacing.ts";
import { turnRowOf } from "./rows.ts";

type TurnRow = Insertable<Tables["turns"]>;

/** The call of the turns. */
export interface TurnOwner {
  callId: CallId;
  accountId: AccountId;
  /** False for a call whose words are not stored. */
  withText: boolean;
}

/** The rows of a transcript, in parts for one transaction each; at least one part, which may be empty. */
export function rowBatches(turns: readonly TranscriptTurn[], { callId, accountId, withText }: TurnOwner): TurnRow[][] {
  const parts: TurnRow[][] = [[]];
  let bytes = 0;
  for (const [position, turn] of turns.entries()) {
    const row = { ...turnRowOf(turn, withText), call_id: callId, position, account_id: accountId };
    const rowBytes = Buffer.byteLength(row.text ?? "") + Buffer.byteLength(row.retrieval ?? "");
    const part = parts.at(-1);
    const fits = part !== undefined && part.length < TRANSACTION_ROWS_MAX;
    if (fits && (part.length === 0 || bytes + rowBytes <= TRANSACTION_TEXT_BYTES_MAX)) {
      part.push(row);
      bytes += rowBytes;
    } else {
      parts.push([row]);
      bytes = rowBytes;
    }
  }
  return parts;
}

/** Inserts one batch of `rowBatches`. Throws the database's errors; a batch inserted twice violates the primary key. */
export async function insertTurns(db: Kysely<Tables>, rows: readonly TurnRow[]): Promise<void> {
  if (rows.length > 0) await db.insertInto("turns").values(rows).execute();
}

/** Deletes the end of a transcript, in short transactions, until one transaction can delete the rest. */
export async function trimTranscript(db: Kysely<Tables>, callId: CallId): Promise<void> {
  for (;;) {
    const begunMs = performance.now();
    const from = await lastBatchStart(db, callId);
    if (from === undefined) return;
    await db.deleteFrom("turns").where("call_id", "=", callId).where("position", ">=", from).execute();
    await pauseAfterTransaction(performance.now() - begunMs);
  }
}

/** Deletes a transcript: its end as `trimTranscript` does, then the rest. */
export async function deleteTurns(db: Kysely<Tables>, callId: CallId): Promise<void> {
  await trimTranscript(db, callId);
  const left = db.selectFrom("turns").select("position").where("call_id", "=", callId).limit(1);
  if ((await left.executeTakeFirst()) === undefined) return;
  await db.deleteFrom("turns").where("call_id", "=", callId).execute();
}

/** The first position of the last batch that one transaction can delete; undefined if it can delete all turns. */
async function lastBatchStart(db: Kysely<Tables>, callId: CallId): Promise<number | undefined> {
  const rows = await db
    .selectFrom("turns")
    // Not `length`, which would read the text.
    .select(["position", sql<number | null>`octet_length(text)`.as("bytes")])
    .where("call_id", "=", callId)
    .orderBy("position", "desc")
    .limit(TRANSACTION_ROWS_MAX + 1)
    .execute();
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    bytes += row.bytes ?? 0;
    if (index === TRANSACTION_ROWS_MAX || (index > 0 && bytes > TRANSACTION_TEXT_BYTES_MAX)) {
      return rows[index - 1]?.position;
    }
  }
  return undefined;
}
