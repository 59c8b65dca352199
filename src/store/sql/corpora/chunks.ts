import { setImmediate } from "node:timers/promises";
import type { Kysely, Transaction } from "kysely";
import type { AccountId, DocumentId } from "../../../core/ids.ts";
import type { Chunk } from "../../../core/knowledge/chunks.ts";
import { CHUNKS_PER_TRANSACTION } from "../../../core/limits/knowledge/corpora.ts";
import type { SqlDatabase } from "../database.ts";
import type { Tables } from "../tables.ts";
import { pauseAfterTransaction } from "../transaction-pacing.ts";

/** The chunks of one version of a document. */
export interface VersionKey {
  id: DocumentId;
  version: number;
}

/** Stores chunks of a version, in place of those with the same ordinals that an attempt before has left. */
export async function insertChunks(
  tx: Kysely<Tables> | Transaction<Tables>,
  { id, version, accountId }: VersionKey & { accountId: AccountId },
  chunks: readonly Chunk[],
): Promise<void> {
  if (chunks.length === 0) return;
  const rows = chunks.map(({ ordinal, headings, page, text }) => ({
    document_id: id,
    version,
    ordinal,
    account_id: accountId,
    headings: JSON.stringify(headings),
    page: page ?? null,
    text,
  }));
  await tx
    .insertInto("document_chunks")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(["document_id", "version", "ordinal"]).doUpdateSet((of) => ({
        headings: of.ref("excluded.headings"),
        page: of.ref("excluded.page"),
        text: of.ref("excluded.text"),
      })),
    )
    .execute();
}

/** Deletes what an attempt of an earlier program may have cut into more chunks. Returns how many there are then. */
export async function settleChunks(tx: Transaction<Tables>, key: VersionKey, count: number): Promise<number> {
  const { id, version } = key;
  await tx
    .deleteFrom("document_chunks")
    .where("document_id", "=", id)
    .where("version", "=", version)
    .where("ordinal", ">=", count)
    .execute();
  const { chunks } = await tx
    .selectFrom("document_chunks")
    .select(({ fn }) => fn.countAll<number>().as("chunks"))
    .where("document_id", "=", id)
    .where("version", "=", version)
    .executeTakeFirstOrThrow();
  return Number(chunks);
}

/** Deletes the chunks of all versions but these, in short transactions. */
export async function deleteOtherChunks(
  database: SqlDatabase,
  id: DocumentId,
  kept: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    let others = database.db
      .selectFrom("document_chunks")
      .select(["version", "ordinal"])
      .where("document_id", "=", id)
      .orderBy("version")
      .orderBy("ordinal")
      .limit(CHUNKS_PER_TRANSACTION);
    if (kept.length > 0) others = others.where("version", "not in", kept);
    const rows = await others.execute();
    const [first] = rows;
    if (first === undefined) return;
    const ofFirst = rows.filter(({ version }) => version === first.version);
    const begunMs = performance.now();
    await database.withoutSync((db) =>
      db
        .deleteFrom("document_chunks")
        .where("document_id", "=", id)
        .where("version", "=", first.version)
        .where("ordinal", "<=", ofFirst.at(-1)?.ordinal ?? first.ordinal)
        .execute(),
    );
    if (rows.length === CHUNKS_PER_TRANSACTION) await pauseAfterTransaction(performance.now() - begunMs);
    else await setImmediate();
  }
}
