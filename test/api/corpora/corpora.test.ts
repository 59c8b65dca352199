import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { asCorpusId, asDocumentId } from "../../../src/core/ids.ts";
import { DOCUMENTS_PER_CORPUS_MAX } from "../../../src/core/limits/knowledge/corpora.ts";
import { type FormPart, formOf } from "../../support/api/forms.ts";
import { type Answer, type ApiUnderTest, apiUnderTest } from "../../support/api/harness.ts";
import { chunksOf, factsOf } from "../../support/knowledge/stored.ts";

const URL = "/api/v1/corpora";
const IDEMPOTENT = { "idempotency-key": "the same" };

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

const bodyOf = <Body = { id: string } & Record<string, unknown>>(answer: Answer): Body => answer.body as Body;
const createCorpus = async (body: object = { name: "Products" }): Promise<string> =>
  bodyOf(await api.post(body, {}, URL)).id;

async function sendForm(
  method: "POST" | "PUT",
  url: string,
  parts: readonly FormPart[],
  given: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown> & { id: string } }> {
  const { body, headers } = formOf(parts);
  const answer = await api.app.inject({
    method,
    url,
    headers: { "x-api-key": api.key, ...headers, ...given },
    payload: body,
  });
  return { status: answer.statusCode, body: answer.json() };
}

const files = (): string[] => {
  const folder = join(api.directory, "documents");
  return existsSync(folder) ? readdirSync(folder).sort() : [];
};
const content = (name: string): string => readFileSync(join(api.directory, "documents", name), "utf8");

/** What the job of a document does at its end. */
async function makeReady(id: string, version = 1): Promise<void> {
  const chunks = chunksOf(2);
  await api.stores.documents.storeChunks(asDocumentId(id), version, chunks);
  await api.stores.documents.end(asDocumentId(id), version, { status: "ready", facts: factsOf(chunks) });
}

describe("corpora", () => {
  test("are created, read, changed, listed and deleted", async () => {
    const created = await api.post({ name: "Products", languageId: "DE-ch", metadata: { a: 1 } }, {}, URL);
    expect(created.status).toBe(201);
    const { id } = bodyOf(created);
    expect(created.headers.location).toBe(`${URL}/${id}`);
    expect(created.body).toMatchObject({
      name: "Products",
      description: "",
      languageId: "de-CH",
      mode: "search",
      metadata: { a: 1 },
      documents: { processing: 0, ready: 0, failed: 0 },
    });
    expect((await api.get(`${URL}/${id}`)).body).toEqual(created.body);
    const changed = await api.patch({ mode: "full" }, {}, `${URL}/${id}`);
    expect(changed.body).toMatchObject({ name: "Products", languageId: "de-CH", mode: "full" });
    const other = await createCorpus();
    const page = bodyOf<{ data: { id: string }[]; nextCursor: string }>(await api.get(`${URL}?limit=1`));
    expect(page.data.map((one) => one.id)).toEqual([other]);
    const rest = bodyOf<{ data: { id: string }[] }>(await api.get(`${URL}?limit=1&cursor=${page.nextCursor}`));
    expect(rest.data.map((one) => one.id)).toEqual([id]);
    expect((await api.delete(`${URL}/${id}`)).status).toBe(204);
    expect((await api.get(`${URL}/${id}`)).status).toBe(404);
  });

  test("are refused with all problems together, each by the name of its field", async () => {
    const answer = await api.post({ name: " ", languageId: "x_y", mode: "some", color: 1 }, {}, URL);
    expect(answer.status).toBe(400);
    const { details } = bodyOf<{ error: { details: { path: string }[] } }>(answer).error;
    expect(details.map(({ path }) => path).sort()).toEqual(["/color", "/languageId", "/mode", "/name"]);
  });
});

