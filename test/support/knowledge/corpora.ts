import type { CorpusLookup } from "../../../src/api/tools/corpora.ts";
import { type AccountId, asCorpusId, asDocumentId, type CorpusId } from "../../../src/core/ids.ts";

/** A corpus with its documents: the texts of each one's chunks. */
export interface ScriptedCorpus {
  readonly id: CorpusId;
  readonly accountId: AccountId;
  readonly name: string;
  readonly mode: "search" | "full";
  readonly documents: readonly (readonly string[])[];
}

/** Corpora that are given; more may be added, and removed. */
export class ScriptedCorpora implements CorpusLookup {
  readonly #corpora = new Map<CorpusId, ScriptedCorpus>();
  #count = 0;
  /** How often chunks were read. */
  reads = 0;

  constructor(corpora: readonly ScriptedCorpus[] = []) {
    for (const corpus of corpora) this.#corpora.set(corpus.id, corpus);
  }

  /** Adds a corpus; returns its id. */
  add(accountId: AccountId, rest: Partial<ScriptedCorpus> = {}): CorpusId {
    this.#count += 1;
    const id = asCorpusId(`cor_0198c5b4-6f10-7c3a-9d1e-${String(this.#count).padStart(12, "0")}`);
    this.#corpora.set(id, { id, accountId, name: `Corpus ${this.#count}`, mode: "search", documents: [], ...rest });
    return id;
  }

  remove(id: CorpusId): void {
    this.#corpora.delete(id);
  }

  async get(accountId: AccountId, id: CorpusId) {
    const corpus = this.#corpora.get(id);
    return corpus?.accountId === accountId ? { ...corpus, description: `About ${corpus.name}.` } : undefined;
  }

  async indexable(id: CorpusId) {
    const { documents = [] } = this.#corpora.get(id) ?? {};
    return documents.map((_, index) => ({ id: asDocumentId(`${id} ${index}`), name: `Document ${index}`, version: 1 }));
  }

  async chunks(documentId: string, _version: number, fromOrdinal: number, limit: number) {
    this.reads += 1;
    const [id, index] = documentId.split(" ");
    const texts = this.#corpora.get(asCorpusId(id ?? ""))?.documents[Number(index)] ?? [];
    return texts
      .map((text, ordinal) => ({ ordinal, headings: ["Bread"], page: ordinal + 1, text }))
      .slice(fromOrdinal, fromOrdinal + limit);
  }
}
