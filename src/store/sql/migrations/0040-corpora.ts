import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "../database.ts";
import type { Tables } from "../tables.ts";

/** Corpora with their documents, and the events of webhooks about them. */
export async function addCorpora(db: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await createCorpora(db, types);
  await addDocuments(db, types);
  await addChunks(db);
  await addRequests(db, types);
  await db.insertInto("epochs").values({ name: "corpora", value: 0 }).execute();
  for (const table of ["webhook_events", "stream_events"] as const) {
    await db.schema.alterTable(table).addColumn("document_id", "text").execute();
    await db.schema
      .createIndex(`${table}_by_document`)
      .on(table)
      .column("document_id")
      .where(sql.ref("document_id"), "is not", null)
      .execute();
  }
}

async function createCorpora({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("corpora")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .addColumn("updated_at", types.epochMs, (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("description", "text", (column) => column.notNull())
    .addColumn("language_id", "text", (column) => column.notNull())
    .addColumn("mode", "text", (column) => column.notNull())
    .addColumn("metadata", "text", (column) => column.notNull())
    .addColumn("revision", "bigint", (column) => column.notNull())
    .addColumn("deleted_at", types.epochMs)
    .execute();
  await schema
    .createIndex("corpora_by_account")
    .on("corpora")
    .columns(["account_id", "id"])
    .where(sql.ref("deleted_at"), "is", null)
    .execute();
  await schema.createIndex("corpora_by_revision").on("corpora").column("revision").execute();
  await schema
    .createIndex("corpora_by_deletion")
    .on("corpora")
    .column("deleted_at")
    .where(sql.ref("deleted_at"), "is not", null)
    .execute();
}

async function addDocuments({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("documents")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("corpus_id", "text", (column) => column.notNull().references("corpora.id"))
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .addColumn("updated_at", types.epochMs, (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("source", "text", (column) => column.notNull())
    .addColumn("url", "text")
    .addColumn("file_name", "text")
    .addColumn("metadata", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("ready_version", "integer")
    .addColumn("file_version", "integer")
    .addColumn("facts", "text")
    .addColumn("chunks", "integer", (column) => column.notNull())
    .addColumn("characters", "integer", (column) => column.notNull())
    .addColumn("failure", "text")
    .addColumn("processed_at", types.epochMs)
    .addColumn("needs_cleaning", "integer", (column) => column.notNull())
    .addColumn("deleted_at", types.epochMs)
    .execute();
  // Lists, counts and sizes are decided by this index alone.
  await schema
    .createIndex("documents_by_corpus")
    .on("documents")
    .columns(["corpus_id", "id", "status", "source", "chunks", "characters"])
    .where(sql.ref("deleted_at"), "is", null)
    .execute();
  await schema
    .createIndex("documents_by_status")
    .on("documents")
    .columns(["corpus_id", "status", "id"])
    .where(sql.ref("deleted_at"), "is", null)
    .execute();
  await schema
    .createIndex("documents_to_clean")
    .on("documents")
    .columns(["corpus_id", "id"])
    .where(sql.ref("needs_cleaning"), "=", 1)
    .execute();
}

async function addChunks({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable("document_chunks")
    .addColumn("document_id", "text", (column) => column.notNull().references("documents.id"))
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("ordinal", "integer", (column) => column.notNull())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("headings", "text", (column) => column.notNull())
    .addColumn("page", "integer")
    .addColumn("text", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("document_chunks_by_place", ["document_id", "version", "ordinal"])
    .execute();
}

async function addRequests({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("document_requests")
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("key_hash", "text", (column) => column.notNull())
    .addColumn("document_id", "text", (column) => column.notNull().references("documents.id"))
    .addColumn("fingerprint", "text", (column) => column.notNull())
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .addColumn("boot_id", "text", (column) => column.notNull())
    .addColumn("created_age_ms", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("document_requests_by_key", ["account_id", "key_hash"])
    .execute();
  const index = (name: string) => schema.createIndex(name).on("document_requests");
  await index("document_requests_by_document").column("document_id").execute();
  await index("document_requests_by_time").column("created_at").execute();
}
