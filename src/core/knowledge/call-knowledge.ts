import type { CorpusId, DocumentId } from "../ids.ts";
import type { Passage } from "./passages.ts";

/** When a call asks its corpora: where the LLM calls `query_corpus`, or for every turn of the caller. */
export const RETRIEVAL_MODES = ["tool", "always"] as const;
export type RetrievalMode = (typeof RETRIEVAL_MODES)[number];

/** A corpus that a call may ask. Its name and description are for the LLM. */
export interface CallCorpus {
  readonly id: CorpusId;
  readonly name: string;
  readonly description: string;
}

/** A part of a document that stands in every prompt of a call. */
export interface WholePart {
  readonly documentName: string;
  readonly headings: readonly string[];
  /** Absent where the document has no pages. */
  readonly page?: number;
  readonly text: string;
}

/** What a call answers from, as it was found when the call was created. Plain data. */
export interface CallKnowledge {
  readonly retrieval: RetrievalMode;
  /** Those that are asked; empty where all of them stand whole in the prompt. */
  readonly corpora: readonly CallCorpus[];
  /** How many passages an answer of the corpora may have. */
  readonly passagesMax: number;
  /** The corpora of the mode `full`, in order; absent where there is none. */
  readonly whole?: readonly WholePart[];
  /** Encloses what stands in a prompt of documents: random for each call, so that no document can contain it. */
  readonly fence: string;
  /** Tools with effects are offered in a round that only read passages, too. Absent for no. */
  readonly allowsEffects?: true;
}

/** What events and the record of a call say of a passage. */
export interface PassageReference {
  readonly corpusId: CorpusId;
  readonly documentId: DocumentId;
  /** Absent where the words of the call are not stored, as are `page` and `ordinal`. */
  readonly documentName?: string;
  /** From 1; absent where the document has no pages, too. */
  readonly page?: number;
  /** The place of the chunk in the document, from 0. */
  readonly ordinal?: number;
  /** Comparable only with those of the same answer: more is better. */
  readonly score: number;
}

/** The passages that a reply was given, and how long it took to find them, ms: the longest, where there were several questions. */
export interface ReplyPassages {
  readonly tookMs: number;
  readonly passages: readonly PassageReference[];
}

/** What may be said of a passage without its text. */
export const referenceOf = ({
  corpusId,
  documentId,
  documentName,
  page,
  ordinal,
  score,
}: Passage): PassageReference => ({
  corpusId,
  documentId,
  documentName,
  ...(page === undefined ? {} : { page }),
  ordinal,
  score,
});

/** The same of a call whose words are not stored: ids and scores. */
export const withoutNames = ({ corpusId, documentId, score }: PassageReference): PassageReference => ({
  corpusId,
  documentId,
  score,
});
