import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { z } from "zod";
import { isoTime } from "../../core/clock.ts";
import { asCallId } from "../../core/ids.ts";
import type { CorpusRetrieval, CorpusStore } from "../../store/corpora/corpus-store.ts";
import { found } from "../http/errors.ts";
import { cursorOf, idOf } from "../http/responses/cursor.ts";
import {
  LARGE_RESPONSE_ERRORS,
  type LargeResponsesDeps,
  largeResponseHooks,
} from "../http/responses/large-response-hooks.ts";
import { type CorpusRetrievalItem, CorpusRetrievalPage } from "./response-schemas.ts";
import { CorpusFilters, CorpusParams } from "./schemas.ts";

export interface CorpusRetrievalDeps extends LargeResponsesDeps {
  corpora: Pick<CorpusStore, "get" | "listRetrievals">;
}

const LIST = {
  operationId: "listCorpusRetrievals",
  scope: "read",
  tags: ["corpora"],
  summary: "List what was retrieved from a corpus",
  description:
    "The replies of agents, in calls that are over, for which the LLM was given passages of the corpus, the latest first. They go with the " +
    "transcripts of their calls. A page may be empty and not be the last one.",
  params: CorpusParams,
  querystring: CorpusFilters,
  response: { 200: CorpusRetrievalPage },
  errors: ["not_found", ...LARGE_RESPONSE_ERRORS],
} as const;

/** Registers the list of what was retrieved from a corpus in `scope`, which must require an API key. */
export function corpusRetrievalRoutes(scope: FastifyInstance, deps: CorpusRetrievalDeps): void {
  const { corpora } = deps;
  const app = scope.withTypeProvider<ZodTypeProvider>();
  const options = { schema: LIST, ...largeResponseHooks(deps.largeResponses) };
  app.get("/corpora/:id/retrievals", options, async ({ accountId, params: { id: corpusId }, query }) => {
    found(await corpora.get(accountId, corpusId), "corpus");
    const { limit, cursor } = query;
    const list = ["corpus-retrievals", accountId, corpusId];
    const before = cursor === undefined ? undefined : placeOf(idOf(cursor, list));
    const { retrievals, next } = await corpora.listRetrievals({ accountId, corpusId, before, limit });
    const nextCursor = next === undefined ? null : cursorOf(`${next.callId} ${next.position}`, list);
    return { data: retrievals.map(retrievalItemOf), nextCursor };
  });
}

function placeOf(text: string): Pick<CorpusRetrieval, "callId" | "position"> {
  const [callId = "", position] = text.split(" ");
  return { callId: asCallId(callId), position: Number(position) };
}

const retrievalItemOf = ({
  callId,
  position,
  atMs,
  question,
  retrieval: { tookMs, passages },
}: CorpusRetrieval): z.output<typeof CorpusRetrievalItem> => ({
  ...{ callId, turn: position, at: isoTime(atMs), question: question ?? null, tookMs },
  passages: passages.map((passage) => ({ ...passage })),
});
