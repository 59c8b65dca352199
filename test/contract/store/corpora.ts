import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AccountId, asCorpusId, asDocumentId, type CorpusId } from "../../../src/core/ids.ts";
import { CORPORA_PER_ACCOUNT_MAX } from "../../../src/core/limits/knowledge/corpora.ts";
import type { Corpus } from "../../../src/store/corpora/corpus-store.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { CORPUS, chunksOf, newDocument, readyDocument } from "../../support/knowledge/stored.ts";
import type { ManualClock } from "../../support/manual-clock.ts";
import type { StoresUnderTest } from "./calls.ts";

const UNKNOWN = asCorpusId("cor_unknown");

/** What every CorpusStore must do. */
export function corpusContract(name: string, make: () => StoresUnderTest): void {
  describe(`CorpusStore contract: ${name}`, () => {
    let stores: Stores;
    let clock: ManualClock;
    let accountId: AccountId;
    let other: AccountId;

    beforeEach(async () => {
      const under = make();
      clock = under.clock;
      stores = await under.open();
      accountId = await stores.accounts.ensure("first");
      other = await stores.accounts.ensure("second");
    });
    afterEach(() => stores.close());

    const create = async (more: object = {}): Promise<Corpus> => {
      const corpus = await stores.corpora.create(accountId, { ...CORPUS, ...more });
      if (corpus === undefined) throw new Error("the account is full");
      return corpus;
    };
    const ready = (corpusId: CorpusId, chunks = chunksOf(2)) =>
      readyDocument(stores, newDocument(accountId, corpusId), chunks);
    const changes = (after = 0) => stores.corpora.corporaChangedAfter(after, 100);
    const latestRevision = async () => (await changes()).at(-1)?.revision ?? 0;

    test("stores what was said, for its account alone", async () => {
      const corpus = await create();
      expect(corpus).toMatchObject({
        ...CORPUS,
        accountId,
        createdAtMs: clock.epochMs(),
        updatedAtMs: clock.epochMs(),
      });
      expect(await stores.corpora.get(accountId, corpus.id)).toEqual(corpus);
      expect(await stores.corpora.get(other, corpus.id)).toBeUndefined();
      expect(await stores.corpora.update(other, corpus.id, { name: "x" })).toBeUndefined();
      expect(await stores.corpora.remove(other, corpus.id)).toBe(false);
      expect(await stores.corpora.get(accountId, UNKNOWN)).toBeUndefined();
    });

    test("lists newest first, page by page", async () => {
      const ids = [(await create()).id, (await create()).id, (await create()).id];
      const first = await stores.corpora.list({ accountId, limit: 2 });
      expect(first.corpora.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
      expect(first.more).toBe(true);
      const rest = await stores.corpora.list({ accountId, before: first.corpora.at(-1)?.id, limit: 2 });
      expect(rest.corpora.map(({ id }) => id)).toEqual([ids[0]]);
      expect(rest.more).toBe(false);
    });

    test("changes what is given, and keeps the rest", async () => {
      const { id } = await create();
      clock.advance(10);
      const changed = await stores.corpora.update(accountId, id, { mode: "full", metadata: {} });
      expect(changed).toMatchObject({ ...CORPUS, mode: "full", metadata: {}, updatedAtMs: clock.epochMs() });
      expect(await stores.corpora.get(accountId, id)).toEqual(changed);
    });

    test("D10: no more than the limit, also where several are created at the same time", async () => {
      const tries = Array.from({ length: 4 }, () => stores.corpora.create(accountId, CORPUS));
      await Promise.all(tries);
      for (let count = 4; count < CORPORA_PER_ACCOUNT_MAX - 1; count += 1) await create();
      const last = await Promise.all(Array.from({ length: 3 }, () => stores.corpora.create(accountId, CORPUS)));
      expect(last.filter((corpus) => corpus !== undefined)).toHaveLength(1);
      expect(await stores.corpora.create(other, CORPUS)).toBeDefined();
    });

    test("D7: names that JavaScript knows are plain texts", async () => {
      const { id } = await create({ name: "__proto__", description: "constructor\0", metadata: { toString: "x" } });
      expect(await stores.corpora.get(accountId, id)).toMatchObject({
        name: "__proto__",
        description: "constructor\0",
        metadata: { toString: "x" },
      });
    });

    test("counts documents by state, and what can be found", async () => {
      const { id } = await create();
      const empty = await create();
      const chunks = chunksOf(3);
      await ready(id, chunks);
      await stores.documents.create(newDocument(accountId, id));
      const failing = newDocument(accountId, id);
      await stores.documents.create(failing);
      await stores.documents.end(failing.id, 1, { status: "failed", failure: { code: "no_text", message: "no text" } });
      const sizes = await stores.corpora.sizes([id, empty.id]);
      const characters = chunks.reduce((sum, { text }) => sum + text.length, 0);
      expect(sizes.get(id)).toEqual({ processing: 1, ready: 1, failed: 1, chunks: 3, characters });
      expect(sizes.get(empty.id)).toEqual({ processing: 0, ready: 0, failed: 0, chunks: 0, characters: 0 });
    });

    describe("for an index", () => {
      test("gives the documents that can be found, with their chunks", async () => {
        const { id } = await create();
        const chunks = chunksOf(5);
        const document = await ready(id, chunks);
        await stores.documents.create(newDocument(accountId, id));
        expect(await stores.corpora.indexable(id)).toEqual([{ id: document.id, name: "catalogue.pdf", version: 1 }]);
        expect(await stores.corpora.chunks(document.id, 1, 0, 3)).toEqual(chunks.slice(0, 3));
        expect(await stores.corpora.chunks(document.id, 1, 3, 3)).toEqual(chunks.slice(3));
        expect(await stores.corpora.chunks(document.id, 2, 0, 3)).toEqual([]);
        expect(await stores.corpora.chunks(asDocumentId("doc_unknown"), 1, 0, 3)).toEqual([]);
      });

      test("says which corpora have changed, in the order of change", async () => {
        const first = await create({ languageId: "de" });
        const second = await create();
        expect(await changes()).toMatchObject([
          { corpusId: first.id, languageId: "de", isDeleted: false },
          { corpusId: second.id, languageId: "en", isDeleted: false },
        ]);
        const before = await latestRevision();
        const document = await ready(first.id);
        expect(await changes(before)).toMatchObject([{ corpusId: first.id }]);
        const then = await latestRevision();
        await stores.corpora.update(accountId, second.id, { languageId: "fr" });
        await stores.documents.remove(accountId, first.id, document.id);
        await stores.corpora.remove(accountId, second.id);
        expect(await changes(then)).toMatchObject([
          { corpusId: first.id, isDeleted: false },
          { corpusId: second.id, languageId: "fr", isDeleted: true },
        ]);
      });

      test("says nothing of what changes no index", async () => {
        const { id } = await create();
        const revision = await latestRevision();
        await stores.corpora.update(accountId, id, { name: "another", languageId: "en" });
        const failing = newDocument(accountId, id);
        await stores.documents.create(failing);
        await stores.documents.end(failing.id, 1, {
          status: "failed",
          failure: { code: "no_text", message: "no text" },
        });
        await stores.documents.remove(accountId, id, failing.id);
        expect(await changes(revision)).toEqual([]);
      });

      test("pages through many", async () => {
        const ids = [(await create()).id, (await create()).id, (await create()).id];
        const [first] = await stores.corpora.corporaChangedAfter(0, 1);
        expect(first?.corpusId).toBe(ids[0]);
        const rest = await stores.corpora.corporaChangedAfter(first?.revision ?? 0, 10);
        expect(rest.map(({ corpusId }) => corpusId)).toEqual(ids.slice(1));
      });

      test("gives revisions that no two changes share, also where several are written at the same time", async () => {
        const corpora = await Promise.all(Array.from({ length: 6 }, () => create()));
        await Promise.all(corpora.flatMap(({ id }) => [ready(id), ready(id)]));
        const revisions = (await changes()).map(({ revision }) => revision);
        expect(new Set(revisions).size).toBe(6);
        expect(revisions).toEqual([...revisions].sort((one, two) => one - two));
      });
    });

    describe("deletion", () => {
      test("hides the corpus and all of its documents at once", async () => {
        const { id } = await create();
        const document = await ready(id);
        expect(await stores.corpora.remove(accountId, id)).toBe(true);
        expect(await stores.corpora.remove(accountId, id)).toBe(false);
        expect(await stores.corpora.get(accountId, id)).toBeUndefined();
        expect((await stores.corpora.list({ accountId, limit: 10 })).corpora).toEqual([]);
        expect(await stores.corpora.indexable(id)).toEqual([]);
        expect(await stores.documents.get(accountId, id, document.id)).toBeUndefined();
        expect(await stores.documents.find(document.id)).toBeUndefined();
        expect(await stores.documents.create(newDocument(accountId, id))).toEqual({ kind: "unknown" });
        expect(await stores.documents.process(document)).toBeUndefined();
      });

      test("leaves a job that deletes what is stored, and is forgotten after that", async () => {
        const { id } = await create();
        const document = await ready(id);
        await stores.corpora.remove(accountId, id);
        const { jobs } = await stores.jobs.list({ kind: "corpus.clean", limit: 10 });
        expect(jobs.map(({ payload }) => payload)).toEqual([{ corpusId: id }]);
        clock.advance(1);
        expect(await stores.corpora.forgetRemoved(clock.epochMs())).toBe(0);
        const due = await stores.documents.listToClean(id, undefined, 10);
        expect(due).toEqual([{ id: document.id, isRemoved: true, fileVersion: 1 }]);
        for (const one of due) await stores.documents.clean(one.id, new AbortController().signal);
        expect(await stores.documents.listToClean(id, undefined, 10)).toEqual([]);
        expect(await stores.corpora.chunks(document.id, 1, 0, 10)).toEqual([]);
        expect(await stores.corpora.forgetRemoved(clock.epochMs())).toBe(1);
        expect(await changes()).toEqual([]);
      });

      test("is recorded, as creation and changes are", async () => {
        const { id } = await create();
        await stores.corpora.update(accountId, id, { mode: "full" });
        await stores.corpora.remove(accountId, id);
        const { events } = await stores.audit.list(accountId, { targetId: id, limit: 10 });
        expect(events.map(({ action, details }) => [action, details])).toEqual([
          ["corpus.deleted", {}],
          ["corpus.updated", { changed: ["mode"] }],
          ["corpus.created", {}],
        ]);
      });
    });
  });
}
