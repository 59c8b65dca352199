import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { MediaKey } from "../../../core/encryption/chunks.ts";
import { unavailable } from "../../../core/errors.ts";
import type { AccountId, CallId } from "../../../core/ids.ts";
import type { Logger } from "../../../core/log/logger.ts";
import type { CallStore } from "../../../store/calls/call-store.ts";
import { notFound } from "../../http/errors.ts";
import { NoQuery } from "../../http/requests/query.ts";
import { matchesEtag } from "../../http/responses/etag.ts";
import { LARGE_RESPONSE_ERRORS, largeResponseHooks } from "../../http/responses/large-response-hooks.ts";
import type { LargeResponses } from "../../http/responses/large-responses.ts";
import { CallParams } from "../schemas/response-schemas.ts";
import {
  Conditions,
  isResourceShortage,
  isTemporary,
  openRecording,
  RangeConditions,
  type RecordingFile,
  sendRange,
} from "./recording-file.ts";

export interface RecordingRoutesDeps {
  calls: Pick<CallStore, "get">;
  /** The path of a call's stereo WAV file once it has been rendered. */
  recordingPath: (callId: CallId) => string;
  /** The key of an encrypted recording; absent where none is encrypted. */
  findMediaKey?: (callId: CallId) => Promise<MediaKey | undefined>;
  /** The recording wherever it is; by default at its path. Rejects with `unavailable` while that cannot be read. */
  openStoredRecording?: ((callId: CallId) => Promise<RecordingFile>) | undefined;
  /** Bounds the concurrent downloads. */
  downloads: LargeResponses;
  log: Logger;
}

const DESCRIPTION =
  "A stereo WAV file of 16-bit PCM: the caller is left, the agent right. Its rate is 8000 Hz for calls whose stream used that " +
  "rate in both directions, and 16000 Hz otherwise. It is available shortly after the call's end, when the call has " +
  "`recording`; before that, and for calls that are not recorded, this is 404. The file never changes, nor does its `ETag`.";
const WAV = { "audio/wav": { schema: z.unknown() } };
const NOT_MODIFIED = z.undefined().meta({ description: "If-None-Match names this recording." });

const GET = {
  operationId: "getRecording",
  scope: "read" as const,
  tags: ["calls"],
  summary: "Download a call's recording",
  description: DESCRIPTION,
  params: CallParams,
  querystring: NoQuery,
  headers: RangeConditions,
  errors: ["not_found", "range_not_satisfiable", ...LARGE_RESPONSE_ERRORS] as const,
  response: {
    200: { description: "The whole file.", content: WAV },
    206: { description: "The requested bytes.", content: WAV },
    304: NOT_MODIFIED,
  },
  responseHeaders: {
    200: ["ETag", "Accept-Ranges", "Content-Disposition", "Content-Length"],
    206: ["ETag", "Accept-Ranges", "Content-Disposition", "Content-Range"],
    304: ["ETag", "Accept-Ranges"],
    416: ["ETag", "Accept-Ranges", "Content-Range"],
  } as const,
};

const HEAD = {
  operationId: "headRecording",
  scope: "read" as const,
  tags: ["calls"],
  summary: "Read the headers of a call's recording",
  description: `The headers of \`getRecording\` without a range. ${DESCRIPTION}`,
  params: CallParams,
  querystring: NoQuery,
  headers: Conditions,
  errors: ["not_found"] as const,
  response: { 200: z.undefined().meta({ description: "The recording is there." }), 304: NOT_MODIFIED },
  responseHeaders: { 200: GET.responseHeaders[200], 304: GET.responseHeaders[304] },
};

/** Downloads follow RFC 9110: the whole file or one range of bytes, with If-Range and If-None-Match (section 13). */
export function recordingRoutes(scope: FastifyInstance, deps: RecordingRoutesDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();

  const open = async (callId: CallId): Promise<RecordingFile> => {
    if (deps.openStoredRecording !== undefined) return await deps.openStoredRecording(callId);
    const key = await deps.findMediaKey?.(callId);
    return await openRecording({ path: deps.recordingPath(callId), key });
  };

  const find = async (accountId: AccountId, callId: CallId): Promise<RecordingFile & { callId: CallId }> => {
    const call = await deps.calls.get(accountId, callId);
    if (call === undefined) throw notFound("call");
    if (call.recording === undefined) throw notFound("recording");
    try {
      return { callId: call.id, ...(await open(call.id)) };
    } catch (error) {
      deps.log.error({ callId: call.id, err: error }, "recording could not be opened");
      if (isResourceShortage(error)) throw unavailable("the process is out of memory or file descriptors", error);
      throw isTemporary(error) ? error : notFound("recording");
    }
  };

  const config = { swagger: { exposeHeadRoute: true } };
  app.head("/calls/:id/recording", { schema: HEAD, config }, async (request, reply) => {
    const { callId, handle, bytes, etag } = await find(request.accountId, request.params.id);
    await handle.close();
    reply.headers({ "accept-ranges": "bytes", etag });
    if (matchesEtag(request.headers["if-none-match"], etag)) return reply.code(304).send();
    return reply.headers({ ...headersOf(callId), "content-length": bytes }).send();
  });

  const download = { schema: GET, exposeHeadRoute: false, ...largeResponseHooks(deps.downloads) };
  app.get("/calls/:id/recording", download, async (request, reply) => {
    const { callId, ...file } = await find(request.accountId, request.params.id);
    return await sendRange(file, request, reply, headersOf(callId));
  });
}

/** Headers of a response with the recording of a call, with or without the body. */
const headersOf = (callId: CallId) => ({
  "content-type": "audio/wav",
  "content-disposition": `attachment; filename="${callId}.wav"`,
});
