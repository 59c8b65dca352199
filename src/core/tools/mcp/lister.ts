import type { Clock } from "../../clock.ts";
import { addMs, type EpochMs, type MonotonicMs } from "../../clocks.ts";
import type { AccountId } from "../../ids.ts";
import {
  MCP_OMITTED_TOOLS_NAMED_MAX,
  MCP_SCHEMAS_CHARS_MAX,
  SCHEMAS_OF_REQUEST_MS_MAX,
} from "../../limits/agents/tools.ts";
import type { SchemaChecks } from "../../schemas/checker.ts";
import { compiledInTime } from "../../schemas/compiled-in-time.ts";
import type { ToolFault } from "../outcome.ts";
import type { AccountToolSecrets } from "../secrets.ts";
import type { ListedTool, OmissionReason, OmittedTool } from "./messages.ts";
import type { McpServerOfAccount, McpTools } from "./tools.ts";

/** The tools of a server that calls can have. */
export interface McpListing {
  tools: readonly ListedTool[];
  omitted: readonly OmittedTool[];
  listedAtMs: EpochMs;
  /** Why the last attempt to list them again failed; absent where it did not. */
  failure?: string;
}

export interface McpListerOptions {
  mcpTools: McpTools;
  schemas: Pick<SchemaChecks, "compile">;
  /** The names of all built-in tools. */
  reservedNames: readonly string[];
  clock: Clock;
}

/**
 * What listing a server's tools led to. `reason` is a clause without a full stop; with `isOurs` it says nothing of the server: this
 * service could not ask or check at present.
 */
export type McpListResult =
  | { kind: "listed"; listing: Omit<McpListing, "listedAtMs" | "failure"> }
  | { kind: "failed"; reason: string; fault: ToolFault | undefined; isOurs: boolean };

/** Lists the tools of MCP servers, and leaves out what no call could use. */
export class McpLister {
  readonly #options: McpListerOptions;

  constructor(options: McpListerOptions) {
    this.#options = options;
  }

  /** Never rejects. `toolSecrets`: the account's own. */
  async list(server: McpServerOfAccount, toolSecrets: AccountToolSecrets): Promise<McpListResult> {
    const { mcpTools, clock } = this.#options;
    const outcome = await mcpTools.withSecrets({ accountId: server.accountId, toolSecrets }).list(server);
    if (outcome.kind === "failed") {
      const { text, fault } = outcome.failure;
      const isOurs = fault === "busy" || fault === "internal";
      return { kind: "failed", reason: text.replace(/^Error: |\.$/g, ""), fault, isOurs };
    }
    const tools: ListedTool[] = [];
    const omitted: OmittedTool[] = [...outcome.list.omitted];
    let schemasChars = 0;
    const schemasDeadlineMs = addMs(clock.nowMs(), SCHEMAS_OF_REQUEST_MS_MAX);
    for (const tool of outcome.list.tools) {
      const json = JSON.stringify(tool.parameters);
      const reason =
        schemasChars + json.length > MCP_SCHEMAS_CHARS_MAX
          ? "too_many"
          : await this.#problemOf(server.accountId, tool, json, schemasDeadlineMs);
      if (reason === "unchecked")
        return { kind: "failed", reason: "its tools cannot be checked at present", fault: "busy", isOurs: true };
      if (reason === undefined) {
        tools.push(tool);
        schemasChars += json.length;
      } else omitted.push({ name: tool.name, reason });
    }
    return { kind: "listed", listing: { tools, omitted: omitted.slice(0, MCP_OMITTED_TOOLS_NAMED_MAX) } };
  }

  async #problemOf(
    accountId: AccountId,
    { name }: ListedTool,
    json: string,
    schemasDeadlineMs: MonotonicMs,
  ): Promise<OmissionReason | "unchecked" | undefined> {
    const { reservedNames, schemas, clock } = this.#options;
    if (reservedNames.includes(name)) return "built_in";
    const result = await compiledInTime(json, { schemas, clock, accountId, schemasDeadlineMs });
    if (result === undefined || result.outcome === "refused" || result.outcome === "failed") return "unchecked";
    return result.outcome === "answered" && result.answer.kind === "fits" ? undefined : "schema";
  }
}
