import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AccountId, asDocumentId, type CorpusId, type DocumentId } from "../../../src/core/ids.ts";
import { IDEMPOTENCY_MS } from "../../../src/core/limits/control-api/api.ts";
import type { Document, NewDocument } from "../../../src/store/corpora/document-store.ts";
import { DOCUMENT_JOB } from "../../../src/store/job-kinds.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { CORPUS, chunksOf, factsOf, newDocument, readyDocument } from "../../support/knowledge/stored.ts";
import type { ManualClock } from "../../support/manual-clock.ts";
import { SEALING_KEYS } from "../../support/stores/keys.ts";
import type { StoresUnderTest } from "./calls.ts";

const FAILED = { status: "failed", failure: { code: "no_text", message: "no text" } } as const;
const REQUEST = { keyHash: hashSecret("first"), fingerprint: "f1" };
const ALWAYS = new AbortController().signal;

/** What every DocumentStore must do. */
export function documentContract(name: string, make: () => StoresUnderTest): void {
  describe(`DocumentStore contract: ${name}`, () => {
    let stores: Stores;
    let clock: ManualClock;
    let accountId: AccountId;
    let corpusId: CorpusId;

    beforeEach(async () => {
      const under = make();
      clock = under.clock;
      stores = await under.open();
      accountId = await stores.accounts.ensure("first");
      corpusId = (await stores.corpora.create(accountId, CORPUS))?.id as CorpusId;
    });
    afterEach(() => stores.close());

    const create = async (more: Partial<NewDocument> = {}): Promise<Document> => {
      const creation = await stores.documents.create(newDocument(accountId, corpusId, more));
      if (creation.kind !== "created") throw new Error(`not created: ${creation.kind}`);
      return creation.document;
    };
    const get = (id: DocumentId) => stores.documents.get(accountId, corpusId, id);
    const ready = (chunks = chunksOf(2)) => readyDocument(stores, newDocument(accountId, corpusId), chunks);
    const payloads = async (kind: string): Promise<readonly unknown[]> =>
      (await stores.jobs.list({ kind, limit: 100 })).jobs.map(({ payload }) => payload);
    /** The types of the events that a webhook of the account is sent. */
    const facts = async (): Promise<string[]> => {
      const webhooks = stores.openWebhooks(SEALING_KEYS);
      const ids = (await payloads("webhook.deliver")).map((payload) => (payload as { deliveryId: never }).deliveryId);
      const due = await Promise.all(ids.map((id) => webhooks.due(id)));
      return due.map((one) => `${one?.event.type} ${one?.event.documentId}`);
    };
    const subscribe = () =>
      stores.openWebhooks(SEALING_KEYS).create(accountId, {
        url: "https://example.com/",
        description: "",
        eventTypes: ["document.ready", "document.failed"],
        enabled: true,
      });

    describe("creation", () => {
      test("stores the document, with the job that processes it", async () => {
        const asked = newDocument(accountId, corpusId, { metadata: { a: 1 } });
        const creation = await stores.documents.create(asked);
        const document = {
          ...asked,
          createdAtMs: clock.epochMs(),
          updatedAtMs: clock.epochMs(),
          status: "processing",
          version: 1,
          fileVersion: 1,
        };
        expect(creation).toEqual({ kind: "created", document });
        expect(await get(asked.id)).toEqual(document);
        expect(await stores.documents.find(asked.id)).toEqual(document);
        expect(await payloads(DOCUMENT_JOB)).toEqual([{ documentId: asked.id, version: 1 }]);
      });

      test("of a URL has no file", async () => {
        const { id } = await create({ source: "url", url: "https://example.com/a" });
        expect(await get(id)).toMatchObject({ source: "url", url: "https://example.com/a" });
        expect(await get(id)).not.toHaveProperty("fileVersion");
      });

      test("in a corpus of another account is refused, and a document is its account's and its corpus's alone", async () => {
        const other = await stores.accounts.ensure("second");
        expect(await stores.documents.create(newDocument(other, corpusId))).toEqual({ kind: "unknown" });
        const { id } = await create();
        expect(await stores.documents.get(other, corpusId, id)).toBeUndefined();
        const another = await stores.corpora.create(accountId, CORPUS);
        expect(await stores.documents.get(accountId, another?.id as CorpusId, id)).toBeUndefined();
        expect(await stores.documents.remove(other, corpusId, id)).toBe(false);
      });

      test("with a key happens once", async () => {
        const asked = newDocument(accountId, corpusId);
        const first = await stores.documents.createOnce(asked, REQUEST);
        expect(first).toMatchObject({ kind: "created", document: { id: asked.id } });
        expect(await stores.documents.createOnce(newDocument(accountId, corpusId), REQUEST)).toEqual({
          ...first,
          kind: "replayed",
        });
        const otherRequest = { ...REQUEST, fingerprint: "f2" };
        expect(await stores.documents.createOnce(newDocument(accountId, corpusId), otherRequest)).toEqual({
          kind: "mismatch",
        });
        clock.advance(IDEMPOTENCY_MS);
        expect(await stores.documents.createOnce(newDocument(accountId, corpusId), REQUEST)).toMatchObject({
          kind: "created",
        });
      });
    });

    test("lists newest first, by state and source, page by page", async () => {
      const done = await ready();
      const fetched = await create({ source: "url", url: "https://example.com/a" });
      const last = await create();
      const listed = async (query: object = {}) =>
        (await stores.documents.list({ accountId, corpusId, limit: 10, ...query })).documents.map(({ id }) => id);
      expect(await listed()).toEqual([last.id, fetched.id, done.id]);
      expect(await listed({ status: "processing" })).toEqual([last.id, fetched.id]);
      expect(await listed({ status: "ready" })).toEqual([done.id]);
      expect(await listed({ source: "url" })).toEqual([fetched.id]);
      expect(await listed({ before: fetched.id })).toEqual([done.id]);
      expect((await stores.documents.list({ accountId, corpusId, limit: 2 })).more).toBe(true);
    });

    describe("the end of processing", () => {
      test("makes the text found, and is a fact that webhooks deliver once", async () => {
        await subscribe();
        const ended: Document[] = [];
        stores.documents.onEnded((document) => ended.push(document));
        const { id } = await create();
        const chunks = chunksOf(3);
        expect(await stores.documents.storeChunks(id, 1, chunks.slice(0, 2))).toBe(true);
        expect(await stores.documents.storeChunks(id, 1, chunks.slice(2))).toBe(true);
        expect(await stores.corpora.indexable(corpusId)).toEqual([]);
        clock.advance(5);
        const document = await stores.documents.end(id, 1, { status: "ready", facts: factsOf(chunks) });
        expect(document).toMatchObject({
          status: "ready",
          readyVersion: 1,
          facts: factsOf(chunks),
          processedAtMs: clock.epochMs(),
        });
        expect(await get(id)).toEqual(document);
        expect(await stores.corpora.chunks(id, 1, 0, 10)).toEqual(chunks);
        expect(await stores.documents.end(id, 1, FAILED)).toBeUndefined();
        expect(await stores.documents.storeChunks(id, 1, chunks)).toBe(false);
        expect(ended).toEqual([document]);
        expect(await facts()).toEqual([`document.ready ${id}`]);
      });

      test("with a failure leaves nothing to be found", async () => {
        await subscribe();
        const { id } = await create();
        await stores.documents.storeChunks(id, 1, chunksOf(2));
        expect(await stores.documents.end(id, 1, FAILED)).toMatchObject({ status: "failed", failure: FAILED.failure });
        expect(await stores.corpora.indexable(corpusId)).toEqual([]);
        expect(await facts()).toEqual([`document.failed ${id}`]);
        expect(await payloads("corpus.clean")).toEqual([{ corpusId, documentId: id }]);
        await stores.documents.clean(id, ALWAYS);
        expect(await stores.documents.listToClean(corpusId, id, 10)).toEqual([]);
      });

      test("of an attempt that begins anew has the chunks of that attempt alone", async () => {
        const { id } = await create();
        await stores.documents.storeChunks(id, 1, chunksOf(5, "of a lost attempt"));
        const chunks = chunksOf(3);
        await stores.documents.storeChunks(id, 1, chunks);
        await stores.documents.end(id, 1, { status: "ready", facts: factsOf(chunks) });
        expect(await stores.corpora.chunks(id, 1, 0, 10)).toEqual(chunks);
      });

      test("is refused while chunks are missing", async () => {
        const { id } = await create();
        await stores.documents.storeChunks(id, 1, chunksOf(2));
        const end = stores.documents.end(id, 1, { status: "ready", facts: factsOf(chunksOf(3)) });
        await expect(end).rejects.toMatchObject({ code: "unavailable" });
        expect(await get(id)).toMatchObject({ status: "processing" });
      });

      test("of a job that is given up is a failure, from which a replayed job recovers", async () => {
        const { id } = await create();
        const claim = { runnerId: "r", kinds: [DOCUMENT_JOB], fullLanes: [], limit: 10 };
        const [job] = await stores.jobs.claim(claim);
        if (job === undefined) throw new Error("no job");
        await stores.jobs.settle("r", new Map([[job.id, { kind: "dead", error: "x" }]]));
        expect(await get(id)).toMatchObject({ status: "failed", failure: { code: "abandoned" } });
        await stores.jobs.replay({ ids: [job.id] });
        expect(await get(id)).toMatchObject({ status: "processing", version: 1 });
        expect(await get(id)).not.toHaveProperty("failure");
      });
    });

    describe("processing again", () => {
      test("keeps the text found until the new version is ready, and then has that alone", async () => {
        const before = await ready();
        const again = await stores.documents.process(before);
        expect(again).toMatchObject({ status: "processing", version: 2, readyVersion: 1, fileVersion: 1 });
        expect(await payloads(DOCUMENT_JOB)).toEqual([{ documentId: before.id, version: 2 }]);
        expect(await stores.corpora.indexable(corpusId)).toMatchObject([{ version: 1 }]);
        const chunks = chunksOf(4, "anew");
        await stores.documents.storeChunks(before.id, 2, chunks);
        await stores.documents.end(before.id, 2, { status: "ready", facts: factsOf(chunks) });
        expect(await stores.corpora.indexable(corpusId)).toMatchObject([{ version: 2 }]);
        expect(await stores.corpora.chunks(before.id, 1, 0, 10)).toEqual([]);
        await stores.documents.clean(before.id, ALWAYS);
        expect(await stores.corpora.chunks(before.id, 2, 0, 10)).toEqual(chunks);
        expect(await stores.documents.listToClean(corpusId, before.id, 10)).toEqual([]);
      });

      test("with other content takes its name, its source and its file", async () => {
        const before = await ready();
        const content = { name: "page", source: "url", url: "https://example.com/", metadata: { b: 2 } } as const;
        const replaced = await stores.documents.process(before, content);
        expect(replaced).toMatchObject({ ...content, version: 2 });
        expect(replaced).not.toHaveProperty("fileVersion");
        const upload = { name: "x.pdf", source: "upload", metadata: {} } as const;
        const next = await stores.documents.process({ ...before, version: 2 }, upload);
        expect(next).toMatchObject({ ...upload, version: 3, fileVersion: 3 });
        expect(next).not.toHaveProperty("url");
      });

      test("of a version that is not the latest any more is refused", async () => {
        const before = await ready();
        expect(await stores.documents.process(before)).toMatchObject({ version: 2 });
        expect(await stores.documents.process(before)).toBeUndefined();
        expect(await stores.documents.storeChunks(before.id, 1, chunksOf(1))).toBe(false);
        expect(await stores.documents.end(before.id, 1, FAILED)).toBeUndefined();
      });

      test("that fails ends what was found of the version before", async () => {
        const before = await ready();
        await stores.documents.process(before);
        await stores.documents.end(before.id, 2, FAILED);
        expect(await stores.corpora.indexable(corpusId)).toEqual([]);
        expect(await stores.corpora.chunks(before.id, 1, 0, 10)).toEqual([]);
      });
    });

    describe("removal", () => {
      test("takes everything: its job, its events, its chunks and its key", async () => {
        await subscribe();
        const asked = newDocument(accountId, corpusId);
        await stores.documents.createOnce(asked, REQUEST);
        await stores.documents.storeChunks(asked.id, 1, chunksOf(120));
        await stores.documents.end(asked.id, 1, { status: "ready", facts: factsOf(chunksOf(120)) });
        expect(await stores.documents.remove(accountId, corpusId, asked.id)).toBe(true);
        expect(await stores.documents.remove(accountId, corpusId, asked.id)).toBe(false);
        expect(await get(asked.id)).toBeUndefined();
        expect(await stores.corpora.indexable(corpusId)).toEqual([]);
        expect(await payloads(DOCUMENT_JOB)).toEqual([]);
        const [due] = await stores.documents.listToClean(corpusId, asked.id, 10);
        expect(due).toEqual({ id: asked.id, isRemoved: true, fileVersion: 1 });
        await stores.documents.clean(asked.id, ALWAYS);
        expect(await stores.documents.listToClean(corpusId, asked.id, 10)).toEqual([]);
        // The key may be used again.
        expect(await stores.documents.createOnce(newDocument(accountId, corpusId), REQUEST)).toMatchObject({
          kind: "created",
        });
      });

      test("while it is processed is the end of that", async () => {
        const { id } = await create();
        await stores.documents.remove(accountId, corpusId, id);
        expect(await stores.documents.storeChunks(id, 1, chunksOf(1))).toBe(false);
        expect(await stores.documents.end(id, 1, FAILED)).toBeUndefined();
        expect(await payloads(DOCUMENT_JOB)).toEqual([]);
      });

      test("of a file alone is noted, once for each", async () => {
        const { id } = await ready();
        await stores.documents.fileDeleted(id, 2);
        expect(await get(id)).toMatchObject({ fileVersion: 1 });
        await stores.documents.fileDeleted(id, 1);
        expect(await get(id)).not.toHaveProperty("fileVersion");
      });
    });

    test("what is done is recorded, with the corpus", async () => {
      const document = await ready();
      await stores.documents.process(document);
      await stores.documents.process({ ...document, version: 2 }, { name: "x", source: "upload", metadata: {} });
      await stores.documents.remove(accountId, corpusId, document.id);
      const { events } = await stores.audit.list(accountId, { targetId: document.id, limit: 10 });
      expect(events.map(({ action, details }) => [action, details])).toEqual(
        ["document.deleted", "document.replaced", "document.reprocessed", "document.created"].map((action) => [
          action,
          { corpusId },
        ]),
      );
    });

    test("an unknown document is none", async () => {
      const id = asDocumentId("doc_unknown");
      expect(await stores.documents.find(id)).toBeUndefined();
      expect(await stores.documents.end(id, 1, FAILED)).toBeUndefined();
      await stores.documents.clean(id, ALWAYS);
    });
  });
}
