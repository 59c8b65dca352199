import type { Kysely } from "kysely";
import type { EpochStore } from "../epoch-store.ts";
import type { Tables } from "./database/tables.ts";

/** See `EpochStore`. */
export class SqliteEpochs implements EpochStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async next(): Promise<number> {
    const { value } = await this.#db
      .updateTable("epochs")
      .set((eb) => ({ value: eb("value", "+", 1) }))
      .where("name", "=", "control")
      .returning("value")
      .executeTakeFirstOrThrow();
    return value;
  }
}
