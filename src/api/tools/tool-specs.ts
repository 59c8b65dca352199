import type { z } from "zod";
import type { ToolSpec } from "../../core/calls/spec.ts";
import type { CallKnowledge } from "../../core/knowledge/call-knowledge.ts";
import type { SelectedTool, ToolDefinition, ToolItem } from "./schemas.ts";
import { isBuiltIn } from "./selected-tools.ts";

/** What the service knows at present, of which tools need some. */
export interface ToolFacts {
  /** The languages of the service, without regions. */
  languages: readonly string[];
  /** What `query_corpus` answers from. */
  knowledge?: CallKnowledge | undefined;
}

/** Requires tools without problems that this build has. */
export const toolSpecsOf = (tools: readonly SelectedTool[], { languages, knowledge }: ToolFacts): ToolSpec[] =>
  tools.flatMap(({ toolName, definition, parameterOverrides: fixedArguments = {} }): ToolSpec[] => {
    if (definition !== undefined) return [definedTool(definition, fixedArguments)];
    if (toolName === undefined || !isBuiltIn(toolName)) return [];
    const limits = toolName === "switch_language" ? { languages } : {};
    const asked = toolName === "query_corpus" && knowledge !== undefined ? { knowledge } : {};
    return [{ kind: "built_in", name: toolName, fixedArguments, ...limits, ...asked }];
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
