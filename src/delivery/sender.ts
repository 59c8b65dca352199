import type { IncomingMessage } from "node:http";
import type { Clock } from "../core/clock.ts";
import { type EpochMs, elapsedMs, millisecondsOf } from "../core/clocks.ts";
import type { EventId } from "../core/ids.ts";
import {
  DELIVERY_ANSWER_BYTES_MAX,
  DELIVERY_ANSWER_HEAD_BYTES_MAX,
  DELIVERY_EXCERPT_CHARS_MAX,
  DELIVERY_MS_MAX,
  RETRY_AFTER_S_MAX,
} from "../core/limits/control-api/webhooks.ts";
import { type GuardedHttp, isRefusedAddress } from "../core/network/guarded-http.ts";
import { signedHeaders } from "../core/network/signed-headers.ts";
import type { DeliveryAnswer } from "../store/webhooks/webhook-store.ts";

/** One attempt to deliver an event. */
export interface Message {
  url: string;
  /** The same in every attempt. */
  eventId: EventId;
  body: string;
  /** The current secret first. */
  secrets: readonly string[];
}

/** What an endpoint made of a message. */
export interface SentMessage {
  isDelivered: boolean;
  /** The endpoint answered 410: it wants no more events. */
  isGone: boolean;
  /** From the answer's `Retry-After`. */
  retryAfterMs?: number;
  answer: DeliveryAnswer;
}

/**
 * Sends messages as Standard Webhooks 1.0.0 says: only a status of 2xx is success, a redirect is a failure, and the
 * timestamp is that of the attempt. Never rejects.
 */
export class Sender {
  readonly #http: GuardedHttp;
  readonly #clock: Clock;

  constructor(http: GuardedHttp, clock: Clock) {
    this.#http = http;
    this.#clock = clock;
  }

  async send({ url, eventId, body, secrets }: Message, stop: AbortSignal): Promise<SentMessage> {
    const begunMs = this.#clock.nowMs();
    const abort = new AbortController();
    const cancel = this.#clock.after(DELIVERY_MS_MAX, () =>
      abort.abort(new Error(`no complete answer within ${DELIVERY_MS_MAX / 1_000} s`)),
    );
    const signal = AbortSignal.any([abort.signal, stop]);
    const tookMs = () => Math.round(elapsedMs(begunMs, this.#clock.nowMs()));
    try {
      const response = await this.#http.send({
        method: "POST",
        url: new URL(url),
        headers: signedHeaders({ id: eventId, body, secrets }, this.#clock.epochMs()),
        body,
        signal,
        answerHeadBytesMax: DELIVERY_ANSWER_HEAD_BYTES_MAX,
      });
      const status = response.statusCode ?? 0;
      const retryAfterMs = retryAfterOf(response, this.#clock.epochMs());
      const isDelivered = status >= 200 && status < 300;
      const answered = await excerptOf(response);
      // It may quote the message, and is needed only where something is wrong.
      const excerpt = isDelivered ? "" : answered;
      return {
        isDelivered,
        isGone: status === 410,
        ...(retryAfterMs !== undefined && { retryAfterMs }),
        answer: { status, excerpt, tookMs: tookMs() },
      };
    } catch (error) {
      return { isDelivered: false, isGone: false, answer: { excerpt: reasonOf(error, signal), tookMs: tookMs() } };
    } finally {
      cancel();
    }
  }
}

/** Reads the start of an answer as text, and closes the connection when there is more than is read. */
async function excerptOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop destroys the answer.
    if (length > DELIVERY_ANSWER_BYTES_MAX) break;
  }
  const encoding = response.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") return `(${encoding}, not shown)`;
  return new TextDecoder().decode(Buffer.concat(chunks)).slice(0, DELIVERY_EXCERPT_CHARS_MAX);
}

/** RFC 9110, section 10.2.3: seconds, or a date. */
function retryAfterOf({ headers }: IncomingMessage, now: EpochMs): number | undefined {
  const text = headers["retry-after"]?.trim();
  if (text === undefined || text === "") return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - millisecondsOf(now)) / 1_000;
  return seconds > 0 ? Math.min(seconds, RETRY_AFTER_S_MAX) * 1_000 : undefined;
}

/** One text for an address that is refused and one that does not answer would hide a mistake; neither tells more than a code. */
function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return signal.reason instanceof Error ? signal.reason.message : "aborted";
  if (isRefusedAddress(error)) return "the address is not of the public internet, or its port is not allowed";
  const code = error instanceof Error && "code" in error ? `: ${String(error.code)}` : "";
  return `the endpoint could not be reached${code}`;
}
