import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { Prices } from "../../core/billing/prices.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { TranscriptionAudio } from "../../store/data-dir/transcription-audio.ts";
import type { TranscriptionStore } from "../../store/transcription-store.ts";
import { actOf } from "../http/access/auth.ts";
import { found } from "../http/errors.ts";
import { NoQuery } from "../http/requests/query.ts";
import { transcriptionItemOf } from "./item.ts";
import { type LiveEndDeps, LiveEnds } from "./live-end.ts";
import { TranscriptionParams, TranscriptionSummary } from "./schemas/response-schemas.ts";

export interface TranscriptionEndDeps extends Omit<LiveEndDeps, "transcriptions"> {
  transcriptions: Pick<TranscriptionStore, "get" | "cancel" | "remove" | "onOver">;
  transcriptionAudio: Pick<TranscriptionAudio, "remove">;
  prices: Prices | undefined;
  log: Logger;
}

const CANCEL = {
  operationId: "cancelTranscription",
  scope: "calls" as const,
  tags: ["transcriptions"],
  summary: "Cancel a transcription",
  description:
    "A transcription that is queued or in progress ends as `cancelled`, without a result and without an event. A live one whose stream has " +
    "connected is ended instead: the response is 202 with its current state, and it is `completed` shortly after, with what was said. One " +
    "that is over is not changed, so the request can be repeated safely.",
  params: TranscriptionParams,
  querystring: NoQuery,
  body: z.strictObject({}, { error: "must be a JSON object without fields, or be left out" }).nullish(),
  errors: ["not_found", "unavailable", "node_unreachable"] as const,
  response: {
    200: TranscriptionSummary.meta({ description: "The transcription is over." }),
    202: TranscriptionSummary.meta({ description: "The end of the live transcription was requested." }),
  },
};

const DELETE = {
  operationId: "deleteTranscription",
  scope: "write" as const,
  tags: ["transcriptions"],
  summary: "Delete a transcription",
  description:
    "Deletes the transcription permanently, in any state: its audio, its result, its record, its events and its Idempotency-Key. " +
    "A live one is ended first; 409 where that takes longer than a few seconds.",
  params: TranscriptionParams,
  querystring: NoQuery,
  errors: ["not_found", "conflict", "unavailable", "node_unreachable"] as const,
  response: { 204: z.undefined().meta({ description: "The transcription was deleted." }) },
};

/** Registers the routes that cancel and delete transcriptions in `scope`, which must require an API key. */
export function transcriptionEndRoutes(scope: FastifyInstance, deps: TranscriptionEndDeps): void {
  const { transcriptions, transcriptionAudio, prices, log } = deps;
  const app = scope.withTypeProvider<ZodTypeProvider>();
  const liveEnds = new LiveEnds(deps);

  app.post("/transcriptions/:id/cancel", { schema: CANCEL }, async (request, reply) => {
    const { accountId, id: requestId, params } = request;
    const { id, source } = found(await transcriptions.get(accountId, params.id), "transcription");
    if (source !== "live") {
      return transcriptionItemOf(found(await transcriptions.cancel(accountId, id), "transcription"), prices);
    }
    if (await liveEnds.end(accountId, id)) {
      log.info({ transcriptionId: id, accountId, requestId }, "end of a live transcription requested");
      reply.code(202);
    }
    return transcriptionItemOf(found(await transcriptions.get(accountId, id), "transcription"), prices);
  });

  app.delete("/transcriptions/:id", { schema: DELETE }, async (request, reply) => {
    const { accountId, id: requestId } = request;
    const { id: transcriptionId, source } = found(
      await transcriptions.get(accountId, request.params.id),
      "transcription",
    );
    // Otherwise the job of one could write its file again.
    if (source === "live") await liveEnds.remove(accountId, transcriptionId);
    else await transcriptions.cancel(accountId, transcriptionId);
    // The file first: after a failure between the two, the record still leads to it.
    await transcriptionAudio.remove(transcriptionId);
    await transcriptions.remove(accountId, transcriptionId, actOf(request));
    log.info({ transcriptionId, accountId, requestId }, "transcription deleted");
    return reply.code(204).send();
  });
}
