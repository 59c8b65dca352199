import { timingSafeEqual } from "node:crypto";
import type { Kysely, Selectable, Transaction } from "kysely";
import type { AuditAction } from "../../../core/accounts/audit-actions.ts";
import { DEFAULT_SCOPES, type Scope } from "../../../core/accounts/scopes.ts";
import { type Clock, isoTime } from "../../../core/clock.ts";
import { addMs, type EpochMs, earliest } from "../../../core/clocks.ts";
import type { AccountId, ApiKeyId } from "../../../core/ids.ts";
import { newId } from "../../../core/new-id.ts";
import type {
  ApiKeyChanges,
  ApiKeyQuery,
  ApiKeyRecord,
  ApiKeyStore,
  ApiKeyWithText,
  NewApiKey,
  Principal,
} from "../../accounts/api-key-store.ts";
import { type Act, type AuditDetails, BY_SERVICE, changedIn } from "../../accounts/audit-store.ts";
import { API_KEY_VISIBLE_CHARS, createApiKey, hashSecret } from "../../secrets.ts";
import type { SqlDatabase } from "../database.ts";
import type { Tables } from "../tables.ts";
import { ACCOUNT_COLUMNS, type AccountColumns, accountStateOf } from "./accounts.ts";
import type { SqlAudit } from "./audit.ts";

type Row = Selectable<Tables["api_keys"]>;
/** With its account. */
type FoundRow = Row & AccountColumns;

/** See `ApiKeyStore`. Keys are stored as SHA-256 hashes only. */
export class SqlApiKeys implements ApiKeyStore {
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

