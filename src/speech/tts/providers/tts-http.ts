import type { IncomingMessage } from "node:http";
import { providerFailed, type TrunklineError } from "../../../core/errors.ts";
import { VOICE_LIST_PAGE_BYTES_MAX } from "../../../core/limits/tts.ts";
import { keepAliveRequest } from "../../keep-alive-fetch.ts";
import { refusalFrom } from "../../resilience/provider-error.ts";

/** What the system calls its failures: ECONNREFUSED, CERT_HAS_EXPIRED. */
const SYSTEM_CODE = /^[A-Z][A-Z0-9_]{2,47}$/;

export interface TtsHttpRequest {
  provider: string;
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** Posted as JSON; without it the request is a GET. */
  body?: object;
}

/**
 * Asks a voice provider by HTTP; the answer's body is the caller's to read, and to destroy. Redirects are not followed,
 * and nothing that is compressed is asked for or taken: no client of Node's would bound what comes of it. Throws
 * `provider_failed`, whose cause, on a refusal, is a Refusal; when `signal` aborts the request is gone, and so is the
 * answer.
 */
export async function requestTts(
  { provider, url, headers, body }: TtsHttpRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const posted = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const told = {
    ...headers,
    "accept-encoding": "identity",
    ...(posted === undefined ? {} : { "content-type": "application/json", "content-length": String(posted.length) }),
  };
  const method = posted === undefined ? "GET" : "POST";
  const asked = keepAliveRequest(url, { method, headers: told, body: posted }, signal);
  const answer = await asked.catch((error: unknown) => {
    throw connectionFailed(provider, error);
  });
  const refusal = refusalOf(provider, answer);
  if (refusal === undefined) return answer;
  answer.destroy();
  throw refusal;
}

/** The JSON of an answer. Throws `provider_failed` for what is none, or is too large. */
export async function readJson(provider: string, answer: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      length += part.length;
      if (length > VOICE_LIST_PAGE_BYTES_MAX) throw providerFailed(provider, "sent a response over the size limit");
      parts.push(part);
    }
  } finally {
    answer.destroy();
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString("utf8"));
  } catch {
    throw providerFailed(provider, "sent a response that is not JSON");
  }
}

/** What `error`, of a socket, comes to, without foreign words. */
export function connectionFailed(provider: string, error: unknown): TrunklineError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return providerFailed(provider, SYSTEM_CODE.test(code) ? `the connection failed (${code})` : "the connection failed");
}

/** A handshake or a request was answered with `status`. */
export function refusalError(provider: string, status: number, retryAfter: string | undefined): TrunklineError {
  return providerFailed(provider, `refused with ${status}`, refusalFrom(status, retryAfter));
}

function refusalOf(provider: string, { statusCode = 0, headers }: IncomingMessage): TrunklineError | undefined {
  if (statusCode < 200 || statusCode > 299) return refusalError(provider, statusCode, headers["retry-after"]);
  if ((headers["content-encoding"] ?? "identity") !== "identity") {
    return providerFailed(provider, "answered with a content encoding that it was not asked for");
  }
  return undefined;
}
