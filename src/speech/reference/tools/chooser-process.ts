import { COMPILED_SCHEMAS_MAX } from "../../../core/limits/agents/tools.ts";
import { serveTasks } from "../../../core/task-processes/server.ts";
import type { ToolDescription } from "../../contracts.ts";
import { chooseTools } from "./choose-tools.ts";
import type { ToolChoice } from "./chooser.ts";
import type { PlanTask } from "./chooser-client.ts";

// The program of the child process in which the reference LLM chooses tools: see chooser-client.ts.

/** The last used tools by their JSON. What is computed from a schema is cached with the schema object. */
const cache = new Map<string, readonly ToolDescription[]>();

function toolsIn(json: string): readonly ToolDescription[] {
  const tools = cache.get(json) ?? (JSON.parse(json) as readonly ToolDescription[]);
  cache.delete(json);
  cache.set(json, tools);
  const [oldest] = cache.keys();
  if (cache.size > COMPILED_SCHEMAS_MAX && oldest !== undefined) cache.delete(oldest);
  return tools;
}

await serveTasks(
  ({ exchanges, tools, language }: PlanTask): ToolChoice => chooseTools(exchanges, toolsIn(tools), language),
);
