import type { Child, ChildExit } from "../../child-processes/child-process.ts";
import type { Clock } from "../../clock.ts";
import { codeOf } from "../../errors.ts";
import { MCP_LIST_MS_MAX, MCP_PROCESS_SILENT_MS_MAX, MCP_REQUESTS_MAX } from "../../limits/agents/tools.ts";
import type { Logger } from "../../log/logger.ts";
import { failed, type ToolOutcome } from "../outcome.ts";
import type { ListOutcome, McpMessage, McpRequest, McpServer } from "./messages.ts";
import type { StartMcpProcess } from "./process.ts";

export interface McpProcessOptions {
  start: StartMcpProcess;
  clock: Clock;
  log: Logger;
}

/** A tool call for a server. */
export type McpCall = Omit<Extract<McpRequest, { kind: "call" }>, "kind" | "id">;

/** The clients of MCP servers, as the process sees them that has them. */
export interface McpClients {
  /** Starts the process, so that the first request does not wait for it. */
  prepare(): void;
  /** Never rejects; after `signal` has aborted the outcome has no meaning. */
  call(call: McpCall, signal: AbortSignal): Promise<ToolOutcome>;
  /** Never rejects. The tools that a server lists, within MCP_LIST_MS_MAX. */
  list(server: McpServer, allowedTools: readonly string[] | undefined): Promise<ListOutcome>;
  /** The owner of sessions is gone. */
  end(owner: string): void;
}

type Outcome = ToolOutcome | ListOutcome;

interface Pending {
  readonly request: McpRequest;
  readonly settle: (outcome: Outcome) => void;
}

const DIED = failed("internal", "it could not be carried out");

/**
 * MCP clients in a child process, which is started when it is first needed: what servers say is parsed there. When it dies or falls
 * silent, the requests under way fail, and the next one starts another.
 */
export class McpProcess implements McpClients {
  readonly #options: McpProcessOptions;
  readonly #pending = new Map<number, Pending>();
  #ids = 0;
  #child: Child<McpRequest> | undefined;
  #isReady = false;
  #isClosed = false;
  /** Set while a ping is not answered. */
  #cancelSilence: (() => void) | undefined;

  constructor(options: McpProcessOptions) {
    this.#options = options;
  }

  prepare(): void {
    if (this.#child !== undefined || this.#isClosed) return;
    const { start, log } = this.#options;
    this.#isReady = false;
    try {
      this.#child = start({ onMessage: (message) => this.#onMessage(message), onExit: (exit) => this.#onExit(exit) });
    } catch (error) {
      log.error({ err: error, code: codeOf(error) }, "process of MCP clients could not be started");
    }
  }

  call(call: McpCall, signal: AbortSignal): Promise<ToolOutcome> {
    return this.#ask((id) => ({ kind: "call", id, ...call }), signal) as Promise<ToolOutcome>;
  }

  async list(server: McpServer, allowedTools: readonly string[] | undefined): Promise<ListOutcome> {
    const abort = new AbortController();
    const cancel = this.#options.clock.after(MCP_LIST_MS_MAX, () => abort.abort());
    const outcome = await this.#ask((id) => ({ kind: "list", id, server, allowedTools }), abort.signal);
    cancel();
    return "kind" in outcome ? outcome : { kind: "failed", failure: outcome };
  }

  end(owner: string): void {
    if (this.#isReady) this.#child?.send({ kind: "end", owner });
  }

  /** Ends the process. */
  close(): void {
    this.#isClosed = true;
    this.#cancelSilence?.();
    this.#child?.kill();
    this.#failAll();
  }

  #ask(requestOf: (id: number) => McpRequest, signal: AbortSignal): Promise<Outcome> {
    if (this.#pending.size >= MCP_REQUESTS_MAX) return Promise.resolve(failed("busy", "too many tools are running"));
    this.prepare();
    if (this.#child === undefined || signal.aborted) return Promise.resolve(DIED);
    this.#ids += 1;
    const id = this.#ids;
    const request = requestOf(id);
    return new Promise((resolve) => {
      const onAbort = (): void => {
        this.#child?.send({ kind: "abort", id });
        settle(failed("timeout", "its server did not answer in time"));
      };
      const settle = (outcome: Outcome): void => {
        signal.removeEventListener("abort", onAbort);
        this.#pending.delete(id);
        resolve(outcome);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#pending.set(id, { request, settle });
      if (this.#isReady) this.#send(request);
    });
  }

  #send(request: McpRequest): void {
    this.#child?.send(request);
    if (this.#cancelSilence !== undefined) return;
    this.#child?.send({ kind: "ping" });
    this.#cancelSilence = this.#options.clock.after(MCP_PROCESS_SILENT_MS_MAX, () => {
      this.#options.log.error({ pending: this.#pending.size }, "process of MCP clients is silent, and is replaced");
      this.#child?.kill();
    });
  }

  #onMessage(message: McpMessage): void {
    switch (message.kind) {
      case "ready":
        this.#isReady = true;
        for (const { request } of this.#pending.values()) this.#send(request);
        return;
      case "pong":
        this.#cancelSilence?.();
        this.#cancelSilence = undefined;
        return;
      case "listed":
      case "called":
        this.#pending.get(message.id)?.settle(message.outcome);
        return;
    }
  }

  #onExit(exit: ChildExit): void {
    this.#child = undefined;
    this.#isReady = false;
    this.#cancelSilence?.();
    this.#cancelSilence = undefined;
    if (this.#isClosed) return;
    this.#options.log.error({ ...exit, pending: this.#pending.size }, "process of MCP clients has died");
    this.#failAll();
  }

  #failAll(): void {
    for (const { settle } of [...this.#pending.values()]) settle(DIED);
  }
}
