import { providerFailed, type TrunklineError } from "../../../core/errors.ts";
import { VOICE_LIST_PAGE_BYTES_MAX } from "../../../core/limits/speech-providers/tts.ts";
import { connectionErrorCode } from "../../../core/network/connection-error.ts";
import { headerOf, type KeepAliveResponse, keepAliveRequest, readBody } from "../../keep-alive-request.ts";
import { refusalFrom } from "../../resilience/provider-error.ts";

interface TtsHttpRequest {
  provider: string;
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** Posted as JSON; without it the request is a GET. */
  body?: object;
}

/**
 * Sends a request to a TTS provider. The response's body is the caller's to read and to destroy. Redirects are not
 * followed. Compression is neither requested nor accepted, because no client of Node bounds the decompressed size.
 * Throws `provider_failed`, whose cause is a Refusal if the provider refused. When `signal` aborts, the request and its
 * response are destroyed.
 */
export async function requestTts(
  { provider, url, headers, body }: TtsHttpRequest,
  signal: AbortSignal,
): Promise<KeepAliveResponse> {
  const posted = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const sentHeaders = {
    ...headers,
    "accept-encoding": "identity",
    ...(posted === undefined ? {} : { "content-type": "application/json", "content-length": String(posted.length) }),
  };
  const method = posted === undefined ? "GET" : "POST";
  const pending = keepAliveRequest(url, { method, headers: sentHeaders, body: posted }, signal);
  const response = await pending.catch((error: unknown) => {
    throw connectionFailed(provider, error);
  });
  const refusal = refusalOf(provider, response);
  if (refusal === undefined) return response;
  response.body.destroy();
  throw refusal;
}

/** The JSON of a response. Throws `provider_failed` if it is not JSON or is too large. */
export async function readJson(provider: string, response: KeepAliveResponse): Promise<unknown> {
  const body = await readBody(response, VOICE_LIST_PAGE_BYTES_MAX);
  if (body === undefined) throw providerFailed(provider, "sent a response over the size limit");
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw providerFailed(provider, "sent a response that is not JSON");
  }
}

/** The failure for a socket's `error`. It names the system's code only, never a text of the other side. */
export function connectionFailed(provider: string, error: unknown): TrunklineError {
  const code = connectionErrorCode(error);
  return providerFailed(provider, `the connection failed${code === undefined ? "" : ` (${code})`}`);
}

/** The failure for a handshake or a request that was answered with `status`. */
export function refusalError(provider: string, status: number, retryAfter: string | undefined): TrunklineError {
  return providerFailed(provider, `refused with ${status}`, refusalFrom(status, retryAfter));
}

function refusalOf(provider: string, response: KeepAliveResponse): TrunklineError | undefined {
  const { statusCode } = response;
  if (statusCode < 200 || statusCode > 299)
    return refusalError(provider, statusCode, headerOf(response, "retry-after"));
  if ((headerOf(response, "content-encoding") ?? "identity") !== "identity") {
    return providerFailed(provider, "sent a response in a content encoding that was not requested");
  }
  return undefined;
}
