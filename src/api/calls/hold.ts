import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { LiveOutcome, LiveRequest } from "../../core/calls/recording-pause.ts";
import type { CallId, WorkerId } from "../../core/ids.ts";
import { HOLD_S_DEFAULT, HOLD_S_MAX, HOLD_S_MIN } from "../../core/limits/calls.ts";
import type { CallStore } from "../../store/call-store.ts";
import { ApiError, type ErrorCode, notFound } from "../http/errors.ts";
import { wholeNumber } from "../http/fields.ts";
import { NoQuery } from "../http/query.ts";
import { type HeldSince, itemOf } from "./item.ts";
import { CallItem, CallParams } from "./response-schemas.ts";

export interface CallHoldDeps {
  calls: Pick<CallStore, "get" | "workerOf">;
  /** Since when the caller of a live call is on hold. */
  heldSince: HeldSince;
  /** Asks a worker something of one of its calls; undefined where the worker does not answer. */
  holdCall: (workerId: WorkerId, callId: CallId, request: LiveRequest) => Promise<LiveOutcome | undefined>;
}

/** What a refused request gets: a code, and what would be right. */
const REFUSALS: Readonly<Record<Exclude<LiveOutcome, "done">, readonly [code: ErrorCode, message: string]>> = {
  not_live: ["conflict", "the call is not live: this is possible from the start of its media stream to its end"],
  ending: ["conflict", "the agent says goodbye, and the call ends: it can no longer be put on hold"],
  transferring: ["conflict", "the caller is being transferred: wait until the caller is back with the agent"],
  on_hold: ["already_on_hold", "the caller is on hold already: POST /calls/{id}/resume ends the hold"],
  not_on_hold: ["not_on_hold", "the caller is not on hold: POST /calls/{id}/hold begins one"],
  not_recorded: ["conflict", "neither audio nor words of the call are stored: there is no recording to pause"],
  recording_paused: ["recording_paused", "the recording is paused: POST /calls/{id}/recording/resume resumes it"],
  recording_not_paused: [
    "recording_not_paused",
    "the recording is not paused, or ends its pause as soon as neither side speaks",
  ],
};

const HoldBody = z
  .strictObject(
    {
      maxDuration: wholeNumber(HOLD_S_MIN, HOLD_S_MAX)
        .default(HOLD_S_DEFAULT)
        .meta({ description: "Seconds after which the hold ends by itself." }),
    },
    { error: "must be a JSON object, or be left out" },
  )
  .nullish()
  .meta({ id: "HoldRequest", description: "How long the hold may last.", examples: [{ maxDuration: 120 }] });

const common = {
  scope: "calls" as const,
  tags: ["calls"],
  params: CallParams,
  querystring: NoQuery,
};

const HOLD = {
  ...common,
  operationId: "holdCall",
  summary: "Put the caller on hold",
  description:
    "The agent falls silent in the middle of a word, and the caller hears hold audio. Nothing that the caller says, types or presses reaches the " +
    "agent, and none of it is transcribed. The hold ends with `resumeCall`, by itself after `maxDuration`, or when the caller is transferred. 409 `already_on_hold` " +
    "answers a repeated request, which changes nothing: the first one's `maxDuration` holds. 409 `conflict` for a call that is not live, that ends, or whose caller is being transferred.",
  body: HoldBody,
  errors: ["not_found", "conflict", "already_on_hold", "unavailable"] as const,
  response: { 200: CallItem.meta({ description: "The caller is on hold." }) },
};

const RESUME = {
  ...common,
  operationId: "resumeCall",
  summary: "End a hold",
  description:
    "The hold audio stops, and the agent, which is given how long the hold was, speaks. 409 `not_on_hold` answers a repeated request, and one " +
    "that comes after the hold has ended by itself. 409 `conflict` as for `holdCall`.",
  body: z.strictObject({}, { error: "must be a JSON object without fields, or be left out" }).nullish(),
  errors: ["not_found", "conflict", "not_on_hold", "unavailable"] as const,
  response: { 200: CallItem.meta({ description: "The caller is with the agent again." }) },
};

/** Registers the routes of holds in `scope`, which must require an API key. */
export function callHoldRoutes(scope: FastifyInstance, deps: CallHoldDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();

  app.post("/calls/:id/hold", { schema: HOLD }, (request) => {
    const seconds = request.body?.maxDuration ?? HOLD_S_DEFAULT;
    return askWorker(deps, request, request.params.id, { kind: "hold", msMax: seconds * 1_000 });
  });

  app.post("/calls/:id/resume", { schema: RESUME }, (request) =>
    askWorker(deps, request, request.params.id, { kind: "resume" }),
  );
}

/** Asks the worker of a live call. Throws ApiError where it refuses. */
export async function askWorker(
  { calls, holdCall, heldSince }: CallHoldDeps,
  { accountId }: FastifyRequest,
  callId: CallId,
  wanted: LiveRequest,
) {
  const call = await calls.get(accountId, callId);
  if (call === undefined) throw notFound("call");
  const workerId = await calls.workerOf(accountId, callId);
  const outcome = workerId === undefined ? "not_live" : await holdCall(workerId, callId, wanted);
  if (outcome === undefined) throw new ApiError("unavailable", "the worker of the call is not responding at present");
  if (outcome === "done") return itemOf(call, heldSince(callId));
  const [code, message] = REFUSALS[outcome];
  throw new ApiError(code, message);
}
