import { counter, histogram, observableGauge, registryOf } from "./instruments.ts";

/** What becomes of a question to the index: label values. */
export const RETRIEVAL_OUTCOMES = ["answered", "unavailable", "cancelled", "refused", "failed"] as const;
export type RetrievalOutcome = (typeof RETRIEVAL_OUTCOMES)[number];
/** What ranked the passages of an answer: label values. */
export const RETRIEVAL_RANKINGS = ["words", "words_and_vectors", "words_without_embedding"] as const;
export type RetrievalRanking = (typeof RETRIEVAL_RANKINGS)[number];
/** What becomes of a request for embeddings of chunks: label values. */
const EMBEDDING_OUTCOMES = ["done", "failed"] as const;

const QUESTION_BUCKETS_S = [0.002, 0.005, 0.01, 0.02, 0.03, 0.06, 0.1, 0.2, 0.5, 1, 2];

/** What is read at each scrape. */
export interface RetrievalReadings {
  readonly waiting: number;
  readonly openCorpora: number;
  readonly indexBytes: number;
  readonly vectorBytes: number;
}

/** The metrics of the retrieval process. Its methods are called once per question or request. */
export class RetrievalMetrics {
  readonly registry = registryOf("retrieval");
  readonly #questions = counter(
    this.registry,
    "retrieval_questions_total",
    "Questions to the index of corpora. `unavailable`: none of their corpora has an index yet. `cancelled`: the answer was not needed any more, or did not come in time. `refused`: too many questions waited. `failed`: a defect of the service.",
    ["outcome"],
  );
  readonly #time = histogram(
    this.registry,
    "retrieval_question_seconds",
    "Time from the arrival of a question to its answer.",
    ["outcome"],
    QUESTION_BUCKETS_S,
  );
  readonly #rankings = counter(
    this.registry,
    "retrieval_rankings_total",
    "Answers by what ranked their passages. `words_without_embedding`: the endpoint of embeddings gave no vector of the question in time.",
    ["by"],
  );
  readonly #requests = counter(
    this.registry,
    "embedding_requests_total",
    "Requests for embeddings of chunks. One that has failed is sent again.",
    ["outcome"],
  );
  readonly #vectors = counter(this.registry, "embeddings_total", "Vectors of chunks that were made.");
  readonly #lost = counter(
    this.registry,
    "corpus_indexes_lost_total",
    "Files of the index that were missing, damaged or of another version, and are made again from the documents.",
  );

  /** `readings` is called at each scrape. */
  constructor(readings: () => RetrievalReadings) {
    const { registry } = this;
    observableGauge(
      registry,
      "retrieval_questions_waiting",
      "Questions to the index that have no answer yet.",
      () => readings().waiting,
    );
    observableGauge(registry, "retrieval_open_corpora", "Corpora whose index is open.", () => readings().openCorpora);
    observableGauge(
      registry,
      "retrieval_index_bytes",
      "Size of the index of all corpora on disk.",
      () => readings().indexBytes,
    );
    observableGauge(
      registry,
      "retrieval_vector_bytes",
      "Memory that vectors of corpora take.",
      () => readings().vectorBytes,
    );
    // Counters start at 0, so that their first increment is visible as an increase.
    for (const outcome of RETRIEVAL_OUTCOMES) this.#questions.inc({ outcome }, 0);
    for (const by of RETRIEVAL_RANKINGS) this.#rankings.inc({ by }, 0);
    for (const outcome of EMBEDDING_OUTCOMES) this.#requests.inc({ outcome }, 0);
  }

  /** `tookMs`: from its arrival to its end. */
  questionEnded(outcome: RetrievalOutcome, tookMs: number): void {
    this.#questions.inc({ outcome });
    this.#time.observe({ outcome }, tookMs / 1_000);
  }

  ranked(by: RetrievalRanking): void {
    this.#rankings.inc({ by });
  }

  /** A request for embeddings has ended with so many vectors; 0 for one that failed. */
  embedded(vectors: number): void {
    this.#requests.inc({ outcome: vectors > 0 ? "done" : "failed" });
    this.#vectors.inc(vectors);
  }

  indexLost(): void {
    this.#lost.inc();
  }
}
