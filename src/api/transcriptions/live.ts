import { strict as assert } from "node:assert";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { z } from "zod";
import { type CallSpec, MODEL_DEFAULT, MODEL_NAMES, type ModelName } from "../../core/calls/spec.ts";
import { isoTime } from "../../core/clock.ts";
import { addMs } from "../../core/clocks.ts";
import { isObject } from "../../core/json.ts";
import {
  admitCall,
  type CallCreationDeps,
  CREATE_CALL_OPTIONS,
  problemsOfRequest,
  refuseEarly,
} from "../calls/create.ts";
import { type CallSpecDeps, offerTo, streamFormatOf } from "../calls/spec.ts";
import { invalidRequest, type Problem, REFUSAL_CODES } from "../http/errors.ts";
import { IdempotencyHeaders } from "../http/requests/idempotency.ts";
import { NoQuery } from "../http/requests/query.ts";
import { problemWithoutValue } from "../http/requests/validation.ts";
import { languageByCode } from "../voices/lookup.ts";
import { CreatedLiveTranscription, NewLiveTranscriptionBody } from "./schemas/live-schemas.ts";

export interface LiveCreationDeps extends CallCreationDeps, CallSpecDeps {}

const CREATE = {
  operationId: "createLiveTranscription",
  scope: "calls" as const,
  tags: ["transcriptions"],
  summary: "Transcribe a live stream",
  description:
    "Creates a live transcription and returns the single-use, short-lived address of its stream, to which a client sends audio and from " +
    "which it gets interims and finals. It takes a slot of the service's calls, and counts as one of the account's calls. Its record has " +
    "its result once it is over.",
  headers: IdempotencyHeaders,
  querystring: NoQuery,
  body: NewLiveTranscriptionBody,
  errors: ["unknown_language", "idempotency_mismatch", "rate_limited", "spend_limit", ...REFUSAL_CODES] as const,
  response: { 201: CreatedLiveTranscription },
  responseHeaders: { 201: ["Location", "Idempotent-Replayed"] } as const,
};

/** Registers `POST /transcriptions/live` in `scope`, which must require an API key. */
export function liveTranscriptionRoutes(scope: FastifyInstance, deps: LiveCreationDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  app.post("/transcriptions/live", { ...CREATE_CALL_OPTIONS, schema: CREATE }, async (request, reply) => {
    const problems = problemsOfRequest(request);
    refuseEarly(deps, request, problems);
    const spec = await liveSpecOf(request, problems, offerTo(deps, request.account));
    const { call, websocketUrl, isNew } = await admitCall(deps, request, reply, spec);
    const { id, accountId, createdAtMs } = call;
    if (isNew)
      deps.log.info({ transcriptionId: id, accountId, requestId: request.id, source: "live" }, "transcription created");
    reply.header("location", `${request.server.prefix}/transcriptions/${id}`);
    return {
      id,
      status: "queued",
      websocketUrl,
      createdAt: isoTime(createdAtMs),
      expiresAt: isoTime(addMs(createdAtMs, deps.tokenTtlMs)),
    } as never;
  });
}

/** Throws ApiError 400 with all problems together: those found before, an unknown language, and what no STT of calls can do. */
async function liveSpecOf(
  { body }: FastifyRequest,
  found: readonly Problem[],
  { voices, llmProviders }: Pick<CallSpecDeps, "voices" | "llmProviders">,
): Promise<CallSpec> {
  const given: Record<string, unknown> = isObject(body) ? body : {};
  const language =
    given.language === "auto"
      ? problemWithoutValue(["language"], "must be one language: `auto` is for files, where a provider detects it")
      : languageByCode(["language"], given.language)(await voices.languages(), voices.isRestricted);
  const isFound = language !== undefined && "code" in language;
  const others = [...found, ...vocabularyProblems(given)];
  const problems = [...others, ...(language === undefined || isFound ? [] : [language])];
  if (problems.length > 0) throw invalidRequest(problems, others.length === 0 ? "unknown_language" : "invalid_request");
  assert.ok(isFound, "a language that is no text has a problem");
  return specOf(given as z.output<typeof NewLiveTranscriptionBody>, language.code, llmProviders);
}

const vocabularyProblems = ({ vocabulary }: Record<string, unknown>): readonly Problem[] => {
  if (vocabulary === undefined || (Array.isArray(vocabulary) && vocabulary.length === 0)) return [];
  return [problemWithoutValue(["vocabulary"], "must be left out: no provider takes one for live streams")];
};

function specOf(
  { websocket, maxDuration, redact, metadata }: z.output<typeof NewLiveTranscriptionBody>,
  language: string,
  llmProviders: (model: ModelName) => readonly string[],
): CallSpec {
  const { codec, inputRateHz } = streamFormatOf(websocket);
  return {
    mode: "transcription",
    language,
    languagePinned: true,
    connectionType: "websocket",
    websocket: { codec, inputRateHz, outputRateHz: inputRateHz },
    maxDurationMs: maxDuration * 1_000,
    recordingEnabled: false,
    transcriptEnabled: true,
    ...(redact.length > 0 && { redact: [...new Set(redact)] }),
    metadata,
    // Of conversations; the account's providers are looked up with a model that it may use.
    model: MODEL_NAMES.find((name) => llmProviders(name).length > 0) ?? MODEL_DEFAULT,
    systemPrompt: "",
    voiceId: "",
    temperature: 0,
    firstSpeaker: "user",
    interruptible: true,
    inactivityTimeoutMs: maxDuration * 1_000,
    inactivityAction: "hang_up",
    tools: [],
  };
}
