import { createHash, type Hash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import type { Clock } from "../../core/clock.ts";
import { systemErrorCodeOf, unavailable } from "../../core/errors.ts";
import {
  UPLOAD_BYTES_PER_SECOND_MIN,
  UPLOAD_FIELD_BYTES_MAX,
  UPLOAD_FIELDS_MAX,
  UPLOAD_WINDOW_MS,
} from "../../core/limits/transcriptions/transcriptions.ts";
import { printable } from "../http/display-path.ts";
import { ApiError, invalidRequest } from "../http/errors.ts";
import { problemWithoutValue } from "../http/requests/validation.ts";

const FIELD_NAME_BYTES_MAX = 100;
/** Lines of the head of each part. */
const PART_HEADERS_MAX = 20;

/** A field of a form, as text. */
export type FormField = readonly [name: string, value: string];

export interface UploadOptions {
  /** The file to write; it is closed in any case. */
  file: FileHandle;
  bytesMax: number;
  /** The name of the setting that says `bytesMax`. */
  bytesMaxName: string;
  /** Refuses a file by its beginning. */
  head?: FileHead;
  clock: Clock;
  /** There is no room for more on the disk. */
  isDiskLow: () => boolean;
  /** Called with the fields so far when the file begins. What it throws refuses the upload. */
  onFile: (fields: readonly FormField[]) => void;
}

/** What is checked of the beginning of a file while it arrives. */
export interface FileHead {
  bytes: number;
  /** Throws the ApiError with which such a file is refused. `head` is shorter than `bytes` only where the file is. */
  check: (head: Buffer) => void;
}

/** An upload that is on the disk. */
export interface Upload {
  fields: readonly FormField[];
  fileName: string;
  bytes: number;
  /** Of the file, lower-case hex. */
  sha256: string;
}

/**
 * Reads a form (RFC 7578) with one file, and writes that as it arrives. Rejects with ApiError where the form is malformed, too large, too
 * slow or broken off, and when the disk is full. The rest of a refused request is not read.
 */
export async function receiveUpload(request: IncomingMessage, options: UploadOptions): Promise<Upload> {
  const upload = new Receiving(request, options);
  try {
    return await upload.run();
  } finally {
    await options.file.close();
  }
}

class Receiving {
  readonly #request: IncomingMessage;
  readonly #options: UploadOptions;
  readonly #fields: FormField[] = [];
  readonly #hash: Hash = createHash("sha256");
  #bytes = 0;
  /** Of the request's body, for the least speed. */
  #received = 0;
  #fileName: string | undefined;
  #file: Readable | undefined;
  #writing: Promise<void> = Promise.resolve();
  #fail: (error: unknown) => void = () => {};

  constructor(request: IncomingMessage, options: UploadOptions) {
    this.#request = request;
    this.#options = options;
  }

  async run(): Promise<Upload> {
    const request = this.#request;
    const parser = parserOf(request, this.#options.bytesMax);
    const stopWatching = this.#watchSpeed();
    const count = (chunk: Buffer): void => {
      this.#received += chunk.length;
    };
    try {
      await new Promise<void>((resolve, reject) => {
        this.#fail = reject;
        this.#listen(parser);
        parser.once("finish", () => this.#writing.then(resolve, reject));
        request.on("data", count);
        request.pipe(parser);
      });
      if (this.#fileName === undefined) throw withoutFile(this.#fields);
      await this.#options.file.sync();
      const sha256 = this.#hash.digest("hex");
      return { fields: this.#fields, fileName: this.#fileName, bytes: this.#bytes, sha256 };
    } catch (error) {
      request.unpipe(parser);
      parser.destroy();
      throw storageErrorOf(error);
    } finally {
      stopWatching();
      request.off("data", count);
      this.#file?.destroy();
      await this.#writing.catch(() => {});
    }
  }

  #listen(parser: BusboyInstance): void {
    const request = this.#request;
    request.once("close", () => {
      if (!request.readableEnded) this.#fail(brokenOff());
    });
    parser.on("field", (name, value, isNameTruncated, isTruncated) => {
      if (isNameTruncated || isTruncated) this.#fail(fieldTooLong());
      this.#fields.push([name, value]);
    });
    parser.on("file", (name, stream, fileName) => this.#onFile(name, stream, fileName));
    parser.once("filesLimit", () => this.#fail(oneFile()));
    for (const limit of ["fieldsLimit", "partsLimit"] as const) parser.once(limit, () => this.#fail(tooManyFields()));
    parser.on("error", () => this.#fail(malformed()));
  }

  #onFile(name: string, stream: Readable, fileName: string): void {
    // Its own errors are those of the form.
    stream.on("error", () => {});
    this.#file = stream;
    try {
      if (name !== "file") throw unknownFile(name);
      this.#options.onFile(this.#fields);
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#fileName = fileName;
    stream.once("limit", () => this.#fail(tooLarge(this.#options)));
    this.#writing = this.#write(stream);
    this.#writing.catch((error: unknown) => this.#fail(error));
  }

  async #write(stream: Readable): Promise<void> {
    const { file, isDiskLow } = this.#options;
    const head = new HeadCheck(this.#options.head);
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (isDiskLow()) throw diskFull();
      head.add(chunk);
      this.#hash.update(chunk);
      this.#bytes += chunk.length;
      for (let written = 0; written < chunk.length; ) {
        written += (await file.write(chunk, written)).bytesWritten;
      }
    }
    if (this.#bytes === 0) throw invalidRequest([problemWithoutValue(["file"], "must not be empty")]);
    head.end();
  }

  /** Fails the upload when too little of it arrives within a window. Returns what ends this. */
  #watchSpeed(): () => void {
    const { clock } = this.#options;
    let before = 0;
    let cancel = (): void => {};
    const check = (): void => {
      const bytesMin = (UPLOAD_BYTES_PER_SECOND_MIN * UPLOAD_WINDOW_MS) / 1_000;
      if (this.#received - before < bytesMin) {
        this.#fail(tooSlow());
        return;
      }
      before = this.#received;
      cancel = clock.after(UPLOAD_WINDOW_MS, check);
    };
    cancel = clock.after(UPLOAD_WINDOW_MS, check);
    return () => cancel();
  }
}

/** Gathers the beginning of a file until it can be checked. */
class HeadCheck {
  readonly #rule: FileHead | undefined;
  #head = Buffer.alloc(0);
  #isChecked = false;

  constructor(rule: FileHead | undefined) {
    this.#rule = rule;
  }

  add(chunk: Buffer): void {
    if (this.#isChecked || this.#rule === undefined) return;
    this.#head = Buffer.concat([this.#head, chunk.subarray(0, this.#rule.bytes - this.#head.length)]);
    if (this.#head.length === this.#rule.bytes) this.end();
  }

  /** The file is over, or long enough. */
  end(): void {
    if (this.#isChecked) return;
    this.#isChecked = true;
    this.#rule?.check(this.#head);
  }
}

function parserOf({ headers }: IncomingMessage, bytesMax: number): BusboyInstance {
  const limits = {
    files: 1,
    fileSize: bytesMax,
    fields: UPLOAD_FIELDS_MAX,
    fieldSize: UPLOAD_FIELD_BYTES_MAX,
    fieldNameSize: FIELD_NAME_BYTES_MAX,
    headerPairs: PART_HEADERS_MAX,
  };
  try {
    return new Busboy({ headers: { ...headers, "content-type": headers["content-type"] ?? "" }, limits });
  } catch {
    throw malformed();
  }
}

const malformed = (): ApiError =>
  new ApiError(
    "invalid_request",
    "the body must be multipart/form-data with the boundary that the header Content-Type names",
  );

const brokenOff = (): ApiError => new ApiError("invalid_request", "the upload was broken off");

const tooSlow = (): ApiError =>
  new ApiError(
    "invalid_request",
    `the upload is too slow: at least ${UPLOAD_BYTES_PER_SECOND_MIN} bytes a second must arrive`,
    { status: 408 },
  );

const tooLarge = ({ bytesMax, bytesMaxName }: UploadOptions): ApiError =>
  new ApiError("payload_too_large", `the file is larger than ${bytesMax} bytes (${bytesMaxName})`);

const diskFull = (): ApiError =>
  new ApiError("insufficient_storage", "free disk space is too low for this upload: see DISK_FREE_MIN_MB");

const oneFile = (): ApiError => invalidRequest([problemWithoutValue(["file"], "must be given once")]);

const unknownFile = (name: string): ApiError =>
  invalidRequest([
    problemWithoutValue([], `has no file ${JSON.stringify(printable(name.slice(0, 40)))}: send it as file`),
  ]);

const tooManyFields = (): ApiError =>
  new ApiError("invalid_request", `the body must have at most ${UPLOAD_FIELDS_MAX} fields`);

const fieldTooLong = (): ApiError =>
  new ApiError("invalid_request", `each field of the body must have at most ${UPLOAD_FIELD_BYTES_MAX} bytes`);

const withoutFile = (fields: readonly FormField[]): ApiError =>
  invalidRequest([
    fields.some(([name]) => name === "file")
      ? problemWithoutValue(["file"], "must be a file: send its part with a filename")
      : problemWithoutValue(["file"], "must be given, but is missing"),
  ]);

/** A full disk is not the client's fault, and is said as for calls. */
function storageErrorOf(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  return /^(ENOSPC|EDQUOT)$/.test(systemErrorCodeOf(error) ?? "")
    ? diskFull()
    : unavailable("an upload could not be written", error);
}
