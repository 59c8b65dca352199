import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { HttpTool } from "../../calls/spec.ts";
import type { AccountId } from "../../ids.ts";
import {
  TOOL_ANSWER_BYTES_MAX,
  TOOL_ANSWER_HEAD_BYTES_MAX,
  TOOL_RETRIES_MAX,
  TOOL_RETRY_MS,
} from "../../limits/agents/tools.ts";
import { GuardedHttp, isRefusedAddress, type Resolve } from "../../network/guarded-http.ts";
import { maskedHeaders, withoutSecrets } from "../headers.ts";
import { failed, type OnToolRequest, type ToolOutcome, UNREACHABLE } from "../outcome.ts";
import { type SecretsOfCall, type ToolSecrets, toolSecretFor, withSecretsOf } from "../secrets.ts";
import { type ToolRequest, toolRequestOf } from "./request.ts";

export interface HttpToolsOptions {
  secrets: ToolSecrets;
  /** Tools may also call this machine. */
  allowLoopback: boolean;
  /** DNS by default. */
  resolve?: Resolve;
}

/** Carries out the HTTP tools of all calls of a process. */
export class HttpTools {
  readonly #secrets: ToolSecrets;
  readonly #allowLoopback: boolean;
  readonly #http: GuardedHttp;

  constructor(
    { secrets, allowLoopback, resolve }: HttpToolsOptions,
    http: GuardedHttp = new GuardedHttp({ allowLoopback, resolve }),
  ) {
    this.#secrets = secrets;
    this.#allowLoopback = allowLoopback;
    this.#http = http;
  }

  /** The same for one call, with its account's own secrets, which go before those of the service. */
  forCall({ accountId, toolSecrets }: SecretsOfCall): HttpTools {
    if (toolSecrets === undefined) return this;
    const secrets = withSecretsOf(accountId, toolSecrets, this.#secrets);
    return new HttpTools({ secrets, allowLoopback: this.#allowLoopback }, this.#http);
  }

  /**
   * `accountId` is the account that owns the tool. Rejects only on internal errors; when `signal` aborts, the
   * connection is closed. Redirects are not followed: a tool's request goes only to the server that its URL names.
   * A tool that may be sent twice is sent again where its server gave no answer of its own.
   */
  async carryOut(
    tool: HttpTool,
    given: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    accountId: AccountId,
    onRequest?: OnToolRequest,
  ): Promise<ToolOutcome> {
    const secretFor = (name: string, url: URL): string | undefined =>
      toolSecretFor(this.#secrets, name, { accountId, url, allowLoopback: this.#allowLoopback });
    const request = toolRequestOf(tool, given, secretFor);
    if ("text" in request) return request;
    const { method, url, body } = request;
    onRequest?.({ method, url: url.href, headers: maskedHeaders(tool.headers), body });
    const retriesMax = tool.readOnly || tool.idempotent ? TOOL_RETRIES_MAX : 0;
    for (let retries = 0; ; retries++) {
      const outcome = await this.#exchange(request, signal);
      if (retries >= retriesMax || !isTransient(outcome) || !(await waited(signal))) return outcome;
    }
  }

  async #exchange(request: ToolRequest, signal: AbortSignal): Promise<ToolOutcome> {
    try {
      const outcome = await read(await this.#send(request, signal));
      return { ...outcome, text: withoutSecrets(outcome.text, request.secrets) };
    } catch (error) {
      if (isRefusedAddress(error)) return failed("address_refused", UNREACHABLE);
      const cause = error instanceof Error && "code" in error ? String(error.code) : undefined;
      return failed("unreachable", UNREACHABLE, cause === undefined ? {} : { cause });
    }
  }

  #send({ method, url, headers, body }: ToolRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const defaults = {
      accept: "application/json, text/*;q=0.9",
      "user-agent": "trunkline",
      ...(body !== undefined && {
        "content-length": String(Buffer.byteLength(body)),
        "content-type": "application/json",
      }),
      "accept-encoding": "identity",
    };
    return this.#http.send({
      method,
      url,
      headers: { ...defaults, ...lowerCased(headers) },
      body,
      signal,
      answerHeadBytesMax: TOOL_ANSWER_HEAD_BYTES_MAX,
    });
  }
}

async function read(answer: IncomingMessage): Promise<ToolOutcome> {
  const status = answer.statusCode ?? 0;
  const { "content-type": type = "", "content-encoding": encoding = "identity" } = answer.headers;
  const isText = type === "" || /^(?:text\/|application\/(?:[a-z0-9.+-]+\+)?json\b)/i.test(type.trim());
  if (!isText || encoding.toLowerCase() !== "identity") {
    answer.destroy();
    return failed("unreadable", "its server's answer is neither JSON nor text", { status });
  }
  const bytes = await readWhole(answer);
  if (bytes === undefined) {
    return failed("too_large", `its server's answer is over ${TOOL_ANSWER_BYTES_MAX / 1_024} KiB`, { status });
  }
  const text = new TextDecoder().decode(bytes).trim();
  if (status >= 200 && status < 300) return { text: text === "" ? `Done, with status ${status}.` : text, status };
  const { text: problem, ...rest } = failed("status", `its server answered with status ${status}`, { status });
  return { text: text === "" ? problem : `${problem} ${text}`, ...rest };
}

/** Undefined when the answer exceeds the limit; the connection is then closed. */
async function readWhole(answer: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Leaving the loop destroys the answer.
    if (length > TOOL_ANSWER_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Statuses of a gateway before the server. */
const TRANSIENT_STATUSES: readonly (number | undefined)[] = [502, 503, 504];

/** Whether the same request may succeed at once: the server was not reached, or is being restarted. */
const isTransient = ({ fault, status }: ToolOutcome): boolean =>
  fault === "unreachable" || (fault === "status" && TRANSIENT_STATUSES.includes(status));

/** False once the signal aborts. */
const waited = (signal: AbortSignal): Promise<boolean> =>
  delay(TOOL_RETRY_MS, undefined, { signal, ref: false }).then(
    () => true,
    () => false,
  );

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
