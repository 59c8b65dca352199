import type { FastifyRequest } from "fastify";
import { systemErrorCodeOf } from "../../core/errors.ts";
import type { CorpusId, DocumentId } from "../../core/ids.ts";
import { DOCUMENTS_PER_CORPUS_MAX } from "../../core/limits/knowledge/corpora.ts";
import type { Logger } from "../../core/log/logger.ts";
import { newId } from "../../core/new-id.ts";
import type { CorpusStore } from "../../store/corpora/corpus-store.ts";
import type { Document, DocumentStore, NewDocument } from "../../store/corpora/document-store.ts";
import type { DocumentFiles } from "../../store/data-dir/document-files.ts";
import { idempotencyMismatch } from "../calls/create.ts";
import { actOf } from "../http/access/auth.ts";
import { ApiError, found, notFound, REFUSALS } from "../http/errors.ts";
import type { CallAcceptance } from "../http/health.ts";
import { IdempotencySealer } from "../http/requests/idempotency.ts";
import { isForm, type UploadDeps, withUpload } from "../uploads/with-upload.ts";
import { checkedFields, contentInBody, contentOfUpload, type GivenContent, nameOfUrl } from "./content.ts";

export interface DocumentSavingDeps extends UploadDeps {
  corpora: Pick<CorpusStore, "get">;
  documents: Pick<DocumentStore, "create" | "createOnce" | "get" | "process">;
  documentFiles: Pick<DocumentFiles, "create" | "share" | "release" | "remove" | "removeHere">;
  /** The most bytes of a document. */
  documentBytesMax: number;
  callAcceptance: () => CallAcceptance;
  log: Logger;
}

/** What a request has saved. */
interface Saved {
  document: Document;
  isNew: boolean;
}

/** Content that has come, and with what it is compared to that of another request with the same key. */
type Save = (content: GivenContent, asked: unknown) => Promise<Saved>;

/** Throws the ApiError with which documents are refused at present: as new calls are, but for the slots of calls. */
function refuseDocuments({ callAcceptance }: DocumentSavingDeps): void {
  const state = callAcceptance();
  if (state.accepted || state.reason === "overloaded") return;
  throw new ApiError(state.reason, `documents are not accepted: ${REFUSALS[state.reason]}`);
}

/** Adds the document of a request to a corpus, or finds the one that the same request added before. */
export async function addDocument(
  deps: DocumentSavingDeps,
  request: FastifyRequest,
  corpusId: CorpusId,
): Promise<Saved> {
  refuseDocuments(deps);
  const { accountId } = request;
  const id = newId("doc");
  if (isForm(request)) found(await deps.corpora.get(accountId, corpusId), "corpus");
  return await receive(deps, request, { id, version: 1, isNew: true }, async (content, asked) => {
    const { source, url, fileName, metadata = {} } = content;
    const document: NewDocument = {
      ...{ id, accountId, corpusId, source, metadata },
      name: content.name ?? fileName ?? nameOfUrl(url ?? ""),
      ...(url !== undefined && { url }),
      ...(fileName !== undefined && { fileName }),
    };
    return await create(deps, request, document, [corpusId, asked]);
  });
}

/** Replaces the content of a document by that of a request. */
export async function replaceDocument(
  deps: DocumentSavingDeps,
  request: FastifyRequest,
  { id: corpusId, documentId }: { id: CorpusId; documentId: DocumentId },
): Promise<Document> {
  refuseDocuments(deps);
  const before = found(await deps.documents.get(request.accountId, corpusId, documentId), "document");
  const target = { id: before.id, version: before.version + 1, isNew: false };
  const { document } = await receive(deps, request, target, async (content) => {
    const { source, url, fileName, name = before.name, metadata = before.metadata } = content;
    const replacement = { source, url, fileName, name, metadata };
    const replaced = await deps.documents.process(before, replacement, actOf(request));
    if (replaced === undefined) throw changedMeanwhile();
    return { document: replaced, isNew: true };
  });
  // The next start removes it where this fails.
  if (before.fileVersion !== undefined) await deps.documentFiles.remove(before.id, before.fileVersion);
  return document;
}

/** Receives the content of a request: a file and inline text as the file of this version of the document. */
async function receive(
  deps: DocumentSavingDeps,
  request: FastifyRequest,
  { id, version, isNew }: { id: DocumentId; version: number; isNew: boolean },
  save: Save,
): Promise<Saved> {
  const { documentFiles, documentBytesMax: bytesMax } = deps;
  const create = () => documentFiles.create(id, version).catch(whereItExists);
  let isOfAnother = false;
  const remove = () => (isOfAnother ? documentFiles.removeHere(id, version) : documentFiles.remove(id, version));
  /** Before any node can learn of the version. */
  const saveShared: Save = async (content, asked) => {
    isOfAnother = !(await documentFiles.share(id, version));
    if (isOfAnother) throw changedMeanwhile();
    await documentFiles.release(id, version);
    return await save(content, asked);
  };
  if (isForm(request)) {
    return await withUpload(deps, request, {
      create,
      remove,
      bytesMax,
      bytesMaxName: "DOCUMENT_BYTES_MAX",
      onFile: (fields) => void checkedFields(request, fields),
      use: (upload) => saveShared(contentOfUpload(request, upload), [upload.fields, upload.fileName, upload.sha256]),
    });
  }
  const { content, text } = contentInBody(request, isNew);
  const asked = request.sentBody ?? {};
  if (text === undefined) return await save(content, asked);
  const file = await create();
  let isKept = false;
  try {
    await file.writeFile(text);
    await file.sync();
    const saved = await saveShared(content, asked);
    isKept = saved.isNew;
    return saved;
  } finally {
    await file.close();
    if (!isKept) await remove();
  }
}

/** Stores a document, once for all requests with the same Idempotency-Key that ask for the same. */
async function create(
  { documents, log }: DocumentSavingDeps,
  request: FastifyRequest,
  document: NewDocument,
  asked: unknown,
): Promise<Saved> {
  const { headers, credential, id: requestId } = request;
  const name = headers["idempotency-key"];
  const isOnce = typeof name === "string" && credential !== "";
  const creation = isOnce
    ? await documents.createOnce(
        document,
        new IdempotencySealer({ name, credential, asked: ["documents", asked] }).seal(""),
        actOf(request),
      )
    : await documents.create(document, actOf(request));
  switch (creation.kind) {
    case "mismatch":
      throw idempotencyMismatch();
    case "unknown":
      throw notFound("corpus");
    case "full":
      throw new ApiError("conflict", `the corpus has reached its limit of ${DOCUMENTS_PER_CORPUS_MAX} documents`);
    case "created": {
      const { id: documentId, accountId, corpusId, source } = creation.document;
      log.info({ documentId, accountId, corpusId, requestId, source }, "document added");
      return { document: creation.document, isNew: true };
    }
    case "replayed":
      return { document: creation.document, isNew: false };
  }
}

export const changedMeanwhile = (): ApiError =>
  new ApiError("conflict", "the document was changed by another request at the same time");

/** Another request is replacing the same version of the document. */
function whereItExists(error: unknown): never {
  throw systemErrorCodeOf(error) === "EEXIST" ? changedMeanwhile() : error;
}
