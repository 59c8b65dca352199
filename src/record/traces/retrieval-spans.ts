import type { RetrievalFailure } from "../../core/calls/reasons.ts";
import { addMs, type CallMs, latest } from "../../core/clocks.ts";
import type { CorpusId } from "../../core/ids.ts";
import type { PassageReference, ReplyPassages } from "../../core/knowledge/call-knowledge.ts";
import { SPANS_PER_TURN_MAX } from "../../core/limits/calls/traces.ts";
import type { JournaledCommand, JournaledEvent } from "../journal/records.ts";
import type { SpanContent } from "./spans.ts";

/** One question to the corpora of a call. */
export interface Retrieval {
  /** Its number in the journal; absent for a question of the LLM, which is a tool. */
  readonly number?: number;
  readonly startMs: CallMs;
  readonly question: string;
  readonly language?: string;
  endMs?: CallMs;
  outcome?: "used" | RetrievalFailure;
  /** How long the reply has waited for its passages. */
  waitMs?: number;
  passages?: readonly Pick<PassageReference, "documentId" | "score">[];
  errorType?: string;
}

/** Records about questions to corpora. */
export type RetrievalRecord =
  | Extract<JournaledCommand, { kind: "retrieve" | "passages-used" | "retrieval-ended" }>
  | Extract<JournaledEvent, { kind: "passages" | "retrieval-failed" }>;

/** The questions of a call whose reply has not begun: they are asked while the caller still speaks. */
export class Retrievals {
  #pending: Retrieval[] = [];

  /** Takes a record. `ofTurn`: the questions of the turn in progress, of which it may be too. */
  take(record: RetrievalRecord, atMs: CallMs, ofTurn: readonly Retrieval[]): void {
    if (record.kind === "retrieve") {
      const { retrieval: number, question, language } = record;
      this.#pending = [...this.#pending, { number, startMs: atMs, question, language }].slice(-SPANS_PER_TURN_MAX);
      return;
    }
    const known = [...ofTurn, ...this.#pending].find(({ number }) => number === record.retrieval);
    if (known === undefined) return;
    switch (record.kind) {
      case "passages":
        known.endMs ??= atMs;
        known.passages = record.passages;
        return;
      case "retrieval-failed":
        known.endMs ??= atMs;
        known.errorType = record.code;
        return;
      case "passages-used":
        known.outcome = "used";
        known.waitMs = record.waitMs;
        return;
      case "retrieval-ended":
        known.endMs ??= atMs;
        known.outcome = record.outcome;
        return;
    }
  }

  /** Hands over what a turn has been asked for. */
  handOver(): Retrieval[] {
    const pending = this.#pending;
    this.#pending = [];
    return pending;
  }
}

/** The question that the LLM has asked with a tool, by the tool's result. */
export function retrievalOfTool({ tookMs, passages }: ReplyPassages, toolStartMs: CallMs, endMs: CallMs): Retrieval {
  return { startMs: latest(addMs(endMs, -tookMs), toolStartMs), endMs, question: "", outcome: "used", passages };
}

/** The times of a turn in whole ms. */
interface Times {
  at(timeMs: CallMs): CallMs;
  endAt(timeMs: CallMs | undefined, startMs: CallMs): CallMs;
}

/** The span of a question. `corpusId`: where all are to one corpus. */
export function retrievalSpan(
  { startMs: askedMs, endMs, question, language, outcome, waitMs, passages, errorType }: Retrieval,
  times: Times,
  { hasWords, corpusId }: { hasWords: boolean; corpusId: CorpusId | undefined },
): SpanContent {
  const startMs = times.at(askedMs);
  const documents = passages?.map(({ documentId: id, score }) => ({ id, score }));
  return {
    name: "retrieval",
    startMs,
    endMs: times.endAt(endMs, startMs),
    attributes: {
      "gen_ai.operation.name": "retrieval",
      ...(corpusId !== undefined && { "gen_ai.data_source.id": corpusId }),
      ...(hasWords && question !== "" && { "gen_ai.retrieval.query.text": question }),
      ...(documents !== undefined && { "gen_ai.retrieval.documents": JSON.stringify(documents) }),
      ...(language !== undefined && { "trunkline.language": language }),
      ...(outcome !== undefined && { "trunkline.retrieval.outcome": outcome }),
      ...(waitMs !== undefined && { "trunkline.retrieval.wait_ms": waitMs }),
    },
    isRequest: true,
    ...(errorType !== undefined && { errorType }),
  };
}
