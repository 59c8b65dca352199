import Libsql from "libsql";
import { describe, expect, test } from "vitest";
import type { CorpusId } from "../../../src/core/ids.ts";
import type { Chunk, IndexableDocument } from "../../../src/core/knowledge/chunks.ts";
import { INDEX_POLL_MS } from "../../../src/core/limits/knowledge/retrieval.ts";
import { type ChangedCorpus, type IndexSource, IndexSynchronizer } from "../../../src/knowledge/host/synchronizer.ts";
import type { IndexChange } from "../../../src/knowledge/index/changes.ts";
import { corporaIn, corpusPath } from "../../../src/knowledge/index/corpus-path.ts";
import {
  addition,
  CORPUS,
  chunk,
  document,
  indexHost,
  OTHER_CORPUS,
  question,
} from "../../support/knowledge/indexes.ts";

/** Corpora and documents as a store has them. */
class ScriptedStore implements IndexSource {
  readonly #corpora = new Map<
    CorpusId,
    ChangedCorpus & { documents: Map<string, [IndexableDocument, readonly Chunk[]]> }
  >();
  #revisions = 0;

  put(corpusId: CorpusId, texts: Readonly<Record<number, readonly string[]>>, version = 1, languageId = "en"): void {
    const documents = new Map(
      Object.entries(texts).map(([number, of]) => {
        const one = document(Number(number), version);
        return [one.id, [one, of.map((text, at) => chunk(at, text))]] as const;
      }),
    );
    this.#corpora.set(corpusId, {
      corpusId,
      revision: ++this.#revisions,
      languageId,
      isDeleted: false,
      documents: documents as never,
    });
  }

  remove(corpusId: CorpusId): void {
    const corpus = this.#corpora.get(corpusId);
    if (corpus !== undefined) {
      this.#corpora.set(corpusId, { ...corpus, revision: ++this.#revisions, isDeleted: true, documents: new Map() });
    }
  }

  forget(corpusId: CorpusId): void {
    this.#corpora.delete(corpusId);
  }

  async corporaChangedAfter(revision: number, limit: number) {
    const changed = [...this.#corpora.values()].filter((corpus) => corpus.revision > revision);
    return changed.sort((a, b) => a.revision - b.revision).slice(0, limit);
  }

  async indexable(corpusId: CorpusId) {
    return [...(this.#corpora.get(corpusId)?.documents.values() ?? [])].map(([one]) => one);
  }

  async chunks(documentId: string, version: number, fromOrdinal: number, limit: number) {
    for (const { documents } of this.#corpora.values()) {
      const [one, chunks] = documents.get(documentId) ?? [];
      if (one?.version === version) return (chunks ?? []).slice(fromOrdinal, fromOrdinal + limit);
    }
    return [];
  }
}

function scene() {
  const index = indexHost();
  const { host, clock, lines } = index;
  const store = new ScriptedStore();
  const changes: IndexChange["kind"][] = [];
  let needs = 0;
  let states = 0;
  const problems: Error[] = [];
  const { log } = { log: { info() {}, warn() {}, error() {} } as never };
  const stored = async () => (await host.corpora.page(undefined)).corpora;
  const synchronizer = new IndexSynchronizer({
    source: store,
    index: {
      state: async () => {
        states += 1;
        return await stored();
      },
      change: async (change) => {
        const problem = problems.shift();
        if (problem !== undefined) throw problem;
        changes.push(change.kind);
        return await host.change(change);
      },
    },
    onNeeded: () => {
      needs += 1;
    },
    hasFiles: () => corporaIn(index.folder).length > 0,
    clock,
    log,
  });
  const texts = async (text: string, corpusId = CORPUS): Promise<string[]> => {
    const { passages } = await host.retriever.query(question(text, 50, [corpusId]), new AbortController().signal);
    return passages.map((passage) => passage.text).sort();
  };
  const poll = (): Promise<void> => clock.play(INDEX_POLL_MS);
  return {
    ...index,
    store,
    synchronizer,
    changes,
    problems,
    texts,
    poll,
    lines,
    stored,
    needs: () => needs,
    states: () => states,
  };
}

describe("the index is kept equal to the store", () => {
  test("without a corpus nothing is needed", async () => {
    const { synchronizer, poll, needs, changes } = scene();
    synchronizer.start();
    await poll();
    expect([needs(), changes]).toEqual([0, []]);
  });

  test("what is there at the start, what comes later, what is replaced and what is deleted", async () => {
    const { store, synchronizer, poll, texts, needs } = scene();
    store.put(CORPUS, { 1: ["red apples"], 2: ["green pears"] });
    synchronizer.start();
    await poll();
    expect(await texts("apples pears")).toEqual(["green pears", "red apples"]);
    store.put(CORPUS, { 1: ["red apples"], 3: ["blue plums"] });
    await poll();
    expect(await texts("apples pears plums")).toEqual(["blue plums", "red apples"]);
    store.put(CORPUS, { 1: ["yellow apples"] }, 2);
    await poll();
    expect(await texts("apples pears plums")).toEqual(["yellow apples"]);
    store.remove(CORPUS);
    await poll();
    await expect(texts("apples")).rejects.toMatchObject({ code: "unavailable" });
    expect(needs()).toBe(1);
  });

  test("long documents come in batches, and one without chunks is complete", async () => {
    const { store, synchronizer, poll, texts, stored } = scene();
    store.put(CORPUS, { 1: Array.from({ length: 450 }, (_, at) => `apple number ${at}`), 2: [] });
    synchronizer.start();
    await poll();
    expect(await texts("number 449")).toContain("apple number 449");
    expect((await stored())[0]?.documents).toMatchObject([{ isComplete: true }, { isComplete: true }]);
  });

  test("an index that has all of it is only compared", async () => {
    const { store, synchronizer, poll, changes, host } = scene();
    await host.change({ kind: "corpus", corpusId: CORPUS, languageId: "en" });
    await host.change(addition(1, ["red apples"]));
    store.put(CORPUS, { 1: ["red apples"] });
    synchronizer.start();
    await poll();
    expect(changes).toEqual([]);
  });

  test("an older version that a kill has left beside the complete one is removed, and the document is not read again", async () => {
    const { store, synchronizer, poll, changes, host, folder, stored } = scene();
    await host.change({ kind: "corpus", corpusId: CORPUS, languageId: "en" });
    await host.change(addition(1, ["yellow apples"], CORPUS, 2));
    const file = new Libsql(corpusPath(folder, CORPUS));
    file.prepare("INSERT INTO documents (id, version, name) VALUES (?, 1, 'Document 1')").run(document(1).id);
    file.close();
    store.put(CORPUS, { 1: ["yellow apples"] }, 2);
    synchronizer.start();
    await poll();
    expect(changes).toEqual(["add"]);
    expect(await stored()).toMatchObject([{ documents: [{ version: 2, isComplete: true }] }]);
    expect(host.corpora.with(CORPUS, (reader) => reader.chunk(1)?.text)).toBe("yellow apples");
  });

  test("what the store knows no more is removed, also where no corpus is left", async () => {
    const { store, synchronizer, poll, changes, host, needs, stored } = scene();
    await host.change({ kind: "corpus", corpusId: OTHER_CORPUS, languageId: "en" });
    store.forget(OTHER_CORPUS);
    synchronizer.start();
    await poll();
    expect(changes).toEqual(["remove-corpus"]);
    expect([await stored(), needs()]).toEqual([[], 1]);
  });

  test("a lost file is made again from the store", async () => {
    const { store, synchronizer, poll, texts, host } = scene();
    store.put(CORPUS, { 1: ["red apples"] });
    store.put(OTHER_CORPUS, { 2: ["green pears"] });
    synchronizer.start();
    await poll();
    await host.change({ kind: "remove-corpus", corpusId: CORPUS });
    synchronizer.compare();
    await poll();
    expect(await texts("apples")).toEqual(["red apples"]);
    expect(await texts("pears", OTHER_CORPUS)).toEqual(["green pears"]);
  });

  test("another language of a corpus makes its index again", async () => {
    const { store, synchronizer, poll, texts, stored } = scene();
    store.put(CORPUS, { 1: ["die Häuser"] });
    synchronizer.start();
    await poll();
    store.put(CORPUS, { 1: ["die Häuser"] }, 1, "de");
    await poll();
    expect(await stored()).toMatchObject([{ languageId: "de" }]);
    expect(await texts("Haus")).toEqual(["die Häuser"]);
  });

  test("a process that cannot be reached is tried again", async () => {
    const { store, synchronizer, poll, problems, texts } = scene();
    store.put(CORPUS, { 1: ["red apples"] });
    problems.push(new Error("gone"), new Error("gone"));
    synchronizer.start();
    for (let count = 0; count < 8; count++) await poll();
    expect(await texts("apples")).toEqual(["red apples"]);
  });

  test("while it fails again and again, changes of the store do not have everything compared each time", async () => {
    const { store, synchronizer, poll, problems, states } = scene();
    store.put(CORPUS, { 1: ["red apples"] });
    store.put(OTHER_CORPUS, { 2: ["green pears"] });
    problems.push(...Array.from({ length: 100 }, () => new Error("full disk")));
    synchronizer.start();
    await poll();
    const first = states();
    for (let count = 0; count < 10; count++) {
      synchronizer.wake();
      await Promise.resolve();
    }
    expect(states()).toBe(first);
    for (let count = 0; count < 20; count++) await poll();
    // After 4, 8, 16 s and so on.
    expect(states() - first).toBeLessThan(6);
  });

  test("one corpus that cannot be indexed does not keep back the others", async () => {
    const { store, synchronizer, poll, problems, texts } = scene();
    store.put(CORPUS, { 1: ["red apples"] });
    store.put(OTHER_CORPUS, { 2: ["green pears"] });
    problems.push(new Error("damaged"));
    synchronizer.start();
    await poll();
    expect(await texts("pears", OTHER_CORPUS)).toEqual(["green pears"]);
    for (let count = 0; count < 4; count++) await poll();
    expect(await texts("apples")).toEqual(["red apples"]);
  });
});
