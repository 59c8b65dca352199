import type { Kysely } from "kysely";
import type { CorpusId } from "../../../core/ids.ts";
import type { Tables } from "../tables.ts";

/**
 * The next revision of all corpora. Transactions that take one commit in its order: each holds the lock of the counter until it has
 * committed, so take it last.
 */
export async function nextRevision(tx: Kysely<Tables>): Promise<number> {
  const { value } = await tx
    .updateTable("epochs")
    .set((of) => ({ value: of("value", "+", 1) }))
    .where("name", "=", "corpora")
    .returning("value")
    .executeTakeFirstOrThrow();
  return value;
}

/** The documents that can be found in a corpus have changed. Its row is locked before the counter, as in every transaction. */
export async function reviseCorpus(tx: Kysely<Tables>, id: CorpusId): Promise<void> {
  await tx
    .updateTable("corpora")
    .set((of) => ({ revision: of.ref("revision") }))
    .where("id", "=", id)
    .execute();
  await tx
    .updateTable("corpora")
    .set({ revision: await nextRevision(tx) })
    .where("id", "=", id)
    .execute();
}
