import type { Kysely, Transaction } from "kysely";
import type { Clock } from "../../../core/clock.ts";
import { addMs, type EpochMs } from "../../../core/clocks.ts";
import type { AccountId } from "../../../core/ids.ts";
import { OWNER_LINK_MS, OWNER_PAGE_MS, OWNER_PAGES_MAX } from "../../../core/limits/accounts/owner-links.ts";
import type { Act } from "../../accounts/audit-store.ts";
import type { OwnerLinkStore, OwnerPage, OwnerSecret } from "../../accounts/owner-link-store.ts";
import { createOwnerSecret, hashSecret, type OwnerSecretKind } from "../../secrets.ts";
import type { SqlDatabase } from "../database.ts";
import type { Tables } from "../tables.ts";
import { ACCOUNT_COLUMNS, accountStateOf } from "./accounts.ts";
import type { SqlAudit } from "./audit.ts";

const LIFETIME_MS: Readonly<Record<OwnerSecretKind, number>> = { link: OWNER_LINK_MS, page: OWNER_PAGE_MS };

/** Comparing hashes of 256 random bits needs no constant time: where one differs says nothing of the text of another. */
const isHashOf = (text: string) => ["hash", "=", hashSecret(text)] as const;

/** See `OwnerLinkStore`. */
export class SqlOwnerLinks implements OwnerLinkStore {
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

  async create(accountId: AccountId, act: Act): Promise<OwnerSecret> {
    return await this.#database.transaction(async (tx) => {
      await tx.deleteFrom("owner_secrets").where("account_id", "=", accountId).where("kind", "=", "link").execute();
      await this.#record(tx, accountId, act, "owner_link.created");
      return await this.#add(tx, accountId, "link");
    });
  }

  async use(link: string, act: Act): Promise<(OwnerSecret & Pick<OwnerPage, "accountId">) | undefined> {
    // Anyone may try a link: only for one that exists does the database begin to write.
    if (
      (await this.#db
        .selectFrom("owner_secrets")
        .select("hash")
        .where(...isHashOf(link))
        .executeTakeFirst()) === undefined
    )
      return undefined;
    return await this.#database.transaction(async (tx) => {
      // The row is deleted and not only read: of two uses at once the database gives it to one.
      const used = await tx
        .deleteFrom("owner_secrets")
        .where(...isHashOf(link))
        .where("kind", "=", "link")
        .where("expires_at", ">", this.#clock.epochMs())
        .returning("account_id")
        .executeTakeFirst();
      if (used === undefined) return undefined;
      await this.#endOldPages(tx, used.account_id);
      await this.#record(tx, used.account_id, act, "owner_link.used");
      return { ...(await this.#add(tx, used.account_id, "page")), accountId: used.account_id };
    });
  }

  async findPage(secret: string): Promise<OwnerPage | undefined> {
    const row = await this.#db
      .selectFrom("owner_secrets")
      .innerJoin("accounts", "accounts.id", "owner_secrets.account_id")
      .select(["owner_secrets.account_id", "owner_secrets.expires_at"])
      .select(ACCOUNT_COLUMNS)
      .where("owner_secrets.hash", "=", hashSecret(secret))
      .where("owner_secrets.kind", "=", "page")
      .where("owner_secrets.expires_at", ">", this.#clock.epochMs())
      .executeTakeFirst();
    return row && { accountId: row.account_id, account: accountStateOf(row), expiresAtMs: row.expires_at };
  }

  async #add(tx: Transaction<Tables>, accountId: AccountId, kind: OwnerSecretKind): Promise<OwnerSecret> {
    const nowMs: EpochMs = this.#clock.epochMs();
    const secret = createOwnerSecret(kind);
    const expiresAtMs = addMs(nowMs, LIFETIME_MS[kind]);
    const row = { hash: hashSecret(secret), account_id: accountId, kind, created_at: nowMs, expires_at: expiresAtMs };
    await tx.insertInto("owner_secrets").values(row).execute();
    return { secret, expiresAtMs };
  }

  /** Deletes what has expired, and the oldest pages where there are too many for another. */
  async #endOldPages(tx: Transaction<Tables>, accountId: AccountId): Promise<void> {
    await tx.deleteFrom("owner_secrets").where("expires_at", "<=", this.#clock.epochMs()).execute();
    const rows = await tx
      .selectFrom("owner_secrets")
      .select("hash")
      .where("account_id", "=", accountId)
      .where("kind", "=", "page")
      .orderBy("created_at", "desc")
      .orderBy("hash")
      .execute();
    const surplus = rows.slice(OWNER_PAGES_MAX - 1).map(({ hash }) => hash);
    if (surplus.length > 0) await tx.deleteFrom("owner_secrets").where("hash", "in", surplus).execute();
  }

  async #record(
    tx: Transaction<Tables>,
    accountId: AccountId,
    act: Act,
    action: "owner_link.created" | "owner_link.used",
  ): Promise<void> {
    await this.#audit.insert(tx, { ...act, accountId, action, target: { kind: "owner_link", id: accountId } });
  }
}
