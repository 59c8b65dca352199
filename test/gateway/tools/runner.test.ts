import { describe, expect, test } from "vitest";
import type { CallEvent } from "../../../src/call/events.ts";
import type { ClientTool, HttpTool, McpTool } from "../../../src/core/calls/spec.ts";
import { asAccountId, asToolCallId, asToolId, asTurnId, type ToolCallId } from "../../../src/core/ids.ts";
import type { SchemaChecks, SchemaResult } from "../../../src/core/schemas/checker.ts";
import type { ToolOutcome } from "../../../src/core/tools/outcome.ts";
import { type ClientToolCall, ToolRunner } from "../../../src/gateway/tools/runner.ts";
import { SPEC } from "../../support/calls/virtual-call.ts";
import { queryCorpus } from "../../support/knowledge/passages.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { INLINE_SCHEMAS } from "../../support/stubs/inline-schemas.ts";

const described = {
  description: "Tells of an order.",
  parameters: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
  fixedArguments: {},
  timeoutMs: 5_000,
};
const HTTP: HttpTool = {
  ...described,
  kind: "http",
  name: "order",
  method: "GET",
  url: "http://x.example/",
  headers: {},
};
const CLIENT: ClientTool = { ...described, kind: "client", name: "screen" };
const MCP: McpTool = {
  ...described,
  kind: "mcp",
  name: "search",
  toolId: asToolId("tool_1"),
  url: HTTP.url,
  headers: {},
};

/**
 * A runner whose HTTP requests are answered by hand; arguments are checked in this process unless `schemas` does it.
 */
function runner(schemas: Pick<SchemaChecks, "prepare" | "check"> = INLINE_SCHEMAS) {
  const clock = new ManualClock();
  const { log, lines } = memoryLog();
  const delivered: CallEvent[] = [];
  const runs: [kind: string, outcome: string][] = [];
  const clientCalls: ClientToolCall[] = [];
  const requests: { given: object; signal: AbortSignal; answer(outcome: ToolOutcome): void; fail(): void }[] = [];
  const tools = new ToolRunner({
    redeemed: {
      accountId: asAccountId("account_1"),
      spec: {
        ...SPEC,
        tools: [HTTP, CLIENT, MCP, { kind: "built_in", name: "hang_up", fixedArguments: {} }, queryCorpus()],
      },
    },
    schemas,
    httpTools: {
      carryOut: (_tool, given, signal) =>
        new Promise((answer, reject) => {
          requests.push({ given, signal, answer, fail: () => reject(new Error("a bug with canary words")) });
        }),
    },
    retrieval: {
      query: async (question, language) => ({
        text: `${language}: ${question}`,
        retrieval: { tookMs: 7, passages: [] },
      }),
    },
    language: () => "de",
    askClient: (call) => clientCalls.push(call),
    deliver: (event) => delivered.push(event),
    onRun: (kind, outcome) => runs.push([kind, outcome]),
    clock,
    log,
  });
  return {
    ...{ clock, lines, delivered, clientCalls, requests, runs, tools },
    run: (name: string, toolCallId: ToolCallId, given: Record<string, unknown> = { order: "A-17" }) =>
      tools.run({ kind: "run-tool", turnId: asTurnId(3), toolCallId, name, arguments: given }),
    /** The last line that was logged. */
    lastLine: () => JSON.parse(lines.at(-1) ?? "{}") as Record<string, unknown>,
  };
}

const result = (toolCallId: string, text: string, failed = false) => ({
  ...{ kind: "tool-result", turnId: 3, toolCallId, result: text, failed },
});

