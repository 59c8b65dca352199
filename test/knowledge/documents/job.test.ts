import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { TrunklineError, unavailable } from "../../../src/core/errors.ts";
import type { AccountId, CorpusId } from "../../../src/core/ids.ts";
import type { Chunk } from "../../../src/core/knowledge/chunks.ts";
import { DOCUMENT_OVER_BUDGET_MAX, DOCUMENT_RETRY_DELAYS_MS } from "../../../src/core/limits/knowledge/corpora.ts";
import { CorpusCleanJob } from "../../../src/knowledge/documents/clean-job.ts";
import { documentError } from "../../../src/knowledge/documents/errors.ts";
import type { IngestAnswer, IngestTask } from "../../../src/knowledge/documents/ingester.ts";
import { DocumentJob } from "../../../src/knowledge/documents/job.ts";
import { readDocument } from "../../../src/knowledge/documents/read-document.ts";
import type { NewDocument } from "../../../src/store/corpora/document-store.ts";
import { DocumentFiles, documentFolder } from "../../../src/store/data-dir/document-files.ts";
import type { ClaimedJob } from "../../../src/store/job-store.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import { CORPUS, chunksOf, factsOf, newDocument } from "../../support/knowledge/stored.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf } from "../../support/tokens.ts";

const LAST_ATTEMPT = DOCUMENT_RETRY_DELAYS_MS.length + 1;

type Read = (task: IngestTask, accountId: AccountId) => Promise<IngestAnswer>;

/** Writes these chunks as the process that reads does. */
const reading =
  (chunks: readonly Chunk[]): Read =>
  async ({ chunksPath }) => {
    writeFileSync(chunksPath, chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join(""));
    return { kind: "read", facts: factsOf(chunks) };
  };

async function scene(read: Read = reading(chunksOf(120))) {
  const dataDir = temporaryDirectory();
  const clock = new ManualClock();
  const stores = await openSqliteStores(dataDir, clock, { ageClock: ageClockOf(clock) });
  onTestFinished(() => stores.close());
  const accountId = await stores.accounts.ensure("first");
  const corpusId = (await stores.corpora.create(accountId, CORPUS))?.id as CorpusId;
  const files = new DocumentFiles(dataDir);
  const { log } = memoryLog();
  const state = { read, fetched: "" as string | Error, ended: [] as string[] };
  const job = new DocumentJob({
    documents: stores.documents,
    corpora: stores.corpora,
    ingester: { read: (account, task) => state.read(task, account) },
    files,
    fetch: async ({ id, version }) => {
      if (state.fetched instanceof Error) throw state.fetched;
      writeFileSync(files.fetchedPath(id, version), state.fetched);
      return files.fetchedPath(id, version);
    },
    onProcessed: (status) => void state.ended.push(status),
    clock,
    log,
  });
  const add = async (more: Partial<NewDocument> = {}) => {
    const asked = newDocument(accountId, corpusId, more);
    await stores.documents.create(asked);
    if (asked.source === "upload") {
      const file = await files.create(asked.id, 1);
      await file.writeFile("the file");
      await file.close();
    }
    return asked.id;
  };
  const run = (documentId: string, { attempt = 1, version = 1, signal = new AbortController().signal } = {}) =>
    job.run({ payload: { documentId, version }, attempt, lane: accountId } as unknown as ClaimedJob, {
      signal,
      reportProgress: () => {},
    });
  const left = (): string[] => (existsSync(documentFolder(dataDir)) ? readdirSync(documentFolder(dataDir)).sort() : []);
  const get = (id: Awaited<ReturnType<typeof add>>) => stores.documents.find(id);
  return { stores, accountId, corpusId, files, state, add, run, left, get, dataDir };
}

