import { strict as assert } from "node:assert";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import type { CarrierAnswer, CarrierRequest, CarrierResponse, Exchange } from "../carriers/telephony.ts";
import type { CarrierType } from "../core/calls/spec.ts";
import type { Clock } from "../core/clock.ts";
import { codeOf } from "../core/errors.ts";
import {
  CARRIER_ANSWER_BYTES_MAX,
  CARRIER_ANSWER_HEAD_BYTES_MAX,
  CARRIER_REQUEST_MS_MAX,
} from "../core/limits/phone/carriers.ts";
import type { Logger } from "../core/log/logger.ts";
import { type CarrierClient, type CountCarrierRequest, outcomeOf } from "./carrier-client.ts";

export interface HttpCarrierClientOptions {
  /** The addresses of the carriers' APIs, without a slash at their ends. */
  apiUrls: Readonly<Partial<Record<CarrierType, string>>>;
  clock: Clock;
  log: Logger;
  onAnswer: CountCarrierRequest;
}

/** How long one address of a name is tried before the next one is tried in parallel. */
const NEXT_ADDRESS_MS = 2_000;

/** See `CarrierClient`. Redirects are not followed: they would take the credentials elsewhere. */
export class HttpCarrierClient implements CarrierClient {
  readonly #options: HttpCarrierClientOptions;

  constructor(options: HttpCarrierClientOptions) {
    this.#options = options;
  }

  async send<Value>(
    carrier: CarrierType,
    { request, read }: Exchange<Value>,
    { timeoutMs = CARRIER_REQUEST_MS_MAX }: { timeoutMs?: number } = {},
  ): Promise<CarrierAnswer<Value>> {
    const { clock, log, onAnswer } = this.#options;
    const { operation } = request;
    const url = this.#urlOf(carrier, request);
    const abort = new AbortController();
    const cancel = clock.after(timeoutMs, () => abort.abort());
    const sent: SentRequest = { isConnected: false, status: 0 };
    let answer: CarrierAnswer<Value>;
    try {
      const response = await exchangeWith(url, request, sent, abort.signal);
      answer = read(response);
    } catch (error) {
      // Without a connection the carrier has seen nothing of the request.
      answer = sent.isConnected ? { kind: "uncertain", status: sent.status } : { kind: "busy", isUnreachable: true };
      const code = abort.signal.aborted ? "TIMED_OUT" : codeOf(error);
      log.warn({ carrier, operation, status: sent.status, code }, "carrier request got no answer");
    } finally {
      cancel();
    }
    onAnswer(carrier, operation, outcomeOf(answer));
    return answer;
  }

  #urlOf(carrier: CarrierType, { path }: CarrierRequest): URL {
    const base = this.#options.apiUrls[carrier];
    assert.ok(base !== undefined, `${carrier} has no address of an API`);
    // Anything else could continue the host's name, and take the credentials to another host.
    assert.ok(path.startsWith("/"), "the path of a carrier's request begins with a slash");
    return new URL(base + path);
  }
}

/** How far a request has come. */
interface SentRequest {
  isConnected: boolean;
  /** 0 before the head of the answer. */
  status: number;
}

/** Rejects with the system's errors, and where the answer is too long or broken off. */
async function exchangeWith(
  url: URL,
  request: CarrierRequest,
  sent: SentRequest,
  signal: AbortSignal,
): Promise<CarrierResponse> {
  const response = await headOf(url, request, sent, signal);
  sent.status = response.statusCode ?? 0;
  const body = await bodyOf(response);
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]),
  );
  return { status: sent.status, headers, body };
}

/** Each request has a connection of its own: an idle one may be lost as it is used, and the outcome of the request is then unknown. */
function headOf(
  url: URL,
  { method, headers, body }: CarrierRequest,
  sent: SentRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const isSecure = url.protocol === "https:";
  const options = {
    method,
    headers: {
      "user-agent": "trunkline",
      ...headers,
      ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
    },
    agent: false,
    // An event loop that is busy for Node's default of 250 ms would make every address look unreachable.
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    maxHeaderSize: CARRIER_ANSWER_HEAD_BYTES_MAX,
    signal,
  } as const;
  return new Promise((resolve, reject) => {
    const outgoing = isSecure ? httpsRequest(url, options) : httpRequest(url, options);
    outgoing.on("socket", (socket: Socket) => {
      socket.once(isSecure ? "secureConnect" : "connect", () => {
        sent.isConnected = true;
      });
    });
    outgoing.on("response", resolve);
    outgoing.on("error", reject);
    // A server that switches protocols is disconnected, and emits neither of the two events.
    outgoing.on("close", () => reject(new Error("the connection was closed")));
    outgoing.end(body);
  });
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop destroys the answer.
    if (length > CARRIER_ANSWER_BYTES_MAX) throw new Error("the answer is too long");
  }
  return Buffer.concat(chunks).toString();
}
