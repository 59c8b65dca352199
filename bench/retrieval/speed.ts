import { mkdirSync } from "node:fs";
import Libsql from "libsql";
import MiniSearch from "minisearch";
import { seededRandom } from "../../src/core/seeded-random.ts";
import { corpusPath } from "../../src/knowledge/index/corpus-path.ts";
import { CorpusReader } from "../../src/knowledge/index/corpus-reader.ts";
import { CorpusWriter } from "../../src/knowledge/index/corpus-writer.ts";
import { termsOf } from "../../src/knowledge/index/words.ts";
import { fused, type Ranked } from "../../src/knowledge/ranking/fusion.ts";
import { quantized } from "../../src/knowledge/vectors/quantized.ts";
import { VectorSet } from "../../src/knowledge/vectors/vector-set.ts";
import { spreadOf } from "../harness/statistics.ts";
import { documentCount, SPEED_CORPUS, spokenDocument, spokenQuestions } from "./spoken-corpus.ts";

/** Times of one way to answer, ms. */
export interface SpeedRow {
  readonly what: string;
  readonly chunks: number;
  readonly questions: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly goalMs: number | undefined;
}

const CANDIDATES = 50;
const WARM_UP = 20;

/** Builds the index of the speed measurement in a folder, or goes on where an earlier run has ended. False when the time was over first. */
export function buildSpeedIndex(folder: string, chunks: number, msMax: number, write: (line: string) => void): boolean {
  mkdirSync(folder, { recursive: true });
  const path = corpusPath(folder, SPEED_CORPUS);
  const writer = new CorpusWriter(path, "en");
  const reader = new CorpusReader(path);
  const done = new Set(
    reader
      .documents()
      .filter(({ isComplete }) => isComplete)
      .map(({ id }) => id),
  );
  const startMs = performance.now();
  for (let number = 0; number < documentCount(chunks); number++) {
    const { document, chunks: own } = spokenDocument(number);
    if (done.has(document.id)) continue;
    if (performance.now() - startMs > msMax) {
      write(`${number * own.length} of ${chunks} chunks are indexed: run it again to go on`);
      return false;
    }
    writer.add({ document, chunks: own, isFirst: true, isLast: true });
  }
  reader.close();
  writer.close();
  return true;
}

/** Questions to the index by words: as the service does, and without leaving out the commonest terms. */
export function measureWords(folder: string, questions: number, isPlain: boolean): SpeedRow {
  const path = corpusPath(folder, SPEED_CORPUS);
  const reader = new CorpusReader(path);
  const plain = new Libsql(path).prepare("SELECT rowid, rank FROM terms WHERE terms MATCH ? ORDER BY rank LIMIT ?");
  const ask = (text: string): unknown =>
    isPlain
      ? plain.all([...new Set(termsOf(text, "en"))].map((term) => `"${term}"`).join(" OR "), CANDIDATES)
      : reader
          .search(text, "en", CANDIDATES)
          .slice(0, 5)
          .map(({ key }) => reader.chunk(key));
  return timed(isPlain ? "plain FTS5, all terms" : "BM25", reader.chunkCount, isPlain ? undefined : 30, questions, ask);
}

/** Questions by words and random vectors, whose request is not part of it. */
export function measureFused(folder: string, questions: number, dimensions: number): SpeedRow {
  const reader = new CorpusReader(corpusPath(folder, SPEED_CORPUS));
  const random = seededRandom(3);
  const randomVector = () => quantized(Array.from({ length: dimensions }, () => random() - 0.5));
  const set = new VectorSet(dimensions);
  for (let chunk = 1; chunk <= reader.chunkCount; chunk++) {
    const vector = randomVector();
    if (vector !== undefined) set.add(chunk, vector.scale, vector.values);
  }
  const vectors = Array.from({ length: questions }, randomVector);
  let at = 0;
  return timed(
    `BM25 and ${dimensions} dimensions, fused`,
    reader.chunkCount,
    dimensions <= 384 ? 60 : undefined,
    questions,
    (text) => {
      const vector = vectors[at++ % questions];
      const rankings: (readonly Ranked<number>[])[] = [reader.search(text, "en", CANDIDATES)];
      if (vector !== undefined) rankings.push(set.nearest(vector, CANDIDATES));
      return fused(rankings)
        .slice(0, 5)
        .map(({ key }) => reader.chunk(key));
    },
  );
}

/** The dot products of one question's vector with 100,000: by SIMD, and in JavaScript. */
export function measureDotProducts(count: number, dimensions: number, questions: number): readonly SpeedRow[] {
  const random = seededRandom(4);
  const all = new Int8Array(count * dimensions);
  for (let at = 0; at < all.length; at++) all[at] = Math.floor(random() * 255) - 127;
  const set = new VectorSet(dimensions);
  for (let chunk = 0; chunk < count; chunk++)
    set.add(chunk + 1, 1, all.subarray(chunk * dimensions, (chunk + 1) * dimensions));
  const query = { scale: 1, values: all.subarray(0, dimensions) };
  const inJavaScript = (): number => {
    let best = Number.NEGATIVE_INFINITY;
    for (let from = 0; from < all.length; from += dimensions) {
      let sum = 0;
      for (let at = 0; at < dimensions; at++) sum += (all[from + at] as number) * (query.values[at] as number);
      if (sum > best) best = sum;
    }
    return best;
  };
  return [
    timed(`dot products, ${dimensions} dimensions, SIMD`, count, undefined, questions, () =>
      set.nearest(query, CANDIDATES),
    ),
    timed(`the same in JavaScript`, count, undefined, questions, inJavaScript),
  ];
}

/** minisearch with its defaults in this process. */
export function measureMiniSearch(chunks: number, questions: number): SpeedRow & { heapMb: number } {
  const before = process.memoryUsage().heapUsed;
  const index = new MiniSearch<{ id: number; text: string }>({ fields: ["text"] });
  let id = 0;
  for (let number = 0; number < documentCount(chunks); number++) {
    for (const { text } of spokenDocument(number).chunks) index.add({ id: id++, text });
  }
  const row = timed("minisearch, in process", id, undefined, questions, (text) => index.search(text).slice(0, 5));
  return { ...row, heapMb: Math.round((process.memoryUsage().heapUsed - before) / 1e6) };
}

function timed(
  what: string,
  chunks: number,
  goalMs: number | undefined,
  questions: number,
  ask: (text: string) => unknown,
): SpeedRow {
  const texts = spokenQuestions(questions + WARM_UP, 2);
  const times = new Float32Array(questions);
  texts.forEach((text, at) => {
    const startMs = performance.now();
    ask(text);
    if (at >= WARM_UP) times[at - WARM_UP] = performance.now() - startMs;
  });
  const { p50, p95, p99 } = spreadOf(times);
  return { what, chunks, questions, p50Ms: p50, p95Ms: p95, p99Ms: p99, goalMs };
}
