import { setImmediate } from "node:timers/promises";
import type { CorpusId } from "../../core/ids.ts";
import { VECTORS_READ_ROWS, VECTORS_RESIDENT_BYTES_MAX } from "../../core/limits/knowledge/retrieval.ts";
import type { OpenCorpora } from "../index/open-corpora.ts";
import { VectorSet } from "./vector-set.ts";

interface Resident {
  set: VectorSet | undefined;
  /** The chunk up to which the vectors of the file were read. */
  lastChunk: number;
  /** All vectors of the file have been read. */
  isLoaded: boolean;
  isLoading: boolean;
  /** The corpus does not fit into the memory: its vectors are not read while it has as many chunks as this. */
  chunksTooMany: number;
}

/** Of a corpus that does not fit, so much must go before its vectors are read again. */
const SHRUNK = 0.9;

/**
 * The vectors of corpora in memory, read from their files when a question first needs them, some at a time. Until all are there, words
 * alone rank.
 */
export class ResidentVectors {
  readonly #corpora: Pick<OpenCorpora, "with">;
  readonly #model: string;
  readonly #bytesMax: number;
  /** That which was asked least recently comes first. */
  readonly #resident = new Map<CorpusId, Resident>();

  /** `model`: that of the vectors of questions; others are not comparable. */
  constructor(corpora: Pick<OpenCorpora, "with">, model: string, bytesMax = VECTORS_RESIDENT_BYTES_MAX) {
    this.#corpora = corpora;
    this.#model = model;
    this.#bytesMax = bytesMax;
  }

  /** Memory that the vectors take. */
  get bytes(): number {
    let bytes = 0;
    for (const { set } of this.#resident.values()) bytes += set?.bytes ?? 0;
    return bytes;
  }

  /** The vectors of a corpus; undefined where there are none, or not yet: then they are read. */
  of(corpusId: CorpusId): VectorSet | undefined {
    const known = this.#resident.get(corpusId) ?? newResident();
    this.#resident.delete(corpusId);
    this.#resident.set(corpusId, known);
    if (!known.isLoaded) void this.load(corpusId);
    return known.isLoaded ? known.set : undefined;
  }

  /** Reads what is missing of the vectors of a corpus. Never rejects: a damaged file is reported by the corpora. */
  async load(corpusId: CorpusId): Promise<void> {
    const resident = this.#resident.get(corpusId);
    if (resident === undefined || resident.isLoading) return;
    resident.isLoading = true;
    try {
      await this.#read(corpusId, resident);
      resident.isLoaded = true;
    } catch {
      // The file cannot be opened at present: the next question reads on.
    }
    resident.isLoading = false;
  }

  async #read(corpusId: CorpusId, resident: Resident): Promise<void> {
    while (this.#resident.get(corpusId) === resident) {
      const rows = this.#corpora.with(corpusId, (reader) => {
        if (reader.vectorModel !== this.#model || reader.chunkCount >= resident.chunksTooMany) return [];
        return reader.vectors(resident.lastChunk, VECTORS_READ_ROWS);
      });
      const [first] = rows ?? [];
      if (rows === undefined || first === undefined) break;
      resident.set ??= new VectorSet(first.vector.length);
      for (const { chunk, scale, vector, document } of rows) resident.set.add(chunk, scale, vector, document);
      resident.lastChunk = rows.at(-1)?.chunk ?? resident.lastChunk;
      this.#release(corpusId, resident);
      await setImmediate();
    }
  }

  /** Vectors of a corpus were added: they are read with the next question. */
  added(corpusId: CorpusId): void {
    const resident = this.#resident.get(corpusId);
    if (resident !== undefined && !resident.isLoading) void this.load(corpusId);
  }

  /** Documents of a corpus were removed or replaced: the vectors of the others stay. */
  removed(corpusId: CorpusId): void {
    const resident = this.#resident.get(corpusId);
    if (resident === undefined) return;
    try {
      const documents = this.#corpora.with(corpusId, (reader) => reader.documentNumbers());
      if (documents !== undefined) resident.set?.keep(documents);
      if (resident.set?.isSparse === true) this.forget(corpusId);
      if (resident.set === undefined && !resident.isLoading) resident.isLoaded = false;
    } catch {
      this.forget(corpusId);
    }
  }

  /** The file of a corpus was removed or made again: its vectors are read again. */
  forget(corpusId: CorpusId): void {
    this.#resident.delete(corpusId);
  }

  /** Releases the vectors that were needed least recently, and in the end those of `corpusId` too. */
  #release(corpusId: CorpusId, own: Resident): void {
    for (const [oldest, { set }] of this.#resident) {
      if (this.bytes <= this.#bytesMax) return;
      if (oldest !== corpusId && set !== undefined) this.#resident.delete(oldest);
    }
    if (this.bytes <= this.#bytesMax) return;
    own.set = undefined;
    own.lastChunk = 0;
    own.chunksTooMany = SHRUNK * (this.#corpora.with(corpusId, (reader) => reader.chunkCount) ?? 0);
  }
}

const newResident = (): Resident => ({
  set: undefined,
  lastChunk: 0,
  isLoaded: false,
  isLoading: false,
  chunksTooMany: Number.POSITIVE_INFINITY,
});
