import { randomUUID } from "node:crypto";
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  isInitializeRequest,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

export interface TestTool {
  name: string;
  description?: string;
  inputSchema: { type: "object"; [keyword: string]: unknown };
}

export interface McpTestServerOptions {
  /** By default the tools that follow, on one page. */
  pages?: readonly (readonly TestTool[])[];
  call?: (name: string, given: Record<string, unknown>) => CallToolResult | Promise<CallToolResult>;
  /** Answers as JSON in place of a stream of events. */
  isJson?: boolean;
  /** Answers before the server of the protocol does, and says whether it has. */
  before?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export const SEARCH: TestTool = {
  name: "search_orders",
  description: "Finds orders.",
  inputSchema: { type: "object", properties: { customer: { type: "string" } }, required: ["customer"] },
};

/** An MCP server by the official library, over Streamable HTTP on this machine. */
export class McpTestServer {
  options: McpTestServerOptions;
  readonly requests: { method: string | undefined; headers: IncomingMessage["headers"] }[] = [];
  readonly #http: HttpServer;
  readonly #sessions = new Map<string, StreamableHTTPServerTransport>();

  constructor(options: McpTestServerOptions = {}) {
    this.options = options;
    this.#http = createServer((request, response) => void this.#serve(request, response));
  }

  /** Resolves with the address of the endpoint. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#http.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/mcp`;
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  /** Forgets all sessions, as a server that was started anew. */
  forgetSessions(): void {
    this.#sessions.clear();
  }

  close(): Promise<void> {
    this.#http.closeAllConnections();
    return new Promise((resolve) => this.#http.close(() => resolve()));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests.push({ method: request.method, headers: request.headers });
    if (this.options.before?.(request, response) === true) return;
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    const id = request.headers["mcp-session-id"];
    const known = typeof id === "string" ? this.#sessions.get(id) : undefined;
    if (known !== undefined) return await known.handleRequest(request, response, body);
    if (!isInitializeRequest(body)) {
      response.writeHead(404).end();
      return;
    }
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      enableJsonResponse: this.options.isJson ?? false,
      onsessioninitialized: (sessionId) => {
        this.#sessions.set(sessionId, transport);
      },
      onsessionclosed: (sessionId) => {
        this.#sessions.delete(sessionId);
      },
    });
    await this.#newServer().connect(transport as Transport);
    await transport.handleRequest(request, response, body);
  }

  #newServer(): Server {
    const server = new Server({ name: "test", version: "1.0.0" }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
      const { pages = [[SEARCH]] } = this.options;
      const page = Number(params?.cursor ?? 0);
      return {
        tools: [...(pages[page] ?? [])],
        ...(page + 1 < pages.length && { nextCursor: String(page + 1) }),
      };
    });
    server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
      const { call = () => ({ content: [{ type: "text", text: "Two orders." }] }) } = this.options;
      return await call(params.name, params.arguments ?? {});
    });
    return server;
  }
}
