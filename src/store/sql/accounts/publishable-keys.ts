import type { Kysely, Selectable, Transaction } from "kysely";
import type { AuditAction } from "../../../core/accounts/audit-actions.ts";
import type { Clock } from "../../../core/clock.ts";
import type { AccountId, PublishableKeyId } from "../../../core/ids.ts";
import { newId } from "../../../core/new-id.ts";
import { type Act, type AuditDetails, BY_SERVICE, changedIn } from "../../accounts/audit-store.ts";
import type {
  FoundPublishableKey,
  NewPublishableKey,
  PublishableKey,
  PublishableKeyChanges,
  PublishableKeyLimits,
  PublishableKeyQuery,
  PublishableKeyStore,
} from "../../accounts/publishable-key-store.ts";
import { createPublishableKey } from "../../secrets.ts";
import type { SqlDatabase } from "../database.ts";
import type { Tables } from "../tables.ts";
import { ACCOUNT_COLUMNS, accountStateOf } from "./accounts.ts";
import type { SqlAudit } from "./audit.ts";

type Row = Selectable<Tables["publishable_keys"]>;

/** See `PublishableKeyStore`. */
export class SqlPublishableKeys implements PublishableKeyStore {
  readonly #database: SqlDatabase;
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #audit: SqlAudit;

  constructor(database: SqlDatabase, clock: Clock, audit: SqlAudit) {
    this.#database = database;
    this.#db = database.db;
    this.#clock = clock;
    this.#audit = audit;
  }

