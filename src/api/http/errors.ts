import type { SpendUnit } from "../../core/billing/spend.ts";
import { type Fault, TrunklineError } from "../../core/errors.ts";

/** Every code the API answers with, and its status. docs/api.md lists them; none is reused for another meaning. */
export const STATUS = {
  invalid_request: 400,
  unknown_voice: 400,
  unknown_language: 400,
  unauthorized: 401,
  not_found: 404,
  /** The path has other methods, which the header Allow names. */
  method_not_allowed: 405,
  /** What is asked for cannot be done with the thing as it is now, or the account has as many of them as it may. */
  conflict: 409,
  /** The Idempotency-Key was used with another request. */
  idempotency_mismatch: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  /** The bytes that were asked for are not in the file. */
  range_not_satisfiable: 416,
  /** The API key has as many calls as it may, or the account as many lists or downloads under way. */
  rate_limited: 429,
  /** The account has spent as much within a minute as it may. */
  spend_limit: 429,
  internal: 500,
  /** The workers carry all the calls that they can, or as many lists or downloads are under way as may be. */
  overloaded: 503,
  draining: 503,
  /** The disk of the records has less free space than it must have. */
  insufficient_storage: 503,
  /** The database file was removed or replaced under the service. */
  database_lost: 503,
  /** 501 where it names a feature that this build does not have. */
  unavailable: 503,
} as const;
export type ErrorCode = keyof typeof STATUS;

declare module "fastify" {
  interface FastifySchema {
    /** Codes that this route answers with beyond those that every route of its kind does; for the OpenAPI document. */
    errors?: readonly ErrorCode[];
    /** Values that it takes may ask for features that this build does not have: those are answered with 501. */
    asksForUnbuilt?: boolean;
  }
}

/** Of a body that is wrong throughout, this many problems are reported. */
const PROBLEMS_MAX = 100;
/** No problem is added to those that take more than this as JSON: an answer stays under 64 KiB, whatever was sent. */
const PROBLEMS_BYTES_MAX = 48 * 1_024;

/** The statuses that carry `Retry-After`, and what it asks for: about as long as a process takes to come back, or a call to end. */
const RETRY_AFTER_S = 5;
export const RETRY_AFTER_STATUSES: readonly number[] = [429, 503];

/** One thing that is wrong with a request. */
export interface Problem {
  /** JSON pointer (RFC 6901) into the body, to the field or, where that is too long to show, to what holds it; empty for the body as a whole. */
  path: string;
  /** A sentence that names the field, what it may be and what it was. */
  message: string;
}

/** The one body of every answer that is no success. */
export interface ErrorBody {
  error: { code: ErrorCode; message: string; details: readonly Problem[]; requestId: string };
}

