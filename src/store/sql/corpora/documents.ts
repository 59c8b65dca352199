import type { Kysely, Transaction } from "kysely";
import type { AuditAction } from "../../../core/accounts/audit-actions.ts";
import type { AgeClock } from "../../../core/age-clock.ts";
import type { Clock } from "../../../core/clock.ts";
import { unavailable } from "../../../core/errors.ts";
import type { AccountId, CorpusId, DocumentId } from "../../../core/ids.ts";
import type { Chunk } from "../../../core/knowledge/chunks.ts";
import { CHUNKS_PER_TRANSACTION, DOCUMENTS_PER_CORPUS_MAX } from "../../../core/limits/knowledge/corpora.ts";
import { type Act, BY_SERVICE } from "../../accounts/audit-store.ts";
import type {
  Document,
  DocumentCreation,
  DocumentEnd,
  DocumentQuery,
  DocumentReplacement,
  DocumentStore,
  DocumentToClean,
  IdempotentDocument,
  NewDocument,
} from "../../corpora/document-store.ts";
import { CORPUS_CLEAN_JOB, DOCUMENT_JOB } from "../../job-kinds.ts";
import type { SqlDatabase } from "../database.ts";
import type { JobFollower } from "../job-queue/jobs.ts";
import type { SideEffects } from "../side-effects.ts";
import type { Tables } from "../tables.ts";
import { pauseAfterTransaction } from "../transaction-pacing.ts";
import { deleteEventsOfDocument } from "../webhooks/deliveries.ts";
import { deleteOtherChunks, insertChunks, settleChunks } from "./chunks.ts";
import { deleteExpiredRequests, findRequest, insertRequest } from "./idempotent-requests.ts";
import { reviseCorpus } from "./revisions.ts";
import { contentColumns, type DocumentRow, documentOf } from "./rows.ts";

type Db = Kysely<Tables> | Transaction<Tables>;

/** The failure of one whose job was given up: what the job could not do is in the log and in the job. */
const ABANDONED = {
  code: "abandoned",
  message: "the document could not be processed after several attempts: the operator's log says why",
} as const;

/** What a job knows of the document that it processes. */
interface JobPayload {
  documentId: DocumentId;
  version: number;
}

/** See `DocumentStore`. */
export class SqlDocuments implements DocumentStore {
  readonly #database: SqlDatabase;
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #age: AgeClock;
  readonly #sideEffects: SideEffects;
  readonly #listeners: Parameters<DocumentStore["onEnded"]>[0][] = [];

  constructor(database: SqlDatabase, clock: Clock, age: AgeClock, sideEffects: SideEffects) {
    this.#database = database;
    this.#db = database.db;
    this.#clock = clock;
    this.#age = age;
    this.#sideEffects = sideEffects;
  }

  onEnded(listener: (document: Document) => void): void {
    this.#listeners.push(listener);
  }

  async create(document: NewDocument, act: Act = BY_SERVICE): Promise<DocumentCreation> {
    const creation = await this.#database.readCommitted((tx) => this.#insert(tx, document, act));
    this.#sideEffects.jobs.notify();
    return creation;
  }

  async createOnce(
    document: NewDocument,
    request: IdempotentDocument,
    act: Act = BY_SERVICE,
  ): Promise<DocumentCreation> {
    const clocks = { clock: this.#clock, age: this.#age };
    await deleteExpiredRequests(this.#db, clocks);
    const creation = await this.#database.transaction(async (tx): Promise<DocumentCreation> => {
      const before = await findRequest(tx, document.accountId, request.keyHash, clocks);
      if (before === undefined) {
        const created = await this.#insert(tx, document, act);
        if (created.kind === "created") await insertRequest(tx, document, request, clocks);
        return created;
      }
      if (before.fingerprint !== request.fingerprint) return { kind: "mismatch" };
      const row = await live(tx, before.document_id).executeTakeFirst();
      return row === undefined ? { kind: "unknown" } : { kind: "replayed", document: documentOf(row) };
    });
    this.#sideEffects.jobs.notify();
    return creation;
  }

