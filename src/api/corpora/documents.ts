import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { asDocumentId, type DocumentId } from "../../core/ids.ts";
import type { CorpusStore } from "../../store/corpora/corpus-store.ts";
import type { DocumentStore } from "../../store/corpora/document-store.ts";
import { CREATE_CALL_OPTIONS } from "../calls/create.ts";
import { actOf } from "../http/access/auth.ts";
import { ApiError, found, REFUSAL_CODES } from "../http/errors.ts";
import { IdempotencyHeaders } from "../http/requests/idempotency.ts";
import { NoQuery } from "../http/requests/query.ts";
import { cursorOf, idOf } from "../http/responses/cursor.ts";
import {
  LARGE_RESPONSE_ERRORS,
  type LargeResponsesDeps,
  largeResponseHooks,
} from "../http/responses/large-response-hooks.ts";
import { pageOf } from "../http/responses/pages.ts";
import { acceptForms } from "../uploads/with-upload.ts";
import { documentItemOf } from "./items.ts";
import { DocumentItem, DocumentPage } from "./response-schemas.ts";
import { addDocument, changedMeanwhile, type DocumentSavingDeps, replaceDocument } from "./save-document.ts";
import { CorpusParams, DOCUMENT_FORM, DocumentBody, DocumentFilters, DocumentParams } from "./schemas.ts";

export interface DocumentRoutesDeps extends DocumentSavingDeps, LargeResponsesDeps {
  corpora: CorpusStore;
  documents: DocumentStore;
}

const tags = ["corpora"];
/** About a dozen with the longest metadata fill a page. */
const DOCUMENTS_PER_READ = 25;

const REFUSED = REFUSAL_CODES.filter((code) => code !== "overloaded");

const ADD = {
  operationId: "addDocument",
  scope: "write" as const,
  tags,
  summary: "Add a document",
  description:
    "Adds an uploaded file (multipart/form-data), a document at a URL, or a text to a corpus. The answer comes at once; `getDocument` shows " +
    "what becomes of it, and webhooks report it as `document.ready` or `document.failed`. For an Idempotency-Key, an upload is the same request " +
    "where its fields and the bytes of its file are the same.",
  params: CorpusParams,
  headers: IdempotencyHeaders,
  querystring: NoQuery,
  body: DocumentBody,
  multipart: DOCUMENT_FORM,
  errors: [
    "not_found",
    "conflict",
    "idempotency_mismatch",
    "rate_limited",
    "unavailable",
    "overloaded",
    ...REFUSED,
  ] as const,
  response: { 202: DocumentItem.meta({ description: "The document is being processed." }) },
  responseHeaders: { 202: ["Location", "Idempotent-Replayed"] } as const,
};

const REPLACE = {
  operationId: "replaceDocument",
  scope: "write" as const,
  tags,
  summary: "Replace a document",
  description:
    "Gives a document other content, as `addDocument` does, and has it processed. The text before can be found until the new one is ready. " +
    "Without `name` or `metadata` those stay. 409 where another request changes the document at the same time.",
  params: DocumentParams,
  querystring: NoQuery,
  body: DocumentBody,
  multipart: DOCUMENT_FORM,
  errors: ["not_found", "conflict", "rate_limited", "unavailable", "overloaded", ...REFUSED] as const,
  response: { 202: DocumentItem.meta({ description: "The document is being processed." }) },
};

const LIST = {
  operationId: "listDocuments",
  scope: "read",
  tags,
  summary: "List documents",
  description: "The documents of a corpus, newest first. A document must match all filters.",
  params: CorpusParams,
  querystring: DocumentFilters,
  response: { 200: DocumentPage },
  errors: ["not_found", ...LARGE_RESPONSE_ERRORS],
} as const;

const READ = {
  operationId: "getDocument",
  scope: "read",
  tags,
  summary: "Read a document",
  description: "The state of a document, and what was found out about it.",
  params: DocumentParams,
  querystring: NoQuery,
  response: { 200: DocumentItem },
  errors: ["not_found"],
} as const;

const REPROCESS = {
  operationId: "reprocessDocument",
  scope: "write",
  tags,
  summary: "Process a document again",
  description:
    "Reads the document again, which is fetched again where it has an address. Its text can be found meanwhile. 409 where it is being " +
    "processed, and where its file was not kept.",
  params: DocumentParams,
  querystring: NoQuery,
  body: z.strictObject({}, { error: "must be a JSON object without fields, or be left out" }).nullish(),
  response: { 202: DocumentItem.meta({ description: "The document is being processed." }) },
  errors: ["not_found", "conflict", "unavailable"],
} as const;