/** An error that the API answers with; everything else becomes `internal`. */
export class ApiError extends TrunklineError {
  declare readonly code: ErrorCode;
  readonly status: number;
  readonly details: readonly Problem[];
  /** What the answer carries beside the body. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { status?: number; details?: readonly Problem[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    const status = options.status ?? STATUS[code];
    super(code, faultOf(status), message);
    this.status = status;
    this.details = options.details ?? [];
    this.headers = {
      ...(RETRY_AFTER_STATUSES.includes(status) && { "retry-after": String(RETRY_AFTER_S) }),
      ...options.headers,
    };
  }

  body(requestId: string): ErrorBody {
    return { error: { code: this.code, message: this.message, details: this.details, requestId } };
  }
}

const faultOf = (status: number): Fault => (status < 500 ? "caller" : status === 500 ? "bug" : "service");

/** The first of what is wrong, one problem a path, as far as an answer holds them; of a hostile body the rest is never even made. */
export function firstProblems(problems: Iterable<Problem>): readonly Problem[] {
  const byPath = new Map<string, Problem>();
  let bytes = 0;
  for (const problem of problems) {
    if (byPath.has(problem.path)) continue;
    byPath.set(problem.path, problem);
    bytes += bytesOf(problem);
    if (byPath.size === PROBLEMS_MAX || bytes > PROBLEMS_BYTES_MAX) break;
  }
  return [...byPath.values()];
}

const bytesOf = (problem: Problem): number => Buffer.byteLength(JSON.stringify(problem));

/** At least one problem; the message is the only one's, or counts them. */
export function invalidRequest(
  problems: readonly Problem[],
  code: "invalid_request" | "unknown_voice" | "unknown_language" = "invalid_request",
): ApiError {
  const details = firstProblems(problems);
  const [first] = details;
  if (details.length === 1 && first) return new ApiError(code, first.message, { details });
  const bytes = details.reduce((sum, problem) => sum + bytesOf(problem), 0);
  const isFull = details.length === PROBLEMS_MAX || bytes > PROBLEMS_BYTES_MAX;
  const count = isFull ? `at least ${details.length} problems,` : `${details.length} problems, each`;
  return new ApiError(code, `${count} named in details`, { details });
}

/** One and the same answer for no key, a wrong one and a revoked one. */
export const unauthorized = (): ApiError =>
  new ApiError("unauthorized", "the header X-API-Key must carry an API key of this service", {
    headers: { "www-authenticate": CHALLENGE },
  });

/** RFC 9110 asks for a challenge with every 401, and has no registered scheme for a key in a header of its own. */
const CHALLENGE = 'ApiKey realm="Trunkline", header="X-API-Key"';

/** Also for what belongs to another account. */
export const notFound = (what: string): ApiError => new ApiError("not_found", `no such ${what}`);

export const unsupportedMediaType = (): ApiError =>
  new ApiError(
    "unsupported_media_type",
    "the body must be sent as application/json in UTF-8, without a Content-Encoding",
  );

/** None of the bytes that were asked for are in a file of this length (RFC 9110, section 15.5.17). */
export const rangeNotSatisfiable = (bytes: number): ApiError =>
  new ApiError("range_not_satisfiable", `the range is outside the ${bytes} bytes of the file`, {
    headers: { "content-range": `bytes */${bytes}` },
  });

/** Listed features that this build does not have yet. */
export const notImplemented = (details: readonly Problem[]): ApiError =>
  new ApiError("unavailable", details.map((detail) => detail.message).join("; "), { status: 501, details });

export const notInThisVersion = (path: string, feature: string): Problem => ({
  path,
  message: `${feature} is not available in this version`,
});

/** Why no new calls are taken. */
export const REFUSALS = {
  draining: "the service is draining",
  overloaded: "the service is overloaded",
  insufficient_storage: "free disk space is below DISK_FREE_MIN_MB",
  database_lost: "the database file was removed or replaced",
  unavailable: "the service is unavailable",
} as const satisfies Partial<Record<ErrorCode, string>>;
export type Refusal = keyof typeof REFUSALS;
export const REFUSAL_CODES = Object.keys(REFUSALS) as readonly Refusal[];

/** No new calls are taken just now. */
export const callsRefused = (reason: Refusal): ApiError =>
  new ApiError(reason, `new calls are not accepted: ${REFUSALS[reason]}`);

/** None of this API key, until one of those it has is over. */
export const tooManyCalls = (): ApiError =>
  new ApiError("rate_limited", "this API key has reached its limit of concurrent calls, created and active");

/** None of this account, until it has spent less than it may within the last minute. */
export const accountLimitError = (limit: SpendUnit): ApiError =>
  new ApiError("spend_limit", `the calls of this account have reached its limit of ${limit} within a minute`);

/** What a thrown value is to the caller. Nothing of what it says itself leaves the service unless it is an ApiError. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof TrunklineError && (thrown.fault === "service" || thrown.fault === "provider")) {
    return new ApiError("unavailable", "a part of the service is not responding at present");
  }
  const status = thrown instanceof Error && "statusCode" in thrown ? Number(thrown.statusCode) : 500;
  if (status === 413) return new ApiError("payload_too_large", "the body is too large");
  if (status === 415) return unsupportedMediaType();
  if (status === 404) return notFound("resource");
  if (status >= 400 && status < 500) return new ApiError("invalid_request", "the request could not be read");
  return new ApiError("internal", "internal error");
}
