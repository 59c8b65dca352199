import type { Clock } from "../../core/clock.ts";
import { elapsedMs } from "../../core/clocks.ts";
import { unavailable } from "../../core/errors.ts";
import type { CorpusId } from "../../core/ids.ts";
import type { Passage, RetrievalAnswer, RetrievalQuestion, Retriever } from "../../core/knowledge/passages.ts";
import {
  FUSED_CHUNKS_MAX,
  PASSAGES_MAX,
  QUESTION_CHARS_MAX,
  QUESTION_EMBEDDING_MS_MAX,
  QUESTION_EMBEDDINGS_CACHED_MAX,
} from "../../core/limits/knowledge/retrieval.ts";
import type { RetrievalRanking } from "../../core/metrics/retrieval-metrics.ts";
import type { CorpusReader } from "../index/corpus-reader.ts";
import type { OpenCorpora } from "../index/open-corpora.ts";
import { fused, merged, type Ranked } from "../ranking/fusion.ts";
import type { Embeddings } from "../vectors/embeddings.ts";
import type { QuantizedVector } from "../vectors/quantized.ts";
import type { ResidentVectors } from "../vectors/resident-vectors.ts";

export interface LocalRetrieverOptions {
  readonly corpora: OpenCorpora;
  /** Undefined where no embeddings are configured. */
  readonly vectors: { readonly embeddings: Embeddings; readonly resident: ResidentVectors } | undefined;
  readonly clock: Clock;
  readonly onRanked: (by: RetrievalRanking) => void;
}

/** A chunk of one of several corpora: the rankings of all are joined. */
type Key = `${CorpusId} ${number}`;

const keyOf = (corpusId: CorpusId, { key, score }: Ranked<number>): Ranked<Key> => ({
  key: `${corpusId} ${key}`,
  score,
});

/** Answers questions from the files of this process. */
export class LocalRetriever implements Retriever {
  readonly #options: LocalRetrieverOptions;
  /** The vectors of the latest questions: an interim transcript and the final one often have one text. */
  readonly #embedded = new Map<string, QuantizedVector | undefined>();

  constructor(options: LocalRetrieverOptions) {
    this.#options = options;
  }

  async query(question: RetrievalQuestion, signal: AbortSignal): Promise<RetrievalAnswer> {
    const { clock, corpora, onRanked } = this.#options;
    const startMs = clock.nowMs();
    signal.throwIfAborted();
    const text = question.text.slice(-QUESTION_CHARS_MAX);
    const max = Math.min(question.passagesMax, PASSAGES_MAX);
    // The endpoint answers while the words are looked up.
    const embedding = this.#vectorOf(text, signal);
    const byWords = this.#each(question.corpora, (reader) =>
      reader.search(text, question.languageId, Math.max(max, FUSED_CHUNKS_MAX)),
    );
    if (byWords.length === 0) throw unavailable(`no index can answer from ${question.corpora.join(", ")} at present`);
    const { vector, by } = await embedding;
    signal.throwIfAborted();
    onRanked(by);
    const byVector = vector === undefined ? [] : this.#nearest(question.corpora, vector);
    const words = merged(byWords, Math.max(max, FUSED_CHUNKS_MAX));
    const ranking = byVector.length === 0 ? words : fused([words, merged(byVector, FUSED_CHUNKS_MAX)]);
    const passages = ranking.length === 0 ? [] : firstPassages(corpora, ranking, max);
    return { passages, tookMs: elapsedMs(startMs, clock.nowMs()) };
  }

  /** What `use` gives for each corpus that has a file that can be used. */
  #each(
    corpusIds: readonly CorpusId[],
    use: (reader: CorpusReader) => readonly Ranked<number>[],
  ): (readonly Ranked<Key>[])[] {
    return [...new Set(corpusIds)].flatMap((corpusId) => {
      const ranking = this.#options.corpora.with(corpusId, use);
      return ranking === undefined ? [] : [ranking.map((ranked) => keyOf(corpusId, ranked))];
    });
  }

  #nearest(corpusIds: readonly CorpusId[], vector: QuantizedVector): (readonly Ranked<Key>[])[] {
    return [...new Set(corpusIds)].flatMap((corpusId) => {
      const set = this.#options.vectors?.resident.of(corpusId);
      return set === undefined ? [] : [set.nearest(vector, FUSED_CHUNKS_MAX).map((ranked) => keyOf(corpusId, ranked))];
    });
  }

  /** The vector of a question, within QUESTION_EMBEDDING_MS_MAX. Never rejects. */
  async #vectorOf(
    text: string,
    signal: AbortSignal,
  ): Promise<{ vector: QuantizedVector | undefined; by: RetrievalRanking }> {
    const { vectors } = this.#options;
    if (vectors === undefined) return { vector: undefined, by: "words" };
    const known = this.#embedded.get(text);
    if (known !== undefined) return { vector: known, by: "words_and_vectors" };
    const timeout = new AbortController();
    const cancel = this.#options.clock.after(QUESTION_EMBEDDING_MS_MAX, () => timeout.abort());
    try {
      const [vector] = await vectors.embeddings.embed([text], AbortSignal.any([signal, timeout.signal]));
      this.#remember(text, vector);
      return { vector, by: "words_and_vectors" };
    } catch {
      return { vector: undefined, by: "words_without_embedding" };
    } finally {
      cancel();
    }
  }

  #remember(text: string, vector: QuantizedVector | undefined): void {
    this.#embedded.set(text, vector);
    const [oldest] = this.#embedded.keys();
    if (this.#embedded.size > QUESTION_EMBEDDINGS_CACHED_MAX && oldest !== undefined) this.#embedded.delete(oldest);
  }
}

/** The first passages of a ranking. Chunks of a document that is being removed are skipped. */
function firstPassages(corpora: OpenCorpora, ranking: readonly Ranked<Key>[], max: number): readonly Passage[] {
  const passages: Passage[] = [];
  for (const { key, score } of ranking) {
    if (passages.length >= max) break;
    const [corpusId = "", number] = key.split(" ") as [CorpusId, string];
    const chunk = corpora.with(corpusId as CorpusId, (reader) => reader.chunk(Number(number)));
    if (chunk !== undefined) passages.push({ corpusId: corpusId as CorpusId, ...chunk, score });
  }
  return passages;
}
