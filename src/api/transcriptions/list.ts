import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { Prices } from "../../core/billing/prices.ts";
import { epochMs } from "../../core/clocks.ts";
import { asTranscriptionId, type CallId, type TranscriptionId } from "../../core/ids.ts";
import { TRANSCRIPTION_SOURCES, TRANSCRIPTION_STATUSES } from "../../core/transcriptions/options.ts";
import type { TranscriptionStore } from "../../store/transcription-store.ts";
import { timeParameter } from "../calls/list.ts";
import { oneOf } from "../http/requests/fields.ts";
import { parameter } from "../http/requests/query.ts";
import { cursorOf, idOf, pageFields } from "../http/responses/cursor.ts";
import {
  LARGE_RESPONSE_ERRORS,
  type LargeResponsesDeps,
  largeResponseHooks,
} from "../http/responses/large-response-hooks.ts";
import { pageOf } from "../http/responses/pages.ts";
import { transcriptionItemOf } from "./item.ts";
import { TranscriptionPage, type TranscriptionSummary } from "./schemas/response-schemas.ts";

export interface TranscriptionListDeps extends LargeResponsesDeps {
  transcriptions: Pick<TranscriptionStore, "list">;
  prices: Prices | undefined;
}

const Filters = z.strictObject({
  ...pageFields,
  status: oneOf(TRANSCRIPTION_STATUSES).optional().meta({ description: "Transcriptions in this state." }),
  source: oneOf(TRANSCRIPTION_SOURCES).optional().meta({ description: "Transcriptions with audio from there." }),
  callId: (parameter as unknown as z.ZodType<CallId, string>)
    .optional()
    .meta({ description: "Transcriptions of the recording of this call." }),
  createdAfter: timeParameter.optional().meta({
    description: "Transcriptions that were created at this time or later.",
    examples: ["2026-11-21T08:00:00.000Z"],
  }),
  createdBefore: timeParameter.optional().meta({
    description: "Transcriptions that were created before this time.",
    examples: ["2026-11-22T08:00:00.000Z"],
  }),
});

/** About a dozen with the longest vocabulary and metadata fill a page. */
const TRANSCRIPTIONS_PER_READ = 25;

const LIST = {
  operationId: "listTranscriptions",
  scope: "read" as const,
  tags: ["transcriptions"],
  summary: "List transcriptions",
  description:
    "The account's transcriptions without their results, newest first. A transcription must match all filters.",
  querystring: Filters,
  errors: LARGE_RESPONSE_ERRORS,
  response: { 200: TranscriptionPage },
};

/** Registers `GET /transcriptions` in `scope`, which must require an API key. */
export function transcriptionListRoutes(scope: FastifyInstance, deps: TranscriptionListDeps): void {
  const { transcriptions, largeResponses, prices } = deps;
  const app = scope.withTypeProvider<ZodTypeProvider>();

  app.get("/transcriptions", { schema: LIST, ...largeResponseHooks(largeResponses) }, async (request) => {
    const { accountId } = request;
    const { limit, cursor, createdAfter, createdBefore, ...same } = request.query;
    const filters = {
      ...same,
      createdAfterMs: createdAfter === undefined ? undefined : epochMs(Date.parse(createdAfter)),
      createdBeforeMs: createdBefore === undefined ? undefined : epochMs(Date.parse(createdBefore)),
    };
    const list = ["transcriptions", accountId, filters];
    let before: TranscriptionId | undefined = cursor === undefined ? undefined : asTranscriptionId(idOf(cursor, list));
    const { items: data, more } = await pageOf<z.output<typeof TranscriptionSummary>>(
      limit,
      TRANSCRIPTIONS_PER_READ,
      async (_, count) => {
        const found = await transcriptions.list({ accountId, ...filters, before, limit: count });
        before = found.transcriptions.at(-1)?.id;
        return { items: found.transcriptions.map((one) => transcriptionItemOf(one, prices)), more: found.more };
      },
    );
    const last = more ? data.at(-1) : undefined;
    return { data, nextCursor: last === undefined ? null : cursorOf(last.id, list) };
  });
}
