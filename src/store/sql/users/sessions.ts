import type { Kysely, Transaction } from "kysely";
import type { Clock } from "../../../core/clock.ts";
import type { EpochMs } from "../../../core/clocks.ts";
import type { UserId } from "../../../core/ids.ts";
import { DEVICE_MS, DEVICES_MAX, SESSION_MS, SESSIONS_MAX } from "../../../core/limits/accounts/people.ts";
import type { Act } from "../../accounts/audit-store.ts";
import { hashSecret } from "../../secrets.ts";
import type {
  NewSession,
  SessionPrincipal,
  SessionRecord,
  SessionStore,
  SignIn,
  SignInCandidate,
  SignInQuery,
} from "../../users/session-store.ts";
import { LINK_KINDS, type LinkKind, type UserRecord } from "../../users/user-store.ts";
import { ACCOUNT_COLUMNS, type AccountColumns, accountStateOf } from "../accounts/accounts.ts";
import type { SqlAudit } from "../accounts/audit.ts";
import type { SqlDatabase } from "../database.ts";
import type { Tables } from "../tables.ts";
import { addSecret, endSecrets, recordAct, recordOf, type SecretKind, type UserRow } from "./rows.ts";

/** See `SessionStore`. */
export class SqlSessions implements SessionStore {
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

  async findCandidate({ email, accountId, device }: SignInQuery): Promise<SignInCandidate | undefined> {
    let selected = this.#db
      .selectFrom("users")
      .select(["id", "account_id", "password_hash"])
      .where("email", "=", email)
      .where("password_hash", "is not", null);
    if (accountId !== undefined) selected = selected.where("account_id", "=", accountId);
    const first = await selected.orderBy("id").limit(1).executeTakeFirst();
    // For an unknown email, too, so that the time does not show which it is.
    const owner = device === undefined ? undefined : await this.#userOf(this.#db, device, ["device"]);
    // The person whose browser it is, whatever other accounts have invited this email.
    const isOwners = owner?.email === email && (accountId === undefined || owner.account_id === accountId);
    const row = isOwners ? owner : first;
    if (row === undefined || row.password_hash === null) return undefined;
    return {
      userId: row.id,
      accountId: row.account_id,
      passwordHash: row.password_hash,
      isKnownDevice: owner?.id === row.id,
    };
  }

