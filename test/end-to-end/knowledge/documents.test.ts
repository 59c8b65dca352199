import { existsSync, openAsBlob, readdirSync, statSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { docxFile, docxParagraph } from "../../support/knowledge/docx-files.ts";
import { Service, until } from "../../support/services/service.ts";
import { allBytes, temporaryDirectory } from "../../support/temporary-directory.ts";

// Documents through the whole service: uploaded or fetched, read by its child, and deleted again.

const PUMPS = fileURLToPath(new URL("../../../fixtures/knowledge/pumps.pdf", import.meta.url));
const DONE_MS_MAX = 60_000;

interface Item {
  id: string;
  status: string;
  failure: { code: string; message: string } | null;
  format: string | null;
  pages: number | null;
  chunks: number | null;
  version: number;
  hasFile: boolean;
}

let service: Service;
beforeAll(async () => {
  service = await Service.start();
});

const createCorpus = async (of: Service): Promise<string> =>
  (await of.api<{ id: string }>("POST", "/corpora", { name: "Pumps" })).body.id;

async function upload(of: Service, corpusId: string, path: string, name: string): Promise<Item> {
  const form = new FormData();
  form.append("file", await openAsBlob(path), name);
  const response = await fetch(`${of.apiUrl}/api/v1/corpora/${corpusId}/documents`, {
    method: "POST",
    headers: { "X-API-Key": of.apiKey },
    body: form,
  });
  const text = await response.text();
  expect(response.status, text).toBe(202);
  return JSON.parse(text) as Item;
}

const over = (of: Service, corpusId: string, id: string): Promise<Item> =>
  until(`document ${id} to be processed`, DONE_MS_MAX, async () => {
    const { body } = await of.api<Item>("GET", `/corpora/${corpusId}/documents/${id}`);
    return body.status !== "processing" && body;
  });

const filesOf = ({ dataDir }: Service): string[] => {
  const folder = join(dataDir, "documents");
  return existsSync(folder) ? readdirSync(folder) : [];
};

/** Whether the word is in a file of the service. */
function isSomewhere(word: string): boolean {
  try {
    return allBytes(service.dataDir).includes(word);
  } catch {
    // A file was deleted while it was read: look again.
    return true;
  }
}

function fileWith(content: string | Buffer): string {
  const path = join(temporaryDirectory(), "file");
  writeFileSync(path, content);
  return path;
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("documents of several formats are read, and one that cannot be read says why and harms no other", async () => {
  const corpusId = await createCorpus(service);
  const [pdf, docx, broken] = await Promise.all([
    upload(service, corpusId, PUMPS, "pumps.pdf"),
    upload(service, corpusId, fileWith(docxFile(docxParagraph("A pump of steel."))), "steel.docx"),
    upload(service, corpusId, fileWith(Buffer.from([0, 1, 2, 3, 4])), "pumps.pdf"),
  ]);
  expect(await over(service, corpusId, pdf.id)).toMatchObject({
    status: "ready",
    format: "pdf",
    pages: 2,
    hasFile: true,
  });
  expect(await over(service, corpusId, docx.id)).toMatchObject({ status: "ready", format: "docx", chunks: 1 });
  expect(await over(service, corpusId, broken.id)).toMatchObject({
    status: "failed",
    failure: { code: "unsupported_format" },
  });
  const [file] = filesOf(service);
  expect(statSync(join(service.dataDir, "documents", file ?? "")).mode & 0o777).toBe(0o600);
  const again = await service.api<Item>("POST", `/corpora/${corpusId}/documents/${pdf.id}/reprocess`);
  expect(again.status).toBe(202);
  expect(await over(service, corpusId, pdf.id)).toMatchObject({ status: "ready", version: 2, pages: 2 });
});

test("a deleted document and a deleted corpus leave no word and no file", async () => {
  const corpusId = await createCorpus(service);
  const word = `canary${Date.now()}word`;
  const documents = await Promise.all(
    [0, 1, 2].map((n) => upload(service, corpusId, fileWith(`${word} ${n}`), `${word}-${n}.txt`)),
  );
  for (const { id } of documents) expect(await over(service, corpusId, id)).toMatchObject({ status: "ready" });
  expect(isSomewhere(word)).toBe(true);
  const [first] = documents;
  await service.api("DELETE", `/corpora/${corpusId}/documents/${first?.id}`);
  expect(filesOf(service).filter((name) => name.startsWith(first?.id ?? ""))).toEqual([]);
  await service.api("DELETE", `/corpora/${corpusId}`);
  expect((await service.api("GET", `/corpora/${corpusId}`)).status).toBe(404);
  await until("nothing to be left of the corpus", DONE_MS_MAX, async () => !isSomewhere(word));
  expect(filesOf(service).filter((name) => documents.some(({ id }) => name.startsWith(id)))).toEqual([]);
});

test("a document is fetched where that is allowed, over redirects that are, and its file is not kept", async () => {
  const url = await serve(({ url: path }, response) => {
    if (path === "/moved") response.writeHead(302, { location: "/page" }).end();
    else if (path === "/picture") response.writeHead(200, { "content-type": "image/png" }).end("x");
    else response.writeHead(200, { "content-type": "text/html" }).end("<html><h1>Pumps</h1><p>They last.");
  });
  const corpusId = await createCorpus(service);
  const refused = await service.api<Item>("POST", `/corpora/${corpusId}/documents`, { url: `${url}/page` });
  expect(await over(service, corpusId, refused.body.id)).toMatchObject({
    status: "failed",
    failure: { code: "document_unavailable", message: expect.stringContaining("public internet") },
  });
  const loopback = await Service.start({ env: { WEBHOOKS_ALLOW_LOOPBACK: "true", ENCRYPT_MEDIA: "true" } });
  const other = await createCorpus(loopback);
  const add = async (path: string) =>
    (await loopback.api<Item>("POST", `/corpora/${other}/documents`, { url: url + path })).body.id;
  expect(await over(loopback, other, await add("/moved"))).toMatchObject({ status: "ready", format: "html" });
  expect(await over(loopback, other, await add("/picture"))).toMatchObject({
    status: "failed",
    failure: { code: "document_unavailable" },
  });
  // With encrypted media no upload is kept either.
  const uploaded = await upload(loopback, other, PUMPS, "pumps.pdf");
  expect(await over(loopback, other, uploaded.id)).toMatchObject({ status: "ready" });
  await until("the file to be deleted", DONE_MS_MAX, async () => filesOf(loopback).length === 0);
});
