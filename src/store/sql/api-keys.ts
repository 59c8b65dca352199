import { timingSafeEqual } from "node:crypto";
import type { Kysely, Selectable } from "kysely";
import type { Clock } from "../../core/clock.ts";
import type { AccountId, ApiKeyId } from "../../core/ids.ts";
import { newId } from "../../core/new-id.ts";
import type { ApiKeyRecord, ApiKeyStore, Principal } from "../api-key-store.ts";
import { API_KEY_VISIBLE_CHARS, createApiKey, hashSecret } from "../secrets.ts";
import type { Tables } from "./tables.ts";

/** See `ApiKeyStore`. Keys are stored as SHA-256 hashes only. */
export class SqlApiKeys implements ApiKeyStore {
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;

  constructor(db: Kysely<Tables>, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async create(options: { accountId: AccountId; name: string }): Promise<{ key: string; record: ApiKeyRecord }> {
    const key = createApiKey();
    const row = {
      id: newId("key"),
      account_id: options.accountId,
      name: options.name,
      hash: hashSecret(key),
      visible_prefix: key.slice(0, API_KEY_VISIBLE_CHARS),
      created_at: this.#clock.epochMs(),
      revoked_at: null,
    };
    await this.#db.insertInto("api_keys").values(row).execute();
    return { key, record: recordOf(row) };
  }

  async authenticate(key: string): Promise<Principal | undefined> {
    const hash = Buffer.from(hashSecret(key));
    // Found by the part that is not secret; the rest is compared in constant time.
    const candidates = await this.#db
      .selectFrom("api_keys")
      .select(["id", "account_id", "hash"])
      .where("visible_prefix", "=", key.slice(0, API_KEY_VISIBLE_CHARS))
      .where("revoked_at", "is", null)
      .execute();
    const found = candidates.find((candidate) => timingSafeEqual(Buffer.from(candidate.hash), hash));
    return found && { accountId: found.account_id, apiKeyId: found.id };
  }

  async list(): Promise<readonly ApiKeyRecord[]> {
    const rows = await this.#db.selectFrom("api_keys").selectAll().orderBy("id").execute();
    return rows.map(recordOf);
  }

  async revoke(keyId: ApiKeyId): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable("api_keys")
      .set((eb) => ({ revoked_at: eb.fn.coalesce("revoked_at", eb.val(this.#clock.epochMs())) }))
      .where("id", "=", keyId)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }
}

const recordOf = (row: Selectable<Tables["api_keys"]>): ApiKeyRecord => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  visiblePrefix: row.visible_prefix,
  createdAtMs: row.created_at,
  ...(row.revoked_at !== null && { revokedAtMs: row.revoked_at }),
});
