import { isObject } from "../../json.ts";
import {
  MCP_OMITTED_TOOLS_NAMED_MAX,
  MCP_TOOL_NAME_CHARS_MAX,
  MCP_TOOLS_MAX,
  TOOL_DESCRIPTION_CHARS_MAX,
} from "../../limits/agents/tools.ts";
import { schemaProblem } from "../../schemas/shape.ts";
import { isToolName } from "../names.ts";
import type { ListedTool, OmissionReason, OmittedTool, ServerTools } from "./messages.ts";

/** Gathers the tools of a server's list that can be used, page by page. */
export class ServerListReader {
  readonly #allowed: ReadonlySet<string> | undefined;
  readonly #names = new Set<string>();
  readonly #tools: ListedTool[] = [];
  readonly #omitted: OmittedTool[] = [];
  #readCount = 0;

  constructor(allowedTools: readonly string[] | undefined) {
    this.#allowed = allowedTools && new Set(allowedTools);
  }

  /** How many tools were read, allowed or not. */
  get readCount(): number {
    return this.#readCount;
  }

  /** All allowed tools were read: what follows cannot matter. */
  get isComplete(): boolean {
    return this.#allowed !== undefined && [...this.#allowed].every((name) => this.#names.has(name));
  }

  take(tools: readonly unknown[]): void {
    for (const tool of tools) {
      this.#readCount += 1;
      this.#takeOne(tool);
    }
  }

  #takeOne(tool: unknown): void {
    const given = isObject(tool) ? tool.name : undefined;
    const name = typeof given === "string" ? given.slice(0, MCP_TOOL_NAME_CHARS_MAX) : "";
    if (this.#allowed?.has(name) === false) return;
    const listed = isObject(tool) ? listedToolOf(tool) : "malformed";
    if (typeof listed === "string") this.#omit(name, listed);
    else if (this.#names.has(name)) this.#omit(name, "duplicate");
    else if (this.#tools.length >= MCP_TOOLS_MAX) this.#omit(name, "too_many");
    else this.#tools.push(listed);
    this.#names.add(name);
  }

  #omit(name: string, reason: OmissionReason): void {
    if (this.#omitted.length < MCP_OMITTED_TOOLS_NAMED_MAX) this.#omitted.push({ name, reason });
  }

  result(): ServerTools {
    return { tools: this.#tools, omitted: this.#omitted };
  }
}

/** A tool of a list; why it cannot be used where that is so. A server's description is cut, since it may be of any length. */
function listedToolOf({ name, description, title, inputSchema }: Record<string, unknown>): ListedTool | OmissionReason {
  if (typeof name !== "string" || !isObject(inputSchema)) return "malformed";
  if (!isToolName(name)) return "name";
  // Servers name draft 7, most of whose schemas mean the same in 2020-12, as which they are compiled.
  const { $schema: _, ...parameters } = inputSchema;
  if (schemaProblem(parameters, JSON.stringify(parameters)) !== undefined) return "schema";
  const texts = [description, title, name].filter((text) => typeof text === "string" && text.trim() !== "");
  return { name, description: String(texts[0]).slice(0, TOOL_DESCRIPTION_CHARS_MAX), parameters };
}
