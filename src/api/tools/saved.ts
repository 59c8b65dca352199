import type { CallSpec, McpTool, ToolSpec } from "../../core/calls/spec.ts";
import type { Clock } from "../../core/clock.ts";
import { elapsedMs } from "../../core/clocks.ts";
import { type AccountId, asToolId, type ToolId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import { MCP_LIST_FRESH_MS, MCP_TOOLS_PER_CALL_MAX, SELECTED_TOOLS_MAX } from "../../core/limits/agents/tools.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { SavedTool, SavedToolDefinition, ToolStore } from "../../store/tool-store.ts";

/** What resolving saved tools needs. */
export interface SavedToolDeps {
  tools: Pick<ToolStore, "getMany" | "requestListing">;
  clock: Clock;
  log: Logger;
}

export type SavedTools = ReadonlyMap<string, SavedTool>;

/** The ids in a list of selected tools, which may be any value. */
export const toolIdsIn = (selected: unknown): readonly string[] =>
  (Array.isArray(selected) ? selected.slice(0, SELECTED_TOOLS_MAX) : []).flatMap((tool) =>
    isObject(tool) && typeof tool.toolId === "string" ? [tool.toolId] : [],
  );

/** Not every text can be compared by every database. */
const TOOL_ID = /^tool_[0-9a-f-]{36}$/;

/** Those saved tools of the account that have these ids, by id. */
export async function savedToolsOf(
  ids: readonly string[],
  accountId: AccountId,
  { tools }: Pick<SavedToolDeps, "tools">,
): Promise<SavedTools> {
  const possible = [...new Set(ids)].filter((id) => TOOL_ID.test(id)).map(asToolId);
  const found = possible.length === 0 ? [] : await tools.getMany(accountId, possible);
  return new Map(found.map((tool) => [tool.id, tool]));
}

/** The names of the arguments of a saved tool: of an MCP server those of all of its tools. */
export function argumentNamesOf({ definition, listing }: SavedTool): readonly string[] {
  const schemas =
    definition.type === "mcp" ? (listing?.tools ?? []).map(({ parameters }) => parameters) : [definition.parameters];
  return schemas.flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : []));
}

type Fixed = ToolSpec["fixedArguments"];

/** What a saved tool is in a call. An MCP server is each of its tools, with the fixed arguments that it has. */
export function specsOfSaved(tool: SavedTool, fixedArguments: Fixed): Exclude<ToolSpec, { kind: "built_in" }>[] {
  const { id: toolId, definition, listing } = tool;
  const { type, timeoutMs } = definition;
  const common = { toolId, timeoutMs, ...flagsOf(definition) };
  if (type === "mcp") {
    const { url, headers } = definition.mcp;
    return (listing?.tools ?? []).map(({ parameters, ...described }): McpTool => {
      const { properties } = parameters;
      const fixed = Object.entries(fixedArguments).filter(([name]) => isObject(properties) && name in properties);
      const fixedOfTool = Object.fromEntries(fixed);
      return { kind: "mcp", ...described, parameters, ...common, fixedArguments: fixedOfTool, url, headers };
    });
  }
  const { name, description, parameters } = definition;
  const described = { name, description, parameters, fixedArguments, ...common };
  return [type === "http" ? { kind: "http", ...described, ...definition.http } : { kind: "client", ...described }];
}

/** The members of a definition that a specification has only where they say something. */
export const flagsOf = ({
  readOnly,
  idempotent,
  whileRunning,
}: Partial<Pick<SavedToolDefinition, "readOnly" | "idempotent" | "whileRunning">>): Pick<
  McpTool,
  "readOnly" | "idempotent" | "whileRunning"
> => ({
  ...(readOnly === true && { readOnly }),
  ...(idempotent === true && { idempotent }),
  ...(whileRunning !== undefined && { whileRunning }),
});

/**
 * The tools of a call without those of MCP servers whose names others have, and without those past the limit: a server that
 * changes its list cannot keep calls from being created. Also asks for lists that are no longer fresh.
 */
export async function withoutClashes(
  specs: readonly ToolSpec[],
  saved: SavedTools,
  { tools, clock, log }: SavedToolDeps,
): Promise<CallSpec["tools"]> {
  const names = new Set(specs.flatMap(({ kind, name }) => (kind === "mcp" ? [] : [name])));
  const omitted: { toolId: ToolId; name: string }[] = [];
  let mcpCount = 0;
  const kept = specs.filter((spec) => {
    if (spec.kind !== "mcp") return true;
    if (names.has(spec.name) || mcpCount === MCP_TOOLS_PER_CALL_MAX) {
      omitted.push({ toolId: spec.toolId, name: spec.name });
      return false;
    }
    names.add(spec.name);
    mcpCount += 1;
    return true;
  });
  if (omitted.length > 0) {
    const [first] = omitted;
    log.warn({ ...first, omitted: omitted.length }, "tools of MCP servers omitted: their names are taken, or too many");
  }
  const nowMs = clock.epochMs();
  for (const tool of saved.values()) {
    const { listing } = tool;
    if (listing !== undefined && elapsedMs(listing.listedAtMs, nowMs) > MCP_LIST_FRESH_MS)
      await tools.requestListing(tool);
  }
  return kept;
}
