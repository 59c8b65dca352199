import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import parseRange from "range-parser";
import { z } from "zod";
import { unavailable } from "../../core/errors.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { CallStore } from "../../store/call-store.ts";
import { notFound, rangeNotSatisfiable } from "../http/errors.ts";
import { LARGE_RESPONSE_ERRORS, type LargeResponses, largeResponseHooks } from "../http/large-responses.ts";
import { NoQuery } from "../http/query.ts";
import { onResponseEnd } from "../http/response-end.ts";
import { CallId } from "./request-schemas.ts";

export interface RecordingRoutesDeps {
  calls: Pick<CallStore, "get">;
  /** Where the stereo WAV of a call lies once it has been rendered. */
  recordingPath: (callId: string) => string;
  /** Bounds the downloads that are under way at once. */
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
        "One range of bytes, counted from 0, the last one included: `bytes=0-499`, `bytes=500-`, or `bytes=-500` for the " +
        "last 500. Several ranges and malformed ones are ignored.",
      examples: ["bytes=0-43"],
    }),
  "if-range": z.string().optional().meta({
    description: "The entity tag of what is here already: when the recording is another one, all of it is sent.",
  }),
});

const DESCRIPTION =
  "A stereo WAV file of 16-bit PCM: the caller is left, the agent right. Its rate is 8000 Hz where the call's stream ran at " +
  "that both ways, and 16000 Hz elsewhere. It is available shortly after the call's end, when the call has `recording`; before that, and for calls that are not recorded, this is 404. " +
  "The file does not change: its `ETag` is good for as long as there is the call.";
const WAV = { "audio/wav": { schema: z.unknown() } };
const NOT_MODIFIED = z.undefined().meta({ description: "The recording is one of those in If-None-Match." });

const GET = {
  operationId: "getRecording",
  tags: ["calls"],
  summary: "Download a call's recording",
  description: DESCRIPTION,
  params: CallId,
  querystring: NoQuery,
  headers: RangeConditions,
  errors: ["not_found", "range_not_satisfiable", ...LARGE_RESPONSE_ERRORS] as const,
  response: {
    200: { description: "The whole file.", content: WAV },
    206: { description: "The requested bytes.", content: WAV },
    304: NOT_MODIFIED,
  },
  answerHeaders: {
    200: ["ETag", "Accept-Ranges", "Content-Disposition", "Content-Length"],
    206: ["ETag", "Accept-Ranges", "Content-Disposition", "Content-Range"],
    304: ["ETag", "Accept-Ranges"],
    416: ["ETag", "Accept-Ranges", "Content-Range"],
  } as const,
};

const HEAD = {
  operationId: "headRecording",
  tags: ["calls"],
  summary: "Read the headers of a call's recording",
  description: `The headers of \`getRecording\` without a range. ${DESCRIPTION}`,
  params: CallId,
  querystring: NoQuery,
  headers: Conditions,
  errors: ["not_found"] as const,
  response: { 200: z.undefined().meta({ description: "The recording is there." }), 304: NOT_MODIFIED },
  answerHeaders: { 200: GET.answerHeaders[200], 304: GET.answerHeaders[304] },
};

