import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { HOLD_S_DEFAULT, HOLD_S_MAX, HOLD_S_MIN } from "../../../core/limits/calls/calls.ts";
import { wholeNumber } from "../../http/requests/fields.ts";
import { NoQuery } from "../../http/requests/query.ts";
import { CallItem, CallParams } from "../schemas/response-schemas.ts";
import { answerLiveRequest, type LiveRequestDeps } from "./live-request.ts";

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
  errors: ["not_found", "conflict", "already_on_hold", "unavailable", "node_unreachable"] as const,
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
  errors: ["not_found", "conflict", "not_on_hold", "unavailable", "node_unreachable"] as const,
  response: { 200: CallItem.meta({ description: "The caller is with the agent again." }) },
};

/** Registers the routes of holds in `scope`, which must require an API key. */
export function callHoldRoutes(scope: FastifyInstance, deps: LiveRequestDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();

  app.post("/calls/:id/hold", { schema: HOLD }, (request) => {
    const seconds = request.body?.maxDuration ?? HOLD_S_DEFAULT;
    return answerLiveRequest(deps, request, request.params.id, { kind: "hold", msMax: seconds * 1_000 });
  });

  app.post("/calls/:id/resume", { schema: RESUME }, (request) =>
    answerLiveRequest(deps, request, request.params.id, { kind: "resume" }),
  );
}
