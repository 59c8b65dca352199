import type { Kysely } from "kysely";
import type { AuditAction } from "../../../core/accounts/audit-actions.ts";
import type { Clock } from "../../../core/clock.ts";
import type { EpochMs } from "../../../core/clocks.ts";
import type { AccountId, AgentId, ToolId } from "../../../core/ids.ts";
import { TOOLS_PER_ACCOUNT_MAX } from "../../../core/limits/agents/tools.ts";
import { newId } from "../../../core/new-id.ts";
import type { McpListing } from "../../../core/tools/mcp/lister.ts";
import { type Act, type AuditDetails, BY_SERVICE } from "../../accounts/audit-store.ts";
import { TOOL_LISTING_JOB } from "../../job-kinds.ts";
import type {
  SavedTool,
  SavedToolDefinition,
  ToolChange,
  ToolChangeOutcome,
  ToolQuery,
  ToolRemoval,
  ToolRun,
  ToolRunQuery,
  ToolStore,
} from "../../tool-store.ts";
import type { SqlDatabase } from "../database.ts";
import type { SideEffects } from "../side-effects.ts";
import type { Tables } from "../tables.ts";
import { type ToolRow, toolOf, toolRunOf } from "./rows.ts";
import { deleteOldRuns } from "./runs.ts";

/** Agents that name a tool, of which an error says some. */
const AGENTS_NAMED_MAX = 5;

/** See `ToolStore`. */
export class SqlTools implements ToolStore {
  readonly #database: SqlDatabase;
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #sideEffects: Pick<SideEffects, "audit" | "jobs">;

  constructor(database: SqlDatabase, clock: Clock, sideEffects: Pick<SideEffects, "audit" | "jobs">) {
    this.#database = database;
    this.#db = database.db;
    this.#clock = clock;
    this.#sideEffects = sideEffects;
  }

  async create(
    accountId: AccountId,
    definition: SavedToolDefinition,
    listing?: McpListing,
    act: Act = BY_SERVICE,
  ): Promise<SavedTool | undefined> {
    const nowMs = this.#clock.epochMs();
    const row: ToolRow = {
      id: newId("tool"),
      account_id: accountId,
      ...definitionColumns(definition, listing),
      version: 1,
      created_at: nowMs,
      updated_at: nowMs,
    };
    // One that counts the others must not miss one that is created at the same time.
    return await this.#database.transaction(async (tx) => {
      if ((await this.#count(tx, accountId)) >= TOOLS_PER_ACCOUNT_MAX) return undefined;
      await tx.insertInto("tools").values(row).execute();
      await this.#record(tx, row, act, "tool.created", { type: row.type });
      return toolOf(row);
    });
  }

  count(accountId: AccountId): Promise<number> {
    return this.#count(this.#db, accountId);
  }

