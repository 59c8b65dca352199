import type { Transaction } from "kysely";
import type { AuditAction } from "../../../core/accounts/audit-actions.ts";
import type { Clock } from "../../../core/clock.ts";
import type { AccountId, AgentId } from "../../../core/ids.ts";
import { AGENT_VERSIONS_MAX } from "../../../core/limits/agents/agents.ts";
import { newId } from "../../../core/new-id.ts";
import { type Act, type AuditDetails, BY_SERVICE } from "../../accounts/audit-store.ts";
import type {
  Agent,
  AgentDefinition,
  AgentQuery,
  AgentState,
  AgentStore,
  AgentVersion,
  ListedVersion,
  NewVersion,
  VersionAddition,
  VersionQuery,
} from "../../agent-store.ts";
import type { SqlAudit } from "../accounts/audit.ts";
import type { SqlDatabase } from "../database.ts";
import type { Tables } from "../tables.ts";
import { listAgents } from "./list.ts";
import {
  type AgentRow,
  agentOf,
  definitionColumns,
  definitionOf,
  LISTED_VERSION_COLUMNS,
  listedVersionOf,
  versionRow,
} from "./rows.ts";

/**
 * See `AgentStore`. An agent's row has the definition of its live version, which is also in the table of versions: calls
 * and lists read one row for an agent.
 */
export class SqlAgents implements AgentStore {
  readonly #database: SqlDatabase;
  readonly #clock: Clock;
  readonly #audit: SqlAudit;

  constructor(database: SqlDatabase, clock: Clock, audit: SqlAudit) {
    this.#database = database;
    this.#clock = clock;
    this.#audit = audit;
  }

  async create(accountId: AccountId, definition: AgentDefinition, act: Act = BY_SERVICE): Promise<Agent> {
    const nowMs = this.#clock.epochMs();
    const row: AgentRow = {
      id: newId("agent"),
      account_id: accountId,
      ...definitionColumns(definition),
      live_version: 1,
      draft_version: null,
      created_at: nowMs,
      updated_at: nowMs,
      published_at: nowMs,
      deleted_at: null,
    };
    const first = { version: 1, createdAtMs: nowMs, publishedAtMs: nowMs, ...creatorOf(act) };
    await this.#database.readCommitted(async (tx) => {
      await tx.insertInto("agents").values(row).execute();
      await tx
        .insertInto("agent_versions")
        .values(versionRow(row, first, definition))
        .execute();
      await this.#record(tx, row, act, "agent.created");
    });
    return agentOf(row);
  }

  async count(accountId: AccountId): Promise<number> {
    const { agents } = await this.#database.db
      .selectFrom("agents")
      .select((select) => select.fn.countAll<number>().as("agents"))
      .where("account_id", "=", accountId)
      .where("deleted_at", "is", null)
      .executeTakeFirstOrThrow();
    return Number(agents);
  }

  async get(accountId: AccountId, agentId: AgentId): Promise<Agent | undefined> {
    const row = await this.#row(this.#database.db, accountId, agentId);
    return row?.deleted_at === null ? agentOf(row) : undefined;
  }

  list(accountId: AccountId, query: AgentQuery): Promise<{ agents: readonly Agent[]; more: boolean }> {
    return listAgents(this.#database.db, accountId, query);
  }

  addVersion(
    accountId: AccountId,
    agentId: AgentId,
    given: NewVersion,
    act: Act = BY_SERVICE,
  ): Promise<VersionAddition | undefined> {
    return this.#database.transaction(async (tx): Promise<VersionAddition | undefined> => {
      const row = await this.#row(tx, accountId, agentId);
      if (row === undefined || row.deleted_at !== null) return undefined;
      if (given.basedOn !== undefined && !hasState(row, given.basedOn)) return { kind: "stale" };
      await this.#storeLiveVersion(tx, row);
      if (!(await makeRoom(tx, row))) return { kind: "full" };
      const version = (await newestVersion(tx, row)) + 1;
      const { definition, publish } = given;
      const nowMs = this.#clock.epochMs();
      const added = {
        version,
        createdAtMs: nowMs,
        ...creatorOf(act),
        ...(publish && { publishedAtMs: nowMs }),
      };
      await tx
        .insertInto("agent_versions")
        .values(versionRow(row, added, definition))
        .execute();
      const changed: AgentRow = {
        ...row,
        ...(publish
          ? { ...definitionColumns(definition), live_version: version, draft_version: null, published_at: nowMs }
          : { draft_version: version }),
        updated_at: nowMs,
      };
      await tx.updateTable("agents").set(changed).where("id", "=", agentId).execute();
      await this.#record(tx, row, act, publish ? "agent.published" : "agent.updated", { version });
      return { kind: "added", agent: agentOf(changed), version };
    });
  }

  publish(accountId: AccountId, agentId: AgentId, version: number, act: Act = BY_SERVICE): Promise<Agent | undefined> {
    return this.#database.transaction(async (tx) => {
      const row = await this.#row(tx, accountId, agentId);
      if (row === undefined || row.deleted_at !== null) return undefined;
      if (row.live_version === version) return agentOf(row);
      await this.#storeLiveVersion(tx, row);
      const nowMs = this.#clock.epochMs();
      const published = await tx
        .updateTable("agent_versions")
        .set({ published_at: nowMs })
        .where("agent_id", "=", agentId)
        .where("version", "=", version)
        .returning("definition")
        .executeTakeFirst();
      if (published === undefined) return undefined;
      const changed: AgentRow = {
        ...row,
        ...definitionColumns(JSON.parse(published.definition)),
        live_version: version,
        draft_version: row.draft_version === version ? null : row.draft_version,
        published_at: nowMs,
        updated_at: nowMs,
      };
      await tx.updateTable("agents").set(changed).where("id", "=", agentId).execute();
      await this.#record(tx, row, act, "agent.published", { version });
      return agentOf(changed);
    });
  }

  async remove(accountId: AccountId, agentId: AgentId, act: Act = BY_SERVICE): Promise<true | undefined> {
    return await this.#database.readCommitted(async (tx) => {
      const removed = await tx
        .updateTable("agents")
        .set({ deleted_at: this.#clock.epochMs() })
        .where("id", "=", agentId)
        .where("account_id", "=", accountId)
        .where("deleted_at", "is", null)
        .returning(["id", "account_id"])
        .executeTakeFirst();
      if (removed === undefined) return undefined;
      await this.#record(tx, removed, act, "agent.deleted");
      return true;
    });
  }

  async listVersions(
    accountId: AccountId,
    agentId: AgentId,
    { beforeVersion, limit }: VersionQuery,
  ): Promise<{ versions: readonly ListedVersion[]; more: boolean } | undefined> {
    if (!(await this.#hasVersions(accountId, agentId))) return undefined;
    let selected = this.#database.db
      .selectFrom("agent_versions")
      .select(LISTED_VERSION_COLUMNS)
      .where("agent_id", "=", agentId)
      .where("account_id", "=", accountId);
    if (beforeVersion !== undefined) selected = selected.where("version", "<", beforeVersion);
    const rows = await selected
      .orderBy("version", "desc")
      .limit(limit + 1)
      .execute();
    return { versions: rows.slice(0, limit).map(listedVersionOf), more: rows.length > limit };
  }

  async getVersion(accountId: AccountId, agentId: AgentId, version: number): Promise<AgentVersion | undefined> {
    if (!(await this.#hasVersions(accountId, agentId))) return undefined;
    const row = await this.#database.db
      .selectFrom("agent_versions")
      .select([...LISTED_VERSION_COLUMNS, "definition"])
      .where("agent_id", "=", agentId)
      .where("account_id", "=", accountId)
      .where("version", "=", version)
      .executeTakeFirst();
    return row && { ...listedVersionOf(row), definition: JSON.parse(row.definition) };
  }

  /** Whether there is such an agent, deleted or not. Afterwards its versions are complete. */
  async #hasVersions(accountId: AccountId, agentId: AgentId): Promise<boolean> {
    const { db } = this.#database;
    const version = await db
      .selectFrom("agent_versions")
      .select("version")
      .where("agent_id", "=", agentId)
      .where("account_id", "=", accountId)
      .limit(1)
      .executeTakeFirst();
    if (version !== undefined) return true;
    return await this.#database.transaction(async (tx) => {
      const row = await this.#row(tx, accountId, agentId);
      if (row !== undefined) await this.#storeLiveVersion(tx, row);
      return row !== undefined;
    });
  }

  #row(db: SqlDatabase["db"], accountId: AccountId, agentId: AgentId): Promise<AgentRow | undefined> {
    return db
      .selectFrom("agents")
      .selectAll()
      .where("id", "=", agentId)
      .where("account_id", "=", accountId)
      .executeTakeFirst();
  }

  async #record(
    tx: Transaction<Tables>,
    { id, account_id: accountId }: Pick<AgentRow, "id" | "account_id">,
    act: Act,
    action: AuditAction,
    details: AuditDetails = {},
  ): Promise<void> {
    await this.#audit.insert(tx, { ...act, accountId, action, target: { kind: "agent", id }, details });
  }

  /** An earlier version of the service that runs beside this one creates agents without versions. */
  async #storeLiveVersion(tx: Transaction<Tables>, row: AgentRow): Promise<void> {
    const { version, createdAtMs, publishedAtMs } = agentOf(row);
    await tx
      .insertInto("agent_versions")
      .values(versionRow(row, { version, createdAtMs, publishedAtMs }, definitionOf(row)))
      .onConflict((conflict) => conflict.columns(["agent_id", "version"]).doNothing())
      .execute();
  }
}

