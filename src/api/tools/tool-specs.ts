import type { z } from "zod";
import type { CallSpec, ToolSpec } from "../../core/calls/spec.ts";
import type { CallKnowledge } from "../../core/knowledge/call-knowledge.ts";
import type { SavedTool } from "../../store/tool-store.ts";
import {
  argumentNamesOf,
  flagsOf,
  type SavedToolDeps,
  type SavedTools,
  specsOfSaved,
  withoutClashes,
} from "./saved.ts";
import type { SelectedTool, ToolDefinition, ToolItem } from "./schemas.ts";
import { isBuiltIn } from "./selected-tools.ts";

/** What the service knows at present, of which tools need some. */
export interface ToolFacts {
  /** The languages of the service, without regions. */
  languages: readonly string[];
  /** What `query_corpus` answers from. */
  knowledge?: CallKnowledge | undefined;
  /** The saved tools that are named. */
  saved: SavedTools;
}

/** Requires tools without problems. */
export async function toolSpecsOf(
  tools: readonly SelectedTool[],
  { languages, knowledge, saved }: ToolFacts,
  deps: SavedToolDeps,
): Promise<CallSpec["tools"]> {
  const specs = tools.flatMap(
    ({ toolId, toolName, definition, parameterOverrides: fixedArguments = {} }): ToolSpec[] => {
      if (definition !== undefined) return [definedTool(definition, fixedArguments)];
      const tool = toolId === undefined ? undefined : saved.get(toolId);
      if (tool !== undefined) {
        logIgnoredArguments(tool, fixedArguments, deps);
        return specsOfSaved(tool, fixedArguments);
      }
      if (toolName === undefined || !isBuiltIn(toolName)) return [];
      const limits = toolName === "switch_language" ? { languages } : {};
      const asked = toolName === "query_corpus" && knowledge !== undefined ? { knowledge } : {};
      return [{ kind: "built_in", name: toolName, fixedArguments, ...limits, ...asked }];
    },
  );
  return await withoutClashes(specs, saved, deps);
}

/** The arguments that a call is to fix are checked before, except those of MCP servers: no tool of one may have them any more. */
function logIgnoredArguments(
  tool: SavedTool,
  fixedArguments: Readonly<Record<string, unknown>>,
  { log }: SavedToolDeps,
): void {
  const known = argumentNamesOf(tool);
  const ignored = Object.keys(fixedArguments).filter((name) => !known.includes(name)).length;
  if (ignored === 0) return;
  // The names are of the account's choice, and may be words of a caller.
  log.warn(
    { accountId: tool.accountId, toolId: tool.id, ignored },
    "fixed arguments ignored: no tool of the MCP server has them",
  );
}

function definedTool(
  { http, type: _, readOnly, idempotent, whileRunning, ...described }: ToolDefinition,
  fixedArguments: Record<string, unknown>,
): ToolSpec {
  const tool = { ...described, ...flagsOf({ readOnly, idempotent, whileRunning }), fixedArguments };
  if (http === undefined) return { kind: "client", ...tool };
  const { method, url, headers = {} } = http;
  return { kind: "http", ...tool, method, url, headers };
}

/** A tool as a call shows it. */
export function toolItemOf(tool: ToolSpec): z.output<typeof ToolItem> {
  const overrides =
    Object.keys(tool.fixedArguments).length === 0 ? {} : { parameterOverrides: { ...tool.fixedArguments } };
  if (tool.kind === "built_in") return { toolName: tool.name, ...overrides };
  const { kind: type, name, description, parameters, timeoutMs, toolId, whileRunning } = tool;
  const definition = {
    ...{ type, name, description, parameters: { ...parameters } },
    ...serverOf(tool),
    timeoutMs,
    readOnly: tool.readOnly ?? false,
    idempotent: tool.idempotent ?? false,
    ...(whileRunning !== undefined && { whileRunning }),
  };
  return { ...(toolId !== undefined && { toolId }), definition, ...overrides };
}

type Definition = NonNullable<z.output<typeof ToolItem>["definition"]>;

function serverOf(tool: ToolSpec): Pick<Definition, "http" | "mcp"> {
  switch (tool.kind) {
    case "http":
      return { http: { method: tool.method, url: tool.url, headerNames: Object.keys(tool.headers) } };
    case "mcp":
      return { mcp: { url: tool.url, headerNames: Object.keys(tool.headers) } };
    default:
      return {};
  }
}
