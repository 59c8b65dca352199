import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import parseRange from "range-parser";
import { z } from "zod";
import { type RangedFile, type RangedSource, rangedFileOf } from "../../../core/encryption/chunked-file.ts";
import type { MediaFile } from "../../../core/encryption/chunks.ts";
import { codeOf, systemErrorCodeOf } from "../../../core/errors.ts";
import { rangeNotSatisfiable } from "../../http/errors.ts";
import { matchesEtag } from "../../http/responses/etag.ts";
import { onResponseEnd } from "../../http/responses/response-end.ts";

/** The headers of a request for the head of a file. */
export const Conditions = z.looseObject({
  "if-none-match": z.string().optional().meta({
    description: "Entity tags of files that the client has: 304 when the file is one of them.",
  }),
});
/** The headers of a request for a file, or a range of it. */
export const RangeConditions = Conditions.extend({
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
    description: "The entity tag of the part that the client has: when the file has another one, all of it is sent.",
  }),
});

/** The bytes at each end of a shared file of which its tag is made. */
const TAGGED_BYTES = 4_096;
const TAG_CHARACTERS = 16;

/** A stream that closes its file, and does so when the response ends, whether or not it was sent. */
export function streamOf(
  stream: Readable,
  { raw: request }: FastifyRequest,
  { raw: response }: FastifyReply,
): Readable {
  onResponseEnd(request, response, () => stream.destroy());
  return stream;
}

export interface RecordingFile extends RangedFile {
  /** The caller of `openRecording` closes it, unless a stream does. */
  handle: RangedSource;
  /**
   * A strong tag: a file that is rendered again has another inode and another modification time. Where several machines have the file it
   * is made of its length and its ends: of a recording rendered again one of these differs, also where they are encrypted.
   */
  etag: string;
}

/**
 * Rejects when the file does not exist or cannot be read, when it is a link, a folder or a pipe, and when it is encrypted
 * and its key is missing, or it was changed. `isShared`: other machines have the same file.
 */
export async function openRecording({ path, key }: MediaFile, isShared = false): Promise<RecordingFile> {
  // Opening a pipe would otherwise wait until a process writes to it.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const status = await handle.stat({ bigint: true });
    if (!status.isFile()) throw new Error("not a file");
    // Detects a failing disk while the status can still be chosen.
    await handle.read({ buffer: Buffer.alloc(1), position: 0 });
    const { ino, mtimeNs, size } = status;
    if (isShared) return await openSharedRecording(handle, Number(size), key);
    const etag = `"${[ino, mtimeNs, size].map((part) => part.toString(36)).join("-")}"`;
    return { ...(await rangedFileOf(handle, Number(size), "recording", key)), handle, etag };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A recording that several machines can read, this one from `source`, so many bytes long. Rejects as `openRecording`. */
export async function openSharedRecording(
  source: RangedSource,
  bytes: number,
  key: MediaFile["key"],
): Promise<RecordingFile> {
  const hash = createHash("sha256");
  for (const at of [0, Math.max(0, bytes - TAGGED_BYTES)]) {
    const { buffer, bytesRead } = await source.read(Buffer.alloc(TAGGED_BYTES), 0, TAGGED_BYTES, at);
    hash.update(buffer.subarray(0, bytesRead));
  }
  const etag = `"${bytes.toString(36)}-${hash.digest("base64url").slice(0, TAG_CHARACTERS)}"`;
  return { ...(await rangedFileOf(source, bytes, "recording", key)), handle: source, etag };
}

/** Whether the recording probably exists, but the process cannot open another file now. */
export const isResourceShortage = (error: unknown): boolean =>
  /^(EMFILE|ENFILE|ENOMEM)$/.test(systemErrorCodeOf(error) ?? "");

/** Whether the renderer or a store did not answer this time. */
export const isTemporary = (error: unknown): boolean =>
  codeOf(error) === "unavailable" || codeOf(error) === "renderer_died";

/** One range of bytes (RFC 9110, section 14.1.2); the unit's name is not case-sensitive (14.1). */
const ONE_RANGE = /^bytes=(?:\d+-\d*|-(\d+))$/i;

/** The range of a file of this length that `Range` requests. Several ranges and malformed ones are ignored (section 14.2). */
export function rangeOf(header: string, bytes: number): { start: number; end: number } | "whole" | "unsatisfiable" {
  const found = ONE_RANGE.exec(header);
  if (found === null) return "whole";
  // A suffix longer than the file means the whole file; the parser would take it for a range outside of the file.
  const [, suffix] = found;
  const ranges = parseRange(bytes, suffix === undefined ? header : `bytes=-${Math.min(Number(suffix), bytes)}`);
  if (!Array.isArray(ranges)) return "unsatisfiable";
  return ranges[0] ?? "whole";
}

/** The part of Fastify's reply that a file needs. */
type FileReply = Pick<FastifyReply, "raw" | "headers" | "code" | "send">;

/**
 * Answers with a file, or with the range of it that the request asks for (RFC 9110, sections 13 and 14), and closes it. `headers` are those
 * of its content. Throws ApiError `range_not_satisfiable`.
 */
export async function sendRange(
  { handle, bytes, etag, ...file }: RecordingFile,
  request: FastifyRequest,
  reply: FileReply,
  headers: Readonly<Record<string, string>>,
): Promise<FastifyReply> {
  const given = request.headers;
  const known = matchesEtag(given["if-none-match"], etag);
  const ifRange = given["if-range"] ?? etag;
  const range = given.range === undefined || ifRange !== etag ? "whole" : rangeOf(given.range, bytes);
  // A file that is not sent is closed here. A stream closes its file, and `streamOf` closes the stream when the client disconnects.
  if (known || range === "unsatisfiable") await handle.close();
  reply.headers({ "accept-ranges": "bytes", etag });
  if (known) return reply.code(304).send();
  if (range === "unsatisfiable") throw rangeNotSatisfiable(bytes);
  const send = (stream: Readable): FastifyReply => reply.send(streamOf(stream, request, reply as FastifyReply));
  if (range === "whole") {
    reply.headers({ ...headers, "content-length": bytes });
    return send(file.stream());
  }
  const { start, end } = range;
  reply.code(206);
  reply.headers({ ...headers, "content-length": end - start + 1, "content-range": `bytes ${start}-${end}/${bytes}` });
  return send(file.stream({ start, end }));
}
