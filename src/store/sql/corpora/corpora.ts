import type { Kysely, Transaction } from "kysely";
import type { Clock } from "../../../core/clock.ts";
import type { EpochMs } from "../../../core/clocks.ts";
import type { AccountId, CorpusId, DocumentId } from "../../../core/ids.ts";
import type { Chunk, IndexableDocument } from "../../../core/knowledge/chunks.ts";
import type { DocumentStatus } from "../../../core/knowledge/documents.ts";
import { CORPORA_PER_ACCOUNT_MAX } from "../../../core/limits/knowledge/corpora.ts";
import { TRANSACTION_ROWS_MAX } from "../../../core/limits/storage/storage.ts";
import { newId } from "../../../core/new-id.ts";
import { type Act, type AuditDetails, BY_SERVICE, changedIn } from "../../accounts/audit-store.ts";
import type {
  ChangedCorpus,
  Corpus,
  CorpusChanges,
  CorpusDefinition,
  CorpusQuery,
  CorpusRetrievalPage,
  CorpusRetrievalQuery,
  CorpusSize,
  CorpusStore,
} from "../../corpora/corpus-store.ts";
import { CORPUS_CLEAN_JOB } from "../../job-kinds.ts";
import type { SqlDatabase } from "../database.ts";
import type { SideEffects } from "../side-effects.ts";
import type { Tables } from "../tables.ts";
import { listRetrievals } from "./retrievals.ts";
import { nextRevision, reviseCorpus } from "./revisions.ts";
import { type CorpusRow, chunkOf, corpusOf, definitionColumns } from "./rows.ts";

type Db = Kysely<Tables> | Transaction<Tables>;

const EMPTY: CorpusSize = { processing: 0, ready: 0, failed: 0, chunks: 0, characters: 0 };

/** See `CorpusStore`. */
export class SqlCorpora implements CorpusStore {
  readonly #database: SqlDatabase;
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #sideEffects: SideEffects;

  constructor(database: SqlDatabase, clock: Clock, sideEffects: SideEffects) {
    this.#database = database;
    this.#db = database.db;
    this.#clock = clock;
    this.#sideEffects = sideEffects;
  }

