import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { asDocumentId } from "../../../src/core/ids.ts";
import type { NewVector } from "../../../src/knowledge/index/corpus-writer.ts";
import { OpenCorpora } from "../../../src/knowledge/index/open-corpora.ts";
import { ResidentVectors } from "../../../src/knowledge/vectors/resident-vectors.ts";
import { addition, CORPUS, indexHost } from "../../support/knowledge/indexes.ts";

const DIMENSIONS = 4_096;

/** What reads in steps has come to its end. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}

/** Counts how many vectors were read from the files. */
async function scene(bytesMax?: number) {
  const { folder, writer } = indexHost();
  const corpora = new OpenCorpora(folder, () => {});
  let rowsRead = 0;
  const counting: Pick<OpenCorpora, "with"> = {
    with: (corpusId, use) =>
      corpora.with(corpusId, (reader) => {
        const vectors = reader.vectors.bind(reader);
        reader.vectors = (...of) => {
          const rows = vectors(...of);
          rowsRead += rows.length;
          return rows;
        };
        try {
          return use(reader);
        } finally {
          reader.vectors = vectors;
        }
      }),
  };
  const resident = new ResidentVectors(counting, "small", bytesMax);
  writer.change({ kind: "corpus", corpusId: CORPUS, languageId: "en" });
  /** Adds a document, whose chunks are said to be the next ones. */
  const add = (number: number, chunks: number, version = 1): void => {
    writer.change(addition(number, Array(chunks).fill("Words."), CORPUS, version));
    corpora.with(CORPUS, (reader) => {
      reader.changed();
      const vectors = reader.withoutVectors("small", 0, 1_000).map(({ number: chunk }): NewVector => {
        const vector = new Uint8Array(DIMENSIONS);
        vector[0] = chunk;
        return { chunk, scale: 1, vector };
      });
      writer.change({ kind: "vectors", corpusId: CORPUS, fileId: reader.fileId, model: "small", vectors });
    });
  };
  const remove = (number: number): void => {
    writer.change({ kind: "remove-document", corpusId: CORPUS, documentId: asDocumentId(`doc_${number}`) });
    corpora.with(CORPUS, (reader) => reader.changed());
    resident.removed(CORPUS);
  };
  const chunks = async (): Promise<readonly number[]> => {
    resident.of(CORPUS);
    await settled();
    const values = new Int8Array(DIMENSIONS).fill(1);
    return (resident.of(CORPUS)?.nearest({ scale: 1, values }, 100) ?? []).map(({ key }) => key).toReversed();
  };
  return { resident, add, remove, chunks, rowsRead: () => rowsRead };
}

describe("vectors of corpora in memory", () => {
  test("a document that is replaced has its own read, and those of others stay", async () => {
    const { resident, add, chunks, rowsRead } = await scene();
    add(1, 3);
    add(2, 2);
    expect(await chunks()).toEqual([1, 2, 3, 4, 5]);
    expect(rowsRead()).toBe(5);
    add(1, 1, 2);
    resident.removed(CORPUS);
    resident.added(CORPUS);
    expect(await chunks()).toEqual([4, 5, 6]);
    expect(rowsRead()).toBe(6);
  });

  test("a corpus that does not fit is read once, and again when it has become smaller", async () => {
    const { resident, add, remove, chunks, rowsRead } = await scene(50 * DIMENSIONS);
    add(1, 40);
    add(2, 40);
    expect(await chunks()).toEqual([]);
    const first = rowsRead();
    for (let number = 3; number < 6; number++) {
      add(number, 1);
      resident.added(CORPUS);
      expect(await chunks()).toEqual([]);
    }
    expect([rowsRead(), resident.bytes]).toEqual([first, 0]);
    remove(1);
    remove(3);
    remove(4);
    remove(5);
    remove(2);
    add(6, 2);
    expect(await chunks()).toHaveLength(2);
  });
});
