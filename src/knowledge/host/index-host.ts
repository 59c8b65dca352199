import type { Clock } from "../../core/clock.ts";
import type { CorpusId } from "../../core/ids.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { RetrievalRanking } from "../../core/metrics/retrieval-metrics.ts";
import type { ChangeOutcome, IndexChange } from "../index/changes.ts";
import { corporaIn } from "../index/corpus-path.ts";
import { OpenCorpora } from "../index/open-corpora.ts";
import type { IndexChanger } from "../index/writer-client.ts";
import { Embedder } from "../vectors/embedder.ts";
import type { Embeddings } from "../vectors/embeddings.ts";
import { ResidentVectors } from "../vectors/resident-vectors.ts";
import { LocalRetriever } from "./local-retriever.ts";

export interface IndexHostOptions {
  /** The folder of the files. */
  readonly folder: string;
  /** Writes the files. */
  readonly changer: IndexChanger;
  /** Undefined where none are configured. */
  readonly embeddings: Embeddings | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onLost: (corpusId: CorpusId) => void;
  readonly onRanked: (by: RetrievalRanking) => void;
  /** A request for embeddings of chunks has ended; with 0 vectors it failed. */
  readonly onEmbedded: (vectors: number) => void;
}

/** The index of a process: its files, the vectors in memory, and what makes them. */
export class IndexHost {
  readonly corpora: OpenCorpora;
  readonly retriever: LocalRetriever;
  readonly #options: IndexHostOptions;
  readonly #vectors: { readonly embeddings: Embeddings; readonly resident: ResidentVectors } | undefined;
  readonly #embedder: Embedder | undefined;

  constructor(options: IndexHostOptions) {
    const { folder, changer, embeddings, clock, log, onLost, onRanked, onEmbedded } = options;
    this.#options = options;
    const corpora = new OpenCorpora(folder, (corpusId) => {
      log.warn({ corpusId }, "index of a corpus is missing or damaged and is made again");
      this.#vectors?.resident.forget(corpusId);
      onLost(corpusId);
    });
    this.corpora = corpora;
    this.#vectors = embeddings && { embeddings, resident: new ResidentVectors(corpora, embeddings.model) };
    this.#embedder =
      embeddings &&
      new Embedder({
        corpora,
        changer,
        embeddings,
        clock,
        log,
        onBatch: (corpusId, vectors) => {
          onEmbedded(vectors);
          if (vectors > 0) this.#vectors?.resident.added(corpusId);
        },
      });
    this.retriever = new LocalRetriever({ corpora, vectors: this.#vectors, clock, onRanked });
  }

  /** Memory that the vectors of corpora take. */
  get vectorBytes(): number {
    return this.#vectors?.resident.bytes ?? 0;
  }

  /** Makes the vectors that an earlier process has not made. */
  start(): void {
    for (const corpusId of corporaIn(this.#options.folder)) this.#embedder?.wake(corpusId);
  }

  /** Changes the index. Rejects with `unavailable` where that is not possible at present, such as on a full disk. */
  async change(change: IndexChange): Promise<ChangeOutcome> {
    const { corpusId } = change;
    if (change.kind === "corpus") this.corpora.closeMissing(corpusId);
    const outcome = await this.#options.changer.change(change);
    this.corpora.changed(change, outcome);
    if (outcome === "replaced") this.#vectors?.resident.removed(corpusId);
    else if (outcome !== "done" || change.kind === "remove-corpus") this.#vectors?.resident.forget(corpusId);
    if (outcome === "made" || outcome === "lost") this.#embedder?.forget(corpusId);
    if (change.kind === "add" && change.batch.isLast) this.#embedder?.wake(corpusId);
    return outcome;
  }

  close(): void {
    this.#embedder?.close();
    this.corpora.close();
  }
}