  async create({ accountId, name, scopes, expiresAtMs }: NewApiKey, act: Act = BY_SERVICE): Promise<ApiKeyWithText> {
    const key = createApiKey();
    const nowMs = this.#clock.epochMs();
    const row: Row = {
      id: newId("key"),
      account_id: accountId,
      name,
      hash: hashSecret(key),
      visible_prefix: key.slice(0, API_KEY_VISIBLE_CHARS),
      created_at: nowMs,
      revoked_at: null,
      scopes: scopes === undefined ? null : JSON.stringify(scopes),
      expires_at: expiresAtMs ?? null,
      last_used_at: null,
      previous_hash: null,
      previous_prefix: null,
      previous_until: null,
      updated_at: null,
    };
    const record = recordOf(row, nowMs);
    await this.#database.readCommitted(async (tx) => {
      await tx.insertInto("api_keys").values(row).execute();
      const expiresAt = expiresAtMs === undefined ? null : isoTime(expiresAtMs);
      await this.#record(tx, row, act, "api_key.created", { scopes: record.scopes, expiresAt });
    });
    return { key, record };
  }

  async count(accountId: AccountId): Promise<number> {
    const { keys } = await this.#db
      .selectFrom("api_keys")
      .select(({ fn }) => fn.countAll<number>().as("keys"))
      .where("account_id", "=", accountId)
      .where("revoked_at", "is", null)
      .executeTakeFirstOrThrow();
    return Number(keys);
  }

  async authenticate(key: string): Promise<Principal | undefined> {
    const hash = Buffer.from(hashSecret(key));
    const prefix = key.slice(0, API_KEY_VISIBLE_CHARS);
    // Found by the part that is not secret; the rest is compared in constant time.
    const candidates = await this.#db
      .selectFrom("api_keys")
      .innerJoin("accounts", "accounts.id", "api_keys.account_id")
      .selectAll("api_keys")
      .select(ACCOUNT_COLUMNS)
      .where((row) => row.or([row("visible_prefix", "=", prefix), row("previous_prefix", "=", prefix)]))
      .where("revoked_at", "is", null)
      .execute();
    const nowMs = this.#clock.epochMs();
    let found: Principal | undefined;
    for (const row of candidates) {
      const isCurrent = isHash(row.hash, hash);
      const isPrevious = isHash(row.previous_hash ?? NO_HASH, hash);
      if (isCurrent || isPrevious) found = principalOf(row, isCurrent, nowMs);
    }
    return found;
  }

  async recordUse(ids: readonly ApiKeyId[], atMs: EpochMs): Promise<void> {
    if (ids.length === 0) return;
    await this.#database.withoutSync((db) =>
      db.updateTable("api_keys").set({ last_used_at: atMs }).where("id", "in", ids).execute(),
    );
  }

  async listAll(): Promise<readonly ApiKeyRecord[]> {
    const rows = await this.#db.selectFrom("api_keys").selectAll().orderBy("id").execute();
    return rows.map((row) => recordOf(row, this.#clock.epochMs()));
  }

  async list(
    accountId: AccountId,
    { status, afterApiKeyId, limit }: ApiKeyQuery,
  ): Promise<{ apiKeys: readonly ApiKeyRecord[]; more: boolean }> {
    const nowMs = this.#clock.epochMs();
    let selected = this.#db.selectFrom("api_keys").selectAll().where("account_id", "=", accountId);
    if (status !== undefined) selected = selected.where("revoked_at", status === "revoked" ? "is not" : "is", null);
    if (status === "expired") selected = selected.where("expires_at", "<=", nowMs);
    if (status === "active") {
      selected = selected.where((row) => row.or([row("expires_at", "is", null), row("expires_at", ">", nowMs)]));
    }
    if (afterApiKeyId !== undefined) selected = selected.where("id", ">", afterApiKeyId);
    // One row more than requested shows whether others follow.
    const rows = await selected
      .orderBy("id")
      .limit(limit + 1)
      .execute();
    return { apiKeys: rows.slice(0, limit).map((row) => recordOf(row, nowMs)), more: rows.length > limit };
  }

  async get(accountId: AccountId, id: ApiKeyId): Promise<ApiKeyRecord | undefined> {
    const row = await this.#row(this.#db, accountId, id);
    return row && recordOf(row, this.#clock.epochMs());
  }

  async update(
    accountId: AccountId,
    id: ApiKeyId,
    changes: ApiKeyChanges,
    act: Act = BY_SERVICE,
  ): Promise<ApiKeyRecord | "revoked" | undefined> {
    const { name, scopes, expiresAtMs } = changes;
    return await this.#changed(accountId, id, async (tx, row) => {
      const nowMs = this.#clock.epochMs();
      const set = {
        updated_at: nowMs,
        ...(name !== undefined && { name }),
        ...(scopes !== undefined && { scopes: JSON.stringify(scopes) }),
        ...(expiresAtMs !== undefined && { expires_at: expiresAtMs }),
      };
      await tx.updateTable("api_keys").set(set).where("id", "=", id).execute();
      const changed = changedIn(changes).map((field) => (field === "expiresAtMs" ? "expiresAt" : field));
      await this.#record(tx, row, act, "api_key.updated", {
        changed,
        ...(scopes !== undefined && { scopes }),
        ...(expiresAtMs !== undefined && { expiresAt: expiresAtMs === null ? null : isoTime(expiresAtMs) }),
      });
      return recordOf({ ...row, ...set }, nowMs);
    });
  }

  async rotate(
    accountId: AccountId,
    id: ApiKeyId,
    overlapMs: number,
    act: Act = BY_SERVICE,
  ): Promise<ApiKeyWithText | "revoked" | undefined> {
    const key = createApiKey();
    return await this.#changed(accountId, id, async (tx, row) => {
      const nowMs = this.#clock.epochMs();
      const set = {
        hash: hashSecret(key),
        visible_prefix: key.slice(0, API_KEY_VISIBLE_CHARS),
        previous_hash: row.hash,
        previous_prefix: row.visible_prefix,
        previous_until: addMs(nowMs, overlapMs),
        updated_at: nowMs,
      };
      await tx.updateTable("api_keys").set(set).where("id", "=", id).execute();
      await this.#record(tx, row, act, "api_key.rotated", { overlapSeconds: overlapMs / 1_000 });
      return { key, record: recordOf({ ...row, ...set }, nowMs) };
    });
  }

  async revoke(accountId: AccountId, id: ApiKeyId, act: Act = BY_SERVICE): Promise<ApiKeyRecord | undefined> {
    const revoked = await this.#changed(accountId, id, async (tx, row) => {
      const nowMs = this.#clock.epochMs();
      const set = { revoked_at: nowMs, updated_at: nowMs };
      await tx.updateTable("api_keys").set(set).where("id", "=", id).execute();
      await this.#record(tx, row, act, "api_key.revoked");
      return recordOf({ ...row, ...set }, nowMs);
    });
    return revoked === "revoked" ? await this.get(accountId, id) : revoked;
  }

  /** Runs `change` in a transaction on an API key that exists and is not revoked. */
  #changed<T>(
    accountId: AccountId,
    id: ApiKeyId,
    change: (tx: Transaction<Tables>, row: Row) => Promise<T>,
  ): Promise<T | "revoked" | undefined> {
    return this.#database.transaction(async (tx) => {
      const row = await this.#row(tx, accountId, id);
      if (row === undefined) return undefined;
      return row.revoked_at === null ? await change(tx, row) : "revoked";
    });
  }

  #row(db: Kysely<Tables>, accountId: AccountId, id: ApiKeyId): Promise<Row | undefined> {
    return db
      .selectFrom("api_keys")
      .selectAll()
      .where("id", "=", id)
      .where("account_id", "=", accountId)
      .executeTakeFirst();
  }

  /** Appends an act on an API key to the audit log. */
  async #record(
    tx: Transaction<Tables>,
    { id, account_id: accountId }: Pick<Row, "id" | "account_id">,
    act: Act,
    action: AuditAction,
    details: AuditDetails = {},
  ): Promise<void> {
    await this.#audit.insert(tx, { ...act, accountId, action, target: { kind: "api_key", id }, details });
  }
}

