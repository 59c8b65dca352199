import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { codeOf } from "../../core/errors.ts";
import { FILE_NAME_CHARS_MAX } from "../../core/limits/transcriptions/transcriptions.ts";
import { newId } from "../../core/new-id.ts";
import type { TranscriptionResult } from "../../core/transcriptions/result.ts";
import type { Transcription, TranscriptionStore } from "../../store/transcription-store.ts";
import type { ApiKeyCache } from "../http/access/api-key-cache.ts";
import { type Caller, callerOfText } from "../http/access/auth.ts";
import { ApiError, toApiError, unauthorized } from "../http/errors.ts";
import { NoQuery } from "../http/requests/query.ts";
import { onResponseEnd } from "../http/responses/response-end.ts";
import {
  logCreated,
  offerOf,
  refuseTranscriptions,
  type TranscriptionCreationDeps,
  withAudioUpload,
} from "../transcriptions/create.ts";
import type { FormatResult } from "../transcriptions/formats.ts";
import { checkedOptions } from "../transcriptions/options.ts";
import { acceptForms, isForm } from "../uploads/with-upload.ts";
import { answerOf, type OpenAiAnswer } from "./answers.ts";
import { EndWaiter } from "./end-waiter.ts";
import { openAiErrorOf } from "./errors.ts";
import { type OpenAiParameters, parametersIn } from "./parameters.ts";

export interface AudioTranscriptionDeps extends TranscriptionCreationDeps {
  transcriptions: TranscriptionStore;
  formatResult: FormatResult;
}

/** The OpenAPI document is that of this service: this operation is OpenAI's. */
const SCHEMA = { hide: true, scope: "calls" as const, querystring: NoQuery };

/** Parameters that are required, or that need another one. */
const DEPENDENT = /^(model|timestamp_granularities)/;

const BEARER = /^Bearer +(\S+)$/i;

/** The caller by `X-API-Key`, or as OpenAI's clients send it. Throws ApiError `unauthorized` for none, and for two. */
export async function callerOfOpenAiClient(
  { headers }: FastifyRequest,
  apiKeyCache: Pick<ApiKeyCache, "authenticate">,
): Promise<Caller> {
  const bearer = headers.authorization === undefined ? undefined : BEARER.exec(headers.authorization)?.[1];
  const own = headers["x-api-key"];
  if (headers.authorization !== undefined && bearer === undefined) throw unauthorized();
  if (bearer !== undefined && own !== undefined && own !== bearer) throw unauthorized();
  return await callerOfText(bearer ?? own, apiKeyCache);
}

/** Registers `POST /audio/transcriptions` in `scope`, which must require a caller, for clients of OpenAI's API. */
export function audioTranscriptionRoutes(scope: FastifyInstance, deps: AudioTranscriptionDeps): void {
  const waiter = new EndWaiter(deps.transcriptions, deps.clock);
  acceptForms(scope);
  scope.setErrorHandler((thrown, request, reply) => answerError(deps, thrown, request, reply));
  scope
    .withTypeProvider<ZodTypeProvider>()
    .post("/audio/transcriptions", { schema: SCHEMA }, async (request, reply) => {
      refuseTranscriptions(deps);
      if (!isForm(request)) throw notAForm();
      const gone = new AbortController();
      onResponseEnd(request.raw, reply.raw, () => gone.abort());
      const { transcription, parameters } = await create(deps, request);
      const resumeTimeout = withoutTimeout(request);
      let answer: OpenAiAnswer | undefined;
      try {
        const ended = await waiter.end(request.accountId, transcription.id, gone.signal);
        if (!gone.signal.aborted) answer = await answerOf(await resultOf(deps, ended), parameters, deps.formatResult);
      } finally {
        resumeTimeout();
        await remove(deps, transcription);
      }
      return answer === undefined ? reply.hijack() : reply.type(answer.contentType).send(answer.body);
    });
}

async function create(
  deps: AudioTranscriptionDeps,
  request: FastifyRequest,
): Promise<{ transcription: Transcription; parameters: OpenAiParameters }> {
  const offer = await offerOf(deps, request);
  const id = newId("transcription");
  let parameters: OpenAiParameters | undefined;
  const { transcription } = await withAudioUpload(deps, request, id, {
    // Other fields may follow the file: those before it are checked, as far as one alone can be wrong.
    onFile: (fields) => void parametersIn([["model", ""], ...fields.filter(([name]) => !DEPENDENT.test(name))]),
    async use({ fields, fileName }) {
      parameters = parametersIn(fields);
      const { language, vocabulary, model } = parameters;
      const asked = { language, channels: "mix", timestamps: "word", speakers: false, vocabulary };
      const created = await deps.transcriptions.create({
        id,
        accountId: request.accountId,
        source: "upload",
        options: await checkedOptions(asked, [], offer),
        metadata: { model },
        fileName: fileName.slice(0, FILE_NAME_CHARS_MAX),
        deletesAudio: true,
      });
      return { transcription: created, isNew: true };
    },
  });
  logCreated(deps, request, transcription);
  return { transcription, parameters: parameters as OpenAiParameters };
}

async function resultOf(
  { transcriptions }: AudioTranscriptionDeps,
  ended: Transcription | undefined,
): Promise<TranscriptionResult> {
  const result = ended && (await transcriptions.result(ended.accountId, ended.id));
  if (result !== undefined) return result;
  if (ended?.failure === undefined) throw new ApiError("conflict", "the transcription was cancelled");
  const { code, message } = ended.failure;
  if (FILE_FAILURES.has(code)) throw new ApiError("invalid_request", message);
  throw new ApiError(code === "internal" ? "internal" : "unavailable", message);
}

/** Failures that are the file's fault; after others, another attempt may succeed. */
const FILE_FAILURES: ReadonlySet<string> = new Set([
  "audio_unreadable",
  "audio_too_long",
  "unsupported_audio",
  "speakers_too_long",
  "audio_unavailable",
]);

/** Never rejects: the answer is ready. Retention deletes what is left. */
async function remove(
  { transcriptions, transcriptionAudio, log }: AudioTranscriptionDeps,
  { id: transcriptionId, accountId }: Transcription,
): Promise<void> {
  try {
    await transcriptions.cancel(accountId, transcriptionId);
    await transcriptionAudio.remove(transcriptionId);
    await transcriptions.remove(accountId, transcriptionId);
  } catch (error) {
    log.error({ transcriptionId, err: error, code: codeOf(error) }, "an answered transcription could not be deleted");
  }
}

/** A connection on which nothing moves while its response is awaited is no stalled one. */
function withoutTimeout({ raw: { socket } }: FastifyRequest): () => void {
  const beforeMs = socket.timeout ?? 0;
  socket.setTimeout(0);
  return () => void socket.setTimeout(beforeMs);
}

const notAForm = (): ApiError =>
  new ApiError("unsupported_media_type", "the body must be sent as multipart/form-data, without a Content-Encoding");

function answerError(
  { log }: AudioTranscriptionDeps,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const error = toApiError(thrown);
  if (error.status === 500) log.error({ requestId: request.id, err: thrown }, "request failed");
  void reply
    .code(error.status)
    .headers({ "x-request-id": request.id, ...error.headers })
    .type("application/json; charset=utf-8")
    .serializer(JSON.stringify)
    .send(openAiErrorOf(error));
}