  async signIn({ userId, passwordHash, device, requestId }: SignIn): Promise<NewSession | undefined> {
    return await this.#database.transaction(async (tx) => {
      const row = await rowOf(tx, userId);
      if (row?.password_hash !== passwordHash) return undefined;
      if (device !== undefined) await endSecret(tx, userId, device);
      await recordAct(this.#audit, tx, row, actOf(userId, requestId), "user.signed_in");
      return await this.#begin(tx, row);
    });
  }

  async authenticate(secret: string): Promise<SessionPrincipal | undefined> {
    const row = await this.#userOf(this.#db, secret, ["session"]);
    return row && principalOf(row);
  }

  async authenticateAll(secrets: readonly string[]): Promise<ReadonlyMap<string, SessionPrincipal>> {
    const byHash = new Map(secrets.map((secret) => [hashSecret(secret), secret]));
    const rows = await this.#usersOf(this.#db, [...byHash.keys()], ["session"]).execute();
    return new Map(rows.map((row) => [byHash.get(row.hash) ?? "", principalOf(row)]));
  }

  async signOut(secret: string, requestId: string): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const row = await this.#userOf(tx, secret, ["session"]);
      if (row === undefined) return;
      await endSecret(tx, row.id, secret);
      await recordAct(this.#audit, tx, row, actOf(row.id, requestId), "user.signed_out");
    });
  }

  async list(userId: UserId, secret: string): Promise<readonly SessionRecord[]> {
    const rows = await this.#db
      .selectFrom("user_secrets")
      .select(["hash", "created_at", "expires_at"])
      .where("user_id", "=", userId)
      .where("kind", "=", "session")
      .where("expires_at", ">", this.#clock.epochMs())
      .orderBy("created_at", "desc")
      .orderBy("hash")
      .execute();
    const own = hashSecret(secret);
    return rows.map((row) => ({
      createdAtMs: row.created_at,
      expiresAtMs: row.expires_at,
      isCurrent: row.hash === own,
    }));
  }

  async signOutOthers(userId: UserId, secret: string, requestId: string): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const row = await rowOf(tx, userId);
      if (row === undefined) return;
      const count = await endOtherSessions(tx, userId, secret);
      if (count === 0) return;
      await recordAct(this.#audit, tx, row, actOf(userId, requestId), "user.signed_out", { otherSessions: count });
    });
  }

  async passwordHashOf(userId: UserId): Promise<string | undefined> {
    return (await rowOf(this.#db, userId))?.password_hash ?? undefined;
  }

  async changePassword(
    userId: UserId,
    { from, to, sessionSecret, requestId }: { from: string; to: string; sessionSecret: string; requestId: string },
  ): Promise<boolean> {
    return await this.#database.transaction(async (tx) => {
      const row = await rowOf(tx, userId);
      if (row?.password_hash !== from) return false;
      await this.#setPassword(tx, userId, to);
      await endSecrets(tx, userId, LINK_KINDS);
      await endOtherSessions(tx, userId, sessionSecret);
      await recordAct(this.#audit, tx, row, actOf(userId, requestId), "user.password_changed");
      return true;
    });
  }

  async findLink(token: string): Promise<{ user: UserRecord; kind: LinkKind } | undefined> {
    const row = await this.#userOf(this.#db, token, LINK_KINDS);
    return row && { user: recordOf(row), kind: row.kind as LinkKind };
  }

  async useLink(token: string, passwordHash: string, requestId: string): Promise<NewSession | undefined> {
    return await this.#database.transaction(async (tx) => {
      const row = await this.#userOf(tx, token, LINK_KINDS);
      if (row === undefined) return undefined;
      await endSecrets(tx, row.id, [...LINK_KINDS, "session", "device"]);
      await this.#setPassword(tx, row.id, passwordHash);
      const action = row.password_hash === null ? "user.invitation_accepted" : "user.password_reset";
      await recordAct(this.#audit, tx, row, actOf(row.id, requestId), action);
      return await this.#begin(tx, { ...row, password_hash: passwordHash, updated_at: this.#clock.epochMs() });
    });
  }

  /** Begins a session. What the person has of expired or too many sessions and browsers is deleted. */
  async #begin(tx: Transaction<Tables>, row: UserRow): Promise<NewSession> {
    const nowMs = this.#clock.epochMs();
    await tx.deleteFrom("user_secrets").where("user_id", "=", row.id).where("expires_at", "<=", nowMs).execute();
    await endOldest(tx, row.id, "session", SESSIONS_MAX - 1);
    await endOldest(tx, row.id, "device", DEVICES_MAX - 1);
    await tx.updateTable("users").set({ last_sign_in_at: nowMs }).where("id", "=", row.id).execute();
    const { secret, expiresAtMs } = await addSecret(tx, row, "session", nowMs, SESSION_MS);
    const device = await addSecret(tx, row, "device", nowMs, DEVICE_MS);
    return { user: recordOf({ ...row, last_sign_in_at: nowMs }), secret, expiresAtMs, device };
  }

  async #setPassword(tx: Transaction<Tables>, userId: UserId, passwordHash: string): Promise<void> {
    const set = { password_hash: passwordHash, updated_at: this.#clock.epochMs() };
    await tx.updateTable("users").set(set).where("id", "=", userId).execute();
  }

  /** The person who has this secret, with its kind and its end; undefined when it has expired. */
  #userOf(db: Kysely<Tables>, secret: string, kinds: readonly SecretKind[]): Promise<SecretRow | undefined> {
    return this.#usersOf(db, [hashSecret(secret)], kinds).executeTakeFirst();
  }

  #usersOf(db: Kysely<Tables>, hashes: readonly string[], kinds: readonly SecretKind[]) {
    return db
      .selectFrom("user_secrets")
      .innerJoin("users", "users.id", "user_secrets.user_id")
      .innerJoin("accounts", "accounts.id", "users.account_id")
      .selectAll("users")
      .select(["user_secrets.hash", "user_secrets.kind", "user_secrets.expires_at"])
      .select(ACCOUNT_COLUMNS)
      .where("user_secrets.hash", "in", hashes)
      .where("user_secrets.kind", "in", kinds)
      .where("user_secrets.expires_at", ">", this.#clock.epochMs());
  }
}

/** A person with one of their secrets. */
type SecretRow = UserRow & AccountColumns & { hash: string; kind: string; expires_at: EpochMs };

const principalOf = (row: SecretRow): SessionPrincipal => ({
  user: recordOf(row),
  account: accountStateOf(row),
  expiresAtMs: row.expires_at,
});

const actOf = (userId: UserId, requestId: string): Act => ({ actor: { kind: "user", id: userId }, requestId });

const rowOf = (db: Kysely<Tables>, userId: UserId): Promise<UserRow | undefined> =>
  db.selectFrom("users").selectAll().where("id", "=", userId).executeTakeFirst();

async function endSecret(tx: Transaction<Tables>, userId: UserId, secret: string): Promise<void> {
  const hash = hashSecret(secret);
  await tx.deleteFrom("user_secrets").where("hash", "=", hash).where("user_id", "=", userId).execute();
}

/** Ends the sessions of a person but the one with this secret; returns how many. */
async function endOtherSessions(tx: Transaction<Tables>, userId: UserId, secret: string): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom("user_secrets")
    .where("user_id", "=", userId)
    .where("kind", "=", "session")
    .where("hash", "!=", hashSecret(secret))
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Deletes the oldest secrets of a kind, so that so many remain. */
async function endOldest(tx: Transaction<Tables>, userId: UserId, kind: SecretKind, count: number): Promise<void> {
  const rows = await tx
    .selectFrom("user_secrets")
    .select("hash")
    .where("user_id", "=", userId)
    .where("kind", "=", kind)
    .orderBy("created_at", "desc")
    .orderBy("hash")
    .execute();
  const surplus = rows.slice(count).map(({ hash }) => hash);
  if (surplus.length > 0) await tx.deleteFrom("user_secrets").where("hash", "in", surplus).execute();
}