  async #insert(tx: Transaction<Tables>, document: NewDocument, act: Act): Promise<DocumentCreation> {
    const { id, accountId, corpusId } = document;
    // Two that are added at the same time count one after the other.
    const corpus = await tx
      .selectFrom("corpora")
      .select("id")
      .where("id", "=", corpusId)
      .where("account_id", "=", accountId)
      .where("deleted_at", "is", null)
      .$if(this.#database.locksRows, (query) => query.forNoKeyUpdate())
      .executeTakeFirst();
    if (corpus === undefined) return { kind: "unknown" };
    const { documents } = await tx
      .selectFrom("documents")
      .select(({ fn }) => fn.countAll<number>().as("documents"))
      .where("corpus_id", "=", corpusId)
      .where("deleted_at", "is", null)
      .executeTakeFirstOrThrow();
    if (Number(documents) >= DOCUMENTS_PER_CORPUS_MAX) return { kind: "full" };
    const nowMs = this.#clock.epochMs();
    const row: DocumentRow = {
      id,
      account_id: accountId,
      corpus_id: corpusId,
      created_at: nowMs,
      updated_at: nowMs,
      ...contentColumns(document),
      status: "processing",
      version: 1,
      ready_version: null,
      file_version: document.source === "url" ? null : 1,
      facts: null,
      chunks: 0,
      characters: 0,
      failure: null,
      processed_at: null,
      needs_cleaning: 0,
      deleted_at: null,
    };
    await tx.insertInto("documents").values(row).execute();
    await this.#insertJob(tx, row);
    await this.#record(tx, row, act, "document.created");
    return { kind: "created", document: documentOf(row) };
  }

  async get(accountId: AccountId, corpusId: CorpusId, id: DocumentId): Promise<Document | undefined> {
    const row = await live(this.#db, id)
      .where("documents.account_id", "=", accountId)
      .where("corpus_id", "=", corpusId)
      .executeTakeFirst();
    return row && documentOf(row);
  }

  async find(id: DocumentId): Promise<Document | undefined> {
    const row = await live(this.#db, id).executeTakeFirst();
    return row && documentOf(row);
  }

  async list(query: DocumentQuery): Promise<{ documents: readonly Document[]; more: boolean }> {
    const { accountId, corpusId, status, source, before, limit } = query;
    let listed = this.#db
      .selectFrom("documents")
      .selectAll()
      .where("corpus_id", "=", corpusId)
      .where("account_id", "=", accountId)
      .where("deleted_at", "is", null);
    if (status !== undefined) listed = listed.where("status", "=", status);
    if (source !== undefined) listed = listed.where("source", "=", source);
    if (before !== undefined) listed = listed.where("id", "<", before);
    // One more than requested shows whether others follow.
    const rows = await listed
      .orderBy("id", "desc")
      .limit(limit + 1)
      .execute();
    return { documents: rows.slice(0, limit).map(documentOf), more: rows.length > limit };
  }

  async process(
    { id, accountId, version }: Pick<Document, "id" | "accountId" | "version">,
    replacement?: DocumentReplacement,
    act: Act = BY_SERVICE,
  ): Promise<Document | undefined> {
    const changed = await this.#database.readCommitted(async (tx) => {
      const row = await tx
        .updateTable("documents")
        .set({
          status: "processing",
          version: version + 1,
          failure: null,
          updated_at: this.#clock.epochMs(),
          ...(replacement !== undefined && {
            ...contentColumns(replacement),
            file_version: replacement.source === "url" ? null : version + 1,
          }),
        })
        .where("id", "=", id)
        .where("account_id", "=", accountId)
        .where("version", "=", version)
        .where("deleted_at", "is", null)
        .where("corpus_id", "in", liveCorpora(tx))
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return undefined;
      await this.#sideEffects.jobs.remove(tx, DOCUMENT_JOB, jobKey(id, version), { documentId: id, version });
      await this.#insertJob(tx, row);
      await this.#record(tx, row, act, replacement === undefined ? "document.reprocessed" : "document.replaced");
      return documentOf(row);
    });
    this.#sideEffects.jobs.notify();
    return changed;
  }

