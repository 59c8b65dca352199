import type { Scope } from "../../core/accounts/scopes.ts";
import type { SpendUnit } from "../../core/billing/spend.ts";
import { codeOf, type Fault, TrunklineError } from "../../core/errors.ts";

/** Every error code of the API with its status. docs/errors.md lists them; a code is never reused for another meaning. */
export const STATUS = {
  invalid_request: 400,
  unknown_voice: 400,
  unknown_language: 400,
  unauthorized: 401,
  /** The API key or the person lacks a scope, or a request of a browser does not come from the dashboard. */
  forbidden: 403,
  /** Audio of the call may not be recorded, or is to be redacted. */
  listening_not_allowed: 403,
  not_found: 404,
  /** The path has other methods, which the header Allow names. */
  method_not_allowed: 405,
  /** The header Accept allows none of the formats that there are. */
  not_acceptable: 406,
  /** Not possible in the resource's current state, or the account has reached its limit of them. */
  conflict: 409,
  already_on_hold: 409,
  not_on_hold: 409,
  recording_paused: 409,
  recording_not_paused: 409,
  /** The Idempotency-Key was used with another request. */
  idempotency_mismatch: 409,
  /** The header If-Match names another version than the resource has. */
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  /** The requested bytes are not in the file. */
  range_not_satisfiable: 416,
  /**
   * The API key or the account has reached its limit of requests or of concurrent calls, or the account its limit of
   * created calls a minute, or of concurrent lists or downloads.
   */
  rate_limited: 429,
  /** The account has reached a spend limit per minute. */
  spend_limit: 429,
  internal: 500,
  /** All call slots of the workers are taken, or the limit of concurrent lists or downloads is reached. */
  overloaded: 503,
  draining: 503,
  /** The disk of the records has less free space than required. */
  insufficient_storage: 503,
  /** Postgres does not answer or cannot be written to, or the file of SQLite was removed or replaced under the service. */
  database_lost: 503,
  /** 501 when it names a feature that this service lacks. */
  unavailable: 503,
  /** The node of the cluster that has the call has not answered in time. */
  node_unreachable: 504,
} as const;
export type ErrorCode = keyof typeof STATUS;

declare module "fastify" {
  interface FastifySchema {
    /** Error codes of this route, in addition to those of every route of its kind; for the OpenAPI document. */
    errors?: readonly ErrorCode[];
    /** The request may ask for features that this service lacks: those are answered with 501. */
    mayBeUnsupported?: boolean;
  }
}

/** At most this many problems of one body are reported. */
const PROBLEMS_MAX = 100;
/** Problems that take more than this as JSON are omitted: a response stays under 64 KiB for any request. */
const PROBLEMS_BYTES_MAX = 48 * 1_024;

/** `Retry-After` of 429 and 503: about the time in which a process restarts or a call ends. */
const RETRY_AFTER_S = 5;
export const RETRY_AFTER_STATUSES: readonly number[] = [429, 503];

/** One problem of a request. */
export interface Problem {
  /** JSON pointer (RFC 6901) to the field in the body, or to its parent when the pointer would be too long; empty for the whole body. */
  path: string;
  /** A sentence that names the field, what is allowed, and the value. */
  message: string;
}

/** The body of every response that is not a success. */
export interface ErrorBody {
  error: { code: ErrorCode; message: string; details: readonly Problem[]; requestId: string };
}

