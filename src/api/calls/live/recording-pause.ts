import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { NoQuery } from "../../http/requests/query.ts";
import { CallItem, CallParams } from "../schemas/response-schemas.ts";
import { answerLiveRequest, type LiveRequestDeps } from "./live-request.ts";

const common = {
  scope: "calls" as const,
  tags: ["calls"],
  params: CallParams,
  querystring: NoQuery,
  body: z.strictObject({}, { error: "must be a JSON object without fields, or be left out" }).nullish(),
};

const PAUSE = {
  ...common,
  operationId: "pauseRecording",
  summary: "Pause the recording of a call",
  description:
    "From now on neither audio nor words of either side are stored, also no keys that the caller presses and no arguments and results of tools: the recording has silence, and turns that lie in the pause even in part have no text. " +
    "The conversation goes on. The pause has no longest time: it lasts until `resumeRecording`, the agent's tool `resume_recording`, or the end of the call. 409 `recording_paused` answers a repeated request. 409 `conflict` for a call that is not live, or of which nothing is stored.",
  errors: ["not_found", "conflict", "recording_paused", "unavailable", "node_unreachable"] as const,
  response: { 200: CallItem.meta({ description: "The recording is paused." }) },
};

const RESUME = {
  ...common,
  operationId: "resumeRecording",
  summary: "Resume the recording of a call",
  description:
    "What is said is stored again as soon as neither side speaks and no words of the pause can come any more: a reply, an utterance or a transcript that is under way may still say what was said in it. 409 `recording_not_paused` answers a request when it is not paused, also a repeated one once the pause has ended. 409 `conflict` as for `pauseRecording`.",
  errors: ["not_found", "conflict", "recording_not_paused", "unavailable", "node_unreachable"] as const,
  response: {
    200: CallItem.meta({
      description: "The recording goes on once neither side speaks and no words of the pause can come any more.",
    }),
  },
};

/** Registers the routes of pauses of the recording in `scope`, which must require an API key. */
export function recordingPauseRoutes(scope: FastifyInstance, deps: LiveRequestDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();

  app.post("/calls/:id/recording/pause", { schema: PAUSE }, (request) =>
    answerLiveRequest(deps, request, request.params.id, { kind: "pause-recording" }),
  );

  app.post("/calls/:id/recording/resume", { schema: RESUME }, (request) =>
    answerLiveRequest(deps, request, request.params.id, { kind: "resume-recording" }),
  );
}
