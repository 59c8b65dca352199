import type { Kysely, Transaction } from "kysely";
import type { Clock } from "../../../core/clock.ts";
import type { EpochMs } from "../../../core/clocks.ts";
import type { AccountId, UserId } from "../../../core/ids.ts";
import { INVITATION_MS, RESET_MS } from "../../../core/limits/accounts/people.ts";
import { newId } from "../../../core/new-id.ts";
import { type Act, changedIn } from "../../accounts/audit-store.ts";
import type {
  LinkKind,
  NewUser,
  UserChanges,
  UserQuery,
  UserRecord,
  UserStore,
  UserWithLink,
} from "../../users/user-store.ts";
import { LINK_KINDS } from "../../users/user-store.ts";
import type { SqlAudit } from "../accounts/audit.ts";
import type { SqlDatabase } from "../database.ts";
import type { Tables } from "../tables.ts";
import { addSecret, endSecrets, recordAct, recordOf, type UserRow } from "./rows.ts";

const LIFETIME_MS: Readonly<Record<LinkKind, number>> = { invitation: INVITATION_MS, reset: RESET_MS };

/** See `UserStore`. */
export class SqlUsers implements UserStore {
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

  async invite({ accountId, email, name, role }: NewUser, act: Act): Promise<UserWithLink | "exists"> {
    const nowMs = this.#clock.epochMs();
    const row: UserRow = {
      id: newId("user"),
      account_id: accountId,
      email,
      name,
      role,
      password_hash: null,
      created_at: nowMs,
      updated_at: nowMs,
      last_sign_in_at: null,
    };
    return await this.#database.readCommitted(async (tx) => {
      const inserted = await tx
        .insertInto("users")
        .values(row)
        .onConflict((conflict) => conflict.columns(["email", "account_id"]).doNothing())
        .returning("id")
        .executeTakeFirst();
      if (inserted === undefined) return "exists";
      await recordAct(this.#audit, tx, row, act, "user.invited", { role });
      return await withLink(tx, row, nowMs);
    });
  }

  async count(accountId: AccountId): Promise<number> {
    const { users } = await this.#db
      .selectFrom("users")
      .select(({ fn }) => fn.countAll<number>().as("users"))
      .where("account_id", "=", accountId)
      .executeTakeFirstOrThrow();
    return Number(users);
  }

  async ownerExists(accountId?: AccountId): Promise<boolean> {
    let selected = this.#db
      .selectFrom("users")
      .select("id")
      .where("role", "=", "owner")
      .where("password_hash", "is not", null);
    if (accountId !== undefined) selected = selected.where("account_id", "=", accountId);
    return (await selected.limit(1).executeTakeFirst()) !== undefined;
  }

  async list(
    accountId: AccountId,
    { role, status, afterUserId, limit }: UserQuery,
  ): Promise<{ users: readonly UserRecord[]; more: boolean }> {
    let selected = this.#db.selectFrom("users").selectAll().where("account_id", "=", accountId);
    if (role !== undefined) selected = selected.where("role", "=", role);
    if (status !== undefined) selected = selected.where("password_hash", status === "invited" ? "is" : "is not", null);
    if (afterUserId !== undefined) selected = selected.where("id", ">", afterUserId);
    // One row more than requested shows whether others follow.
    const rows = await selected
      .orderBy("id")
      .limit(limit + 1)
      .execute();
    return { users: rows.slice(0, limit).map(recordOf), more: rows.length > limit };
  }

  async listAll(): Promise<readonly UserRecord[]> {
    return (await this.#db.selectFrom("users").selectAll().orderBy("id").execute()).map(recordOf);
  }

  async get(accountId: AccountId, id: UserId): Promise<UserRecord | undefined> {
    const row = await rowOf(this.#db, accountId, id);
    return row && recordOf(row);
  }

  async update(
    accountId: AccountId,
    id: UserId,
    changes: UserChanges,
    act: Act,
  ): Promise<UserRecord | "last_owner" | undefined> {
    const { name, role } = changes;
    return await this.#database.transaction(async (tx) => {
      const row = await rowOf(tx, accountId, id);
      if (row === undefined) return undefined;
      if (role !== undefined && role !== "owner" && (await isLastOwner(tx, row))) return "last_owner";
      const set = {
        updated_at: this.#clock.epochMs(),
        ...(name !== undefined && { name }),
        ...(role !== undefined && { role }),
      };
      await tx.updateTable("users").set(set).where("id", "=", id).execute();
      // Who made a link for the earlier role may not have what the new one has.
      if (role !== undefined && role !== row.role) await endSecrets(tx, id, LINK_KINDS);
      const details = { changed: changedIn(changes), ...(role !== undefined && { role }) };
      await recordAct(this.#audit, tx, row, act, "user.updated", details);
      return recordOf({ ...row, ...set });
    });
  }

  async remove(accountId: AccountId, id: UserId, act: Act): Promise<"removed" | "last_owner" | undefined> {
    return await this.#database.transaction(async (tx) => {
      const row = await rowOf(tx, accountId, id);
      if (row === undefined) return undefined;
      if (await isLastOwner(tx, row)) return "last_owner";
      await tx.deleteFrom("user_secrets").where("user_id", "=", id).execute();
      await tx.deleteFrom("users").where("id", "=", id).execute();
      await recordAct(this.#audit, tx, row, act, "user.removed");
      return "removed";
    });
  }

  async createLink(accountId: AccountId, id: UserId, act: Act): Promise<UserWithLink | undefined> {
    return await this.#database.transaction(async (tx) => {
      const row = await rowOf(tx, accountId, id);
      if (row === undefined) return undefined;
      await endSecrets(tx, id, LINK_KINDS);
      const made = await withLink(tx, row, this.#clock.epochMs());
      await recordAct(this.#audit, tx, row, act, "user.link_created", { kind: made.link.kind });
      return made;
    });
  }
}

/** A person with a new link of the kind that they need. */
async function withLink(tx: Transaction<Tables>, row: UserRow, nowMs: EpochMs): Promise<UserWithLink> {
  const kind = row.password_hash === null ? "invitation" : "reset";
  const { secret, expiresAtMs } = await addSecret(tx, row, kind, nowMs, LIFETIME_MS[kind]);
  return { record: recordOf(row), link: { kind, token: secret, expiresAtMs } };
}

const rowOf = (db: Kysely<Tables>, accountId: AccountId, id: UserId): Promise<UserRow | undefined> =>
  db.selectFrom("users").selectAll().where("id", "=", id).where("account_id", "=", accountId).executeTakeFirst();

/** Whether the account would be without an owner, or without one who can sign in if it has such a one. */
async function isLastOwner(tx: Transaction<Tables>, row: UserRow): Promise<boolean> {
  if (row.role !== "owner") return false;
  const others = await tx
    .selectFrom("users")
    .select("password_hash")
    .where("account_id", "=", row.account_id)
    .where("role", "=", "owner")
    .where("id", "!=", row.id)
    .execute();
  const staying = row.password_hash === null ? others : others.filter((other) => other.password_hash !== null);
  return staying.length === 0;
}
