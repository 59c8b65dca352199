import type { BuiltInToolSpec } from "../../../src/core/calls/spec.ts";
import { asCorpusId, asDocumentId } from "../../../src/core/ids.ts";
import type { CallKnowledge } from "../../../src/core/knowledge/call-knowledge.ts";
import type { Passage } from "../../../src/core/knowledge/passages.ts";

export const CORPUS_ID = asCorpusId("cor_0198c5b4-6f10-7c3a-9d1e-2f4b8a6c0e57");
export const DOCUMENT_ID = asDocumentId("doc_0198c5b4-6f10-7c3a-9d1e-2f4b8a6c0e58");
export const FENCE = "3f9c27d18b5e4a60c1d2e3f405162738";

/** A passage of one document. */
export const passage = (text: string, rest: Partial<Passage> = {}): Passage => ({
  corpusId: CORPUS_ID,
  documentId: DOCUMENT_ID,
  documentName: "Price list",
  ordinal: 0,
  headings: ["Bread"],
  page: 3,
  text,
  score: 1.5,
  ...rest,
});

/** What a call answers from: one corpus, which is asked for every turn. */
export const knowledge = (rest: Partial<CallKnowledge> = {}): CallKnowledge => ({
  retrieval: "always",
  corpora: [{ id: CORPUS_ID, name: "Bakery", description: "Prices and opening hours." }],
  passagesMax: 5,
  fence: FENCE,
  ...rest,
});

/** The tool by which a call has it. */
export const queryCorpus = (rest: Partial<CallKnowledge> = {}): BuiltInToolSpec => ({
  kind: "built_in",
  name: "query_corpus",
  fixedArguments: { corpusIds: [CORPUS_ID] },
  knowledge: knowledge(rest),
});
