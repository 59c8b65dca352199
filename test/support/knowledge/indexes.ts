import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { asCorpusId, asDocumentId, type CorpusId } from "../../../src/core/ids.ts";
import { IndexHost, type IndexHostOptions } from "../../../src/knowledge/host/index-host.ts";
import type { IndexChange } from "../../../src/knowledge/index/changes.ts";
import { IndexWriter } from "../../../src/knowledge/index/index-writer.ts";
import { ManualClock } from "../manual-clock.ts";
import { memoryLog } from "../memory-log.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

export const CORPUS = asCorpusId("cor_0197a000-0000-7000-8000-000000000001");
export const OTHER_CORPUS = asCorpusId("cor_0197a000-0000-7000-8000-000000000002");

export const document = (number: number, version = 1) => ({
  id: asDocumentId(`doc_${number}`),
  name: `Document ${number}`,
  version,
});

export const chunk = (ordinal: number, text: string, headings: readonly string[] = []) => ({
  ordinal,
  headings,
  page: undefined,
  text,
});

/** The change that adds a whole document. */
export const addition = (number: number, texts: readonly string[], corpusId = CORPUS, version = 1): IndexChange => ({
  kind: "add",
  corpusId,
  batch: {
    document: document(number, version),
    chunks: texts.map((text, ordinal) => chunk(ordinal, text)),
    isFirst: true,
    isLast: true,
  },
});

/** An index in a folder of its own, whose files are written in the same thread. */
export function indexHost(given: Partial<IndexHostOptions> = {}) {
  const folder = join(temporaryDirectory(), "corpora");
  mkdirSync(folder);
  const writer = new IndexWriter(folder);
  const lost: CorpusId[] = [];
  const { log, lines } = memoryLog();
  const clock = new ManualClock();
  const host = new IndexHost({
    folder,
    changer: { change: async (change) => writer.change(change) },
    embeddings: undefined,
    clock,
    log,
    onLost: (corpusId) => lost.push(corpusId),
    onRanked: () => {},
    onEmbedded: () => {},
    ...given,
  });
  return { folder, host, writer, lost, lines, clock };
}

/** A question to the corpora of `indexHost`. */
export const question = (text: string, passagesMax = 5, corpora: readonly CorpusId[] = [CORPUS]) => ({
  corpora,
  text,
  languageId: "en",
  passagesMax,
});
