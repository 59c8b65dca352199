import { existsSync, mkdirSync, rmdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import Libsql from "libsql";
import { describe, expect, test } from "vitest";
import { asCorpusId } from "../../../src/core/ids.ts";
import { corpusPath } from "../../../src/knowledge/index/corpus-path.ts";
import { IndexWriter } from "../../../src/knowledge/index/index-writer.ts";
import {
  addition,
  CORPUS,
  chunk,
  document,
  indexHost,
  OTHER_CORPUS,
  question,
} from "../../support/knowledge/indexes.ts";
import { allBytes } from "../../support/temporary-directory.ts";

const TEXTS = ["The engine needs oil every year.", "Tyres are changed in winter.", "A battery lasts five years."];
const signal = new AbortController().signal;

async function filled(languageId = "en") {
  const scene = indexHost();
  await scene.host.change({ kind: "corpus", corpusId: CORPUS, languageId });
  await scene.host.change(addition(1, TEXTS));
  const texts = async (text: string): Promise<string[]> =>
    (await scene.host.retriever.query(question(text), signal)).passages.map((passage) => passage.text);
  return { ...scene, texts, path: corpusPath(scene.folder, CORPUS) };
}

describe("the index of a corpus", () => {
  test("finds passages by words in other forms, and gives where they stand", async () => {
    const { host } = await filled();
    await host.change({
      kind: "add",
      corpusId: CORPUS,
      batch: {
        document: document(2),
        chunks: [{ ordinal: 0, headings: ["Service", "Wheels"], page: 12, text: "Rims are cleaned with water." }],
        isFirst: true,
        isLast: true,
      },
    });
    const { passages } = await host.retriever.query(question("cleaning the rim of a wheel"), signal);
    expect(passages[0]).toEqual({
      corpusId: CORPUS,
      documentId: "doc_2",
      documentName: "Document 2",
      ordinal: 0,
      headings: ["Service", "Wheels"],
      page: 12,
      text: "Rims are cleaned with water.",
      score: expect.any(Number),
    });
  });

  test("a document is found when all of its chunks are there, and replaces its older version", async () => {
    const { host, texts } = await filled();
    const batch = { document: document(1, 2), isFirst: true, isLast: false };
    await host.change({
      kind: "add",
      corpusId: CORPUS,
      batch: { ...batch, chunks: [chunk(0, "Engines run on hydrogen.")] },
    });
    expect(await texts("engine")).toEqual([TEXTS[0]]);
    await host.change({
      kind: "add",
      corpusId: CORPUS,
      batch: { ...batch, chunks: [chunk(1, "Hydrogen is a gas.")], isFirst: false, isLast: true },
    });
    expect(await texts("engine hydrogen tyres")).toEqual(["Engines run on hydrogen.", "Hydrogen is a gas."]);
  });

  test("an interrupted document is begun again without traces of the first attempt", async () => {
    const { host, texts } = await filled();
    const batch = { document: document(3), chunks: [chunk(0, "Brakes squeak.")], isFirst: true };
    await host.change({ kind: "add", corpusId: CORPUS, batch: { ...batch, isLast: false } });
    await host.change({ kind: "add", corpusId: CORPUS, batch: { ...batch, isLast: true } });
    expect(await texts("brakes")).toEqual(["Brakes squeak."]);
    expect(host.corpora.with(CORPUS, (reader) => reader.chunkCount)).toBe(4);
  });

  test("of a removed document no word is left in the files after compaction", async () => {
    const { host, writer, folder, texts } = await filled();
    await host.change(addition(2, ["The xylophone canary sings."]));
    expect(await texts("canaries")).toHaveLength(1);
    expect(writer.isCompact).toBe(true);
    await host.change({ kind: "remove-document", corpusId: CORPUS, documentId: document(2).id });
    expect(await texts("canaries")).toEqual([]);
    expect(await texts("engine")).toHaveLength(1);
    expect(writer.isCompact).toBe(false);
    // The file stays open for questions meanwhile.
    writer.compactOne();
    expect(writer.isCompact).toBe(true);
    expect(allBytes(folder)).toContain("engine");
    expect(allBytes(folder)).not.toMatch(/xylophon|canar/);
  });

  test("what was removed before the process ended is overwritten by the next one", async () => {
    const { host, writer, folder } = await filled();
    await host.change({ kind: "corpus", corpusId: OTHER_CORPUS, languageId: "en" });
    await host.change(addition(2, ["The xylophone canary sings."]));
    await host.change({ kind: "remove-document", corpusId: CORPUS, documentId: document(2).id });
    host.close();
    writer.close();
    const next = new IndexWriter(folder);
    while (!next.isCompact) next.compactOne();
    expect(allBytes(folder)).toContain("engine");
    expect(allBytes(folder)).not.toMatch(/xylophon|canar/);
  });

  test("a removed corpus has no file, and no index can answer from it", async () => {
    const { host, path, texts } = await filled();
    await host.change({ kind: "remove-corpus", corpusId: CORPUS });
    expect(existsSync(path)).toBe(false);
    await expect(texts("engine")).rejects.toMatchObject({ code: "unavailable" });
  });

  test("an empty corpus answers with no passages, and one without an index is left out where others can answer", async () => {
    const { host } = await filled();
    await host.change({ kind: "corpus", corpusId: OTHER_CORPUS, languageId: "de" });
    expect((await host.retriever.query(question("oil", 5, [OTHER_CORPUS]), signal)).passages).toEqual([]);
    const missing = asCorpusId("cor_00000000");
    const both = await host.retriever.query(question("oil", 5, [missing, CORPUS, OTHER_CORPUS]), signal);
    expect(both.passages).toHaveLength(1);
  });

  test("another language of a corpus makes its file again", async () => {
    const { host } = await filled();
    expect(await host.change({ kind: "corpus", corpusId: CORPUS, languageId: "en" })).toBe("done");
    expect(await host.change({ kind: "corpus", corpusId: CORPUS, languageId: "de" })).toBe("lost");
    expect(await host.change({ kind: "corpus", corpusId: CORPUS, languageId: "de" })).toBe("made");
    expect((await host.corpora.page(undefined)).corpora).toEqual([
      { corpusId: CORPUS, languageId: "de", documents: [] },
    ]);
  });

  test("what it has is given corpus by corpus, in pages", async () => {
    const { host } = await filled();
    await host.change(addition(2, TEXTS));
    await host.change({ kind: "corpus", corpusId: OTHER_CORPUS, languageId: "de" });
    const first = await host.corpora.page(undefined, 2);
    expect(first).toMatchObject({ corpora: [{ corpusId: CORPUS, documents: [{}, {}] }], next: CORPUS });
    const second = await host.corpora.page(CORPUS, 2);
    expect(second).toEqual({ corpora: [{ corpusId: OTHER_CORPUS, languageId: "de", documents: [] }] });
    expect(await host.corpora.page(OTHER_CORPUS, 2)).toEqual({ corpora: [] });
  });

  test("a page goes on after files that cannot be used", async () => {
    const { host, writer, path } = await filled();
    await host.change({ kind: "corpus", corpusId: OTHER_CORPUS, languageId: "de" });
    host.corpora.forget(CORPUS);
    writer.close();
    writeBack(path);
    writeFileSync(path, "no database");
    expect(await host.corpora.page(undefined, 1)).toEqual({ corpora: [], next: CORPUS });
    expect(await host.corpora.page(CORPUS, 1)).toMatchObject({ corpora: [{ corpusId: OTHER_CORPUS }] });
  });

  test("ids that are no names of files are of no corpus", async () => {
    const { host } = await filled();
    for (const id of ["cor_../../secret", "../trunkline", "cor_", ""]) {
      expect(host.corpora.with(asCorpusId(id), () => 1)).toBeUndefined();
    }
  });
});

describe("questions that are no plain words", () => {
  test.each([
    ["no words", "?!… \0"],
    ["nothing", ""],
    ["words that no passage has", "zebra"],
  ])("%s: no passages", async (_, text) => {
    const { texts } = await filled();
    expect(await texts(text)).toEqual([]);
  });

  test.each([
    ["operators of FTS5", 'engine" OR NEAR(terms:* ^ -battery AND NOT tyres)'],
    ["quotes and NUL", '\'eng\0ine\' "engine""); DROP TABLE chunks; --'],
    ["5,000 words", `${"why does it and how ".repeat(1_000)} engine`],
    ["mixed scripts", "двигатель エンジン engine محرك"],
  ])("%s: the words among them are found", async (_, text) => {
    const { texts } = await filled();
    expect(await texts(text)).toContain(TEXTS[0]);
    expect(await texts("battery")).toHaveLength(1);
  });

  test("only function words: the rarest of them is looked for", async () => {
    const { texts } = await filled();
    expect(await texts("is a in the")).not.toEqual([]);
  });
});

/** The library's connections end when the memory of their statements is freed: until then the log has all pages. */
function writeBack(path: string): void {
  const file = new Libsql(path);
  file.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  file.close();
}

describe("files that are damaged", () => {
  test.each([
    ["truncated", (path: string) => truncateSync(path, 10_000)],
    ["overwritten", (path: string) => writeFileSync(path, "no database")],
    ["deleted", (path: string) => rmSync(path)],
    [
      "of another format",
      (path: string) => {
        const file = new Libsql(path);
        file.exec("UPDATE meta SET value = '0' WHERE name = 'format'");
        file.close();
      },
    ],
  ])("%s: the corpus is reported as lost, and can be made again", async (_, damage) => {
    const { host, writer, path, lost, texts } = await filled();
    for (let number = 2; number < 40; number++) await host.change(addition(number, TEXTS));
    host.corpora.forget(CORPUS);
    writer.close();
    writeBack(path);
    damage(path);
    await expect(texts("engine battery tyres")).rejects.toMatchObject({ code: "unavailable" });
    expect(lost).toEqual([CORPUS]);
    while ((await host.change({ kind: "corpus", corpusId: CORPUS, languageId: "en" })) === "lost");
    await host.change(addition(1, TEXTS));
    expect(await texts("engine")).toEqual([TEXTS[0]]);
  });

  test("a file that was removed while it was open is lost too, and what is added to it fails", async () => {
    const { host, path, lost, texts } = await filled();
    expect(await texts("engine")).toHaveLength(1);
    rmSync(path);
    expect(await host.change(addition(2, TEXTS))).toBe("lost");
    await expect(texts("engine")).rejects.toMatchObject({ code: "unavailable" });
    // The change has said so already.
    expect(lost).toEqual([]);
  });

  test("a file that cannot be opened at present is not lost: nothing of it is removed", async () => {
    const { host, writer, path, lost, texts, folder } = await filled();
    host.corpora.forget(CORPUS);
    writer.close();
    writeBack(path);
    for (const suffix of ["-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    // SQLite cannot open its log, as where too many files are open.
    mkdirSync(`${path}-wal`);
    const next = indexHost({ folder, changer: { change: async (change) => writer.change(change) } });
    await expect(texts("engine")).rejects.toMatchObject({ code: "unavailable" });
    await expect(next.host.corpora.page(undefined)).rejects.toMatchObject({ code: "unavailable" });
    const again = { kind: "corpus", corpusId: CORPUS, languageId: "en" } as const;
    await expect(next.host.change(again)).rejects.toMatchObject({ code: "unavailable" });
    await expect(next.host.change(addition(2, TEXTS))).rejects.toMatchObject({ code: "unavailable" });
    expect([existsSync(path), lost, next.lost]).toEqual([true, [], []]);
    rmdirSync(`${path}-wal`);
    expect(await next.host.change(again)).toBe("done");
  });

  test("a file whose making was interrupted is made again", async () => {
    const { host, writer, path } = await filled();
    await host.change({ kind: "remove-corpus", corpusId: CORPUS });
    writeFileSync(path, "");
    const again = { kind: "corpus", corpusId: CORPUS, languageId: "en" } as const;
    expect([writer.change(again), writer.change(again)]).toEqual(["lost", "made"]);
  });

  test("no other user can read a file", async () => {
    const { path } = await filled();
    expect(statSync(path).mode & 0o077).toBe(0);
  });
});