  create(accountId: AccountId, definition: CorpusDefinition, act: Act = BY_SERVICE): Promise<Corpus | undefined> {
    const id = newId("cor");
    // One that counts the others must not miss one that is created at the same time.
    return this.#database.transaction(async (tx) => {
      const { corpora } = await tx
        .selectFrom("corpora")
        .select(({ fn }) => fn.countAll<number>().as("corpora"))
        .where("account_id", "=", accountId)
        .where("deleted_at", "is", null)
        .executeTakeFirstOrThrow();
      if (Number(corpora) >= CORPORA_PER_ACCOUNT_MAX) return undefined;
      const nowMs = this.#clock.epochMs();
      const row: CorpusRow = {
        id,
        account_id: accountId,
        created_at: nowMs,
        updated_at: nowMs,
        name: JSON.stringify(definition.name),
        description: JSON.stringify(definition.description),
        language_id: definition.languageId,
        mode: definition.mode,
        metadata: JSON.stringify(definition.metadata),
        revision: await nextRevision(tx),
        deleted_at: null,
      };
      await tx.insertInto("corpora").values(row).execute();
      await this.#record(tx, row, act, "corpus.created");
      return corpusOf(row);
    });
  }

  async get(accountId: AccountId, id: CorpusId): Promise<Corpus | undefined> {
    const row = await existing(this.#db, accountId, id).executeTakeFirst();
    return row && corpusOf(row);
  }

  async list({ accountId, before, limit }: CorpusQuery): Promise<{ corpora: readonly Corpus[]; more: boolean }> {
    let listed = this.#db
      .selectFrom("corpora")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("deleted_at", "is", null);
    if (before !== undefined) listed = listed.where("id", "<", before);
    // One more than requested shows whether others follow.
    const rows = await listed
      .orderBy("id", "desc")
      .limit(limit + 1)
      .execute();
    return { corpora: rows.slice(0, limit).map(corpusOf), more: rows.length > limit };
  }

  listRetrievals(query: CorpusRetrievalQuery): Promise<CorpusRetrievalPage> {
    return listRetrievals(this.#db, query);
  }

  async sizes(ids: readonly CorpusId[]): Promise<ReadonlyMap<CorpusId, CorpusSize>> {
    const sizes = new Map(ids.map((id) => [id, EMPTY]));
    if (ids.length === 0) return sizes;
    const rows = await this.#db
      .selectFrom("documents")
      .select(["corpus_id", "status"])
      .select(({ fn }) => [
        fn.countAll<number>().as("documents"),
        fn.sum<number>("chunks").as("chunks"),
        fn.sum<number>("characters").as("characters"),
      ])
      .where("corpus_id", "in", ids)
      .where("deleted_at", "is", null)
      .groupBy(["corpus_id", "status"])
      .execute();
    for (const row of rows) {
      const size = sizes.get(row.corpus_id) ?? EMPTY;
      sizes.set(row.corpus_id, {
        ...size,
        [row.status as DocumentStatus]: Number(row.documents),
        chunks: size.chunks + Number(row.chunks),
        characters: size.characters + Number(row.characters),
      });
    }
    return sizes;
  }

  update(
    accountId: AccountId,
    id: CorpusId,
    changes: CorpusChanges,
    act: Act = BY_SERVICE,
  ): Promise<Corpus | undefined> {
    return this.#database.transaction(async (tx) => {
      const row = await existing(tx, accountId, id).executeTakeFirst();
      if (row === undefined) return undefined;
      const { languageId } = changes;
      const isReindexed = languageId !== undefined && languageId !== row.language_id;
      const changed: CorpusRow = {
        ...row,
        ...definitionColumns(changes),
        updated_at: this.#clock.epochMs(),
      };
      await tx.updateTable("corpora").set(changed).where("id", "=", id).execute();
      if (isReindexed) await reviseCorpus(tx, id);
      await this.#record(tx, row, act, "corpus.updated", { changed: changedIn(changes) });
      return corpusOf(changed);
    });
  }

  async remove(accountId: AccountId, id: CorpusId, act: Act = BY_SERVICE): Promise<boolean> {
    const isRemoved = await this.#database.readCommitted(async (tx) => {
      const nowMs = this.#clock.epochMs();
      const nothing = { name: '""', description: '""', metadata: "{}" };
      const removed = await tx
        .updateTable("corpora")
        .set({ ...nothing, deleted_at: nowMs, updated_at: nowMs })
        .where("id", "=", id)
        .where("account_id", "=", accountId)
        .where("deleted_at", "is", null)
        .returning(["id", "account_id"])
        .executeTakeFirst();
      if (removed === undefined) return false;
      // Its documents, of which there may be thousands, are found no more without it.
      await this.#sideEffects.jobs.insert(tx, {
        kind: CORPUS_CLEAN_JOB,
        payload: { corpusId: id },
        key: id,
        lane: accountId,
        accountId,
      });
      await this.#record(tx, removed, act, "corpus.deleted");
      await reviseCorpus(tx, id);
      return true;
    });
    if (isRemoved) this.#sideEffects.jobs.notify();
    return isRemoved;
  }

  async forgetRemoved(beforeMs: EpochMs): Promise<number> {
    const forgotten = this.#db
      .selectFrom("corpora")
      .select("id")
      .where("deleted_at", "<", beforeMs)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom("documents").select("id").whereRef("documents.corpus_id", "=", "corpora.id"))),
      )
      .limit(TRANSACTION_ROWS_MAX);
    const { numDeletedRows } = await this.#db
      .deleteFrom("corpora")
      .where("id", "in", forgotten)
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  }

  async indexable(id: CorpusId): Promise<readonly IndexableDocument[]> {
    const rows = await this.#db
      .selectFrom("documents")
      .innerJoin("corpora", "corpora.id", "documents.corpus_id")
      .select(["documents.id", "documents.name", "ready_version"])
      .$narrowType<{ ready_version: number }>()
      .where("corpus_id", "=", id)
      .where("ready_version", "is not", null)
      .where("documents.deleted_at", "is", null)
      .where("corpora.deleted_at", "is", null)
      .orderBy("documents.id")
      .execute();
    return rows.map((row) => ({ id: row.id, name: JSON.parse(row.name), version: row.ready_version }));
  }

  async chunks(documentId: DocumentId, version: number, fromOrdinal: number, limit: number): Promise<readonly Chunk[]> {
    const rows = await this.#db
      .selectFrom("document_chunks")
      .innerJoin("documents", "documents.id", "document_chunks.document_id")
      .select(["ordinal", "headings", "page", "text"])
      .where("document_id", "=", documentId)
      .where("document_chunks.version", "=", version)
      .where("ready_version", "=", version)
      .where("deleted_at", "is", null)
      .where("ordinal", ">=", fromOrdinal)
      .orderBy("ordinal")
      .limit(limit)
      .execute();
    return rows.map(chunkOf);
  }

  async corporaChangedAfter(revision: number, limit: number): Promise<readonly ChangedCorpus[]> {
    const rows = await this.#db
      .selectFrom("corpora")
      .select(["id", "revision", "language_id", "deleted_at"])
      .where("revision", ">", revision)
      .orderBy("revision")
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      corpusId: row.id,
      revision: row.revision,
      languageId: row.language_id,
      isDeleted: row.deleted_at !== null,
    }));
  }

  async #record(
    tx: Transaction<Tables>,
    { id, account_id: accountId }: Pick<CorpusRow, "id" | "account_id">,
    act: Act,
    action: "corpus.created" | "corpus.updated" | "corpus.deleted",
    details: AuditDetails = {},
  ): Promise<void> {
    await this.#sideEffects.audit.insert(tx, { ...act, accountId, action, target: { kind: "corpus", id }, details });
  }
}

const existing = (db: Db, accountId: AccountId, id: CorpusId) =>
  db
    .selectFrom("corpora")
    .selectAll()
    .where("id", "=", id)
    .where("account_id", "=", accountId)
    .where("deleted_at", "is", null);