/** Recordings are downloaded as RFC 9110 has it: whole, or by one range of bytes, under If-Range and If-None-Match (section 13). */
export function recordingRoutes(scope: FastifyInstance, deps: RecordingRoutesDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();

  const find = async (accountId: string, callId: string): Promise<RecordingFile & { callId: string }> => {
    const call = await deps.calls.get(accountId, callId);
    if (call === undefined) throw notFound("call");
    if (call.recording === undefined) throw notFound("recording");
    try {
      return { callId: call.id, ...(await openRecording(deps.recordingPath(call.id))) };
    } catch (error) {
      deps.log.error({ callId: call.id, err: error }, "recording could not be opened");
      throw isResourceShortage(error) ? unavailable("the process is short of something", error) : notFound("recording");
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
    const { callId, handle, bytes, etag } = await find(request.accountId, request.params.id);
    const known = matchesEtag(headers["if-none-match"], etag);
    const ifRange = headers["if-range"] ?? etag;
    const range = headers.range === undefined || ifRange !== etag ? "whole" : rangeOf(headers.range, bytes);
    // What is not sent is closed here; a stream closes what it reads, and `streamOf` the stream when its reader hangs up.
    if (known || range === "unsatisfiable") await handle.close();
    reply.headers({ "accept-ranges": "bytes", etag });
    if (known) return reply.code(304).send();
    if (range === "unsatisfiable") throw rangeNotSatisfiable(bytes);
    if (range === "whole") return reply.headers(headersOf(callId, bytes)).send(streamOf(handle, request, reply));
    const { start, end } = range;
    return reply
      .code(206)
      .headers({ ...headersOf(callId, end - start + 1), "content-range": `bytes ${start}-${end}/${bytes}` })
      .send(streamOf(handle, request, reply, { start, end }));
  });
}

/** The bytes of a file, which is closed when the answer is over, sent or not. */
function streamOf(
  handle: FileHandle,
  { raw: request }: FastifyRequest,
  { raw: response }: FastifyReply,
  range: { start?: number; end?: number } = {},
): Readable {
  const stream = handle.createReadStream(range);
  onResponseEnd(request, response, () => stream.destroy());
  return stream;
}

/** Of an answer with so many bytes of a call's recording, or one that would have them. */
const headersOf = (callId: string, bytes: number) => ({
  "content-type": "audio/wav",
  "content-length": bytes,
  "content-disposition": `attachment; filename="${callId}.wav"`,
});

interface RecordingFile {
  /** To be closed by whoever asked for it. */
  handle: FileHandle;
  bytes: number;
  /** A strong one: a file that is rendered anew is another file, written at another time. */
  etag: string;
}

/** Rejects when there is no such file, when it cannot be read, and when a link, a folder or a pipe is in its place. */
async function openRecording(path: string): Promise<RecordingFile> {
  // A pipe would otherwise be waited for until somebody writes into it.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const status = await handle.stat({ bigint: true });
    if (!status.isFile()) throw new Error("not a file");
    // A disk that fails is to be found out while there is still an answer to be given.
    await handle.read({ buffer: Buffer.alloc(1), position: 0 });
    const { ino, mtimeNs, size } = status;
    const etag = `"${[ino, mtimeNs, size].map((part) => part.toString(36)).join("-")}"`;
    return { handle, bytes: Number(size), etag };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Whether the recording may well be there, and the process has no room for another open file just now. */
const isResourceShortage = (error: unknown): boolean =>
  error instanceof Error && "code" in error && /^(EMFILE|ENFILE|ENOMEM)$/.test(String(error.code));

/** Whether `If-None-Match` names the tag. The comparison is weak (RFC 9110, section 13.1.2), and `*` is any recording. */
const matchesEtag = (header: string | undefined, etag: string): boolean =>
  header === "*" || (header ?? "").split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);

/** One range of bytes (RFC 9110, section 14.1.2), under the unit's name in any case (14.1). */
const ONE_RANGE = /^bytes=(?:\d+-\d*|-(\d+))$/i;

/**
 * What `Range` asks for of a file of this length. Several ranges, and what is none, are passed over, as section 14.2 allows.
 */
function rangeOf(header: string, bytes: number): { start: number; end: number } | "whole" | "unsatisfiable" {
  const found = ONE_RANGE.exec(header);
  if (found === null) return "whole";
  // More than there is from the end on is all there is, which the parser takes for a range outside of the file.
  const [, suffix] = found;
  const ranges = parseRange(bytes, suffix === undefined ? header : `bytes=-${Math.min(Number(suffix), bytes)}`);
  if (!Array.isArray(ranges)) return "unsatisfiable";
  return ranges[0] ?? "whole";
}