describe("the processing of a document", () => {
  test("stores what was read, and leaves the uploaded file alone on the disk", async () => {
    const { add, run, get, stores, left, state } = await scene();
    const id = await add();
    await run(id);
    expect(await get(id)).toMatchObject({ status: "ready", readyVersion: 1, facts: { chunks: 120 } });
    expect(await stores.corpora.chunks(id, 1, 0, 200)).toEqual(chunksOf(120));
    expect(left()).toEqual([`${id}.1.document`]);
    expect(state.ended).toEqual(["ready"]);
  });

  test("of a URL fetches it, and leaves no file", async () => {
    const { add, run, get, left, state } = await scene();
    state.fetched = "content";
    const id = await add({ source: "url", url: "https://example.com/" });
    await run(id);
    expect(await get(id)).toMatchObject({ status: "ready" });
    expect(left()).toEqual([]);
  });

  test("ends with the reason where the document cannot be read, and leaves nothing of the attempt", async () => {
    const failure = { code: "encrypted", message: "the PDF is encrypted" } as const;
    const { add, run, get, left } = await scene(async ({ chunksPath }) => {
      writeFileSync(chunksPath, "half");
      return { kind: "failed", failure };
    });
    const id = await add();
    await run(id);
    expect(await get(id)).toMatchObject({ status: "failed", failure });
    expect(left()).toEqual([`${id}.1.document`]);
  });

  test("is attempted again where a part of the service failed, and then stores the same", async () => {
    const { add, run, get, state } = await scene(async () => {
      throw unavailable("no process");
    });
    const id = await add();
    await expect(run(id)).rejects.toMatchObject({ code: "unavailable" });
    expect(await get(id)).toMatchObject({ status: "processing" });
    state.read = reading(chunksOf(3));
    await run(id, { attempt: 2 });
    expect(await get(id)).toMatchObject({ status: "ready", facts: { chunks: 3 } });
  });

  test("is too complex where several attempts took too much, and not where one did", async () => {
    const { add, run, get } = await scene(async () => {
      throw new TrunklineError("over_budget", "caller", "too much");
    });
    const id = await add();
    await expect(run(id)).rejects.toMatchObject({ code: "over_budget" });
    await run(id, { attempt: DOCUMENT_OVER_BUDGET_MAX });
    expect(await get(id)).toMatchObject({ status: "failed", failure: { code: "too_complex" } });
  });

  test("fails at the last attempt where its address does not answer, and at once where it has no such document", async () => {
    const { add, run, get, state } = await scene();
    state.fetched = documentError("document_unreachable", "the address could not be reached");
    const id = await add({ source: "url", url: "https://example.com/" });
    await expect(run(id)).rejects.toMatchObject({ code: "document_unreachable" });
    await run(id, { attempt: LAST_ATTEMPT });
    expect(await get(id)).toMatchObject({ status: "failed", failure: { code: "document_unreachable" } });
    state.fetched = documentError("document_unavailable", "the address answered with status 404");
    const other = await add({ source: "url", url: "https://example.com/" });
    await run(other);
    expect(await get(other)).toMatchObject({ failure: { code: "document_unavailable" } });
  });

  test("without its file says so", async () => {
    const { add, run, get, files, state } = await scene();
    state.read = readDocument;
    const id = await add();
    await files.remove(id, 1);
    await run(id);
    expect(await get(id)).toMatchObject({ failure: { code: "document_unavailable", message: /deleted/ } });
  });

  test("of a document that was removed or replaced meanwhile stores nothing", async () => {
    const { add, run, get, stores, accountId, corpusId, state, left } = await scene();
    const removed = await add();
    state.read = async (task, account) => {
      await stores.documents.remove(accountId, corpusId, removed);
      return await reading(chunksOf(60))(task, account);
    };
    await run(removed);
    expect(await get(removed)).toBeUndefined();
    const replaced = await add();
    state.read = async (task, account) => {
      await stores.documents.process({ id: replaced, accountId, version: 1 });
      return await reading(chunksOf(60))(task, account);
    };
    await run(replaced);
    expect(await get(replaced)).toMatchObject({ status: "processing", version: 2 });
    expect(left().filter((name) => name.endsWith(".chunks"))).toEqual([]);
    expect(state.ended).toEqual([]);
  });

  test("of a version that is over does nothing", async () => {
    const { add, run, state } = await scene();
    const id = await add();
    await run(id);
    state.read = () => Promise.reject(new Error("it is read again"));
    await run(id);
    await run(id, { version: 2 });
  });

  test("ends with the abort's reason, and leaves the document to the next attempt", async () => {
    const { add, run, get, state } = await scene();
    const stop = new AbortController();
    state.read = async () => {
      stop.abort(new Error("the process stops"));
      throw stop.signal.reason;
    };
    const id = await add();
    await expect(run(id, { signal: stop.signal })).rejects.toThrow("the process stops");
    expect(await get(id)).toMatchObject({ status: "processing" });
  });
});

describe("the clean-up", () => {
  const cleanOf = ({ stores, files }: Pick<Awaited<ReturnType<typeof scene>>, "stores" | "files">) => {
    const job = new CorpusCleanJob({
      documents: stores.documents,
      removeFile: (id, version) => files.remove(id, version),
    });
    return (payload: object) =>
      job.run({ payload } as ClaimedJob, { signal: new AbortController().signal, reportProgress: () => {} });
  };

  test("leaves nothing of a deleted corpus: no file, no text, no row", async () => {
    const under = await scene();
    const { add, run, stores, accountId, corpusId, left } = under;
    const ids = [await add(), await add(), await add()];
    for (const id of ids.slice(1)) await run(id);
    await stores.corpora.remove(accountId, corpusId);
    await cleanOf(under)({ corpusId });
    expect(left()).toEqual([]);
    expect(await stores.documents.listToClean(corpusId, undefined, 10)).toEqual([]);
    await cleanOf(under)({ corpusId });
  });

  test("of one document leaves the others", async () => {
    const under = await scene();
    const { add, run, stores, accountId, corpusId, left } = under;
    const [gone, kept] = [await add(), await add()];
    await run(gone);
    await run(kept);
    await stores.documents.remove(accountId, corpusId, gone);
    await cleanOf(under)({ corpusId, documentId: gone });
    expect(left()).toEqual([`${kept}.1.document`]);
    expect(await stores.corpora.chunks(kept, 1, 0, 200)).toHaveLength(120);
  });
});

test("S5: a path is made of an id and a version alone, and only this user reads the file", async () => {
  const { files, add, dataDir } = await scene();
  const id = await add({ name: "../../etc/passwd" });
  expect(files.path(id, 1)).toBe(join(documentFolder(dataDir), `${id}.1.document`));
  expect(await files.all()).toEqual([{ id, version: 1, isTemporary: false }]);
  writeFileSync(join(documentFolder(dataDir), "doc_..%2f.1.document"), "planted");
  expect(await files.all()).toHaveLength(1);
});
