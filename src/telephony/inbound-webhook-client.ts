import type { IncomingMessage } from "node:http";
import { type Clock, isoTime } from "../core/clock.ts";
import {
  INBOUND_ANSWER_BYTES_MAX,
  INBOUND_ANSWER_HEAD_BYTES_MAX,
  INBOUND_ANSWER_MS_MAX,
} from "../core/limits/phone/carriers.ts";
import { type GuardedHttp, isRefusedAddress } from "../core/network/guarded-http.ts";
import { signedHeaders } from "../core/network/signed-headers.ts";
import { eventIdOf } from "../core/new-id.ts";
import type { InboundWebhookStore } from "../store/telephony/inbound-webhook-store.ts";
import type { PhoneNumber } from "../store/telephony/phone-number-store.ts";
import type { IncomingNotice } from "./webhooks.ts";

export interface InboundWebhookClientOptions {
  webhooks: Pick<InboundWebhookStore, "open">;
  http: Pick<GuardedHttp, "send">;
  clock: Clock;
}

/** `reason`: a word for the log. */
export type InboundWebhookAnswer = { kind: "answered"; body: unknown } | { kind: "failed"; reason: string };

/** What is wrong with an answer. */
class UnusableAnswer extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

/** Asks the inbound webhooks of numbers about calls, by messages as Standard Webhooks 1.0.0 says. Redirects are not followed. */
export class InboundWebhookClient {
  readonly #options: InboundWebhookClientOptions;

  constructor(options: InboundWebhookClientOptions) {
    this.#options = options;
  }

  /** The JSON of the answer, which is not checked further. Settles within INBOUND_ANSWER_MS_MAX, and never rejects. */
  async ask(number: PhoneNumber, notice: IncomingNotice): Promise<InboundWebhookAnswer> {
    const abort = new AbortController();
    const cancel = this.#options.clock.after(INBOUND_ANSWER_MS_MAX, () => abort.abort());
    const late = new Promise<InboundWebhookAnswer>((resolve) => {
      abort.signal.addEventListener("abort", () => resolve({ kind: "failed", reason: "timed out" }));
    });
    try {
      return await Promise.race([this.#asked(number, notice, abort.signal), late]);
    } finally {
      cancel();
    }
  }

  async #asked(number: PhoneNumber, notice: IncomingNotice, signal: AbortSignal): Promise<InboundWebhookAnswer> {
    const { webhooks, http, clock } = this.#options;
    try {
      const webhook = await webhooks.open(number.id);
      if (webhook === undefined) return { kind: "failed", reason: "it was removed" };
      const nowMs = clock.epochMs();
      const body = messageOf(number, notice, isoTime(nowMs));
      const id = eventIdOf(`call.incoming ${number.id} ${notice.carrierCallId}`);
      const response = await http.send({
        method: "POST",
        url: new URL(webhook.url),
        headers: signedHeaders({ id, body, secrets: [webhook.secret] }, nowMs),
        body,
        signal,
        answerHeadBytesMax: INBOUND_ANSWER_HEAD_BYTES_MAX,
      });
      return { kind: "answered", body: await jsonOf(response) };
    } catch (error) {
      return { kind: "failed", reason: reasonOf(error) };
    }
  }
}

const messageOf = (
  { id: phoneNumberId }: PhoneNumber,
  { from, to, carrierCallId, headers }: IncomingNotice,
  timestamp: string,
): string =>
  JSON.stringify({ type: "call.incoming", timestamp, data: { from, to, carrierCallId, headers, phoneNumberId } });

async function jsonOf(response: IncomingMessage): Promise<unknown> {
  const status = response.statusCode ?? 0;
  if (status < 200 || status >= 300) {
    response.destroy();
    throw new UnusableAnswer(`status ${status}`);
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop destroys the answer.
    if (length > INBOUND_ANSWER_BYTES_MAX) throw new UnusableAnswer("too long");
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new UnusableAnswer("no JSON");
  }
}

/** Neither the address nor what was answered. */
function reasonOf(error: unknown): string {
  if (error instanceof UnusableAnswer) return error.reason;
  if (isRefusedAddress(error)) return "the address is not of the public internet";
  return error instanceof Error && "code" in error ? `not reached: ${String(error.code)}` : "not reached";
}
