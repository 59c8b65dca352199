import type { Kysely, Selectable } from "kysely";
import { type AccountSettings, changedSettings, settingsIn } from "../../../core/accounts/account-settings.ts";
import { canonicalJson } from "../../../core/canonical-json.ts";
import type { Clock } from "../../../core/clock.ts";
import type { AccountId } from "../../../core/ids.ts";
import { newId } from "../../../core/new-id.ts";
import type { Account, AccountChanges, AccountStore, AccountUpdate } from "../../accounts/account-store.ts";
import type { AccountState } from "../../accounts/api-key-store.ts";
import { type Act, BY_SERVICE } from "../../accounts/audit-store.ts";
import type { SqlDatabase } from "../database.ts";
import type { Tables } from "../tables.ts";
import type { SqlAudit } from "./audit.ts";

type Row = Selectable<Tables["accounts"]>;

/** See `AccountStore`. */
export class SqlAccounts implements AccountStore {
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

  async ensure(name: string, act?: Act): Promise<AccountId> {
    await this.#database.readCommitted((tx) => this.#insert(tx, name, {}, act));
    const account = await this.#db
      .selectFrom("accounts")
      .select("id")
      .where("name", "=", name)
      .executeTakeFirstOrThrow();
    return account.id;
  }

  async restore(id: AccountId): Promise<void> {
    await this.#db
      .insertInto("accounts")
      .values({ id, name: `restored ${id}`, created_at: this.#clock.epochMs() })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .execute();
  }

  async create(name: string, settings: AccountSettings, act: Act = BY_SERVICE): Promise<Account | "name_taken"> {
    const row = await this.#database.readCommitted((tx) => this.#insert(tx, name, settings, act));
    return row === undefined ? "name_taken" : accountOf(row);
  }

  async list(): Promise<readonly Account[]> {
    return (await this.#db.selectFrom("accounts").selectAll().orderBy("id").execute()).map(accountOf);
  }

  async get(id: AccountId): Promise<Account | undefined> {
    const row = await this.#db.selectFrom("accounts").selectAll().where("id", "=", id).executeTakeFirst();
    return row && accountOf(row);
  }

  async update(
    id: AccountId,
    changes: AccountChanges,
    act: Act = BY_SERVICE,
    ifVersion?: number,
  ): Promise<AccountUpdate | undefined> {
    return await this.#database.transaction(async (tx) => {
      const row = await tx.selectFrom("accounts").selectAll().where("id", "=", id).executeTakeFirst();
      if (row === undefined) return undefined;
      const before = accountOf(row);
      if (ifVersion !== undefined && ifVersion !== before.version) return "stale";
      const { name = before.name } = changes;
      const settings = changedSettings(before.settings, changes);
      if (name === before.name && canonicalJson(settings) === canonicalJson(before.settings)) return before;
      if (name !== before.name && (await isTaken(tx, name))) return "name_taken";
      const set = {
        name,
        settings: JSON.stringify(settings),
        version: before.version + 1,
        updated_at: this.#clock.epochMs(),
      };
      await tx.updateTable("accounts").set(set).where("id", "=", id).execute();
      const changed = [...(name === before.name ? [] : ["name"]), ...settingsIn(changes)];
      await this.#audit.insert(tx, {
        ...act,
        accountId: id,
        action: "account.updated",
        target: { kind: "account", id },
        details: { changed },
      });
      return accountOf({ ...row, ...set });
    });
  }

  /** Undefined where another account has this name. */
  async #insert(
    tx: Kysely<Tables>,
    name: string,
    settings: AccountSettings,
    act: Act | undefined,
  ): Promise<Row | undefined> {
    const row = await tx
      .insertInto("accounts")
      .values({
        id: newId("account"),
        name,
        created_at: this.#clock.epochMs(),
        settings: Object.keys(settings).length === 0 ? null : JSON.stringify(settings),
      })
      .onConflict((conflict) => conflict.column("name").doNothing())
      .returningAll()
      .executeTakeFirst();
    if (row !== undefined && act !== undefined) {
      const { id } = row;
      await this.#audit.insert(tx, {
        ...act,
        accountId: id,
        action: "account.created",
        target: { kind: "account", id },
        details: { settings: settingsIn(settings) },
      });
    }
    return row;
  }
}

const isTaken = async (tx: Kysely<Tables>, name: string): Promise<boolean> =>
  (await tx.selectFrom("accounts").select("id").where("name", "=", name).executeTakeFirst()) !== undefined;

/** The settings of an account from its column. */
export const settingsOf = ({ settings }: Pick<Row, "settings">): AccountSettings =>
  settings === null ? {} : JSON.parse(settings);

/** What an authenticated request needs to know of its account, for a query that joins `accounts`. */
export const ACCOUNT_COLUMNS = ["accounts.name as account_name", "accounts.settings", "accounts.version"] as const;

export interface AccountColumns extends Pick<Row, "settings" | "version"> {
  account_name: string;
}

export const accountStateOf = (row: AccountColumns): AccountState => ({
  name: row.account_name,
  settings: settingsOf(row),
  version: row.version,
});

const accountOf = (row: Row): Account => ({
  id: row.id,
  name: row.name,
  settings: settingsOf(row),
  version: row.version,
  createdAtMs: row.created_at,
  updatedAtMs: row.updated_at ?? row.created_at,
});
