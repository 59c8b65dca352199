import { COMPILED_SCHEMAS_MAX } from "../../../core/limits/tools.ts";
import { serveTasks } from "../../../core/tasks/server.ts";
import type { ToolDescription } from "../../contracts.ts";
import { chooseTools } from "./choose-tools.ts";
import type { ToolChoice } from "./chooser.ts";
import type { PlanTask } from "./chooser-client.ts";

// The program of the child in which the reference LLM chooses tools: see reference-planner.ts.

/** Parsed tools by their JSON, the last used ones: what is worked out of a schema is remembered with it. */
const known = new Map<string, readonly ToolDescription[]>();

function toolsIn(json: string): readonly ToolDescription[] {
  const tools = known.get(json) ?? (JSON.parse(json) as readonly ToolDescription[]);
  known.delete(json);
  known.set(json, tools);
  const [oldest] = known.keys();
  if (known.size > COMPILED_SCHEMAS_MAX && oldest !== undefined) known.delete(oldest);
  return tools;
}

await serveTasks(
  ({ exchanges, tools, language }: PlanTask): ToolChoice => chooseTools(exchanges, toolsIn(tools), language),
);
