import type { Kysely } from "kysely";
import type { EpochStore } from "../epoch-store.ts";
import type { Tables } from "./tables.ts";

/** See `EpochStore`. */
export class SqlEpochs implements EpochStore {
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
