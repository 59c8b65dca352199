import { AsyncLocalStorage } from "node:async_hooks";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport, StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import type { JsonSchemaValidator, jsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/types.js";
import { z } from "zod";
import type { Clock } from "../../clock.ts";
import {
  MCP_ANSWER_BYTES_MAX,
  MCP_LIST_BYTES_MAX,
  MCP_LIST_MS_MAX,
  MCP_LIST_PAGES_MAX,
  MCP_SESSION_END_MS_MAX,
  MCP_SESSION_IDLE_MS,
  MCP_SESSIONS_MAX,
  MCP_TOOLS_READ_MAX,
} from "../../limits/agents/tools.ts";
import type { GuardedHttp } from "../../network/guarded-http.ts";
import { SOFTWARE } from "../../runtime/version.ts";
import { failed, type ToolOutcome } from "../outcome.ts";
import { failureOf, isServersError } from "./failures.ts";
import { type Exchange, guardedFetch } from "./guarded-fetch.ts";
import type { ListOutcome, McpRequest, McpServer } from "./messages.ts";
import { resultText } from "./result-text.ts";
import { ServerListReader } from "./server-list.ts";

export interface McpSessionsOptions {
  http: Pick<GuardedHttp, "send">;
  clock: Clock;
}

/** An open session with a server. */
interface Session {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  /** Requests under way. */
  inProgress: number;
  /** It gets no further requests, and is closed when those under way are over. */
  isRetired: boolean;
  cancelIdle: () => void;
}

const [NAME = "", VERSION = ""] = SOFTWARE.split("/");

/** A malformed tool of a list must not hide the others: each is checked by itself. */
const ToolsPage = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/** The server's own schemas of results are not checked: the LLM reads whatever it says. */
const NO_VALIDATION: jsonSchemaValidator = {
  getValidator<Value>(): JsonSchemaValidator<Value> {
    return (input) => ({ valid: true, data: input as Value, errorMessage: undefined });
  },
};

/** The time after which the client of the protocol gives up by itself: the caller's signal aborts before. */
const SLACK_MS = 1_000;

/**
 * The clients of MCP servers of one process, by the official library over Streamable HTTP. A server that hangs, floods, redirects or
 * says nonsense costs the request that met it, and nothing else.
 */
export class McpSessions {
  readonly #http: Pick<GuardedHttp, "send">;
  readonly #clock: Clock;
  /** By owner and server, in the order of their last use. */
  readonly #sessions = new Map<string, Promise<Session>>();
  readonly #exchanges = new AsyncLocalStorage<Exchange>();

  constructor({ http, clock }: McpSessionsOptions) {
    this.#http = http;
    this.#clock = clock;
  }

  /** Never rejects. The tools that the server lists, in a session of their own. */
  async list(
    server: McpServer,
    allowedTools: readonly string[] | undefined,
    signal: AbortSignal,
  ): Promise<ListOutcome> {
    const exchange = new AbortableExchange(MCP_LIST_BYTES_MAX, signal);
    return await this.#exchanges.run(exchange, async (): Promise<ListOutcome> => {
      try {
        const session = await this.#open(server, { signal: exchange.signal, timeout: MCP_LIST_MS_MAX + SLACK_MS });
        try {
          return { kind: "listed", list: await readList(session.client, allowedTools, exchange.signal) };
        } finally {
          this.#close(session);
        }
      } catch (error) {
        return { kind: "failed", failure: failureOf(error, exchange.problem, MCP_LIST_BYTES_MAX) };
      }
    });
  }

  /** Never rejects. Calls of one owner to one server share a session, which does not outlive one that got no answer. */
  async call(request: Extract<McpRequest, { kind: "call" }>, signal: AbortSignal): Promise<ToolOutcome> {
    const { owner, server, timeoutMs } = request;
    const key = keyOf(owner, server);
    const exchange = new AbortableExchange(MCP_ANSWER_BYTES_MAX, signal);
    const options = { signal: exchange.signal, timeout: timeoutMs + SLACK_MS };
    return await this.#exchanges.run(exchange, async (): Promise<ToolOutcome> => {
      for (let isRepeated = false; ; isRepeated = true) {
        const wasOpen = this.#sessions.has(key);
        const opened = this.#opened(key, server, options);
        let session: Session | undefined;
        try {
          session = await this.#use(opened);
          return await callTool(session.client, request, options);
        } catch (error) {
          if (!isServersError(error)) {
            if (session !== undefined) session.isRetired = true;
            this.#forget(key, opened);
          }
          // The server has forgotten the session, and so has not carried out the call (specification, Session Management).
          if (wasOpen && !isRepeated && isUnknownSession(error)) continue;
          return failureOf(error, exchange.problem, MCP_ANSWER_BYTES_MAX);
        } finally {
          if (session !== undefined) this.#release(key, opened, session);
        }
      }
    });
  }

  /** Ends the sessions of an owner. */
  end(owner: string): void {
    for (const [key, session] of [...this.#sessions]) {
      if (key.startsWith(`${owner} `)) this.#retire(key, session);
    }
  }

  #opened(key: string, server: McpServer, options: RequestLimits): Promise<Session> {
    const opened = this.#sessions.get(key) ?? this.#open(server, options);
    this.#sessions.delete(key);
    this.#sessions.set(key, opened);
    const [oldest] = this.#sessions;
    if (this.#sessions.size > MCP_SESSIONS_MAX && oldest !== undefined) this.#retire(...oldest);
    return opened;
  }

  /** Another session may have the key by now. */
  #forget(key: string, opened: Promise<Session>): void {
    if (this.#sessions.get(key) === opened) this.#sessions.delete(key);
  }

  async #use(opened: Promise<Session>): Promise<Session> {
    const session = await opened;
    session.cancelIdle();
    session.inProgress += 1;
    return session;
  }

  #release(key: string, opened: Promise<Session>, session: Session): void {
    session.inProgress -= 1;
    if (session.inProgress > 0) return;
    if (session.isRetired) this.#close(session);
    else
      session.cancelIdle = this.#clock.after(MCP_SESSION_IDLE_MS, () => {
        this.#forget(key, opened);
        this.#close(session);
      });
  }

  #retire(key: string, opened: Promise<Session>): void {
    this.#sessions.delete(key);
    opened.then(
      (session) => {
        session.isRetired = true;
        session.cancelIdle();
        if (session.inProgress === 0) this.#close(session);
      },
      () => {},
    );
  }

  async #open({ url, headers }: McpServer, options: RequestLimits): Promise<Session> {
    const client = new Client(
      { name: NAME, version: VERSION },
      { capabilities: {}, jsonSchemaValidator: NO_VALIDATION },
    );
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      fetch: guardedFetch(this.#http, () => this.#exchanges.getStore() ?? UNREAD),
      requestInit: { headers: { ...headers } },
      reconnectionOptions: {
        initialReconnectionDelay: 200,
        maxReconnectionDelay: 1_000,
        reconnectionDelayGrowFactor: 2,
        maxRetries: 2,
      },
    });
    await client.connect(transport as Transport, options);
    return { client, transport, inProgress: 0, isRetired: false, cancelIdle: () => {} };
  }

  /** Asks the server to forget the session, for a short time, and closes all of its connections. */
  #close({ client, transport }: Session): void {
    const close = (): void => void client.close().catch(() => {});
    const cancel = this.#clock.after(MCP_SESSION_END_MS_MAX, close);
    transport.terminateSession().then(
      () => {
        cancel();
        close();
      },
      () => {
        cancel();
        close();
      },
    );
  }
}