describe("a document", () => {
  let corpusId: string;
  let url: string;
  beforeEach(async () => {
    corpusId = await createCorpus();
    url = `${URL}/${corpusId}/documents`;
  });

  test("is uploaded to a file of its own, which only this user reads", async () => {
    const answer = await sendForm("POST", url, [
      ["name", "Catalogue"],
      ["metadata", '{"edition":7}'],
      ["file", "# Pumps", "../../etc/passwd"],
    ]);
    expect(answer.status).toBe(202);
    expect(answer.body).toMatchObject({
      corpusId,
      name: "Catalogue",
      source: "upload",
      metadata: { edition: 7 },
      status: "processing",
      isFound: false,
      hasFile: true,
      version: 1,
    });
    const name = `${answer.body.id}.1.document`;
    expect(files()).toEqual([name]);
    expect(content(name)).toBe("# Pumps");
    expect(statSync(join(api.directory, "documents", name)).mode & 0o777).toBe(0o600);
  });

  test("S5: has the name of its file where none is given, whatever that is, and never as a path", async () => {
    for (const given of ["a.pdf", "..\\..\\x", "%2e%2e%2fy", "x".repeat(5_000), "\u0001"]) {
      const { status, body } = await sendForm("POST", url, [["file", "text", given]]);
      expect(status).toBe(202);
      expect(String(body.name).length).toBeLessThanOrEqual(255);
    }
    expect(files().every((name) => /^doc_[0-9a-f-]{36}\.1\.document$/.test(name))).toBe(true);
  });

  test("is a text or an address, but not both, and a text has a name", async () => {
    const text = await api.post({ text: "# Pumps", name: "Pumps" }, {}, url);
    expect(text.status).toBe(202);
    expect(content(`${bodyOf(text).id}.1.document`)).toBe("# Pumps");
    const fetched = await api.post({ url: "https://example.com/docs/pumps.html?x=1" }, {}, url);
    expect(fetched.body).toMatchObject({ source: "url", name: "pumps.html", hasFile: false });
    for (const wrong of [{}, { text: "a" }, { text: "a", name: "b", url: "https://x.example" }, { url: "file:///etc" }])
      expect((await api.post(wrong, {}, url)).status).toBe(400);
    expect(files()).toHaveLength(1);
  });

  test("that is refused leaves no file", async () => {
    const unknown = `${URL}/cor_01990000-0000-7000-8000-000000000000/documents`;
    expect((await sendForm("POST", unknown, [["file", "text", "a"]])).status).toBe(404);
    expect((await api.post({ text: "a", name: "b" }, {}, unknown)).status).toBe(404);
    expect((await sendForm("POST", url, [["file", "", "a"]])).status).toBe(400);
    expect(
      (
        await sendForm("POST", url, [
          ["colour", "x"],
          ["file", "text", "a"],
        ])
      ).status,
    ).toBe(400);
    expect((await sendForm("POST", url, [["file", "x".repeat(1_000_001), "a"]])).status).toBe(413);
    api.state.diskIsLow = true;
    expect((await sendForm("POST", url, [["file", "text", "a"]])).status).toBe(503);
    expect(files()).toEqual([]);
  });

  test("with a key is added once, whatever it is made of", async () => {
    const file = [["file", "text", "a.txt"]] as const;
    const first = await sendForm("POST", url, file, IDEMPOTENT);
    const again = await sendForm("POST", url, file, IDEMPOTENT);
    expect(again.body.id).toBe(first.body.id);
    expect((await sendForm("POST", url, [["file", "other", "a.txt"]], IDEMPOTENT)).status).toBe(409);
    expect(files()).toEqual([`${first.body.id}.1.document`]);
  });

  test("is listed by state, and its corpus counts it", async () => {
    const one = bodyOf(await api.post({ text: "a", name: "one" }, {}, url));
    const two = bodyOf(await api.post({ url: "https://x.example/" }, {}, url));
    await makeReady(one.id);
    const ids = async (query: string) =>
      bodyOf<{ data: { id: string }[] }>(await api.get(`${url}?${query}`)).data.map(({ id }) => id);
    expect(await ids("")).toEqual([two.id, one.id]);
    expect(await ids("status=ready")).toEqual([one.id]);
    expect(await ids("source=url&status=processing")).toEqual([two.id]);
    expect((await api.get(`${URL}/${corpusId}`)).body).toMatchObject({
      documents: { processing: 1, ready: 1, failed: 0 },
      chunks: 2,
    });
    expect((await api.get(`${url}/${one.id}`)).body).toMatchObject({
      ...{ status: "ready", isFound: true, format: "pdf", pages: 3, chunks: 2, bytes: 1_000 },
    });
  });

  test("is replaced by another file, and keeps its name and its text until that is ready", async () => {
    const { id } = bodyOf(await api.post({ text: "old", name: "Pumps", metadata: { a: 1 } }, {}, url));
    await makeReady(id);
    const replaced = await sendForm("PUT", `${url}/${id}`, [["file", "new", "b.txt"]]);
    expect(replaced.status).toBe(202);
    expect(replaced.body).toMatchObject({
      id,
      name: "Pumps",
      fileName: "b.txt",
      metadata: { a: 1 },
      version: 2,
      isFound: true,
    });
    expect(files()).toEqual([`${id}.2.document`]);
    expect(content(`${id}.2.document`)).toBe("new");
    const answer = await api.app.inject({
      method: "PUT",
      url: `${url}/${id}`,
      headers: { "x-api-key": api.key, "content-type": "application/json" },
      payload: JSON.stringify({ url: "https://x.example/" }),
    });
    expect(answer.json()).toMatchObject({ source: "url", version: 3, hasFile: false, name: "Pumps", fileName: null });
    expect(files()).toEqual([]);
  });

  test("is processed again where it can be", async () => {
    const { id } = bodyOf(await api.post({ text: "a", name: "b" }, {}, url));
    expect((await api.post(undefined as never, {}, `${url}/${id}/reprocess`)).status).toBe(409);
    await makeReady(id);
    const again = await api.post({}, {}, `${url}/${id}/reprocess`);
    expect(again.status).toBe(202);
    expect(again.body).toMatchObject({ status: "processing", version: 2, isFound: true });
    await makeReady(id, 2);
    await api.stores.documents.fileDeleted(asDocumentId(id), 1);
    expect((await api.post({}, {}, `${url}/${id}/reprocess`)).status).toBe(409);
  });

  test("is deleted with its file", async () => {
    const { id } = bodyOf(await api.post({ text: "a", name: "b" }, {}, url));
    await makeReady(id);
    expect((await api.delete(`${url}/${id}`)).status).toBe(204);
    expect((await api.delete(`${url}/${id}`)).status).toBe(404);
    expect((await api.get(`${url}/${id}`)).status).toBe(404);
    expect(files()).toEqual([]);
    expect(await api.stores.corpora.indexable(asCorpusId(corpusId))).toEqual([]);
  });

  test("D10: is refused where its corpus is full", async () => {
    api.stores.documents.create = async () => ({ kind: "full" });
    const answer = await sendForm("POST", url, [["file", "text", "a"]]);
    expect(answer).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining(String(DOCUMENTS_PER_CORPUS_MAX)) } },
    });
    expect(files()).toEqual([]);
  });

  test("D5, D7: metadata of a form is bounded and changes no prototype", async () => {
    const deep = "[".repeat(200_000);
    for (const metadata of [deep, `{"a":${"[".repeat(60)}${"]".repeat(60)}}`, "[1]", "x"]) {
      const { status } = await sendForm("POST", url, [
        ["metadata", metadata],
        ["file", "text", "a"],
      ]);
      expect(status).toBe(400);
    }
    const named = await sendForm("POST", url, [
      ["metadata", '{"constructor":{"x":1},"toString":"y"}'],
      ["file", "a", "a"],
    ]);
    expect(named.body.metadata).toEqual({ constructor: { x: 1 }, toString: "y" });
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
});
