import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { CallRecord, CallStore } from "../store/call-store.ts";
import { type CallCreationDeps, CREATION, createCall, problemsOfRequest } from "./call-creation.ts";
import { itemOf } from "./call-item.ts";
import { CallId, CallItem, CreatedCall, NewCallBody, Transcript } from "./call-schemas.ts";
import { notFound, REFUSAL_CODES } from "./errors.ts";
import { IdempotencyHeaders } from "./idempotency.ts";
import { type Offer, specOf } from "./new-call.ts";
import { NoQuery } from "./query.ts";

export interface CallRoutesDeps extends CallCreationDeps, Offer {
  calls: Pick<CallStore, "create" | "get" | "transcript">;
}

const CREATE = {
  operationId: "createCall",
  tags: ["calls"],
  summary: "Create a call",
  description:
    "Prepares a call and gives the address of its media stream, which is good once and for a short time. Whoever comes there " +
    "begins the call.",
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
  asksForUnbuilt: true,
  response: { 201: CreatedCall },
  answerHeaders: { 201: ["Idempotent-Replayed"] } as const,
};

const GET = {
  operationId: "getCall",
  tags: ["calls"],
  summary: "Read a call",
  description: "The call as it is now, with what it was created with but for its prompt and greeting.",
  params: CallId,
  querystring: NoQuery,
  errors: ["not_found"] as const,
  response: { 200: CallItem },
};

const TRANSCRIPT = {
  operationId: "getTranscript",
  tags: ["calls"],
  summary: "A call's transcript",
  description:
    "What was said and heard, turn by turn; empty until the call has ended, and 404 once retention has deleted it.",
  params: CallId,
  querystring: NoQuery,
  errors: ["not_found"] as const,
  response: { 200: Transcript },
};

export function callRoutes(scope: FastifyInstance, deps: CallRoutesDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();

  app.post("/calls", { ...CREATION, schema: CREATE }, async (request, reply) => {
    const spec = await specOf(request.body, problemsOfRequest(request), request.accountId, deps);
    return createCall(deps, request, reply, spec);
  });

  const get = async (accountId: string, callId: string): Promise<CallRecord> => {
    const call = await deps.calls.get(accountId, callId);
    if (call === undefined) throw notFound("call");
    return call;
  };

  app.get("/calls/:id", { schema: GET }, async (request) => itemOf(await get(request.accountId, request.params.id)));

  app.get("/calls/:id/transcript", { schema: TRANSCRIPT }, async (request) => {
    const call = await get(request.accountId, request.params.id);
    if (call.transcriptDeletedAtMs !== undefined) throw notFound("transcript: it was deleted when its retention ended");
    const turns = (await deps.calls.transcript(request.accountId, call.id)) ?? [];
    return { data: turns.map(({ text, ...turn }) => (call.settings.recordingEnabled ? { ...turn, text } : turn)) };
  });
}
