import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { CallStore } from "../../store/calls/call-store.ts";
import type { TranscriptionAudio } from "../../store/data-dir/transcription-audio.ts";
import type { TranscriptionStore } from "../../store/transcription-store.ts";
import { CREATE_CALL_OPTIONS } from "../calls/create.ts";
import { REFUSAL_CODES } from "../http/errors.ts";
import { IdempotencyHeaders } from "../http/requests/idempotency.ts";
import { NoQuery } from "../http/requests/query.ts";
import { acceptForms } from "../uploads/with-upload.ts";
import { type TranscriptionAudioDeps, transcriptionAudioRoutes } from "./audio.ts";
import { createTranscription, type TranscriptionCreationDeps } from "./create.ts";
import { type TranscriptionEndDeps, transcriptionEndRoutes } from "./end.ts";
import { type TranscriptionListDeps, transcriptionListRoutes } from "./list.ts";
import { type LiveCreationDeps, liveTranscriptionRoutes } from "./live.ts";
import { type TranscriptionReadDeps, transcriptionReadRoutes } from "./read.ts";
import { NewTranscriptionBody, UPLOAD_FORM } from "./schemas/request-schemas.ts";
import { TranscriptionSummary } from "./schemas/response-schemas.ts";

export interface TranscriptionRoutesDeps
  extends LiveCreationDeps,
    TranscriptionAudioDeps,
    TranscriptionCreationDeps,
    TranscriptionEndDeps,
    TranscriptionListDeps,
    TranscriptionReadDeps {
  transcriptions: TranscriptionStore;
  transcriptionAudio: TranscriptionAudio;
  calls: Pick<CallStore, "get" | "cancel" | "remove">;
  metrics: LiveCreationDeps["metrics"];
}

const CREATE = {
  operationId: "createTranscription",
  scope: "calls" as const,
  tags: ["transcriptions"],
  summary: "Transcribe a file",
  description:
    "Transcribes an uploaded file (multipart/form-data), a file at a URL, or the recording of a call. The answer comes at once; " +
    "`getTranscription` shows the progress and the result, and webhooks report the end. For an Idempotency-Key, an upload is the same " +
    "request where its fields and the bytes of its file are the same.",
  headers: IdempotencyHeaders,
  querystring: NoQuery,
  body: NewTranscriptionBody,
  multipart: UPLOAD_FORM,
  errors: [
    "unknown_language",
    "idempotency_mismatch",
    "rate_limited",
    "unavailable",
    "overloaded",
    ...REFUSAL_CODES.filter((code) => code !== "overloaded"),
  ] as const,
  response: { 202: TranscriptionSummary.meta({ description: "The transcription is queued." }) },
  responseHeaders: { 202: ["Location", "Idempotent-Replayed"] } as const,
};

/** Registers `/transcriptions` in `scope`, which must require an API key. */
export function transcriptionRoutes(scope: FastifyInstance, deps: TranscriptionRoutesDeps): void {
  void scope.register(async (uploads) => {
    acceptForms(uploads);
    const app = uploads.withTypeProvider<ZodTypeProvider>();
    app.post("/transcriptions", { ...CREATE_CALL_OPTIONS, schema: CREATE }, (request, reply) =>
      createTranscription(deps, request, reply),
    );
  });
  liveTranscriptionRoutes(scope, deps);
  transcriptionListRoutes(scope, deps);
  transcriptionReadRoutes(scope, deps);
  transcriptionAudioRoutes(scope, deps);
  transcriptionEndRoutes(scope, deps);
}
