import type { Selectable } from "kysely";
import type { Chunk } from "../../../core/knowledge/chunks.ts";
import type { CorpusMode, DocumentSource, DocumentStatus } from "../../../core/knowledge/documents.ts";
import type { Corpus, CorpusChanges } from "../../corpora/corpus-store.ts";
import type { Document, DocumentReplacement } from "../../corpora/document-store.ts";
import type { Tables } from "../tables.ts";

export type CorpusRow = Selectable<Tables["corpora"]>;
export type DocumentRow = Selectable<Tables["documents"]>;

/** The columns of what a client says about a corpus; only those that `definition` has. */
export const definitionColumns = ({ name, description, languageId, mode, metadata }: CorpusChanges) => ({
  ...(name !== undefined && { name: JSON.stringify(name) }),
  ...(description !== undefined && { description: JSON.stringify(description) }),
  ...(languageId !== undefined && { language_id: languageId }),
  ...(mode !== undefined && { mode }),
  ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }),
});

export const corpusOf = (row: CorpusRow): Corpus => ({
  id: row.id,
  accountId: row.account_id,
  createdAtMs: row.created_at,
  updatedAtMs: row.updated_at,
  name: JSON.parse(row.name),
  description: JSON.parse(row.description),
  languageId: row.language_id,
  mode: row.mode as CorpusMode,
  metadata: JSON.parse(row.metadata),
});

/** The columns of what a client says about a document and its content. */
export const contentColumns = ({ name, source, url, fileName, metadata }: DocumentReplacement) => ({
  name: JSON.stringify(name),
  source,
  url: url ?? null,
  file_name: fileName === undefined ? null : JSON.stringify(fileName),
  metadata: JSON.stringify(metadata),
});

export const documentOf = (row: DocumentRow): Document => ({
  id: row.id,
  accountId: row.account_id,
  corpusId: row.corpus_id,
  createdAtMs: row.created_at,
  updatedAtMs: row.updated_at,
  name: JSON.parse(row.name),
  source: row.source as DocumentSource,
  ...(row.url !== null && { url: row.url }),
  ...(row.file_name !== null && { fileName: JSON.parse(row.file_name) }),
  metadata: JSON.parse(row.metadata),
  status: row.status as DocumentStatus,
  version: row.version,
  ...(row.ready_version !== null && { readyVersion: row.ready_version }),
  ...(row.file_version !== null && { fileVersion: row.file_version }),
  ...(row.facts !== null && { facts: JSON.parse(row.facts) }),
  ...(row.failure !== null && { failure: JSON.parse(row.failure) }),
  ...(row.processed_at !== null && { processedAtMs: row.processed_at }),
});

export const chunkOf = (row: Pick<Selectable<Tables["document_chunks"]>, "ordinal" | "headings" | "page" | "text">) =>
  ({
    ordinal: row.ordinal,
    headings: JSON.parse(row.headings),
    page: row.page ?? undefined,
    text: row.text,
  }) satisfies Chunk;
