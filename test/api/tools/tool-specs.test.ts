import { describe, expect, test } from "vitest";
import { toolItemOf, toolSpecsOf } from "../../../src/api/tools/tool-specs.ts";
import { asAccountId, asToolId, type ToolId } from "../../../src/core/ids.ts";
import { MCP_LIST_FRESH_MS, MCP_TOOLS_PER_CALL_MAX } from "../../../src/core/limits/agents/tools.ts";
import type { SavedTool, SavedToolDefinition } from "../../../src/store/tool-store.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";

const PARAMETERS = { type: "object", properties: { order: { type: "string" } } };
const DESCRIBED = { description: "Looks up an order.", parameters: PARAMETERS, timeoutMs: 2_000 };
const PLAIN = { readOnly: false, idempotent: false };
const HTTP = { method: "GET", url: "https://api.example.com/orders/{order}" } as const;

/** The store asked for lists of these tools. */
function scene(saved: readonly SavedTool[] = []) {
  const clock = new ManualClock();
  const { log, lines } = memoryLog();
  const requested: ToolId[] = [];
  const tools = {
    getMany: async () => saved,
    requestListing: async ({ id }: Pick<SavedTool, "id">) => void requested.push(id),
  };
  const byId = new Map(saved.map((tool) => [String(tool.id), tool]));
  const specsOf = (selected: Parameters<typeof toolSpecsOf>[0], languages: readonly string[] = []) =>
    toolSpecsOf(selected, { languages, saved: byId }, { tools, clock, log });
  return { clock, lines, requested, specsOf };
}

test("a request's tools become those of the call, with fixed arguments", async () => {
  const { specsOf } = scene();
  expect(
    await specsOf(
      [
        { toolName: "hang_up" },
        {
          definition: { type: "http", name: "order", ...DESCRIBED, ...PLAIN, http: HTTP },
          parameterOverrides: { shop: 7 },
        },
        {
          definition: {
            ...{ type: "client", name: "show", ...DESCRIBED },
            ...{ readOnly: true, idempotent: true, whileRunning: "Wait." },
          },
        },
        { toolName: "switch_language" },
      ],
      ["de", "en"],
    ),
  ).toEqual([
    { kind: "built_in", name: "hang_up", fixedArguments: {} },
    { kind: "http", name: "order", ...DESCRIBED, fixedArguments: { shop: 7 }, ...HTTP, headers: {} },
    {
      ...{ kind: "client", name: "show", ...DESCRIBED, fixedArguments: {} },
      ...{ readOnly: true, idempotent: true, whileRunning: "Wait." },
    },
    { kind: "built_in", name: "switch_language", fixedArguments: {}, languages: ["de", "en"] },
  ]);
});

test("a call shows its tools as they were requested, but only the names of headers", async () => {
  const headers = { Authorization: "Bearer {{SHOP_TOKEN}}" };
  const [tool] = await scene().specsOf([
    { definition: { type: "http", name: "order", ...DESCRIBED, ...PLAIN, http: { ...HTTP, headers } } },
  ]);
  expect(tool && toolItemOf(tool)).toEqual({
    definition: {
      ...{ type: "http", name: "order", ...DESCRIBED, ...PLAIN },
      http: { ...HTTP, headerNames: ["Authorization"] },
    },
  });
  expect(toolItemOf({ kind: "built_in", name: "transfer", fixedArguments: { number: "+4930123" } })).toEqual({
    toolName: "transfer",
    parameterOverrides: { number: "+4930123" },
  });
});

describe("saved tools", () => {
  const saved = (id: string, definition: SavedToolDefinition, names: readonly string[] = []): SavedTool => {
    const clock = new ManualClock();
    return {
      ...{ id: asToolId(id), accountId: asAccountId("account_1"), definition, version: 1 },
      ...{ createdAtMs: clock.epochMs(), updatedAtMs: clock.epochMs() },
      ...(definition.type === "mcp" && {
        listing: {
          tools: names.map((name) => ({ name, description: "From afar.", parameters: PARAMETERS })),
          omitted: [],
          listedAtMs: clock.epochMs(),
        },
      }),
    };
  };
  const order: SavedToolDefinition = {
    type: "http",
    name: "order",
    ...DESCRIBED,
    ...PLAIN,
    http: { ...HTTP, headers: {} },
  };
  const mcp: SavedToolDefinition = {
    ...{ type: "mcp", name: "shop", description: "", timeoutMs: 3_000, readOnly: true, idempotent: false },
    mcp: { url: "https://mcp.example.com", headers: { Authorization: "Bearer {{SHOP_TOKEN}}" } },
  };

  test("are what an inline definition would be, with their id", async () => {
    const specs = await scene([saved("tool_1", order)]).specsOf([
      { toolId: "tool_1", parameterOverrides: { order: "A" } },
    ]);
    expect(specs).toEqual([
      {
        kind: "http",
        name: "order",
        ...DESCRIBED,
        toolId: "tool_1",
        fixedArguments: { order: "A" },
        ...HTTP,
        headers: {},
      },
    ]);
    expect(specs[0] && toolItemOf(specs[0])).toEqual({
      toolId: "tool_1",
      definition: { type: "http", name: "order", ...DESCRIBED, ...PLAIN, http: { ...HTTP, headerNames: [] } },
      parameterOverrides: { order: "A" },
    });
  });

  test("that are MCP servers are each of its tools, with the fixed arguments that it has", async () => {
    const selected = [{ toolId: "tool_1", parameterOverrides: { order: "A", customer: "Ann" } }];
    const { specsOf, lines } = scene([saved("tool_1", mcp, ["search", "cancel"])]);
    const [search, ...others] = await specsOf(selected);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { accountId: "account_1", toolId: "tool_1", ignored: 1, msg: expect.stringContaining("fixed arguments ignored") },
    ]);
    expect(lines.join()).not.toContain("customer");
    expect(search).toEqual({
      ...{ kind: "mcp", name: "search", description: "From afar.", parameters: PARAMETERS, toolId: "tool_1" },
      ...{ timeoutMs: 3_000, readOnly: true, fixedArguments: { order: "A" } },
      ...mcp.mcp,
    });
    expect(others.map(({ name }) => name)).toEqual(["cancel"]);
    expect(search && toolItemOf(search).definition?.mcp).toEqual({
      url: "https://mcp.example.com",
      headerNames: ["Authorization"],
    });
  });

  test("of MCP servers give way to others of their name, and there are not too many", async () => {
    const many = Array.from({ length: MCP_TOOLS_PER_CALL_MAX }, (_, index) => `tool_${index}`);
    const { specsOf, lines } = scene([saved("tool_1", mcp, ["order", "a"]), saved("tool_2", mcp, ["a", ...many])]);
    const definition = { type: "client" as const, name: "order", ...DESCRIBED, ...PLAIN };
    const specs = await specsOf([{ toolId: "tool_1" }, { toolId: "tool_2" }, { definition }]);
    expect(specs.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "mcp a",
      ...many.slice(0, -1).map((name) => `mcp ${name}`),
      "client order",
    ]);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ toolId: "tool_1", name: "order", omitted: 3 });
  });

  test("of MCP servers are listed again when a call gets a list that is no longer fresh", async () => {
    const { clock, requested, specsOf } = scene([saved("tool_1", mcp, ["search"])]);
    await specsOf([{ toolId: "tool_1" }]);
    expect(requested).toEqual([]);
    clock.advance(MCP_LIST_FRESH_MS + 1);
    await specsOf([{ toolId: "tool_1" }]);
    expect(requested).toEqual(["tool_1"]);
  });
});
