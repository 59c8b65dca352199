import { providerFailed } from "../../../core/errors.ts";
import { parseObject } from "../../../core/json.ts";
import { headerOf, keepAliveRequest, readBody } from "../../keep-alive-request.ts";
import { refusalFrom } from "../../resilience/provider-error.ts";
import type { JsonObject } from "./stt-socket.ts";

export interface JsonRequest {
  provider: string;
  url: string;
  method: "GET" | "POST";
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** The longest answer that is read. */
  bytesMax: number;
}

/**
 * Sends a request whose answer is a JSON object, once. Rejects with `provider_failed` for a refusal and for any other answer, and with
 * the error of the connection when that fails. An abort rejects at once.
 */
export async function jsonRequest(
  { provider, url, method, headers, body, bytesMax }: JsonRequest,
  signal: AbortSignal,
): Promise<JsonObject> {
  // Compressed responses are not accepted: their decompressed size has no bound.
  const sent = { method, headers: { ...headers, "accept-encoding": "identity" }, body };
  const response = await keepAliveRequest(url, sent, signal);
  const status = response.statusCode;
  const encoding = headerOf(response, "content-encoding") ?? "identity";
  if (status !== 200 || encoding !== "identity") {
    response.body.destroy();
    if (status === 200) throw providerFailed(provider, "sent an encoded response");
    throw providerFailed(
      provider,
      `refused with status ${status}`,
      refusalFrom(status, headerOf(response, "retry-after")),
    );
  }
  const bytes = await readBody(response, bytesMax);
  if (bytes === undefined) throw providerFailed(provider, "sent a response that is too long for a transcription");
  const answer = parseObject(bytes.toString("utf8"));
  if (answer === undefined) throw providerFailed(provider, "sent no transcription");
  return answer;
}