const DELETE = {
  operationId: "deleteDocument",
  scope: "write",
  tags,
  summary: "Delete a document",
  description:
    "Deletes the document permanently, in any state: from now on nothing of it can be read or found, and shortly after nothing of it is stored.",
  params: DocumentParams,
  querystring: NoQuery,
  response: { 204: z.undefined().meta({ description: "The document was deleted." }) },
  errors: ["not_found", "unavailable"],
} as const;

/** Registers the routes of the documents of corpora in `scope`, which must require an API key. */
export function documentRoutes(scope: FastifyInstance, deps: DocumentRoutesDeps): void {
  void scope.register(async (uploads) => {
    acceptForms(uploads);
    const app = uploads.withTypeProvider<ZodTypeProvider>();
    app.post("/corpora/:id/documents", { ...CREATE_CALL_OPTIONS, schema: ADD }, async (request, reply) => {
      const { document, isNew } = await addDocument(deps, request, request.params.id);
      if (!isNew) reply.header("idempotent-replayed", "true");
      reply.code(202);
      reply.header("location", `${scope.prefix}/corpora/${document.corpusId}/documents/${document.id}`);
      return documentItemOf(document);
    });
    app.put(
      "/corpora/:id/documents/:documentId",
      { ...CREATE_CALL_OPTIONS, schema: REPLACE },
      async (request, reply) => {
        const document = await replaceDocument(deps, request, request.params);
        reply.code(202);
        return documentItemOf(document);
      },
    );
  });
  documentListRoute(scope, deps);
  existingDocumentRoutes(scope, deps);
}

function documentListRoute(scope: FastifyInstance, { corpora, documents, largeResponses }: DocumentRoutesDeps): void {
  const options = { schema: LIST, ...largeResponseHooks(largeResponses) };
  scope.withTypeProvider<ZodTypeProvider>().get("/corpora/:id/documents", options, async (request) => {
    const { accountId, params } = request;
    const { limit, cursor, ...filters } = request.query;
    const { id: corpusId } = found(await corpora.get(accountId, params.id), "corpus");
    const list = ["documents", corpusId, filters];
    let before: DocumentId | undefined = cursor === undefined ? undefined : asDocumentId(idOf(cursor, list));
    const { items: data, more } = await pageOf<z.output<typeof DocumentItem>>(
      limit,
      DOCUMENTS_PER_READ,
      async (_, count) => {
        const page = await documents.list({ accountId, corpusId, ...filters, before, limit: count });
        before = page.documents.at(-1)?.id;
        return { items: page.documents.map(documentItemOf), more: page.more };
      },
    );
    const last = more ? data.at(-1) : undefined;
    return { data, nextCursor: last === undefined ? null : cursorOf(last.id, list) };
  });
}

function existingDocumentRoutes(scope: FastifyInstance, { documents, documentFiles, log }: DocumentRoutesDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  const path = "/corpora/:id/documents/:documentId";

  app.get(path, { schema: READ }, async ({ accountId, params: { id, documentId } }) =>
    documentItemOf(found(await documents.get(accountId, id, documentId), "document")),
  );

  app.post(`${path}/reprocess`, { schema: REPROCESS }, async (request, reply) => {
    const { accountId, params } = request;
    const document = found(await documents.get(accountId, params.id, params.documentId), "document");
    if (document.status === "processing") throw new ApiError("conflict", "the document is being processed");
    if (document.url === undefined && document.fileVersion === undefined)
      throw new ApiError("conflict", "the file of the document was not kept: replace it with PUT");
    const processed = await documents.process(document, undefined, actOf(request));
    if (processed === undefined) throw changedMeanwhile();
    reply.code(202);
    return documentItemOf(processed);
  });

  app.delete(path, { schema: DELETE }, async (request, reply) => {
    const { accountId, params, id: requestId } = request;
    const {
      id: documentId,
      corpusId,
      fileVersion,
    } = found(await documents.get(accountId, params.id, params.documentId), "document");
    await documents.remove(accountId, corpusId, documentId, actOf(request));
    // A job does so, too: it also deletes the text.
    if (fileVersion !== undefined) await documentFiles.remove(documentId, fileVersion);
    log.info({ documentId, accountId, corpusId, requestId }, "document deleted");
    return reply.code(204).send();
  });
}
