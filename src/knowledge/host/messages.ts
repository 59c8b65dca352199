import type { CorpusId } from "../../core/ids.ts";
import type { RetrievalAnswer, RetrievalQuestion } from "../../core/knowledge/passages.ts";
import type { ChangeOutcome, IndexChange } from "../index/changes.ts";
import type { IndexPage } from "../index/open-corpora.ts";

/** Messages of a worker or the control process to the retrieval process. `id` is the sender's own number of a request. */
export type ToRetrieval =
  | { kind: "query"; id: number; question: RetrievalQuestion }
  /** The answer to a question is not needed any more. */
  | { kind: "cancel"; id: number }
  | { kind: "change"; id: number; change: IndexChange }
  /** The answer is one `state` message. */
  | { kind: "state"; id: number; after: CorpusId | undefined }
  /** The answer is one `metrics` message. */
  | { kind: "metrics"; id: number };

export type FromRetrieval =
  | { kind: "answered"; id: number; answer: RetrievalAnswer }
  | { kind: "changed"; id: number; outcome: ChangeOutcome }
  /** What the index has after that corpus. */
  | { kind: "state"; id: number; page: IndexPage }
  /** In the Prometheus text format. */
  | { kind: "metrics"; id: number; exposition: string }
  /** The request failed as `unavailable`. */
  | { kind: "failed"; id: number; message: string }
  /** To all: the file of a corpus is missing or damaged. All of its documents are to be added again. */
  | { kind: "lost"; corpusId: CorpusId };
