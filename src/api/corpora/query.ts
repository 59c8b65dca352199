import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { Passage, Retriever } from "../../core/knowledge/passages.ts";
import { LARGE_RESPONSE_WAIT_MS_MAX } from "../../core/limits/control-api/api.ts";
import {
  CORPUS_QUERIES_MAX,
  CORPUS_QUERIES_PER_ACCOUNT_MAX,
  PASSAGES_DEFAULT,
  PASSAGES_MAX,
  QUESTION_CHARS_MAX,
} from "../../core/limits/knowledge/retrieval.ts";
import type { CorpusStore } from "../../store/corpora/corpus-store.ts";
import { found } from "../http/errors.ts";
import { textNotBlank, wholeNumber } from "../http/requests/fields.ts";
import { NoQuery } from "../http/requests/query.ts";
import { LARGE_RESPONSE_ERRORS, largeResponseHooks } from "../http/responses/large-response-hooks.ts";
import type { LargeResponses } from "../http/responses/large-responses.ts";
import { CorpusParams, corpusId, documentId, isLanguageTag } from "./schemas.ts";

export interface CorpusQueryDeps {
  corpora: Pick<CorpusStore, "get">;
  retriever: Retriever;
  /** Bounds the questions that have no answer yet. */
  corpusQueries: LargeResponses;
}

const textRule = { error: `must be a string of at most ${QUESTION_CHARS_MAX} characters` };
const languageRule = { error: 'must be a BCP 47 language tag such as "en" or "de-CH"' };

const QueryBody = z
  .strictObject(
    {
      text: textNotBlank.max(QUESTION_CHARS_MAX, textRule).meta({
        description: "A question, as it is spoken or typed.",
        examples: ["how long is the guarantee on tyres"],
      }),
      passagesMax: wholeNumber(1, PASSAGES_MAX)
        .default(PASSAGES_DEFAULT)
        .meta({ description: "How many passages are given at most." }),
      languageId: z
        .string(languageRule)
        .refine(isLanguageTag, languageRule)
        .optional()
        .meta({
          description: "The language of the question, as a BCP 47 tag; by default that of the corpus.",
          examples: ["en"],
        }),
    },
    { error: "must be a JSON object" },
  )
  .meta({
    id: "CorpusQuery",
    description: "A question to a corpus.",
    examples: [{ text: "how long is the guarantee on tyres", passagesMax: 3 }],
  });

const PassageItem = z
  .object({
    documentId,
    documentName: z.string(),
    ordinal: z.int().meta({ description: "The place of the passage in its document, from 0." }),
    headings: z.array(z.string()).meta({ description: "The headings above it, the outermost first." }),
    page: z.int().nullable().meta({ description: "From 1; null where the document has no pages." }),
    text: z.string(),
    score: z.number().meta({ description: "More is better; comparable only within one answer." }),
  })
  .meta({ id: "Passage", description: "A part of a document." });

const CorpusAnswer = z
  .object({
    corpusId,
    passages: z.array(PassageItem).meta({ description: "The best first." }),
    tookMs: z.number().meta({ description: "How long the index took, ms." }),
  })
  .meta({
    id: "CorpusAnswer",
    description: "The passages of a corpus that fit a question.",
    examples: [
      {
        corpusId: "cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
        passages: [
          {
            documentId: "doc_019aa5c9-1a00-7b3e-9c41-3b8f6a2d7e11",
            documentName: "catalogue.pdf",
            ordinal: 7,
            headings: ["Tyres", "Guarantee"],
            page: 12,
            text: "All tyres have a guarantee of three years.",
            score: 11.4,
          },
        ],
        tookMs: 4.2,
      },
    ],
  });

const QUERY = {
  operationId: "queryCorpus",
  scope: "read",
  tags: ["corpora"],
  summary: "Ask a corpus",
  description:
    "The passages of a corpus that fit a question: those that an agent would get. A document is found within seconds after it is " +
    `\`ready\`. 503 where the index does not have the corpus yet, or too many questions wait. An account may have ${CORPUS_QUERIES_PER_ACCOUNT_MAX} ` +
    `questions under way, and all accounts ${CORPUS_QUERIES_MAX}; further ones wait for up to ${LARGE_RESPONSE_WAIT_MS_MAX / 1_000} s, then they get 429 or 503.`,
  params: CorpusParams,
  querystring: NoQuery,
  body: QueryBody,
  response: { 200: CorpusAnswer },
  errors: ["not_found", "unavailable", ...LARGE_RESPONSE_ERRORS],
} as const;

/** Registers `POST /corpora/{id}/query` in `scope`, which must require an API key. */
export function corpusQueryRoutes(
  scope: FastifyInstance,
  { corpora, retriever, corpusQueries }: CorpusQueryDeps,
): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  const bounded = largeResponseHooks(corpusQueries);
  app.post("/corpora/:id/query", { schema: QUERY, ...bounded }, async ({ accountId, params, body }) => {
    const corpus = found(await corpora.get(accountId, params.id), "corpus");
    const { text, passagesMax, languageId = corpus.languageId } = body;
    // It has a deadline of its own, shorter than any client would wait.
    const life = new AbortController().signal;
    const { passages, tookMs } = await retriever.query({ corpora: [corpus.id], text, languageId, passagesMax }, life);
    return { corpusId: corpus.id, passages: passages.map(passageItemOf), tookMs };
  });
}

const passageItemOf = ({ corpusId: _, page, headings, ...passage }: Passage) => ({
  ...passage,
  headings: [...headings],
  page: page ?? null,
});
