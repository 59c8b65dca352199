import { afterEach, describe, expect, test } from "vitest";
import type { Child, ChildEvents } from "../../../../src/core/child-processes/child-process.ts";
import { systemClock } from "../../../../src/core/clock.ts";
import {
  MCP_LIST_MS_MAX,
  MCP_PROCESS_SILENT_MS_MAX,
  MCP_REQUESTS_MAX,
} from "../../../../src/core/limits/agents/tools.ts";
import { McpProcess } from "../../../../src/core/tools/mcp/client.ts";
import type { McpMessage, McpRequest } from "../../../../src/core/tools/mcp/messages.ts";
import { forkMcpProcess } from "../../../../src/core/tools/mcp/process.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { McpTestServer } from "../../../support/mcp/server.ts";
import { memoryLog } from "../../../support/memory-log.ts";

const CALL = {
  ...{ owner: "call_1", server: { url: "https://mcp.example.com", headers: {} } },
  ...{ tool: "search", arguments: {}, timeoutMs: 5_000 },
};

/** A process that says what the test makes it say. */
class ScriptedChild implements Child<McpRequest> {
  readonly pid = 1;
  readonly requests: McpRequest[] = [];
  readonly events: ChildEvents<McpMessage>;
  isKilled = false;

  constructor(events: ChildEvents<McpMessage>) {
    this.events = events;
  }

  send(request: McpRequest): void {
    this.requests.push(request);
  }

  kill(): void {
    this.isKilled = true;
    this.exit();
  }

  exit(): void {
    this.events.onExit({ exitCode: null, signal: "SIGKILL" });
  }

  /** The requests that are no pings. */
  get asked(): McpRequest[] {
    return this.requests.filter(({ kind }) => kind !== "ping");
  }
}

function scripted() {
  const clock = new ManualClock();
  const { log, lines } = memoryLog();
  const children: ScriptedChild[] = [];
  const clients = new McpProcess({
    start: (events) => {
      const child = new ScriptedChild(events);
      children.push(child);
      return child;
    },
    clock,
    log,
  });
  const never = new AbortController().signal;
  return { clock, lines, children, clients, call: (signal = never) => clients.call(CALL, signal) };
}

describe("the process of MCP clients", () => {
  test("is started once, and gets what was asked before it was ready", async () => {
    const { children, clients, call } = scripted();
    clients.prepare();
    const called = call();
    const [child] = children;
    expect([children.length, child?.requests]).toEqual([1, []]);
    child?.events.onMessage({ kind: "ready" });
    expect(child?.asked).toEqual([{ kind: "call", id: 1, ...CALL }]);
    child?.events.onMessage({ kind: "called", id: 1, outcome: { text: "Done." } });
    expect(await called).toEqual({ text: "Done." });
  });

  test("that dies fails what is under way, and the next request starts another", async () => {
    const { children, call, lines } = scripted();
    const called = call();
    children[0]?.exit();
    expect(await called).toMatchObject({ fault: "internal" });
    expect(lines.join()).toContain("process of MCP clients has died");
    void call();
    expect(children.length).toBe(2);
  });

  test("that falls silent is replaced", async () => {
    const { clock, children, call } = scripted();
    const called = call();
    children[0]?.events.onMessage({ kind: "ready" });
    clock.advance(MCP_PROCESS_SILENT_MS_MAX);
    expect([children[0]?.isKilled, (await called).fault]).toEqual([true, "internal"]);
    const again = call();
    children[1]?.events.onMessage({ kind: "ready" });
    children[1]?.events.onMessage({ kind: "pong" });
    clock.advance(MCP_PROCESS_SILENT_MS_MAX);
    expect(children[1]?.isKilled).toBe(false);
    children[1]?.events.onMessage({ kind: "called", id: 2, outcome: { text: "Done." } });
    expect(await again).toEqual({ text: "Done." });
  });

  test("aborts a request that is aborted, whose answer then changes nothing", async () => {
    const { children, call } = scripted();
    const abort = new AbortController();
    const called = call(abort.signal);
    children[0]?.events.onMessage({ kind: "ready" });
    abort.abort();
    expect(await called).toMatchObject({ fault: "timeout" });
    expect(children[0]?.asked.at(-1)).toEqual({ kind: "abort", id: 1 });
    children[0]?.events.onMessage({ kind: "called", id: 1, outcome: { text: "late" } });
  });

  test("gets a limited number of requests at a time", async () => {
    const { call } = scripted();
    for (let count = 0; count < MCP_REQUESTS_MAX; count += 1) void call(new AbortController().signal);
    expect(await call()).toMatchObject({ fault: "busy" });
  });

  test("lists a server's tools within a time", async () => {
    const { clock, clients } = scripted();
    const listed = clients.list(CALL.server, undefined);
    clock.advance(MCP_LIST_MS_MAX);
    expect(await listed).toMatchObject({ kind: "failed", failure: { fault: "timeout" } });
  });
});

describe("a real process of MCP clients", () => {
  const closing: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const one of closing.splice(0)) await one.close();
  });

  test("lists and calls the tools of a real server, and dies alone", { timeout: 120_000 }, async () => {
    const server = new McpTestServer();
    const { log } = memoryLog();
    const pids: (number | undefined)[] = [];
    const fork = forkMcpProcess(true);
    const clients = new McpProcess({
      start: (events) => {
        const child = fork(events);
        pids.push(child.pid);
        return child;
      },
      clock: systemClock,
      log,
    });
    closing.push(clients, server);
    const at = { url: await server.listen(), headers: {} };
    const listedNames = async () => {
      const listed = await clients.list(at, undefined);
      return listed.kind === "listed" && listed.list.tools.map(({ name }) => name);
    };
    // On a busy machine the process may take longer to start than a list may.
    await expect.poll(listedNames, { timeout: 60_000 }).toEqual(["search_orders"]);
    const call = (signal = new AbortController().signal) =>
      clients.call({ ...CALL, server: at, tool: "search_orders" }, signal);
    expect(await call()).toEqual({ text: "Two orders." });
    server.options = { call: () => new Promise(() => {}) };
    const hanging = call();
    await expect.poll(() => server.requests.length).toBeGreaterThan(6);
    process.kill(pids[0] ?? 0, "SIGKILL");
    expect(await hanging).toMatchObject({ fault: "internal" });
    server.options = {};
    expect(await call()).toEqual({ text: "Two orders." });
    expect(pids.length).toBe(2);
  });
});
