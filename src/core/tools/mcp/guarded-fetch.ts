import { strict as assert } from "node:assert";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { TOOL_ANSWER_HEAD_BYTES_MAX } from "../../limits/agents/tools.ts";
import type { GuardedHttp } from "../../network/guarded-http.ts";

/** Why no answer of a server is used, beside errors of the connection. */
export type FetchProblem = "redirect" | "encoding" | "too_large";

/** The answers to one request of the protocol, which may take several of HTTP. */
export interface Exchange {
  /** How many more bytes of answers are read. */
  bytesLeft: number;
  /** The first problem; the exchange is then over. */
  problem: FetchProblem | undefined;
  /** Called with the first problem. */
  onProblem: () => void;
}

type FetchInit = Pick<RequestInit, "method" | "headers" | "body" | "signal">;

/**
 * `fetch` for a client of the protocol, by `http`, which connects to public addresses alone. No redirect is followed, and no more
 * than the bytes of the current exchange are read. Streams that a server may push on without a request are not opened: what they
 * could say would change nothing.
 */
export const guardedFetch =
  (http: Pick<GuardedHttp, "send">, exchange: () => Exchange) =>
  async (url: string | URL, { method = "GET", headers, body, signal }: FetchInit = {}): Promise<Response> => {
    const sent = Object.fromEntries(new Headers(headers).entries());
    if (method === "GET" && sent["last-event-id"] === undefined) return new Response(null, { status: 405 });
    assert.ok(body === undefined || body === null || typeof body === "string", "the client sends JSON");
    const text = body ?? undefined;
    const answer = await http.send({
      method,
      url: new URL(url),
      headers: {
        "user-agent": "trunkline",
        ...sent,
        ...(text !== undefined && { "content-length": String(Buffer.byteLength(text)) }),
        "accept-encoding": "identity",
      },
      body: text,
      signal: signal ?? new AbortController().signal,
      answerHeadBytesMax: TOOL_ANSWER_HEAD_BYTES_MAX,
    });
    return responseOf(answer, exchange());
  };

function responseOf(answer: IncomingMessage, exchange: Exchange): Response {
  const status = answer.statusCode ?? 0;
  const { "content-encoding": encoding = "identity" } = answer.headers;
  const refuse = (problem: FetchProblem): never => {
    answer.destroy();
    throw problemOf(exchange, problem);
  };
  if (status >= 300 && status < 400) refuse("redirect");
  if (encoding.toLowerCase() !== "identity") refuse("encoding");
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    if (typeof value === "string") headers.set(name, value);
  }
  if (status < 200 || status > 599 || status === 204 || status === 205) {
    answer.resume();
    return new Response(null, { status: status < 200 || status > 599 ? 502 : status, headers });
  }
  const bounded = Readable.toWeb(Readable.from(boundedBytes(answer, exchange), { objectMode: false }));
  return new Response(bounded as unknown as ConstructorParameters<typeof Response>[0], { status, headers });
}

async function* boundedBytes(answer: IncomingMessage, exchange: Exchange): AsyncGenerator<Buffer> {
  // Leaving the loop destroys the answer.
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    exchange.bytesLeft -= chunk.length;
    if (exchange.bytesLeft < 0) throw problemOf(exchange, "too_large");
    yield chunk;
  }
}

/** Notes the problem: the client of the protocol may swallow the error. */
function problemOf(exchange: Exchange, problem: FetchProblem): Error {
  if (exchange.problem === undefined) {
    exchange.problem = problem;
    exchange.onProblem();
  }
  return new Error(problem);
}
