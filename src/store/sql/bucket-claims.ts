import { randomUUID } from "node:crypto";
import type { Kysely } from "kysely";
import type { BucketClaim, BucketClaimStore } from "../bucket-claim-store.ts";
import type { Tables } from "./tables.ts";

/** The one row. */
const NAME = "bucket";

/** See `BucketClaimStore`. */
export class SqlBucketClaims implements BucketClaimStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async claim(): Promise<BucketClaim> {
    await this.#db
      .insertInto("bucket_claims")
      .values({ name: NAME, database_id: randomUUID(), is_confirmed: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return claimOf(await this.#claims().executeTakeFirstOrThrow());
  }

  async find(): Promise<BucketClaim | undefined> {
    const row = await this.#claims().executeTakeFirst();
    return row && claimOf(row);
  }

  #claims() {
    return this.#db.selectFrom("bucket_claims").select(["database_id", "is_confirmed"]).where("name", "=", NAME);
  }

  async confirm(): Promise<void> {
    await this.#db.updateTable("bucket_claims").set({ is_confirmed: 1 }).where("name", "=", NAME).execute();
  }
}

const claimOf = (row: { database_id: string; is_confirmed: number }): BucketClaim => ({
  databaseId: row.database_id,
  isConfirmed: row.is_confirmed === 1,
});
