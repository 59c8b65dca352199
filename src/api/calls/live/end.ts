import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { AccountId, CallId, WorkerId } from "../../../core/ids.ts";
import type { Logger } from "../../../core/log/logger.ts";
import type { CallRecord, CallStore, Cancellation } from "../../../store/calls/call-store.ts";
import type { PhoneCalls } from "../../../telephony/phone-calls.ts";
import { actOf } from "../../http/access/auth.ts";
import { ApiError, notFound } from "../../http/errors.ts";
import { NoQuery } from "../../http/requests/query.ts";
import { type HeldSince, itemOf } from "../item.ts";
import { CallItem, CallParams } from "../schemas/response-schemas.ts";

export interface CallEndDeps {
  calls: Pick<CallStore, "cancel" | "remove" | "get">;
  /** Undefined where the service manages no telephone calls. */
  phoneCalls: Pick<PhoneCalls, "request" | "needsCarrier"> | undefined;
  /** Asks a worker, at any node, to end one of its calls; false when the worker is not connected. */
  endCall: (workerId: WorkerId, call: Pick<CallRecord, "id" | "accountId">) => Promise<boolean> | boolean;
  heldSince: HeldSince;
  /** Removes the journal and the recording of a call that is over, if they exist. */
  removeFiles: (callId: CallId) => Promise<void>;
  log: Logger;
}

const END = {
  operationId: "endCall",
  scope: "calls" as const,
  tags: ["calls"],
  summary: "End a call",
  description:
    "A created call ends at once, and its `websocketUrl` becomes invalid. For an active call the end is requested: the response is 202 with the call's current state; `getCall` shows it as ended shortly after. An ended call is not changed, so the request can be repeated safely.",
  params: CallParams,
  querystring: NoQuery,
  body: z.strictObject({}, { error: "must be a JSON object without fields, or be left out" }).nullish(),
  errors: ["not_found", "unavailable", "node_unreachable"] as const,
  response: {
    200: CallItem.meta({ description: "The call is over." }),
    202: CallItem.meta({ description: "The end of the call was requested." }),
  },
};

const DELETE = {
  operationId: "deleteCall",
  scope: "write" as const,
  tags: ["calls"],
  summary: "Delete a call",
  description:
    "Deletes the call permanently: its record, transcript, events, recording and Idempotency-Key. A created call is ended by this; an active call, and a telephone call that is queued or ringing, must be ended first. A telephone call whose caller the carrier still connects or speaks to is 409 for a minute or two.",
  params: CallParams,
  querystring: NoQuery,
  errors: ["not_found", "conflict"] as const,
  response: { 204: z.undefined().meta({ description: "The call was deleted." }) },
};

/** Registers the routes that end and delete calls in `scope`, which must require an API key. */
export function callEndRoutes(scope: FastifyInstance, deps: CallEndDeps): void {
  const { calls, endCall, removeFiles, log } = deps;
  const app = scope.withTypeProvider<ZodTypeProvider>();

  /** Ends a call that waits for its stream; other calls do not change. */
  const cancel = async ({ accountId, id: requestId }: FastifyRequest, callId: CallId): Promise<Cancellation> => {
    const found = await calls.cancel(accountId, callId);
    if (found === undefined) throw notFound("call");
    if (found.cancelled) log.info({ callId, accountId, requestId }, "call cancelled");
    return found;
  };

  /** Has the carrier end a telephone call that has no stream yet; it is over once the carrier knows no other end of it. */
  const hangUp = async (accountId: AccountId, call: CallRecord, reply: FastifyReply): Promise<CallRecord> => {
    if (call.status !== "queued" && call.status !== "ringing") return call;
    await deps.phoneCalls?.request(call.id, { kind: "hang_up" }, "api_hangup");
    const latest = (await calls.get(accountId, call.id)) ?? call;
    if (latest.endedAtMs === undefined) reply.code(202);
    return latest;
  };

  app.post("/calls/:id/end", { schema: END }, async (request, reply) => {
    const { call, workerId } = await cancel(request, request.params.id);
    if (workerId === undefined) return itemOf(await hangUp(request.accountId, call, reply));
    if (!(await endCall(workerId, call))) {
      throw new ApiError("unavailable", "the worker of the call is not responding at present");
    }
    log.info({ callId: call.id, accountId: request.accountId, requestId: request.id }, "call end requested");
    reply.code(202);
    return itemOf(call, deps.heldSince(call.id));
  });

  app.delete("/calls/:id", { schema: DELETE }, async (request, reply) => {
    const { accountId, id: requestId } = request;
    // A token that can still be redeemed would create a new journal after the files are removed.
    const { call } = await cancel(request, request.params.id);
    if (call.endedAtMs === undefined) throw stillActive();
    if (await deps.phoneCalls?.needsCarrier(call.id)) {
      throw new ApiError("conflict", "the call is not over at the carrier: try again in two minutes");
    }
    // The files first: after a failure between the two, the record still leads to the rest.
    await removeFiles(call.id);
    // The token had expired, then the clock was set back and a stream connected.
    if ((await calls.remove(accountId, call.id, actOf(request))) === false) throw stillActive();
    log.info({ callId: call.id, accountId, requestId }, "call deleted");
    return reply.code(204).send();
  });
}

const stillActive = (): ApiError => new ApiError("conflict", "the call is not over: end it first");
