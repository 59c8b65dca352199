import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { Prices } from "../../core/billing/prices.ts";
import type { TranscriptionResult } from "../../core/transcriptions/result.ts";
import type { Transcription, TranscriptionStore } from "../../store/transcription-store.ts";
import { ApiError, found, notFound } from "../http/errors.ts";
import { oneOf } from "../http/requests/fields.ts";
import {
  LARGE_RESPONSE_ERRORS,
  type LargeResponsesDeps,
  largeResponseHooks,
} from "../http/responses/large-response-hooks.ts";
import { acceptedFormat, type FormatResult, RESULT_FORMATS, TEXT_FORMATS } from "./formats.ts";
import { transcriptionItemOf } from "./item.ts";
import { TranscriptionItem, TranscriptionParams } from "./schemas/response-schemas.ts";

export interface TranscriptionReadDeps extends LargeResponsesDeps {
  transcriptions: Pick<TranscriptionStore, "get" | "result">;
  formatResult: FormatResult;
  prices: Prices | undefined;
}

const Accept = z.looseObject({
  accept: z
    .string()
    .optional()
    .meta({
      description: `Without \`format\`, the format of the answer: application/json, ${Object.values(TEXT_FORMATS).join(", ")}.`,
      examples: ["text/vtt"],
    }),
});

const textContent = Object.fromEntries(
  Object.values(TEXT_FORMATS).map((type) => [type, { schema: z.string() }]),
) as Record<string, { schema: z.ZodString }>;

const GET = {
  operationId: "getTranscription",
  scope: "read" as const,
  tags: ["transcriptions"],
  summary: "Read a transcription",
  description:
    "The state of a transcription, with its result once it is complete. As text or as subtitles it is the result alone: 409 before it is " +
    "complete, and where it has failed. Subtitles have at most 42 characters a line (16 in Chinese, Japanese and Korean) and two lines.",
  params: TranscriptionParams,
  headers: Accept,
  querystring: z.strictObject({
    format: oneOf(RESULT_FORMATS)
      .optional()
      .meta({ description: "The format of the answer, whatever the header Accept says." }),
  }),
  errors: ["not_found", "not_acceptable", "conflict", ...LARGE_RESPONSE_ERRORS] as const,
  response: {
    200: {
      description: "The transcription.",
      content: { "application/json": { schema: TranscriptionItem }, ...textContent },
    },
  },
};

/** Registers `GET /transcriptions/{id}` in `scope`, which must require an API key. */
export function transcriptionReadRoutes(scope: FastifyInstance, deps: TranscriptionReadDeps): void {
  const { transcriptions, largeResponses, formatResult, prices } = deps;
  const app = scope.withTypeProvider<ZodTypeProvider>();

  app.get("/transcriptions/:id", { schema: GET, ...largeResponseHooks(largeResponses) }, async (request, reply) => {
    const { accountId, params, query, headers } = request;
    const format = query.format ?? acceptedFormat(headers.accept);
    if (format === undefined) throw notAcceptable();
    const transcription = found(await transcriptions.get(accountId, params.id), "transcription");
    const result = await transcriptions.result(accountId, params.id);
    if (format !== "json") {
      const text = await formatResult(existing(transcription, result), format);
      return reply.type(`${TEXT_FORMATS[format]}; charset=utf-8`).send(text as never);
    }
    // A result has up to several MB, which the schema would check word by word.
    return reply
      .type("application/json; charset=utf-8")
      .serializer(JSON.stringify)
      .send({ ...transcriptionItemOf(transcription, prices), result: result ?? null } as never);
  });
}

function existing(transcription: Transcription, result: TranscriptionResult | undefined): TranscriptionResult {
  if (result !== undefined) return result;
  if (transcription.status === "completed") throw notFound("result: it was deleted when its retention ended");
  throw new ApiError("conflict", `the transcription is ${transcription.status}, so it has no result`);
}

const notAcceptable = (): ApiError =>
  new ApiError(
    "not_acceptable",
    `the header Accept must allow application/json, ${Object.values(TEXT_FORMATS).join(", ")}, or the query must name a format`,
  );