/** Compared with where there is no previous text, so that every comparison takes the same time. */
const NO_HASH = "-".repeat(hashSecret("").length);

const isHash = (stored: string, hash: Buffer): boolean => timingSafeEqual(Buffer.from(stored), hash);

/** Undefined where the text that was given no longer works. */
function principalOf(row: FoundRow, isCurrent: boolean, nowMs: EpochMs): Principal | undefined {
  const ends = [row.expires_at, isCurrent ? null : row.previous_until].filter((end) => end !== null);
  const [first, ...others] = ends;
  const validUntilMs = first === undefined ? undefined : earliest(first, ...others);
  if (validUntilMs !== undefined && validUntilMs <= nowMs) return undefined;
  return {
    accountId: row.account_id,
    apiKeyId: row.id,
    scopes: scopesOf(row),
    account: accountStateOf(row),
    ...(validUntilMs !== undefined && { validUntilMs }),
    ...(row.last_used_at !== null && { lastUsedAtMs: row.last_used_at }),
  };
}

const scopesOf = ({ scopes }: Pick<Row, "scopes">): readonly Scope[] =>
  scopes === null ? DEFAULT_SCOPES : JSON.parse(scopes);

const recordOf = (row: Row, nowMs: EpochMs): ApiKeyRecord => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  visiblePrefix: row.visible_prefix,
  scopes: scopesOf(row),
  ...(row.expires_at !== null && { expiresAtMs: row.expires_at }),
  ...(row.last_used_at !== null && { lastUsedAtMs: row.last_used_at }),
  ...(row.previous_until !== null && row.previous_until > nowMs && { previousUntilMs: row.previous_until }),
  createdAtMs: row.created_at,
  updatedAtMs: row.updated_at ?? row.created_at,
  ...(row.revoked_at !== null && { revokedAtMs: row.revoked_at }),
});
