import type { Clock } from "../../core/clock.ts";
import { codeOf } from "../../core/errors.ts";
import type { CorpusId } from "../../core/ids.ts";
import {
  EMBEDDING_BATCH_CHARS,
  EMBEDDING_BATCH_TEXTS,
  EMBEDDING_MS_MAX,
  EMBEDDING_RETRY_DELAYS_MS,
  EMBEDDING_TEXT_CHARS_MAX,
} from "../../core/limits/knowledge/retrieval.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { ChunkText, CorpusReader } from "../index/corpus-reader.ts";
import type { NewVector } from "../index/corpus-writer.ts";
import type { OpenCorpora } from "../index/open-corpora.ts";
import type { IndexChanger } from "../index/writer-client.ts";
import type { Embeddings } from "./embeddings.ts";

export interface EmbedderOptions {
  readonly corpora: OpenCorpora;
  readonly changer: IndexChanger;
  readonly embeddings: Embeddings;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called with how many vectors were added, or 0 after a request that failed. */
  readonly onBatch: (corpusId: CorpusId, vectors: number) => void;
}

interface Batch {
  readonly fileId: string;
  readonly numbers: readonly number[];
  readonly texts: readonly string[];
}

/**
 * Makes the vectors of chunks that have none, one request at a time. What is missing is read from the files, so a process that ends loses
 * nothing, and another model makes all of them again.
 */
export class Embedder {
  readonly #options: EmbedderOptions;
  readonly #waiting = new Set<CorpusId>();
  /** Requests that failed in a row, by corpus. */
  readonly #failures = new Map<CorpusId, number>();
  /** The last chunk up to which there are vectors in a file of a corpus. Numbers of chunks only grow, until the file is made again. */
  readonly #last = new Map<CorpusId, { readonly fileId: string; readonly chunk: number }>();
  readonly #ended = new AbortController();
  #isRunning = false;

  constructor(options: EmbedderOptions) {
    this.#options = options;
  }

  /** A corpus has new chunks, or may have some without vectors. */
  wake(corpusId: CorpusId): void {
    this.#failures.delete(corpusId);
    this.#enqueue(corpusId);
  }

  /** The file of a corpus was removed or made again. */
  forget(corpusId: CorpusId): void {
    this.#last.delete(corpusId);
    this.#failures.delete(corpusId);
  }

  close(): void {
    this.#ended.abort();
  }

  #enqueue(corpusId: CorpusId): void {
    this.#waiting.add(corpusId);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (const corpusId of this.#waiting) {
      this.#waiting.delete(corpusId);
      if (this.#ended.signal.aborted) break;
      await this.#embedCorpus(corpusId);
    }
    this.#isRunning = false;
    if (this.#waiting.size > 0 && !this.#ended.signal.aborted) void this.#run();
  }

  async #embedCorpus(corpusId: CorpusId): Promise<void> {
    const { corpora, changer, embeddings, onBatch, log } = this.#options;
    try {
      while (!this.#ended.signal.aborted) {
        const batch = corpora.with(corpusId, (reader) => this.#nextBatch(corpusId, reader));
        if (batch === undefined || batch.texts.length === 0) return;
        const vectors = await this.#embed(batch);
        const { fileId, numbers } = batch;
        const change = { kind: "vectors", corpusId, fileId, model: embeddings.model, vectors } as const;
        // A file that is made again wakes it with its first document.
        if ((await changer.change(change)) !== "done") return;
        // A text without a vector is skipped: asking again would give none either.
        this.#last.set(corpusId, { fileId, chunk: numbers.at(-1) ?? 0 });
        this.#failures.delete(corpusId);
        onBatch(corpusId, vectors.length);
      }
    } catch (error) {
      if (this.#ended.signal.aborted) return;
      onBatch(corpusId, 0);
      const delayMs = this.#retryDelayMs(corpusId);
      const fields = { corpusId, code: codeOf(error), err: error };
      if (delayMs === undefined)
        log.error(fields, "embeddings of a corpus failed again and again: words alone find its newest chunks");
      else log.warn({ ...fields, retryMs: delayMs }, "embeddings of a corpus failed and are tried again");
    }
  }

  #nextBatch(corpusId: CorpusId, reader: CorpusReader): Batch {
    const { fileId } = reader;
    const last = this.#last.get(corpusId);
    const afterChunk = last?.fileId === fileId ? last.chunk : 0;
    return batchOf(fileId, reader.withoutVectors(this.#options.embeddings.model, afterChunk, EMBEDDING_BATCH_TEXTS));
  }

  async #embed({ numbers, texts }: Batch): Promise<readonly NewVector[]> {
    const signal = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(EMBEDDING_MS_MAX)]);
    const vectors = await this.#options.embeddings.embed(texts, signal);
    return vectors.flatMap((vector, at) => {
      const chunk = numbers[at];
      return vector === undefined || chunk === undefined
        ? []
        : [{ chunk, scale: vector.scale, vector: new Uint8Array(vector.values.buffer) }];
    });
  }

  /** Schedules another attempt, and returns its delay; undefined when there were too many. */
  #retryDelayMs(corpusId: CorpusId): number | undefined {
    const failures = this.#failures.get(corpusId) ?? 0;
    this.#failures.set(corpusId, failures + 1);
    const delayMs = EMBEDDING_RETRY_DELAYS_MS[failures];
    if (delayMs !== undefined)
      this.#options.clock.after(delayMs, () => !this.#ended.signal.aborted && this.#enqueue(corpusId));
    return delayMs;
  }
}

/** What of the chunks goes into one request: their headings and texts. */
function batchOf(fileId: string, chunks: readonly ChunkText[]): Batch {
  const numbers: number[] = [];
  const texts: string[] = [];
  let chars = 0;
  for (const { number, headings, text } of chunks) {
    const whole = [...headings, text].join("\n").slice(0, EMBEDDING_TEXT_CHARS_MAX);
    if (numbers.length > 0 && chars + whole.length > EMBEDDING_BATCH_CHARS) break;
    numbers.push(number);
    texts.push(whole);
    chars += whole.length;
  }
  return { fileId, numbers, texts };
}