  async #count(db: Kysely<Tables>, accountId: AccountId): Promise<number> {
    const { tools } = await db
      .selectFrom("tools")
      .select((select) => select.fn.countAll<number>().as("tools"))
      .where("account_id", "=", accountId)
      .executeTakeFirstOrThrow();
    return Number(tools);
  }

  async get(accountId: AccountId, toolId: ToolId): Promise<SavedTool | undefined> {
    const row = await this.#row(this.#db, accountId, toolId);
    return row && toolOf(row);
  }

  async getMany(accountId: AccountId, toolIds: readonly ToolId[]): Promise<readonly SavedTool[]> {
    if (toolIds.length === 0) return [];
    const rows = await this.#db
      .selectFrom("tools")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("id", "in", toolIds)
      .execute();
    return rows.map(toolOf);
  }

  async list(
    accountId: AccountId,
    { type, name, afterToolId, limit }: ToolQuery,
  ): Promise<{ tools: readonly SavedTool[]; more: boolean }> {
    let selected = this.#db.selectFrom("tools").selectAll().where("account_id", "=", accountId);
    if (type !== undefined) selected = selected.where("type", "=", type);
    if (name !== undefined) selected = selected.where("name", "=", JSON.stringify(name));
    if (afterToolId !== undefined) selected = selected.where("id", ">", afterToolId);
    // One row more than requested shows whether others follow.
    const rows = await selected
      .orderBy("id")
      .limit(limit + 1)
      .execute();
    return { tools: rows.slice(0, limit).map(toolOf), more: rows.length > limit };
  }

  change(
    accountId: AccountId,
    toolId: ToolId,
    { definition, listing, basedOn }: ToolChange,
    act: Act = BY_SERVICE,
  ): Promise<ToolChangeOutcome | undefined> {
    return this.#database.readCommitted(async (tx): Promise<ToolChangeOutcome | undefined> => {
      const row = await tx
        .updateTable("tools")
        .set({
          ...definitionColumns(definition, listing),
          version: basedOn + 1,
          updated_at: this.#clock.epochMs(),
        })
        .where("id", "=", toolId)
        .where("account_id", "=", accountId)
        .where("version", "=", basedOn)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) {
        return (await this.#row(tx, accountId, toolId)) === undefined ? undefined : { kind: "stale" };
      }
      await this.#record(tx, row, act, "tool.updated", { version: row.version });
      return { kind: "changed", tool: toolOf(row) };
    });
  }

  remove(accountId: AccountId, toolId: ToolId, act: Act = BY_SERVICE): Promise<ToolRemoval | undefined> {
    return this.#database.transaction(async (tx): Promise<ToolRemoval | undefined> => {
      const row = await this.#row(tx, accountId, toolId);
      if (row === undefined) return undefined;
      const agents = await agentsNaming(tx, accountId, toolId);
      if (agents.length > 0) return { kind: "in_use", agents };
      await tx.deleteFrom("tool_runs").where("tool_id", "=", toolId).execute();
      await tx.deleteFrom("tools").where("id", "=", toolId).execute();
      await this.#record(tx, row, act, "tool.deleted", {});
      return { kind: "removed", tool: toolOf(row) };
    });
  }

  async setListing({ id, version }: Pick<SavedTool, "id" | "version">, listing: McpListing): Promise<void> {
    await this.#db
      .updateTable("tools")
      .set({ listing: JSON.stringify(listing) })
      .where("id", "=", id)
      .where("version", "=", version)
      .execute();
  }

  async requestListing({ id, accountId }: Pick<SavedTool, "id" | "accountId">): Promise<void> {
    const { jobs } = this.#sideEffects;
    await jobs.enqueue({
      kind: TOOL_LISTING_JOB,
      payload: { toolId: id, accountId },
      accountId,
      lane: `${TOOL_LISTING_JOB} ${accountId}`,
      key: id,
    });
  }

  async addTestRun(accountId: AccountId, run: Omit<ToolRun, "id" | "source">): Promise<ToolRun> {
    const row = {
      id: newId("tool_run"),
      account_id: accountId,
      tool_id: run.toolId,
      call_id: null,
      name: run.name,
      started_at: run.startedAtMs,
      duration_ms: run.durationMs,
      failed: run.failed === null ? null : Number(run.failed),
      words: run.words === undefined ? null : JSON.stringify(run.words),
    };
    await this.#db.insertInto("tool_runs").values(row).execute();
    return toolRunOf(row);
  }

  async listRuns(
    accountId: AccountId,
    toolId: ToolId,
    { failed, source, beforeRunId, limit }: ToolRunQuery,
  ): Promise<{ runs: readonly ToolRun[]; more: boolean }> {
    let selected = this.#db
      .selectFrom("tool_runs")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("tool_id", "=", toolId);
    if (failed !== undefined) selected = selected.where("failed", "=", Number(failed));
    if (source !== undefined) selected = selected.where("call_id", source === "call" ? "is not" : "is", null);
    if (beforeRunId !== undefined) selected = selected.where("id", "<", beforeRunId);
    const rows = await selected
      .orderBy("id", "desc")
      .limit(limit + 1)
      .execute();
    return { runs: rows.slice(0, limit).map(toolRunOf), more: rows.length > limit };
  }

  deleteOldRuns(testsBeforeMs: EpochMs): Promise<number> {
    return deleteOldRuns(this.#db, testsBeforeMs);
  }

  #row(db: Kysely<Tables>, accountId: AccountId, toolId: ToolId): Promise<ToolRow | undefined> {
    return db
      .selectFrom("tools")
      .selectAll()
      .where("id", "=", toolId)
      .where("account_id", "=", accountId)
      .executeTakeFirst();
  }

  async #record(
    tx: Kysely<Tables>,
    { id, account_id: accountId }: Pick<ToolRow, "id" | "account_id">,
    act: Act,
    action: AuditAction,
    details: AuditDetails,
  ): Promise<void> {
    await this.#sideEffects.audit.insert(tx, { ...act, accountId, action, target: { kind: "tool", id }, details });
  }
}

const definitionColumns = (definition: SavedToolDefinition, listing: McpListing | undefined) => ({
  type: definition.type,
  name: JSON.stringify(definition.name),
  definition: JSON.stringify(definition),
  listing: listing === undefined ? null : JSON.stringify(listing),
});

/** Some of the agents whose live version or draft names the tool. Its id stands in no other text by chance. */
async function agentsNaming(tx: Kysely<Tables>, accountId: AccountId, toolId: ToolId): Promise<readonly AgentId[]> {
  const named = `%${toolId}%`;
  const rows = await tx
    .selectFrom("agents")
    .leftJoin("agent_versions as draft", (join) =>
      join.onRef("draft.agent_id", "=", "agents.id").onRef("draft.version", "=", "agents.draft_version"),
    )
    .select("agents.id")
    .where("agents.account_id", "=", accountId)
    .where("agents.deleted_at", "is", null)
    .where((agents) =>
      agents.or([
        agents("agents.tool_ids", "like", named),
        agents("agents.call_settings", "like", named),
        agents("draft.definition", "like", named),
      ]),
    )
    .orderBy("agents.id")
    .limit(AGENTS_NAMED_MAX)
    .execute();
  return rows.map(({ id }) => id);
}
