import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import MiniSearch from "minisearch";
import { asCorpusId, asDocumentId } from "../../src/core/ids.ts";
import { seededRandom } from "../../src/core/seeded-random.ts";
import { corpusPath } from "../../src/knowledge/index/corpus-path.ts";
import { CorpusReader } from "../../src/knowledge/index/corpus-reader.ts";
import { CorpusWriter } from "../../src/knowledge/index/corpus-writer.ts";
import type { PackageText } from "./apt-packages.ts";

/** How often the right passage was among the first five, of all questions. */
export interface RecallRow {
  readonly language: string;
  readonly what: string;
  readonly passages: number;
  readonly questions: number;
  /** Percent. */
  readonly recall: number;
  readonly misses: readonly Miss[];
}

/** A question whose passage was not found, and what was found first. */
export interface Miss {
  readonly package: string;
  readonly question: string;
  readonly found: string | undefined;
}

/** The index that questions are asked: `unpruned` is `words` with all terms of a question. */
export const RECALL_INDEXES = ["words", "without_stems", "unpruned", "minisearch"] as const;
export type RecallIndex = (typeof RECALL_INDEXES)[number];

const CORPUS = asCorpusId("cor_00000000-0000-7000-8000-00000000bec2");
const FIRST = 5;
const MISSES_KEPT = 40;
/** A language that has no stems. */
const NO_STEMS = "und";
const CHUNKS_OF_BATCH = 2_000;
const NO_PRUNING = {
  rankedMax: Number.POSITIVE_INFINITY,
  termsMax: Number.POSITIVE_INFINITY,
  rankedEnough: Number.POSITIVE_INFINITY,
};

type Search = (text: string) => readonly number[];

/** The packages by a seed, `passages` of them, and the questions among those. */
export function sampled(packages: readonly PackageText[], passages: number, questions: number, seed: number) {
  const random = seededRandom(seed);
  const order = packages.map((one) => ({ one, at: random() })).sort((a, b) => a.at - b.at);
  const kept = order.slice(0, passages).map(({ one }) => one);
  return { kept, asked: kept.slice(0, questions) };
}

/** Measures one index with the packages of one language. */
export function measureRecall(
  language: string,
  index: RecallIndex,
  { kept, asked }: ReturnType<typeof sampled>,
): RecallRow {
  const { search, close } =
    index === "minisearch" ? miniSearch(kept) : ours(kept, index === "without_stems" ? NO_STEMS : language, index);
  const misses: Miss[] = [];
  asked.forEach(({ name, synopsis }, number) => {
    const found = search(synopsis);
    if (found.includes(number)) return;
    misses.push({ package: name, question: synopsis, found: kept[found[0] ?? -1]?.name });
  });
  close();
  const recall = (100 * (asked.length - misses.length)) / asked.length;
  return {
    language,
    what: index,
    passages: kept.length,
    questions: asked.length,
    recall,
    misses: misses.slice(0, MISSES_KEPT),
  };
}

function miniSearch(kept: readonly PackageText[]): { search: Search; close: () => void } {
  const index = new MiniSearch<{ id: number; text: string }>({ fields: ["text"] });
  kept.forEach(({ description }, id) => {
    index.add({ id, text: description });
  });
  return {
    search: (text) =>
      index
        .search(text)
        .slice(0, FIRST)
        .map(({ id }) => id as number),
    close: () => {},
  };
}

/** Writes the index of some packages, each of which is one chunk: the first has the number 1. */
export function indexOf(kept: readonly PackageText[], language: string): { path: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "retrieval-bench-"));
  const path = corpusPath(folder, CORPUS);
  const writer = new CorpusWriter(path, language);
  for (let from = 0; from < kept.length; from += CHUNKS_OF_BATCH) {
    const chunks = kept
      .slice(from, from + CHUNKS_OF_BATCH)
      .map(({ description }, at) => ({ ordinal: from + at, headings: [], page: undefined, text: description }));
    const document = { id: asDocumentId("doc_archive"), name: "Archive", version: 1 };
    writer.add({ document, chunks, isFirst: from === 0, isLast: from + CHUNKS_OF_BATCH >= kept.length });
  }
  writer.close();
  return { path, remove: () => rmSync(folder, { recursive: true }) };
}

function ours(
  kept: readonly PackageText[],
  language: string,
  index: RecallIndex,
): { search: Search; close: () => void } {
  const { path, remove } = indexOf(kept, language);
  const reader = index === "unpruned" ? new CorpusReader(path, NO_PRUNING) : new CorpusReader(path);
  return {
    search: (text) => reader.search(text, language, FIRST).map(({ key }) => key - 1),
    close() {
      reader.close();
      remove();
    },
  };
}
