import type { Clock } from "../../core/clock.ts";
import { unavailable } from "../../core/errors.ts";
import type { AccountId, ToolId } from "../../core/ids.ts";
import { MCP_LIST_MS_MAX } from "../../core/limits/agents/tools.ts";
import type { Logger } from "../../core/log/logger.ts";
import { secretsIn } from "../../core/tools/http-tool.ts";
import type { McpLister } from "../../core/tools/mcp/lister.ts";
import type { JobHandler } from "../../jobs/handler.ts";
import type { AccountSecretStore } from "../../store/accounts/account-secret-store.ts";
import type { ToolStore } from "../../store/tool-store.ts";

export interface ToolListingOptions {
  tools: Pick<ToolStore, "get" | "setListing">;
  accountSecrets: Pick<AccountSecretStore, "openToolSecrets">;
  mcpLister: Pick<McpLister, "list">;
  clock: Clock;
  log: Logger;
}

/** Time for the checks of schemas, beside that of the server. */
const CHECKS_MS_MAX = 50_000;

/**
 * The job that asks an MCP server for its tools again. A server that does not answer keeps the list that it had, with the reason; it
 * is asked again for a call that comes later.
 */
export function toolListings({ tools, accountSecrets, mcpLister, clock, log }: ToolListingOptions): JobHandler {
  return {
    attemptMsMax: MCP_LIST_MS_MAX + CHECKS_MS_MAX,
    retryDelaysMs: [1_000, 10_000],
    async run({ payload }) {
      const { toolId, accountId } = payload as { toolId: ToolId; accountId: AccountId };
      const tool = await tools.get(accountId, toolId);
      if (tool?.definition.type !== "mcp") return;
      const { url, headers, allowedTools } = tool.definition.mcp;
      const own = await accountSecrets.openToolSecrets(accountId, Object.values(headers).flatMap(secretsIn));
      const result = await mcpLister.list({ accountId, url, headers, allowedTools }, own);
      const listedAtMs = clock.epochMs();
      if (result.kind === "failed") {
        if (result.isOurs) throw unavailable(result.reason);
        // The reason may have words of the server.
        log.warn({ accountId, toolId, code: result.fault }, "MCP server could not be asked for its tools");
        const earlier = tool.listing ?? { tools: [], omitted: [] };
        await tools.setListing(tool, { ...earlier, listedAtMs, failure: result.reason });
        return;
      }
      await tools.setListing(tool, { ...result.listing, listedAtMs });
      const { tools: listed, omitted } = result.listing;
      log.info({ accountId, toolId, tools: listed.length, omitted: omitted.length }, "tools of an MCP server listed");
    },
  };
}
