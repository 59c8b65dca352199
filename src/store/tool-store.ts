import type { HTTP_TOOL_METHODS } from "../core/calls/spec.ts";
import type { EpochMs } from "../core/clocks.ts";
import type { AccountId, AgentId, CallId, ToolId, ToolRunId } from "../core/ids.ts";
import type { McpListing } from "../core/tools/mcp/lister.ts";
import type { Act } from "./accounts/audit-store.ts";

/** The kinds of saved tools. */
export const SAVED_TOOL_TYPES = ["http", "client", "mcp"] as const;
export type SavedToolType = (typeof SAVED_TOOL_TYPES)[number];

interface Definition {
  /** For the LLM; of an MCP server only for people, who need not make it unique. */
  name: string;
  description: string;
  timeoutMs: number;
  readOnly: boolean;
  idempotent: boolean;
  whileRunning?: string | undefined;
}

/** A server with headers that may name secrets. */
interface ServerDefinition {
  url: string;
  headers: Readonly<Record<string, string>>;
}

/** A JSON Schema object. */
type Parameters = Readonly<Record<string, unknown>>;

/** What a saved tool is, under the names of the API. */
export type SavedToolDefinition =
  | (Definition & {
      type: "http";
      parameters: Parameters;
      http: ServerDefinition & { method: (typeof HTTP_TOOL_METHODS)[number] };
    })
  | (Definition & { type: "client"; parameters: Parameters })
  | (Definition & { type: "mcp"; mcp: ServerDefinition & { allowedTools?: readonly string[] | undefined } });

export interface SavedTool {
  /** `tool_...` */
  id: ToolId;
  accountId: AccountId;
  definition: SavedToolDefinition;
  /** 1 for the first; goes up with every change of the definition. */
  version: number;
  /** The tools of an MCP server; absent for other kinds. */
  listing?: McpListing;
  createdAtMs: EpochMs;
  updatedAtMs: EpochMs;
}

/** Which tools of an account to list. Every condition that is given must hold. */
export interface ToolQuery {
  type?: SavedToolType | undefined;
  /** The whole name. */
  name?: string | undefined;
  /** Only tools after this one in the list's order. */
  afterToolId?: ToolId | undefined;
  /** The maximum number of tools; at least 1. */
  limit: number;
}

/** A changed definition. */
export interface ToolChange {
  definition: SavedToolDefinition;
  listing?: McpListing | undefined;
  /** The version that the tool must still have. */
  basedOn: number;
}

export type ToolChangeOutcome = { kind: "changed"; tool: SavedTool } | { kind: "stale" };

/** `agents`: some of those that name the tool, in their live version or their draft. */
export type ToolRemoval = { kind: "removed"; tool: SavedTool } | { kind: "in_use"; agents: readonly AgentId[] };

/** What a run of a tool was about: absent where the call stores no words, and once its transcript was deleted. */
export interface ToolRunWords {
  /** JSON of the arguments, cut to TOOL_RUN_TEXT_CHARS_MAX, as is the result. */
  arguments: string;
  /** Null when the call ended first. */
  result: string | null;
}

/** One run of a saved tool. */
export interface ToolRun {
  /** `tool_run_...` */
  id: ToolRunId;
  toolId: ToolId;
  source: "call" | "test";
  callId?: CallId;
  /** The name of the tool that ran: of an MCP server one of its tools. */
  name: string;
  startedAtMs: EpochMs;
  /** Null when the call ended first, as is `failed`. */
  durationMs: number | null;
  failed: boolean | null;
  words?: ToolRunWords;
}

/** Which runs of a tool to list. */
export interface ToolRunQuery {
  failed?: boolean | undefined;
  source?: ToolRun["source"] | undefined;
  /** Only runs before this one. */
  beforeRunId?: ToolRunId | undefined;
  /** The maximum number of runs; at least 1. */
  limit: number;
}

/**
 * Saved tools and their runs. `act` is recorded in the audit log, in the same transaction; without it the service itself acts. Every
 * operation rejects with `unavailable` when the store cannot answer at present, and gives undefined for tools of other accounts and
 * for unknown ids. Runs of calls are stored with the call's end, by `CallStore.finish`.
 */
export interface ToolStore {
  /** Undefined, and nothing is created, where the account has TOOLS_PER_ACCOUNT_MAX of them. */
  create(
    accountId: AccountId,
    definition: SavedToolDefinition,
    listing?: McpListing,
    act?: Act,
  ): Promise<SavedTool | undefined>;
  /** How many tools the account has. */
  count(accountId: AccountId): Promise<number>;
  get(accountId: AccountId, toolId: ToolId): Promise<SavedTool | undefined>;
  /** Those of the account that have these ids, in any order. */
  getMany(accountId: AccountId, toolIds: readonly ToolId[]): Promise<readonly SavedTool[]>;
  /** The account's tools, oldest first; `more` when others follow. */
  list(accountId: AccountId, query: ToolQuery): Promise<{ tools: readonly SavedTool[]; more: boolean }>;
  change(accountId: AccountId, toolId: ToolId, change: ToolChange, act?: Act): Promise<ToolChangeOutcome | undefined>;
  /** Deletes the tool and its runs, unless an agent names it. */
  remove(accountId: AccountId, toolId: ToolId, act?: Act): Promise<ToolRemoval | undefined>;
  /** The MCP server of a tool was asked again; nothing where the tool has changed meanwhile. */
  setListing(tool: Pick<SavedTool, "id" | "version">, listing: McpListing): Promise<void>;
  /** Has a job list the tools of an MCP server again, once however often it is requested. */
  requestListing(tool: Pick<SavedTool, "id" | "accountId">): Promise<void>;
  addTestRun(accountId: AccountId, run: Omit<ToolRun, "id" | "source">): Promise<ToolRun>;
  /** The runs of a tool, newest first; `more` when others follow. */
  listRuns(
    accountId: AccountId,
    toolId: ToolId,
    query: ToolRunQuery,
  ): Promise<{ runs: readonly ToolRun[]; more: boolean }>;
  /** Deletes tests that began before this time, and the oldest runs of tools with more than TOOL_RUNS_KEPT_MAX; how many, 0 when there are no more. */
  deleteOldRuns(testsBeforeMs: EpochMs): Promise<number>;
}
