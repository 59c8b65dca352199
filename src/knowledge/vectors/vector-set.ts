import type { Ranked } from "../ranking/fusion.ts";
import { DOT_PRODUCT_MODULE } from "./dot-product-module.ts";
import type { QuantizedVector } from "./quantized.ts";

/** The parts of WebAssembly's interface that Node has and the types of its oldest version do not. */
interface Assembly {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { readonly exports: object };
}
interface DotProducts {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  dots(query: number, vectors: number, results: number, count: number, length: number): void;
}

const PAGE_BYTES = 65_536;
/** SIMD reads 16 bytes; vectors are padded with zeros. */
const STEP_BYTES = 16;
/** Products of one pass, whose results fill a page. */
const PASS_VECTORS = PAGE_BYTES / 4;
/** The memory grows by this factor, so that vectors are copied a few times only. */
const GROWTH = 1.25;

let compiled: object | undefined;

/**
 * The vectors of a corpus in memory. All are compared with that of a question: a tenth of a second of exact search, by SIMD, would
 * be some two million vectors of 384 numbers.
 */
export class VectorSet {
  readonly dimensions: number;
  readonly #length: number;
  readonly #program: DotProducts;
  /** Where the results and the vectors begin; the question's vector is before them. */
  readonly #resultsAt: number;
  readonly #vectorsAt: number;
  #chunks: number[] = [];
  #documents: number[] = [];
  #scales: number[] = [];

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.#length = Math.ceil(dimensions / STEP_BYTES) * STEP_BYTES;
    const assembly = (globalThis as unknown as { WebAssembly: Assembly }).WebAssembly;
    compiled ??= new assembly.Module(DOT_PRODUCT_MODULE);
    this.#program = new assembly.Instance(compiled).exports as DotProducts;
    this.#resultsAt = Math.ceil(this.#length / PAGE_BYTES) * PAGE_BYTES;
    this.#vectorsAt = this.#resultsAt + PAGE_BYTES;
  }

  get count(): number {
    return this.#chunks.length;
  }

  /** What the vectors take of the process's memory. */
  get bytes(): number {
    return this.#program.memory.buffer.byteLength;
  }

  /** Whether it was made for more than twice the vectors that are left: memory of WebAssembly does not shrink. */
  get isSparse(): boolean {
    return this.#at(2 * this.count) + PAGE_BYTES < this.bytes;
  }

  /**
   * Adds the vector of a chunk. One of another length is of another model, and is not added. `document`: the number of its document, for
   * `keep`.
   */
  add(chunk: number, scale: number, values: Uint8Array | Int8Array, document = 0): void {
    if (values.length !== this.dimensions) return;
    const at = this.#at(this.count);
    this.#reserve(at + this.#length);
    this.#bytes(at, this.dimensions).set(values);
    this.#chunks.push(chunk);
    this.#documents.push(document);
    this.#scales.push(scale);
  }

  /** Removes the vectors of all other documents. */
  keep(documents: ReadonlySet<number>): void {
    const kept = [...this.#documents.keys()].filter((from) => documents.has(this.#documents[from] ?? 0));
    if (kept.length === this.count) return;
    const memory = new Uint8Array(this.#program.memory.buffer);
    for (const [to, from] of kept.entries()) memory.copyWithin(this.#at(to), this.#at(from), this.#at(from + 1));
    const keptOf = (values: readonly number[]): number[] => kept.map((from) => values[from] ?? 0);
    this.#chunks = keptOf(this.#chunks);
    this.#documents = keptOf(this.#documents);
    this.#scales = keptOf(this.#scales);
  }

  /** The chunks whose vectors are nearest to that of a question, by the cosine of their angle. */
  nearest({ scale, values }: QuantizedVector, max: number): readonly Ranked<number>[] {
    if (values.length !== this.dimensions) return [];
    this.#reserve(this.#vectorsAt);
    this.#bytes(0, this.dimensions).set(values);
    const best: { key: number; score: number }[] = [];
    for (let from = 0; from < this.count; from += PASS_VECTORS) {
      const count = Math.min(PASS_VECTORS, this.count - from);
      this.#program.dots(0, this.#at(from), this.#resultsAt, count, this.#length);
      const products = new Int32Array(this.#program.memory.buffer, this.#resultsAt, count);
      for (let at = 0; at < count; at++) {
        const score = (products[at] ?? 0) * scale * (this.#scales[from + at] ?? 0);
        if (best.length === max && score <= (best.at(-1)?.score ?? 0)) continue;
        keepBest(best, { key: this.#chunks[from + at] ?? 0, score }, max);
      }
    }
    return best;
  }

  /** Where the vector with this index begins. */
  #at(index: number): number {
    return this.#vectorsAt + index * this.#length;
  }

  #bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#program.memory.buffer, at, length);
  }

  #reserve(bytes: number): void {
    const { memory } = this.#program;
    const missing = bytes - memory.buffer.byteLength;
    if (missing <= 0) return;
    memory.grow(Math.ceil(Math.max(missing, memory.buffer.byteLength * (GROWTH - 1)) / PAGE_BYTES));
  }
}

/** Adds an entry to a short list, the best first. */
function keepBest(best: { key: number; score: number }[], entry: { key: number; score: number }, max: number): void {
  let at = best.length;
  while (at > 0 && (best[at - 1]?.score ?? 0) < entry.score) at--;
  best.splice(at, 0, entry);
  if (best.length > max) best.pop();
}