const hasState = (row: AgentRow, { version, draftVersion }: AgentState): boolean =>
  row.live_version === version && row.draft_version === (draftVersion ?? null);

/** Versions of the agent that may be deleted are its drafts of earlier times; the newest version is never one of them. */
async function makeRoom(tx: Transaction<Tables>, { id, draft_version: draft }: AgentRow): Promise<boolean> {
  const { versions } = await tx
    .selectFrom("agent_versions")
    .select(({ fn }) => fn.countAll<number>().as("versions"))
    .where("agent_id", "=", id)
    .executeTakeFirstOrThrow();
  if (Number(versions) < AGENT_VERSIONS_MAX) return true;
  let unpublished = tx
    .selectFrom("agent_versions")
    .select("version")
    .where("agent_id", "=", id)
    .where("published_at", "is", null);
  if (draft !== null) unpublished = unpublished.where("version", "!=", draft);
  const oldest = await unpublished.orderBy("version").limit(1).executeTakeFirst();
  if (oldest === undefined) return false;
  await tx.deleteFrom("agent_versions").where("agent_id", "=", id).where("version", "=", oldest.version).execute();
  return true;
}

async function newestVersion(tx: Transaction<Tables>, { id, live_version }: AgentRow): Promise<number> {
  const { newest } = await tx
    .selectFrom("agent_versions")
    .select(({ fn }) => fn.max("version").as("newest"))
    .where("agent_id", "=", id)
    .executeTakeFirstOrThrow();
  return newest ?? live_version;
}

/** Whom a version names: an API key or a person, not the service or an operator. */
const creatorOf = ({ actor: { kind, id } }: Act): { createdBy?: string } =>
  kind === "api_key" || kind === "user" ? { createdBy: id } : {};
