import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { MediaKey } from "../../core/encryption/chunks.ts";
import { unavailable } from "../../core/errors.ts";
import type { AccountId, CallId } from "../../core/ids.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { CallStore } from "../../store/call-store.ts";
import { notFound, rangeNotSatisfiable } from "../http/errors.ts";
import { matchesEtag } from "../http/etag.ts";
import { LARGE_RESPONSE_ERRORS, largeResponseHooks } from "../http/large-response-hooks.ts";
import type { LargeResponses } from "../http/large-responses.ts";
import { NoQuery } from "../http/query.ts";
import { isResourceShortage, openRecording, type RecordingFile, rangeOf, streamOf } from "./recording-file.ts";
import { CallParams } from "./response-schemas.ts";

export interface RecordingRoutesDeps {
  calls: Pick<CallStore, "get">;
  /** The path of a call's stereo WAV file once it has been rendered. */
  recordingPath: (callId: CallId) => string;
  /** The key of an encrypted recording; absent where none is encrypted. */
  findMediaKey?: (callId: CallId) => Promise<MediaKey | undefined>;
  /** Bounds the concurrent downloads. */
  downloads: LargeResponses;
  log: Logger;
}

const Conditions = z.looseObject({
  "if-none-match": z.string().optional().meta({
    description: "Entity tags of recordings that the client has: 304 when the recording is one of them.",
  }),
});
const RangeConditions = Conditions.extend({
  range: z
    .string()
    .optional()
    .meta({
      description:
        "One range of bytes, counted from 0, including the last one: `bytes=0-499`, `bytes=500-`, or `bytes=-500` for the " +
        "last 500. Several ranges and malformed ones are ignored.",
      examples: ["bytes=0-43"],
    }),
  "if-range": z.string().optional().meta({
    description:
      "The entity tag of the part that the client has: when the recording has another one, all of it is sent.",
  }),
});

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

  const find = async (accountId: AccountId, callId: CallId): Promise<RecordingFile & { callId: CallId }> => {
    const call = await deps.calls.get(accountId, callId);
    if (call === undefined) throw notFound("call");
    if (call.recording === undefined) throw notFound("recording");
    try {
      const key = await deps.findMediaKey?.(call.id);
      return { callId: call.id, ...(await openRecording({ path: deps.recordingPath(call.id), key })) };
    } catch (error) {
      deps.log.error({ callId: call.id, err: error }, "recording could not be opened");
      throw isResourceShortage(error)
        ? unavailable("the process is out of memory or file descriptors", error)
        : notFound("recording");
    }
  };

  const config = { swagger: { exposeHeadRoute: true } };
  app.head("/calls/:id/recording", { schema: HEAD, config }, async (request, reply) => {
    const { callId, handle, bytes, etag } = await find(request.accountId, request.params.id);
    await handle.close();
    reply.headers({ "accept-ranges": "bytes", etag });
    if (matchesEtag(request.headers["if-none-match"], etag)) return reply.code(304).send();
    return reply.headers(headersOf(callId, bytes)).send();
  });

  const download = { schema: GET, exposeHeadRoute: false, ...largeResponseHooks(deps.downloads) };
  app.get("/calls/:id/recording", download, async (request, reply) => {
    const { headers } = request;
    const { callId, handle, bytes, etag, ...file } = await find(request.accountId, request.params.id);
    const known = matchesEtag(headers["if-none-match"], etag);
    const ifRange = headers["if-range"] ?? etag;
    const range = headers.range === undefined || ifRange !== etag ? "whole" : rangeOf(headers.range, bytes);
    // A file that is not sent is closed here. A stream closes its file, and `streamOf` closes the stream when the client disconnects.
    if (known || range === "unsatisfiable") await handle.close();
    reply.headers({ "accept-ranges": "bytes", etag });
    if (known) return reply.code(304).send();
    if (range === "unsatisfiable") throw rangeNotSatisfiable(bytes);
    if (range === "whole") return reply.headers(headersOf(callId, bytes)).send(streamOf(file.stream(), request, reply));
    const { start, end } = range;
    return reply
      .code(206)
      .headers({ ...headersOf(callId, end - start + 1), "content-range": `bytes ${start}-${end}/${bytes}` })
      .send(streamOf(file.stream({ start, end }), request, reply));
  });
}

/** Headers of a response with this many bytes of a call's recording, with or without the body. */
const headersOf = (callId: CallId, bytes: number) => ({
  "content-type": "audio/wav",
  "content-length": bytes,
  "content-disposition": `attachment; filename="${callId}.wav"`,
});