interface RequestLimits {
  signal: AbortSignal;
  timeout: number;
}

/** An exchange that its first problem aborts, as does the signal of the caller. */
class AbortableExchange implements Exchange {
  bytesLeft: number;
  problem: Exchange["problem"];
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();

  constructor(bytesMax: number, signal: AbortSignal) {
    this.bytesLeft = bytesMax;
    this.signal = AbortSignal.any([signal, this.#controller.signal]);
  }

  onProblem = (): void => this.#controller.abort();
}

/** Of requests that end a session: their answers are not read. */
const UNREAD: Exchange = { bytesLeft: 0, problem: "too_large", onProblem: () => {} };

const keyOf = (owner: string, { url, headers }: McpServer): string => `${owner} ${JSON.stringify([url, headers])}`;

const isUnknownSession = (error: unknown): boolean => error instanceof StreamableHTTPError && error.code === 404;

async function readList(
  client: Client,
  allowedTools: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<ReturnType<ServerListReader["result"]>> {
  const reader = new ServerListReader(allowedTools);
  let cursor: string | undefined;
  for (let pages = 0; pages < MCP_LIST_PAGES_MAX && reader.readCount < MCP_TOOLS_READ_MAX; pages++) {
    const params = cursor === undefined ? {} : { cursor };
    const page = await client.request({ method: "tools/list", params }, ToolsPage, {
      signal,
      timeout: MCP_LIST_MS_MAX,
    });
    reader.take(page.tools.slice(0, MCP_TOOLS_READ_MAX - reader.readCount));
    cursor = page.nextCursor;
    if (cursor === undefined || reader.isComplete) break;
  }
  return reader.result();
}

async function callTool(
  client: Client,
  { tool: name, arguments: given }: Extract<McpRequest, { kind: "call" }>,
  options: RequestLimits,
): Promise<ToolOutcome> {
  const params = { name, arguments: { ...given } };
  const result = await client.request({ method: "tools/call", params }, CallToolResultSchema, options);
  const text = resultText(result);
  return result.isError === true ? failed("server", `its server reported a failure: ${text}`) : { text };
}
