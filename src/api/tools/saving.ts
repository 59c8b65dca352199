import { canonicalJson } from "../../core/canonical-json.ts";
import type { AccountId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import {
  MCP_LISTINGS_MAX,
  MCP_LISTINGS_PER_ACCOUNT_MAX,
  TOOLS_PER_ACCOUNT_MAX,
} from "../../core/limits/agents/tools.ts";
import { secretsIn } from "../../core/tools/http-tool.ts";
import type { McpLister, McpListing } from "../../core/tools/mcp/lister.ts";
import type { AccountSecretStore } from "../../store/accounts/account-secret-store.ts";
import type { SavedTool, SavedToolDefinition, ToolStore } from "../../store/tool-store.ts";
import { ApiError, invalidRequest, type Problem } from "../http/errors.ts";
import { problem, problemsOf } from "../http/requests/validation.ts";
import { AccountSlots } from "./account-slots.ts";
import { NewToolBody, type ToolChanges } from "./saved-schemas.ts";
import { savedDefinitionProblems, type ToolDeps } from "./selected-tools.ts";

/** What saving a tool needs. */
export interface ToolSavingDeps extends ToolDeps {
  tools: ToolStore;
  accountSecrets: Pick<AccountSecretStore, "list" | "openToolSecrets">;
  /** Asks MCP servers for their tools. */
  mcpLister: Pick<McpLister, "list">;
}

/** What checking a tool needs. */
export interface ToolCheckDeps extends ToolSavingDeps {
  /** Servers that are asked for their tools at present. */
  listings: AccountSlots;
}

/** None is asked yet. */
export const listingSlots = (): AccountSlots =>
  new AccountSlots({
    what: "requests that ask an MCP server for its tools",
    perAccountMax: MCP_LISTINGS_PER_ACCOUNT_MAX,
    max: MCP_LISTINGS_MAX,
  });

/** A definition that was checked, and the tools of its server where it has one. */
export interface CheckedTool {
  definition: SavedToolDefinition;
  listing: McpListing | undefined;
}

/** Throws ApiError `conflict` when this account must not save another tool. */
export async function requireToolCapacity(
  accountId: AccountId,
  { tools }: Pick<ToolSavingDeps, "tools">,
): Promise<void> {
  if ((await tools.count(accountId)) >= TOOLS_PER_ACCOUNT_MAX) throw tooManyTools();
}

/** The account must not save another tool. */
export const tooManyTools = (): ApiError =>
  new ApiError("conflict", `the account has reached its limit of ${TOOLS_PER_ACCOUNT_MAX} tools`);

/**
 * The tool in a body, which may have any shape when `found` has problems. An MCP server is asked for its tools, unless `earlier` has
 * those of the same one. Throws ApiError: 400 with all problems together, and what `AccountSlots.run` throws.
 */
export async function checkedTool(
  body: NewToolBody,
  found: readonly Problem[],
  accountId: AccountId,
  deps: ToolCheckDeps,
  earlier?: SavedTool,
): Promise<CheckedTool> {
  const given: Record<string, unknown> = isObject(body) ? body : {};
  const problems = [...found, ...(await savedDefinitionProblems(given, accountId, deps))];
  if (problems.length > 0) throw invalidRequest(problems);
  const definition = definitionOf(body);
  if (definition.type !== "mcp") return { definition, listing: undefined };
  const kept = earlier?.definition;
  if (kept?.type === "mcp" && canonicalJson(kept.mcp) === canonicalJson(definition.mcp)) {
    return { definition, listing: earlier?.listing };
  }
  const { url, headers, allowedTools } = definition.mcp;
  const own = await deps.accountSecrets.openToolSecrets(accountId, Object.values(headers).flatMap(secretsIn));
  const result = await deps.listings.run(accountId, () =>
    deps.mcpLister.list({ accountId, url, headers, allowedTools }, own),
  );
  if (result.kind === "failed") {
    if (result.isOurs) throw new ApiError("unavailable", `the MCP server could not be asked: ${result.reason}`);
    const rule = `must be that of an MCP server that lists its tools, and it did not: ${result.reason}`;
    throw invalidRequest([problem(["mcp", "url"], rule, url)]);
  }
  return { definition, listing: { ...result.listing, listedAtMs: deps.clock.epochMs() } };
}

/** The body that would save a tool after these changes, and what is wrong with it as a whole. */
export function changedBody(
  { definition }: SavedTool,
  changes: ToolChanges,
): { body: NewToolBody; problems: readonly Problem[] } {
  const given = Object.fromEntries(
    Object.entries({ ...bodyOf(definition), ...changes }).filter(([, value]) => value !== undefined && value !== null),
  );
  const result = NewToolBody.safeParse(given, { reportInput: true });
  return result.success
    ? { body: result.data, problems: [] }
    : { body: given as NewToolBody, problems: [...problemsOf(result.error)] };
}

const bodyOf = ({ description, ...definition }: SavedToolDefinition): object => ({
  ...definition,
  ...(description !== "" && { description }),
});

/** Requires a body without problems. */
function definitionOf({
  type,
  description = "",
  parameters = {},
  http,
  mcp,
  ...common
}: NewToolBody): SavedToolDefinition {
  const described = { ...common, description };
  if (type === "mcp" && mcp !== undefined) return { type, ...described, mcp: { ...mcp, headers: mcp.headers ?? {} } };
  if (type === "http" && http !== undefined) {
    return { type, ...described, parameters, http: { ...http, headers: http.headers ?? {} } };
  }
  return { type: "client", ...described, parameters };
}
