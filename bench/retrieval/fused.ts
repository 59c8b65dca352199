import type { EmbeddingsSettings } from "../../src/core/knowledge/embeddings-settings.ts";
import { CorpusReader } from "../../src/knowledge/index/corpus-reader.ts";
import { fused } from "../../src/knowledge/ranking/fusion.ts";
import { HttpEmbeddings } from "../../src/knowledge/vectors/embeddings.ts";
import { VectorSet } from "../../src/knowledge/vectors/vector-set.ts";
import { indexOf, type RecallRow, type sampled } from "./recall.ts";

const FIRST = 5;
const CANDIDATES = 50;
const BATCH = 32;

/** Recall by words, by vectors and by both, with the model of an endpoint. */
export async function measureFusedRecall(
  settings: EmbeddingsSettings,
  language: string,
  { kept, asked }: ReturnType<typeof sampled>,
): Promise<readonly RecallRow[]> {
  const embeddings = new HttpEmbeddings(settings);
  const embed = async (texts: readonly string[]) => {
    const vectors = [];
    for (let from = 0; from < texts.length; from += BATCH) {
      vectors.push(...(await embeddings.embed(texts.slice(from, from + BATCH), AbortSignal.timeout(120_000))));
    }
    return vectors;
  };
  const passages = await embed(kept.map(({ description }) => description));
  const set = new VectorSet(passages.find((vector) => vector !== undefined)?.values.length ?? 1);
  passages.forEach((vector, at) => {
    if (vector !== undefined) set.add(at + 1, vector.scale, vector.values);
  });
  const questions = await embed(asked.map(({ synopsis }) => synopsis));
  const { path, remove } = indexOf(kept, language);
  const reader = new CorpusReader(path);
  const hits = { words: 0, vectors: 0, fused: 0 };
  asked.forEach(({ synopsis }, number) => {
    const words = reader.search(synopsis, language, CANDIDATES);
    const vector = questions[number];
    const nearest = vector === undefined ? [] : set.nearest(vector, CANDIDATES);
    const rankings = { words, vectors: nearest, fused: fused([words, nearest]) };
    for (const what of ["words", "vectors", "fused"] as const) {
      if (rankings[what].slice(0, FIRST).some(({ key }) => key === number + 1)) hits[what] += 1;
    }
  });
  reader.close();
  remove();
  return (["words", "vectors", "fused"] as const).map((what) => ({
    language,
    what: what === "words" ? "words" : `${what}, ${settings.model}`,
    passages: kept.length,
    questions: asked.length,
    recall: (100 * hits[what]) / asked.length,
    misses: [],
  }));
}