describe("the tools of a call", () => {
  test("yield what their server answers", { retry: ifMachineStalled }, async () => {
    const { run, requests, delivered, clock, lastLine } = runner();
    run("order", asToolCallId("3.1"));
    await settled();
    clock.advance(120);
    requests[0]?.answer({ text: "on its way", status: 200 });
    expect(delivered).toEqual([]);
    await settled();
    expect(delivered).toEqual([result("3.1", "on its way")]);
    expect(lastLine()).toMatchObject({
      msg: "tool call completed",
      turnId: 3,
      tool: "order",
      durationMs: 120,
      status: 200,
    });
    expect(clock.pending).toBe(0);
  });

  test("are counted by kind and outcome", async () => {
    const { run, requests, tools, runs } = runner();
    run("order", asToolCallId("3.1"));
    run("screen", asToolCallId("3.2"));
    run("search", asToolCallId("3.3"));
    await settled();
    requests[0]?.answer({ text: "on its way", status: 200 });
    requests[1]?.answer({ text: "Error: too long.", fault: "too_large" });
    tools.clientAnswered("3.2", "no such window", true);
    await settled();
    expect(runs.toSorted()).toEqual([
      ["client", "client"],
      ["http", "completed"],
      ["mcp", "too_large"],
    ]);
  });

  test("yield what the client reports, once, and only for the id of a pending tool call", async () => {
    const { run, clientCalls, tools, delivered } = runner();
    run("screen", asToolCallId("3.1"));
    run("screen", asToolCallId("3.2"));
    await settled();
    expect(clientCalls).toEqual([
      { id: "3.1", name: "screen", arguments: { order: "A-17" } },
      { id: "3.2", name: "screen", arguments: { order: "A-17" } },
    ]);
    expect(tools.clientAnswered("3.2", "no such window", true)).toBe(true);
    expect(tools.clientAnswered("3.1", "shown", false)).toBe(true);
    expect([tools.clientAnswered("3.1", "again", false), tools.clientAnswered("9.9", "x", false)]).toEqual([
      false,
      false,
    ]);
    await settled();
    expect(delivered).toEqual([result("3.2", "Error: no such window.", true), result("3.1", "shown")]);
  });

  test("search corpora in the language of the call, and say what was found", async () => {
    const { run, delivered } = runner();
    run("query_corpus", asToolCallId("3.1"), { question: "Was kostet ein Brot?" });
    await settled();
    expect(delivered).toEqual([
      { ...result("3.1", "de: Was kostet ein Brot?"), retrieval: { tookMs: 7, passages: [] } },
    ]);
  });

  test("accept a client's result only for the client's own tools", () => {
    const { run, tools } = runner();
    run("order", asToolCallId("3.1"));
    expect(tools.clientAnswered("3.1", "x", false)).toBe(false);
  });

  test("time out, and late results are ignored", async () => {
    const { run, requests, tools, delivered, clock, lastLine } = runner();
    run("order", asToolCallId("3.1"));
    run("screen", asToolCallId("3.2"));
    await settled();
    clock.advance(4_999);
    expect(delivered).toEqual([]);
    clock.advance(1);
    const late = "Error: it took longer than 5 s.";
    expect(delivered).toEqual([result("3.1", late, true), result("3.2", late, true)]);
    expect(lastLine()).toMatchObject({ msg: "tool call failed", code: "timeout", durationMs: 5_000 });
    expect(requests[0]?.signal.aborted).toBe(true);
    requests[0]?.answer({ text: "late" });
    expect(tools.clientAnswered("3.2", "late", false)).toBe(false);
    await settled();
    expect(delivered).toHaveLength(2);
  });

  test("are not run with arguments that do not fit: the LLM is informed what is wrong, later", async () => {
    const { run, requests, clientCalls, delivered, lastLine } = runner();
    run("order", asToolCallId("3.1"), { order: 17 });
    run("screen", asToolCallId("3.2"), {});
    expect(delivered).toEqual([]);
    await settled();
    expect(delivered).toEqual([
      result("3.1", "Error: the arguments do not fit: /order must be string.", true),
      result("3.2", "Error: the arguments do not fit: must have required property 'order'.", true),
    ]);
    expect([requests, clientCalls]).toEqual([[], []]);
    expect(lastLine()).toMatchObject({ code: "arguments" });
  });

  test("run at most sixteen at once", async () => {
    const { run, requests, delivered } = runner();
    for (let count = 1; count <= 17; count += 1) run("order", asToolCallId(`3.${count}`));
    await settled();
    expect(requests).toHaveLength(16);
    expect(delivered).toEqual([result("3.17", "Error: too many tools are running.", true)]);
    requests[0]?.answer({ text: "done" });
    await settled();
    run("order", asToolCallId("3.18"));
    await settled();
    expect(requests).toHaveLength(17);
  });

  test("C15: end with their call: connections are aborted, no timer is left and nothing is delivered", async () => {
    const { run, requests, tools, delivered, clock, lines } = runner();
    run("order", asToolCallId("3.1"));
    run("order", asToolCallId("3.2"));
    run("screen", asToolCallId("3.3"));
    await settled();
    run("order", asToolCallId("3.4"), {});
    tools.close();
    expect(requests.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    expect(clock.pending).toBe(0);
    requests[0]?.answer({ text: "late" });
    requests[1]?.fail();
    expect(tools.clientAnswered("3.3", "late", false)).toBe(false);
    await clock.play(60_000);
    expect([delivered, lines.filter((line) => line.includes("tool call completed"))]).toEqual([[], []]);
  });

  test("L1: report an internal error without its text, in the log and to the LLM", async () => {
    const { run, requests, delivered, lastLine } = runner();
    run("order", asToolCallId("3.1"), { order: "canary of the caller" });
    await settled();
    requests[0]?.fail();
    await settled();
    expect(delivered).toEqual([result("3.1", "Error: it could not be carried out.", true)]);
    expect(JSON.stringify(lastLine())).not.toContain("canary");
  });

  test("return a limited result to the LLM, without splitting a character", async () => {
    const { run, requests, delivered } = runner();
    run("order", asToolCallId("3.1"));
    await settled();
    requests[0]?.answer({ text: "👋".repeat(10_000) });
    await settled();
    const [event] = delivered as { result: string }[];
    expect(event?.result).toMatch(/^(?:👋)+\n\[Cut off: the first \d+ of 20000 characters are shown\.\]$/u);
    expect(event?.result.length).toBeGreaterThan(16_350);
    expect(event?.result.length).toBeLessThanOrEqual(16_384);
  });

  test("ADV-L4: pass arguments named like inherited properties to the server and the client, and break nothing", async () => {
    const { run, requests, clientCalls, tools, delivered } = runner();
    const given = JSON.parse(
      '{"order": "A-17", "toString": "x", "valueOf": "x", "constructor": "x", "__proto__": "x"}',
    );
    run("order", asToolCallId("3.1"), given);
    run("screen", asToolCallId("3.2"), given);
    await settled();
    expect([requests[0]?.given, clientCalls[0]?.arguments].map((sent) => JSON.stringify(sent))).toEqual(
      Array(2).fill(JSON.stringify(given)),
    );
    expect([tools.clientAnswered("3.2", "shown", false), delivered.length]).toEqual([true, 1]);
  });
});

/** Checks that are answered by hand. */
class ScriptedChecks implements Pick<SchemaChecks, "prepare" | "check"> {
  prepared = 0;
  readonly checks: { accountId: string; schema: string; value: string; answer(result: SchemaResult): void }[] = [];

  prepare(): void {
    this.prepared += 1;
  }

  check(accountId: string, schema: string, value: string): Promise<SchemaResult> {
    return new Promise((answer) => this.checks.push({ accountId, schema, value, answer }));
  }
}

const SCHEMA_RESULTS: readonly [SchemaResult["outcome"], result: SchemaResult, text: string][] = [
  ["over_budget", { outcome: "over_budget", cpuMs: 150 }, "Error: the arguments take too long to check."],
  ["refused", { outcome: "refused", cpuMs: 0 }, "Error: too many tools are running."],
  ["failed", { outcome: "failed", cpuMs: 0 }, "Error: it could not be carried out."],
];

describe("ADV-H2: the arguments of a tool", () => {
  test("are checked in another process, for the account of the call, while the call continues", async () => {
    const schemas = new ScriptedChecks();
    const { run, requests, delivered } = runner(schemas);
    run("order", asToolCallId("3.1"));
    await settled();
    expect([requests, delivered]).toEqual([[], []]);
    expect(schemas.checks).toMatchObject([
      { accountId: "account_1", schema: JSON.stringify(described.parameters), value: '{"order":"A-17"}' },
    ]);
    schemas.checks[0]?.answer({ outcome: "answered", answer: { kind: "fits" }, cpuMs: 1 });
    await settled();
    expect(requests).toMatchObject([{ given: { order: "A-17" } }]);
  });

  test.each(
    SCHEMA_RESULTS,
  )("that cannot be checked (%s) fail the tool, and the LLM is informed", async (_outcome, answer, text) => {
    const schemas = new ScriptedChecks();
    const { run, requests, delivered } = runner(schemas);
    run("order", asToolCallId("3.1"));
    schemas.checks[0]?.answer(answer);
    await settled();
    expect([delivered, requests]).toEqual([[result("3.1", text, true)], []]);
  });

  test("are checked no more in this call after exceeding the budget three times", async () => {
    const schemas = new ScriptedChecks();
    const { run, delivered } = runner(schemas);
    for (let count = 1; count <= 4; count += 1) {
      run("order", asToolCallId(`3.${count}`));
      schemas.checks[count - 1]?.answer({ outcome: "over_budget", cpuMs: 150 });
      await settled();
    }
    expect(schemas.checks).toHaveLength(3);
    expect(delivered.at(-1)).toEqual(result("3.4", "Error: the arguments take too long to check.", true));
    run("screen", asToolCallId("3.5"));
    expect(schemas.checks).toHaveLength(4);
  });

  test("are checked before the client's result counts: an unrequested result settles nothing", async () => {
    const schemas = new ScriptedChecks();
    const { run, tools, clientCalls, delivered } = runner(schemas);
    run("screen", asToolCallId("3.1"));
    expect(tools.clientAnswered("3.1", "shown", false)).toBe(false);
    schemas.checks[0]?.answer({ outcome: "answered", answer: { kind: "unfit", reason: "must be fewer" }, cpuMs: 1 });
    await settled();
    expect([clientCalls, delivered]).toEqual([
      [],
      [result("3.1", "Error: the arguments do not fit: must be fewer.", true)],
    ]);
  });

  test("have their checker started with the call, where it has tools with schemas", () => {
    const schemas = new ScriptedChecks();
    runner(schemas);
    expect(schemas.prepared).toBe(1);
  });

  test.each(["its time is over", "its call ends"])("are dropped where %s while they are checked", async (how) => {
    const schemas = new ScriptedChecks();
    const { run, requests, clientCalls, tools, clock, delivered } = runner(schemas);
    run("order", asToolCallId("3.1"));
    run("screen", asToolCallId("3.2"));
    if (how === "its call ends") tools.close();
    else clock.advance(5_000);
    const before = [...delivered];
    for (const check of schemas.checks) check.answer({ outcome: "answered", answer: { kind: "fits" }, cpuMs: 1 });
    await settled();
    expect([requests, clientCalls, delivered, clock.pending]).toEqual([[], [], before, 0]);
    expect(before).toHaveLength(how === "its call ends" ? 0 : 2);
  });
});