/** An error with a response of its own; every other error becomes `internal`. */
export class ApiError extends TrunklineError {
  declare readonly code: ErrorCode;
  readonly status: number;
  readonly details: readonly Problem[];
  /** Headers of the response, in addition to the usual ones. */
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

/** The first problems, one for each path, as many as a response holds; the rest of a hostile body's problems are never created. */
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

/** Requires at least one problem; the message is that problem's, or the count of all. */
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

/** The same response for a missing, a wrong and a revoked API key. */
export const unauthorized = (): ApiError =>
  new ApiError("unauthorized", "the header X-API-Key must carry an API key of this service", {
    headers: { "www-authenticate": CHALLENGE },
  });

/** RFC 9110 requires a challenge with every 401, and has no registered scheme for an API key in a header of its own. */
const CHALLENGE = 'ApiKey realm="Trunkline", header="X-API-Key"';

/** The API key, or the role of the person, lacks scopes that the route needs, or that the request would grant. */
export const lacksScope = (scopes: readonly Scope[], holder: "API key" | "role"): ApiError =>
  new ApiError("forbidden", `this ${holder} lacks the scope${scopes.length === 1 ? "" : "s"} ${scopes.join(", ")}`);

/** The same response for a missing and for an ended session. */
export const notSignedIn = (): ApiError =>
  new ApiError("unauthorized", "the request has no session: sign in first", { headers: SIGN_IN });

/** The same response for an unknown email, a wrong password and a person without one. */
export const wrongPassword = (): ApiError =>
  new ApiError("unauthorized", "the email or the password is wrong", { headers: SIGN_IN });

const SIGN_IN = { "www-authenticate": 'Session realm="Trunkline"' };

/** Also for resources of another account. */
export const notFound = (what: string): ApiError => new ApiError("not_found", `no such ${what}`);

/** What a store found; throws `not_found` where it found nothing. */
export function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw notFound(what);
  return value;
}

/** 415 for a body that is not plain JSON. */
export const unsupportedMediaType = (): ApiError =>
  new ApiError(
    "unsupported_media_type",
    "the body must be sent as application/json in UTF-8, without a Content-Encoding",
  );

/** The requested range is outside a file of this length (RFC 9110, section 15.5.17). */
export const rangeNotSatisfiable = (bytes: number): ApiError =>
  new ApiError("range_not_satisfiable", `the range is outside the ${bytes} bytes of the file`, {
    headers: { "content-range": `bytes */${bytes}` },
  });

/** 501 for features that the installation or its configuration lacks; `details` lists them. */
export const notImplemented = (details: readonly Problem[]): ApiError =>
  new ApiError("unavailable", details.map((detail) => detail.message).join("; "), { status: 501, details });

/** Why new calls are not accepted. */
export const REFUSALS = {
  draining: "the service is draining",
  overloaded: "the service is overloaded",
  insufficient_storage: "free disk space is below DISK_FREE_MIN_MB",
  database_lost: "the database does not answer, or its file was removed or replaced",
  unavailable: "the service is unavailable",
} as const satisfies Partial<Record<ErrorCode, string>>;
export type Refusal = keyof typeof REFUSALS;
export const REFUSAL_CODES = Object.keys(REFUSALS) as readonly Refusal[];

/** New calls are not accepted at present. */
export const callsRefused = (reason: Refusal): ApiError =>
  new ApiError(reason, `new calls are not accepted: ${REFUSALS[reason]}`);

/** The workers of WebRTC calls are full, or none of them runs, while those of other calls may have room. */
export const webrtcCallsRefused = (): ApiError =>
  new ApiError(
    "overloaded",
    "new calls by WebRTC are not accepted: their workers have no room, or none runs; see WEBRTC_WORKERS and WEBRTC_UDP_PORTS",
  );

/** No more calls with this API key, or of this account, until one of its calls ends. */
export const tooManyCalls = (of: "API key" | "account"): ApiError =>
  new ApiError("rate_limited", `this ${of} has reached its limit of concurrent calls, created and active`);

/** No more calls of this account for `waitMs`. */
export const tooManyCreations = (perMinute: number, waitMs: number): ApiError =>
  new ApiError("rate_limited", `this account has reached its limit of ${perMinute} created calls a minute`, {
    headers: { "retry-after": String(Math.max(1, Math.ceil(waitMs / 1_000))) },
  });

/** No more calls of this account until its spending within the last minute is below the limit. */
export const accountLimitError = (limit: SpendUnit): ApiError =>
  new ApiError("spend_limit", `the calls of this account have reached its limit of ${limit} within a minute`);

/** Converts a thrown value. The text of an error leaves the service only if it is an ApiError. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (codeOf(thrown) === "node_unreachable" && thrown instanceof Error) {
    return new ApiError("node_unreachable", thrown.message);
  }
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
