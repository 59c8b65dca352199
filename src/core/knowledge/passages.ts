import type { CorpusId, DocumentId } from "../ids.ts";

/** A chunk that was found for a question. */
export interface Passage {
  readonly corpusId: CorpusId;
  readonly documentId: DocumentId;
  readonly documentName: string;
  readonly ordinal: number;
  readonly headings: readonly string[];
  readonly page: number | undefined;
  readonly text: string;
  /** Comparable only with those of the same answer: more is better. */
  readonly score: number;
}

/** A question to one or several corpora. */
export interface RetrievalQuestion {
  readonly corpora: readonly CorpusId[];
  /** As spoken or typed; it may have function words. */
  readonly text: string;
  /** BCP 47; decides words and stems of the question. */
  readonly languageId: string;
  readonly passagesMax: number;
}

export interface RetrievalAnswer {
  /** Best first. */
  readonly passages: readonly Passage[];
  readonly tookMs: number;
}

/** Answers questions from corpora. Rejects with `unavailable` where no index can answer, and with the signal's reason. */
export interface Retriever {
  query(question: RetrievalQuestion, signal: AbortSignal): Promise<RetrievalAnswer>;
}
