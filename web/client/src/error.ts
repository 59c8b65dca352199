import type { components } from "./generated.ts";

/**
 * What went wrong, for programs. The codes of the API are in docs/errors.md; a service that is newer than this client may have more.
 * `no_answer`: no connection, or one that was lost. `unexpected_answer`: an answer that is not the API's, as a proxy may send it.
 */
export type TrunklineErrorCode = components["schemas"]["Error"]["code"] | "no_answer" | "unexpected_answer";

/** A problem of a request: `path` is a JSON pointer to what is wrong, `message` a sentence about it. */
export type Problem = components["schemas"]["Error"]["details"][number];

interface ErrorFields {
  code: TrunklineErrorCode;
  status?: number | undefined;
  details?: readonly Problem[];
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
}

/** Every failure of a request, except that an abort rejects with the reason of its signal. Its texts never hold the API key. */
export class TrunklineApiError extends Error {
  override readonly name = "TrunklineApiError";
  readonly code: TrunklineErrorCode;
  /** Of the answer; undefined without one. */
  readonly status: number | undefined;
  /** All problems of the request together; empty for errors of another kind. */
  readonly details: readonly Problem[];
  /** Names the request in the service's log; undefined where the answer has none. */
  readonly requestId: string | undefined;
  /** After how long the request may be sent again, where the answer says so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, fields: ErrorFields, options?: { cause?: unknown }) {
    super(message, options);
    this.code = fields.code;
    this.status = fields.status;
    this.details = fields.details ?? [];
    this.requestId = fields.requestId;
    this.retryAfterSeconds = fields.retryAfterSeconds;
  }
}

/** `what` is the request, as `GET /calls/{id}`. */
export const noAnswer = (what: string, cause: unknown): TrunklineApiError =>
  new TrunklineApiError(`${what}: no answer`, { code: "no_answer" }, { cause });

/** The error of a success that is no JSON. */
export const notJson = (what: string, { status, headers }: Response): TrunklineApiError =>
  new TrunklineApiError(`${what}: ${status} with a body that is not JSON`, {
    code: "unexpected_answer",
    status,
    requestId: headers.get("x-request-id") ?? undefined,
  });

/** The error that an answer with this body means. `retryAfterSeconds` as its header says. */
export function errorOf(
  what: string,
  { status, headers }: Response,
  body: string,
  retryAfterSeconds: number | undefined,
): TrunklineApiError {
  const error = apiErrorIn(body);
  if (error === undefined) {
    const requestId = headers.get("x-request-id") ?? undefined;
    const fields = { code: "unexpected_answer", status, requestId, retryAfterSeconds } as const;
    return new TrunklineApiError(`${what}: ${status} without an error of the API`, fields);
  }
  const { code, message, details, requestId } = error;
  const text = `${what}: ${status} ${code}: ${message} (${requestId})`;
  return new TrunklineApiError(text, { code, status, details, requestId, retryAfterSeconds });
}

function apiErrorIn(body: string): components["schemas"]["Error"] | undefined {
  let parsed: { error?: Partial<components["schemas"]["Error"]> } | null;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  const { code, message, details, requestId } = parsed?.error ?? {};
  const hasTexts = typeof code === "string" && typeof message === "string" && typeof requestId === "string";
  return hasTexts && Array.isArray(details) ? { code, message, details, requestId } : undefined;
}