  async create(
    { accountId, name, agentIds, origins, limits }: NewPublishableKey,
    act: Act = BY_SERVICE,
  ): Promise<PublishableKey> {
    const nowMs = this.#clock.epochMs();
    const row: Row = {
      id: newId("publishable_key"),
      account_id: accountId,
      name,
      key: createPublishableKey(),
      agent_ids: JSON.stringify(agentIds),
      origins: JSON.stringify(origins),
      limits: JSON.stringify(limits),
      created_at: nowMs,
      updated_at: nowMs,
      revoked_at: null,
    };
    await this.#database.readCommitted(async (tx) => {
      await tx.insertInto("publishable_keys").values(row).execute();
      await insertOrigins(tx, row);
      await this.#record(tx, row, act, "publishable_key.created", {
        agentIds: [...agentIds],
        startsPerMinute: limits.startsPerMinute,
        maxCostPerDay: limits.maxCostPerDay,
      });
    });
    return keyOf(row);
  }

  async count(accountId: AccountId): Promise<number> {
    const { keys } = await this.#db
      .selectFrom("publishable_keys")
      .select(({ fn }) => fn.countAll<number>().as("keys"))
      .where("account_id", "=", accountId)
      .where("revoked_at", "is", null)
      .executeTakeFirstOrThrow();
    return Number(keys);
  }

  async find(key: string): Promise<FoundPublishableKey | undefined> {
    const row = await this.#db
      .selectFrom("publishable_keys")
      .innerJoin("accounts", "accounts.id", "publishable_keys.account_id")
      .selectAll("publishable_keys")
      .select(ACCOUNT_COLUMNS)
      .where("key", "=", key)
      .where("revoked_at", "is", null)
      .executeTakeFirst();
    return row && { ...keyOf(row), account: accountStateOf(row) };
  }

  async namesOrigin(origin: string): Promise<boolean> {
    const found = await this.#db
      .selectFrom("publishable_key_origins")
      .select("publishable_key_id")
      .where("origin", "=", origin)
      .limit(1)
      .executeTakeFirst();
    return found !== undefined;
  }

  async list(
    accountId: AccountId,
    { status, afterId, limit }: PublishableKeyQuery,
  ): Promise<{ publishableKeys: readonly PublishableKey[]; more: boolean }> {
    let selected = this.#db.selectFrom("publishable_keys").selectAll().where("account_id", "=", accountId);
    if (status !== undefined) selected = selected.where("revoked_at", status === "revoked" ? "is not" : "is", null);
    if (afterId !== undefined) selected = selected.where("id", ">", afterId);
    // One row more than requested shows whether others follow.
    const rows = await selected
      .orderBy("id")
      .limit(limit + 1)
      .execute();
    return { publishableKeys: rows.slice(0, limit).map(keyOf), more: rows.length > limit };
  }

  async get(accountId: AccountId, id: PublishableKeyId): Promise<PublishableKey | undefined> {
    const row = await this.#row(this.#db, accountId, id);
    return row && keyOf(row);
  }

  update(
    accountId: AccountId,
    id: PublishableKeyId,
    changes: PublishableKeyChanges,
    act: Act = BY_SERVICE,
  ): Promise<PublishableKey | "revoked" | undefined> {
    // Serialized, because it merges the limits that it has read.
    return this.#database.transaction(async (tx) => {
      const row = await this.#row(tx, accountId, id);
      if (row === undefined) return undefined;
      if (row.revoked_at !== null) return "revoked";
      const { name, agentIds, origins, limits } = changes;
      const given = Object.fromEntries(Object.entries(limits ?? {}).filter(([, value]) => value !== undefined));
      const changed: Row = {
        ...row,
        ...(name !== undefined && { name }),
        ...(agentIds !== undefined && { agent_ids: JSON.stringify(agentIds) }),
        ...(origins !== undefined && { origins: JSON.stringify(origins) }),
        limits: JSON.stringify({ ...limitsOf(row), ...given }),
        updated_at: this.#clock.epochMs(),
      };
      await tx.updateTable("publishable_keys").set(changed).where("id", "=", id).execute();
      if (origins !== undefined) {
        await deleteOrigins(tx, id);
        await insertOrigins(tx, changed);
      }
      await this.#record(tx, row, act, "publishable_key.updated", { changed: changedIn(changes) });
      return keyOf(changed);
    });
  }

  async revoke(accountId: AccountId, id: PublishableKeyId, act: Act = BY_SERVICE): Promise<PublishableKey | undefined> {
    const nowMs = this.#clock.epochMs();
    return await this.#database.readCommitted(async (tx) => {
      const revoked = await tx
        .updateTable("publishable_keys")
        .set({ revoked_at: nowMs, updated_at: nowMs })
        .where("account_id", "=", accountId)
        .where("id", "=", id)
        .where("revoked_at", "is", null)
        .returningAll()
        .executeTakeFirst();
      if (revoked !== undefined) {
        await deleteOrigins(tx, id);
        await this.#record(tx, revoked, act, "publishable_key.revoked");
        return keyOf(revoked);
      }
      const row = await this.#row(tx, accountId, id);
      return row && keyOf(row);
    });
  }

  #row(db: Kysely<Tables>, accountId: AccountId, id: PublishableKeyId): Promise<Row | undefined> {
    return db
      .selectFrom("publishable_keys")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("id", "=", id)
      .executeTakeFirst();
  }

  async #record(
    tx: Transaction<Tables>,
    { id, account_id: accountId }: Row,
    act: Act,
    action: AuditAction,
    details?: AuditDetails,
  ): Promise<void> {
    const target = { kind: "publishable_key", id };
    await this.#audit.insert(tx, { ...act, accountId, action, target, ...(details && { details }) });
  }
}

const insertOrigins = async (tx: Transaction<Tables>, { id, account_id, origins }: Row): Promise<void> => {
  const rows = (JSON.parse(origins) as string[]).map((origin) => ({ publishable_key_id: id, account_id, origin }));
  await tx.insertInto("publishable_key_origins").values(rows).execute();
};

const deleteOrigins = async (tx: Transaction<Tables>, id: PublishableKeyId): Promise<void> => {
  await tx.deleteFrom("publishable_key_origins").where("publishable_key_id", "=", id).execute();
};

/** The limits of a stored publishable key. */
export const limitsOf = ({ limits }: Pick<Row, "limits">): PublishableKeyLimits => JSON.parse(limits);

const keyOf = (row: Row): PublishableKey => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  key: row.key,
  agentIds: JSON.parse(row.agent_ids),
  origins: JSON.parse(row.origins),
  limits: limitsOf(row),
  createdAtMs: row.created_at,
  updatedAtMs: row.updated_at,
  ...(row.revoked_at !== null && { revokedAtMs: row.revoked_at }),
});
