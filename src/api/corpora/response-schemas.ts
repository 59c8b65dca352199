import { z } from "zod";
import {
  CORPUS_MODES,
  DOCUMENT_FAILURE_CODES,
  DOCUMENT_FAILURE_MEANINGS,
  DOCUMENT_FORMATS,
  DOCUMENT_SOURCES,
  DOCUMENT_STATUSES,
  type DocumentFailureCode,
} from "../../core/knowledge/documents.ts";
import { callId, PassageReference, time } from "../calls/schemas/response-schemas.ts";
import { pageSchema } from "../http/responses/pages.ts";
import { CORPUS, DOCUMENTS, RETRIEVAL } from "./examples.ts";
import { corpusId, documentId } from "./schemas.ts";

const count = z.int();

export const CorpusItem = z
  .object({
    id: corpusId,
    name: z.string(),
    description: z.string(),
    languageId: z.string().meta({ description: "A BCP 47 language tag." }),
    mode: z.enum(CORPUS_MODES),
    metadata: z.record(z.string(), z.unknown()),
    documents: z
      .object({ processing: count, ready: count, failed: count })
      .meta({ description: "How many documents are in each state." }),
    chunks: count.meta({ description: "The passages of all documents that are ready." }),
    characters: count.meta({ description: "Of these passages. An English word has about six, a token about four." }),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: "Corpus", description: "Documents that agents answer from.", examples: [CORPUS] });

export const CorpusPage = pageSchema(CorpusItem, "A page of corpora, newest first.");

const failureCodes = DOCUMENT_FAILURE_CODES.map((code) => `\`${code}\`: ${DOCUMENT_FAILURE_MEANINGS[code]}`).join(". ");

export const DocumentItem = z
  .object({
    id: documentId,
    corpusId,
    name: z.string(),
    source: z.enum(DOCUMENT_SOURCES).meta({ description: "Where its content comes from." }),
    url: z.string().nullable().meta({ description: "Where it is fetched whenever it is processed." }),
    fileName: z.string().nullable().meta({ description: "Of the uploaded file, as the client gave it." }),
    metadata: z.record(z.string(), z.unknown()),
    status: z.enum(DOCUMENT_STATUSES).meta({
      description:
        "`processing`: it waits or is read. `ready`: its text can be found. `failed`: `failure` says why; its text cannot be found.",
    }),
    failure: z
      .object({
        code: z
          .enum(DOCUMENT_FAILURE_CODES as [DocumentFailureCode, ...DocumentFailureCode[]])
          .meta({ description: `${failureCodes}.` }),
        message: z.string(),
      })
      .nullable()
      .meta({ description: "Why it has failed." }),
    version: count.meta({ description: "From 1; grows whenever it is processed again." }),
    isFound: z.boolean().meta({
      description:
        "Whether its text can be found. While it is processed again, that is the text of the version before.",
    }),
    hasFile: z.boolean().meta({
      description: "Whether its file is kept, so that it can be processed again. An address is fetched again.",
    }),
    format: z
      .enum(DOCUMENT_FORMATS)
      .nullable()
      .meta({ description: "What it is by its content, once it was read; so for the following numbers." }),
    bytes: count.nullable().meta({ description: "Of its file." }),
    pages: count.nullable().meta({ description: "Only of PDF." }),
    chunks: count.nullable().meta({ description: "Its passages." }),
    characters: count.nullable().meta({ description: "Of its passages." }),
    createdAt: time,
    updatedAt: time,
    processedAt: time.nullable().meta({ description: "When its processing ended last." }),
  })
  .meta({ id: "Document", description: "A document of a corpus. Unknown values are null.", examples: DOCUMENTS });

export const DocumentPage = pageSchema(DocumentItem, "A page of documents, newest first.");

export const CorpusRetrievalItem = z
  .object({
    callId,
    turn: count.meta({ description: "The place of the reply in the transcript of the call, from 0." }),
    at: time.meta({ description: "When the reply began." }),
    question: z.string().nullable().meta({
      description: "What the caller said before it. Null where nothing was said, and with `transcriptEnabled: false`.",
    }),
    tookMs: z.number().meta({ description: "How long it took to find the passages of all corpora, in milliseconds." }),
    passages: z.array(PassageReference).meta({ description: "Those of this corpus, the best first." }),
  })
  .meta({
    id: "CorpusRetrieval",
    description: "A reply for which the LLM was given passages of a corpus.",
    examples: [RETRIEVAL],
  });

export const CorpusRetrievalPage = pageSchema(CorpusRetrievalItem, "A page of what was retrieved, the latest first.");
