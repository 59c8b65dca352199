import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ListenAnswer, ListenRefusal } from "../../../core/calls/listening.ts";
import { isRedacted } from "../../../core/calls/spec.ts";
import { type Clock, isoTime } from "../../../core/clock.ts";
import { addMs } from "../../../core/clocks.ts";
import type { CallId, WorkerId } from "../../../core/ids.ts";
import { LISTEN_ADDRESS_MS, LISTENERS_PER_CALL_MAX } from "../../../core/limits/calls/listening.ts";
import type { Logger } from "../../../core/log/logger.ts";
import type { AuditStore } from "../../../store/accounts/audit-store.ts";
import type { CallRecord, CallStore } from "../../../store/calls/call-store.ts";
import { actOf } from "../../http/access/auth.ts";
import { ApiError, type ErrorCode, notFound } from "../../http/errors.ts";
import { NoQuery } from "../../http/requests/query.ts";
import { CallParams, time } from "../schemas/response-schemas.ts";

export interface ListenDeps {
  calls: Pick<CallStore, "get" | "workerOf">;
  audit: Pick<AuditStore, "append">;
  /** Asks the worker of a live call for an address; undefined where the worker does not answer. */
  listenAddress: (workerId: WorkerId, callId: CallId) => Promise<ListenAnswer | undefined>;
  clock: Pick<Clock, "epochMs">;
  log: Logger;
}

/** What a refused request gets: a code, and what would be right. */
const REFUSALS: Readonly<Record<ListenRefusal, readonly [code: ErrorCode, message: string]>> = {
  not_live: ["conflict", "the call is not live: it can be listened to from the start of its media stream to its end"],
  too_many_listeners: [
    "conflict",
    `the call has ${LISTENERS_PER_CALL_MAX} listeners, or its worker has as many as it may: wait until one leaves`,
  ],
  unavailable: ["unavailable", "the worker of the call is not ready: try again"],
};

const ListenAddress = z
  .object({
    url: z.string().meta({
      description:
        "The WebSocket's address, a secret: it is all that a client needs. It serves one connection. Add nothing to it.",
    }),
    expiresAt: time.meta({ description: "Until when a client can connect there." }),
  })
  .meta({
    id: "ListenAddress",
    description: "Where a client listens to a live call.",
    examples: [
      {
        url: "wss://media.example.com/stream/l_8f0a63d2b14c9e75Ow2kX0m1bT3yq7vR9sN4cE6hJ8pL5aZ_dF2gU0iW1xK7rM3tB9nYqVSoHQ",
        expiresAt: "2026-11-28T09:31:00.000Z",
      },
    ],
  });

const LISTEN = {
  operationId: "listenToCall",
  scope: "calls" as const,
  tags: ["calls"],
  summary: "Listen to a live call",
  description:
    `Returns a WebSocket's address that carries the audio of both sides, as it would be recorded, until the call ends. It is valid for ${LISTEN_ADDRESS_MS / 1_000} s and for one connection; docs/listen.md describes the messages. ` +
    "Neither caller nor agent notices, and the call is not changed; the audit log records who asked. While the recording is paused there is silence. " +
    "403 `listening_not_allowed` for a call whose audio may not be recorded, or that is redacted. 409 `conflict` for a call that is not live, or that has too many listeners.",
  params: CallParams,
  querystring: NoQuery,
  body: z.strictObject({}, { error: "must be a JSON object without fields, or be left out" }).nullish(),
  errors: ["not_found", "listening_not_allowed", "conflict", "unavailable", "node_unreachable"] as const,
  response: { 200: ListenAddress },
};

/** Registers `POST /calls/{id}/listen` in `scope`, which must require an API key. */
export function listenRoutes(scope: FastifyInstance, deps: ListenDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  app.post("/calls/:id/listen", { schema: LISTEN }, async (request) => {
    const { accountId } = request;
    const call = await deps.calls.get(accountId, request.params.id);
    if (call === undefined) throw notFound("call");
    refuseUnrecorded(call);
    const workerId = await deps.calls.workerOf(accountId, call.id);
    const refused: ListenAnswer = { kind: "refused", reason: "not_live" };
    const answer = workerId === undefined ? refused : await deps.listenAddress(workerId, call.id);
    if (answer === undefined) throw new ApiError("unavailable", "the worker of the call is not responding at present");
    if (answer.kind === "refused") {
      const [code, message] = REFUSALS[answer.reason];
      throw new ApiError(code, message);
    }
    // Before the address leaves the service: without the event it must not.
    await deps.audit.append({
      ...actOf(request),
      accountId,
      action: "call.listened",
      target: { kind: "call", id: call.id },
    });
    deps.log.info({ callId: call.id, accountId, requestId: request.id }, "address to listen at issued");
    return { url: answer.url, expiresAt: isoTime(addMs(deps.clock.epochMs(), answer.validMs)) };
  });
}

/** What may not be recorded may not be listened to, and words that are to be redacted are not redacted yet. */
function refuseUnrecorded({ settings }: CallRecord): void {
  if (!settings.recordingEnabled) {
    throw new ApiError(
      "listening_not_allowed",
      "the call has recordingEnabled false: its audio may not be listened to",
    );
  }
  if (isRedacted(settings)) {
    throw new ApiError(
      "listening_not_allowed",
      "the call is redacted when it is over: until then nothing of it is shown",
    );
  }
}
