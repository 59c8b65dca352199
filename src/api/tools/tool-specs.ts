import type { z } from "zod";
import type { ToolSpec } from "../../core/calls/spec.ts";
import type { SelectedTool, ToolDefinition, ToolItem } from "./schemas.ts";
import { isBuiltIn } from "./selected-tools.ts";

/** Requires tools without problems that this build has. `languages` are those of the service, without regions. */
export const toolSpecsOf = (tools: readonly SelectedTool[], languages: readonly string[]): ToolSpec[] =>
  tools.flatMap(({ toolName, definition, parameterOverrides: fixedArguments = {} }): ToolSpec[] => {
    if (definition !== undefined) return [definedTool(definition, fixedArguments)];
    if (toolName === undefined || !isBuiltIn(toolName)) return [];
    const limits = toolName === "switch_language" ? { languages } : {};
    return [{ kind: "built_in", name: toolName, fixedArguments, ...limits }];
  });

function definedTool(
  { http, type: _, ...described }: ToolDefinition,
  fixedArguments: Record<string, unknown>,
): ToolSpec {
  const tool = { ...described, fixedArguments };
  if (http === undefined) return { kind: "client", ...tool };
  const { method, url, headers = {} } = http;
  return { kind: "http", ...tool, method, url, headers };
}

/** A tool as a call shows it. */
export function toolItemOf(tool: ToolSpec): z.output<typeof ToolItem> {
  const overrides =
    Object.keys(tool.fixedArguments).length === 0 ? {} : { parameterOverrides: { ...tool.fixedArguments } };
  if (tool.kind === "built_in") return { toolName: tool.name, ...overrides };
  const { kind: type, name, description, parameters, timeoutMs } = tool;
  const http =
    tool.kind === "http"
      ? { http: { method: tool.method, url: tool.url, headerNames: Object.keys(tool.headers) } }
      : {};
  return { definition: { type, name, description, parameters: { ...parameters }, ...http, timeoutMs }, ...overrides };
}
