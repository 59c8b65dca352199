import type { Kysely } from "kysely";
import type { Clock } from "../../core/clock.ts";
import type { AccountId } from "../../core/ids.ts";
import { newId } from "../../core/new-id.ts";
import type { Account, AccountStore } from "../account-store.ts";
import type { Tables } from "./tables.ts";

/** See `AccountStore`. */
export class SqlAccounts implements AccountStore {
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;

  constructor(db: Kysely<Tables>, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async ensure(name: string): Promise<AccountId> {
    await this.#db
      .insertInto("accounts")
      .values({ id: newId("account"), name, created_at: this.#clock.epochMs() })
      .onConflict((conflict) => conflict.column("name").doNothing())
      .execute();
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

  list(): Promise<readonly Account[]> {
    return this.#db.selectFrom("accounts").select(["id", "name"]).orderBy("id").execute();
  }
}
