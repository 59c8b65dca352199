import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { AccountId, CallId } from "../../core/ids.ts";
import { TRANSCRIPT_PAGE_MAX } from "../../core/limits/control-api/api.ts";
import type { CallRecord, CallStore } from "../../store/calls/call-store.ts";
import { notFound, REFUSAL_CODES } from "../http/errors.ts";
import { IdempotencyHeaders } from "../http/requests/idempotency.ts";
import { NoQuery, pageParameters } from "../http/requests/query.ts";
import { cursorOf } from "../http/responses/cursor.ts";
import {
  LARGE_RESPONSE_ERRORS,
  type LargeResponsesDeps,
  largeResponseHooks,
} from "../http/responses/large-response-hooks.ts";
import { offsetOf, pageOf } from "../http/responses/pages.ts";
import { type CallCreationDeps, CREATE_CALL_OPTIONS, createCall, problemsOfRequest, refuseEarly } from "./create.ts";
import { type HeldSince, itemOf, turnItemsOf } from "./item.ts";
import { NewCallBody } from "./schemas/request-schemas.ts";
import { CallItem, CallParams, CreatedCall, Transcript, type Turn } from "./schemas/response-schemas.ts";
import { type CallSpecDeps, callSpecOf, offerTo } from "./spec.ts";

export interface CallRoutesDeps extends CallCreationDeps, CallSpecDeps, LargeResponsesDeps {
  calls: Pick<CallStore, "create" | "get" | "transcript">;
  heldSince: HeldSince;
}

const CREATE = {
  operationId: "createCall",
  scope: "calls" as const,
  tags: ["calls"],
  summary: "Create a call",
  description:
    "Creates a call and returns the single-use, short-lived address of its media stream. The call starts when a client connects there.",
  headers: IdempotencyHeaders,
  querystring: NoQuery,
  body: NewCallBody,
  errors: [
    "unknown_voice",
    "unknown_language",
    "idempotency_mismatch",
    "rate_limited",
    "spend_limit",
    ...REFUSAL_CODES,
  ] as const,
  mayBeUnsupported: true,
  response: { 201: CreatedCall },
  responseHeaders: { 201: ["Idempotent-Replayed"] } as const,
};

const GET = {
  operationId: "getCall",
  scope: "read" as const,
  tags: ["calls"],
  summary: "Read a call",
  description: "The current state of the call and its configuration, without prompt and greeting.",
  params: CallParams,
  querystring: NoQuery,
  errors: ["not_found"] as const,
  response: { 200: CallItem },
};

/** About five of the longest turns fill a page. */
const TURNS_PER_READ = 25;

const TRANSCRIPT = {
  operationId: "getTranscript",
  scope: "read" as const,
  tags: ["calls"],
  summary: "A call's transcript",
  description:
    "The transcript turn by turn; empty until the call has ended, 404 once retention has deleted it. One page holds all but very long transcripts; see `nextCursor`.",
  params: CallParams,
  querystring: z.strictObject(pageParameters(TRANSCRIPT_PAGE_MAX, TRANSCRIPT_PAGE_MAX)),
  errors: ["not_found", ...LARGE_RESPONSE_ERRORS] as const,
  response: { 200: Transcript },
};

/** Registers `POST /calls` and the routes of a call's state in `scope`, which must require an API key. */
export function callRoutes(scope: FastifyInstance, deps: CallRoutesDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();

  app.post("/calls", { ...CREATE_CALL_OPTIONS, schema: CREATE }, async (request, reply) => {
    const problems = problemsOfRequest(request);
    refuseEarly(deps, request, problems);
    const spec = await callSpecOf(request.body, problems, request.accountId, offerTo(deps, request.account));
    return createCall(deps, request, reply, spec);
  });

  const get = async (accountId: AccountId, callId: CallId): Promise<CallRecord> => {
    const call = await deps.calls.get(accountId, callId);
    if (call === undefined) throw notFound("call");
    return call;
  };

  app.get("/calls/:id", { schema: GET }, async ({ accountId, params }) =>
    itemOf(await get(accountId, params.id), deps.heldSince(params.id)),
  );

  app.get(
    "/calls/:id/transcript",
    { schema: TRANSCRIPT, ...largeResponseHooks(deps.largeResponses) },
    async (request) => {
      const { accountId, query } = request;
      const call = await get(accountId, request.params.id);
      if (call.transcriptDeletedAtMs !== undefined) {
        throw notFound("transcript: it was deleted when its retention ended");
      }
      const list = ["transcript", accountId, call.id];
      const from = query.cursor === undefined ? 0 : offsetOf(query.cursor, list);
      const { items: data, more } = await pageOf<z.output<typeof Turn>>(
        query.limit,
        TURNS_PER_READ,
        async (before, count) => {
          const range = { from: from + before.length, limit: count + 1 };
          const turns = (await deps.calls.transcript(accountId, call.id, range)) ?? [];
          return { items: turnItemsOf(call, turns).slice(0, count), more: turns.length > count };
        },
      );
      return { data, nextCursor: more ? cursorOf(String(from + data.length), list) : null };
    },
  );
}