  async storeChunks(id: DocumentId, version: number, chunks: readonly Chunk[]): Promise<boolean> {
    const begunMs = performance.now();
    // They count with the end of the processing, which waits for the disk.
    const isStored = await this.#database.readCommittedWithoutSync(async (tx) => {
      // What ends or removes it waits for this lock.
      const row = await tx
        .selectFrom("documents")
        .select("account_id")
        .where("id", "=", id)
        .where("version", "=", version)
        .where("status", "=", "processing")
        .where("deleted_at", "is", null)
        .where("corpus_id", "in", liveCorpora(tx))
        .$if(this.#database.locksRows, (query) => query.forShare())
        .executeTakeFirst();
      if (row === undefined) return false;
      await insertChunks(tx, { id, version, accountId: row.account_id }, chunks);
      return true;
    });
    if (chunks.length === CHUNKS_PER_TRANSACTION) await pauseAfterTransaction(performance.now() - begunMs);
    return isStored;
  }

  async end(id: DocumentId, version: number, end: DocumentEnd): Promise<Document | undefined> {
    const ended = await this.#database.readCommitted((tx) => this.#end(tx, { documentId: id, version }, end));
    if (ended === undefined) return undefined;
    this.#emitEnded(ended);
    return ended;
  }

  #emitEnded(document: Document): void {
    this.#sideEffects.events.notify();
    this.#sideEffects.jobs.notify();
    for (const listener of this.#listeners) listener(document);
  }

  async #end(tx: Db, { documentId: id, version }: JobPayload, end: DocumentEnd): Promise<Document | undefined> {
    const before = await processing(tx, id, version)
      .$if(this.#database.locksRows, (query) => query.forUpdate())
      .executeTakeFirst();
    if (before === undefined) return undefined;
    const isReady = end.status === "ready";
    if (
      isReady &&
      (await settleChunks(tx as Transaction<Tables>, { id, version }, end.facts.chunks)) !== end.facts.chunks
    )
      throw unavailable("not all chunks of a document are stored");
    const hasLeftovers = version > 1 || !isReady;
    const row = await tx
      .updateTable("documents")
      .set({
        status: end.status,
        ready_version: isReady ? version : null,
        facts: isReady ? JSON.stringify(end.facts) : null,
        chunks: isReady ? end.facts.chunks : 0,
        characters: isReady ? end.facts.characters : 0,
        failure: isReady ? null : JSON.stringify(end.failure),
        processed_at: this.#clock.epochMs(),
        updated_at: this.#clock.epochMs(),
        ...(hasLeftovers && { needs_cleaning: 1 }),
      })
      .where("id", "=", id)
      .where("version", "=", version)
      .where("status", "=", "processing")
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return undefined;
    await this.#sideEffects.events.insert(tx, {
      accountId: row.account_id,
      type: `document.${end.status}`,
      documentId: id,
      name: jobKey(id, version),
    });
    if (hasLeftovers) await this.#insertCleaning(tx, row, jobKey(id, version));
    // A document that was not found before and is not now changes nothing for an index.
    if (isReady || before.ready_version !== null) await reviseCorpus(tx, row.corpus_id);
    return documentOf(row);
  }

  async fileDeleted(id: DocumentId, fileVersion: number): Promise<void> {
    await this.#db
      .updateTable("documents")
      .set({ file_version: null })
      .where("id", "=", id)
      .where("file_version", "=", fileVersion)
      .execute();
  }

  async remove(accountId: AccountId, corpusId: CorpusId, id: DocumentId, act: Act = BY_SERVICE): Promise<boolean> {
    const isRemoved = await this.#database.readCommitted(async (tx) => {
      const row = await tx
        .updateTable("documents")
        .set({
          deleted_at: this.#clock.epochMs(),
          needs_cleaning: 1,
          name: '""',
          metadata: "{}",
          url: null,
          file_name: null,
        })
        .where("id", "=", id)
        .where("account_id", "=", accountId)
        .where("corpus_id", "=", corpusId)
        .where("deleted_at", "is", null)
        .where("corpus_id", "in", liveCorpora(tx))
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return false;
      await this.#removeTraces(tx, row);
      await this.#insertCleaning(tx, row, id);
      await this.#record(tx, row, act, "document.deleted");
      if (row.ready_version !== null) await reviseCorpus(tx, row.corpus_id);
      return true;
    });
    if (isRemoved) {
      this.#sideEffects.jobs.notify();
      await this.#sideEffects.changeLog.purge();
    }
    return isRemoved;
  }

  /** Its job, its events and its requests. */
  async #removeTraces(tx: Transaction<Tables>, { id, version }: Pick<DocumentRow, "id" | "version">): Promise<void> {
    await this.#sideEffects.jobs.remove(tx, DOCUMENT_JOB, jobKey(id, version), { documentId: id, version });
    await deleteEventsOfDocument(tx, id);
    await tx.deleteFrom("document_requests").where("document_id", "=", id).execute();
  }

  async listToClean(
    corpusId: CorpusId,
    id: DocumentId | undefined,
    limit: number,
  ): Promise<readonly DocumentToClean[]> {
    let due = this.#db
      .selectFrom("documents")
      .innerJoin("corpora", "corpora.id", "documents.corpus_id")
      .select(["documents.id", "documents.deleted_at", "corpora.deleted_at as corpus_deleted_at", "file_version"])
      .where("corpus_id", "=", corpusId)
      .where((of) => of.or([of("needs_cleaning", "=", 1), of("corpora.deleted_at", "is not", null)]));
    if (id !== undefined) due = due.where("documents.id", "=", id);
    const rows = await due.orderBy("documents.id").limit(limit).execute();
    return rows.map((row) => ({
      id: row.id,
      isRemoved: row.deleted_at !== null || row.corpus_deleted_at !== null,
      ...(row.file_version !== null && { fileVersion: row.file_version }),
    }));
  }

  async clean(id: DocumentId, signal: AbortSignal): Promise<void> {
    const kept = await live(this.#db, id).executeTakeFirst();
    if (kept === undefined) {
      await deleteOtherChunks(this.#database, id, [], signal);
      await this.#database.transaction(async (tx) => {
        const row = await tx.selectFrom("documents").select(["id", "version"]).where("id", "=", id).executeTakeFirst();
        if (row === undefined) return;
        await this.#removeTraces(tx, row);
        await tx.deleteFrom("documents").where("id", "=", id).execute();
      });
      await this.#sideEffects.changeLog.purge();
      return;
    }
    const versions = [kept.ready_version, kept.status === "processing" ? kept.version : null];
    await deleteOtherChunks(
      this.#database,
      id,
      versions.filter((version) => version !== null),
      signal,
    );
    // A version that has ended since has a job of its own.
    await this.#db
      .updateTable("documents")
      .set({ needs_cleaning: 0 })
      .where("id", "=", id)
      .where("version", "=", kept.version)
      .where("status", "=", kept.status)
      .execute();
  }

  /** What the end of its job means for a document. */
  get follower(): JobFollower {
    return {
      abandoned: async (tx, payload) => {
        const ended = await this.#end(tx, payload as JobPayload, { status: "failed", failure: ABANDONED });
        return ended && (() => this.#emitEnded(ended));
      },
      replayed: async (tx, payload) => {
        const { documentId, version } = payload as JobPayload;
        await tx
          .updateTable("documents")
          .set({ status: "processing", failure: null })
          .where("id", "=", documentId)
          .where("version", "=", version)
          .where("status", "=", "failed")
          .where((of) => of.or([of("file_version", "is not", null), of("source", "=", "url")]))
          .execute();
      },
    };
  }

  async #insertJob(tx: Db, { id, account_id: accountId, version }: DocumentRow): Promise<void> {
    const payload: JobPayload = { documentId: id, version };
    const key = jobKey(id, version);
    await this.#sideEffects.jobs.insert(tx, { kind: DOCUMENT_JOB, payload, key, lane: accountId, accountId });
  }

  async #insertCleaning(tx: Db, row: DocumentRow, key: string): Promise<void> {
    const { id: documentId, corpus_id: corpusId, account_id: accountId } = row;
    const payload = { corpusId, documentId };
    await this.#sideEffects.jobs.insert(tx, { kind: CORPUS_CLEAN_JOB, payload, key, lane: accountId, accountId });
  }

  async #record(
    tx: Transaction<Tables>,
    { id, account_id: accountId, corpus_id: corpusId }: DocumentRow,
    act: Act,
    action: AuditAction,
  ): Promise<void> {
    const target = { kind: "document", id };
    await this.#sideEffects.audit.insert(tx, { ...act, accountId, action, target, details: { corpusId } });
  }
}

const jobKey = (id: DocumentId, version: number): string => `${id} ${version}`;

const liveCorpora = (db: Db) => db.selectFrom("corpora").select("id").where("deleted_at", "is", null);

/** The document, unless it or its corpus is deleted. */
const live = (db: Db, id: DocumentId) =>
  db
    .selectFrom("documents")
    .selectAll()
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .where("corpus_id", "in", liveCorpora(db));

const processing = (db: Db, id: DocumentId, version: number) =>
  live(db, id).where("version", "=", version).where("status", "=", "processing");
