import type { AccountId, CorpusId } from "../../../src/core/ids.ts";
import type { Chunk } from "../../../src/core/knowledge/chunks.ts";
import type { DocumentFacts } from "../../../src/core/knowledge/documents.ts";
import { newId } from "../../../src/core/new-id.ts";
import type { CorpusDefinition } from "../../../src/store/corpora/corpus-store.ts";
import type { Document, NewDocument } from "../../../src/store/corpora/document-store.ts";
import type { Stores } from "../../../src/store/stores.ts";

/** A corpus as a client defines it. */
export const CORPUS: CorpusDefinition = {
  name: "Products",
  description: "What we sell",
  languageId: "en",
  mode: "search",
  metadata: { edition: 7 },
};

/** A document that is uploaded to a corpus. */
export const newDocument = (
  accountId: AccountId,
  corpusId: CorpusId,
  more: Partial<NewDocument> = {},
): NewDocument => ({
  id: newId("doc"),
  accountId,
  corpusId,
  name: "catalogue.pdf",
  source: "upload",
  metadata: {},
  ...more,
});

/** So many chunks with these words. */
export const chunksOf = (count: number, words = "the pump lasts"): readonly Chunk[] =>
  Array.from({ length: count }, (_, ordinal) => ({
    ordinal,
    headings: ["Pumps", `Part ${ordinal}`],
    page: ordinal % 2 === 0 ? ordinal + 1 : undefined,
    text: `${words} ${ordinal}`,
  }));

export const factsOf = (chunks: readonly Chunk[]): DocumentFacts => ({
  format: "pdf",
  pages: 3,
  chunks: chunks.length,
  characters: chunks.reduce((sum, { text }) => sum + text.length, 0),
  bytes: 1_000,
});

/** A document of a corpus whose chunks can be found. */
export async function readyDocument(
  stores: Pick<Stores, "documents">,
  document: NewDocument,
  chunks = chunksOf(2),
): Promise<Document> {
  await stores.documents.create(document);
  await stores.documents.storeChunks(document.id, 1, chunks);
  const ready = await stores.documents.end(document.id, 1, { status: "ready", facts: factsOf(chunks) });
  if (ready === undefined) throw new Error(`the document ${document.id} could not be ended`);
  return ready;
}
