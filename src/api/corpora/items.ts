import type { z } from "zod";
import { isoTime } from "../../core/clock.ts";
import type { Corpus, CorpusSize } from "../../store/corpora/corpus-store.ts";
import type { Document } from "../../store/corpora/document-store.ts";
import type { CorpusItem, DocumentItem } from "./response-schemas.ts";

/** A corpus as the API shows it. */
export function corpusItemOf(corpus: Corpus, size: CorpusSize | undefined): z.output<typeof CorpusItem> {
  const { processing = 0, ready = 0, failed = 0, chunks = 0, characters = 0 } = size ?? {};
  return {
    id: corpus.id,
    name: corpus.name,
    description: corpus.description,
    languageId: corpus.languageId,
    mode: corpus.mode,
    metadata: { ...corpus.metadata },
    documents: { processing, ready, failed },
    chunks,
    characters,
    createdAt: isoTime(corpus.createdAtMs),
    updatedAt: isoTime(corpus.updatedAtMs),
  };
}

/** A document as the API and events show it. */
export function documentItemOf(document: Document): z.output<typeof DocumentItem> {
  const { facts, failure, processedAtMs } = document;
  return {
    id: document.id,
    corpusId: document.corpusId,
    name: document.name,
    source: document.source,
    url: document.url ?? null,
    fileName: document.fileName ?? null,
    metadata: { ...document.metadata },
    status: document.status,
    failure: failure === undefined ? null : { ...failure },
    version: document.version,
    isFound: document.readyVersion !== undefined,
    hasFile: document.fileVersion !== undefined,
    format: facts?.format ?? null,
    bytes: facts?.bytes ?? null,
    pages: facts?.pages ?? null,
    chunks: facts?.chunks ?? null,
    characters: facts?.characters ?? null,
    createdAt: isoTime(document.createdAtMs),
    updatedAt: isoTime(document.updatedAtMs),
    processedAt: processedAtMs === undefined ? null : isoTime(processedAtMs),
  };
}
