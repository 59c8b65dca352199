import type { Insertable, Kysely, Transaction } from "kysely";
import type { Clock } from "../../core/clock.ts";
import { type MediaKey, mediaKeyOf, mediaKeyText, newMediaKey } from "../../core/encryption/chunks.ts";
import { TrunklineError } from "../../core/errors.ts";
import { type AccountId, asCallId, type CallId } from "../../core/ids.ts";
import type { MediaKeyStore } from "../calls/media-key-store.ts";
import type { Resealed, ResealPage } from "../sealing/reseal.ts";
import { type Keyring, type SealedPlace, valueOrUnsealable } from "../sealing/seal.ts";
import type { SqlDatabase } from "./database.ts";
import { hasOtherKeys, insertSealingKey, noteKey, sealingKeyRow } from "./sealing-keys.ts";
import type { Tables } from "./tables.ts";

/** A key with its row, and that of the key which seals it. */
export interface NewMediaKey {
  key: MediaKey;
  row: Insertable<Tables["media_keys"]>;
  sealingKey: Insertable<Tables["sealing_keys"]>;
}

/** Stores the key of a call. */
export async function insertMediaKey(tx: Transaction<Tables>, { row, sealingKey }: NewMediaKey): Promise<void> {
  await insertSealingKey(tx, sealingKey);
  await tx.insertInto("media_keys").values(row).execute();
}

/** See `MediaKeyStore`. */
export class SqlMediaKeys implements MediaKeyStore {
  readonly #database: SqlDatabase;
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #keys: Keyring;

  constructor(database: SqlDatabase, clock: Clock, keys: Keyring) {
    this.#database = database;
    this.#db = database.db;
    this.#clock = clock;
    this.#keys = keys;
  }

  /** Makes the key of a call, and the rows with which it is stored in a transaction of its redemption. */
  newKey(accountId: AccountId, callId: CallId): NewMediaKey {
    return this.#withRows(accountId, newMediaKey(callId));
  }

  async restore(accountId: AccountId, key: MediaKey): Promise<void> {
    const { row, sealingKey } = this.#withRows(accountId, key);
    await this.#database.transaction(async (tx) => {
      await insertSealingKey(tx, sealingKey);
      await tx
        .insertInto("media_keys")
        .values(row)
        .onConflict((conflict) => conflict.column("call_id").doNothing())
        .execute();
    });
  }

  #withRows(accountId: AccountId, key: MediaKey): NewMediaKey {
    const nowMs = this.#clock.epochMs();
    return {
      key,
      row: {
        call_id: key.callId,
        account_id: accountId,
        sealed_key: this.#keys.seal(mediaKeyText(key), placeOf(key.callId)),
        created_at: nowMs,
      },
      sealingKey: sealingKeyRow(this.#keys, nowMs),
    };
  }

  async find(callId: CallId): Promise<MediaKey | undefined> {
    const row = await this.#db
      .selectFrom("media_keys")
      .select("sealed_key")
      .where("call_id", "=", callId)
      .executeTakeFirst();
    return row && mediaKeyOf(callId, this.#keys.open(row.sealed_key, placeOf(callId)));
  }

  async reseal({ limit, afterId }: ResealPage): Promise<Resealed> {
    // Most of the time nothing is sealed with another key, and the table need not be read.
    if (!(await hasOtherKeys(this.#db, this.#keys))) return { resealed: 0, unsealable: [] };
    const rows = await this.#db
      .selectFrom("media_keys")
      .select(["call_id", "sealed_key"])
      .where("sealed_key", "not like", `v1.${this.#keys.current.id}.%`)
      .$if(afterId !== undefined, (keys) => keys.where("call_id", ">", asCallId(afterId ?? "")))
      .orderBy("call_id")
      .limit(limit)
      .execute();
    const lastId = rows.at(-1)?.call_id;
    if (lastId === undefined) return { resealed: 0, unsealable: [] };
    const unsealable: CallId[] = [];
    await this.#database.transaction(async (tx) => {
      await noteKey(tx, this.#keys, this.#clock);
      for (const { call_id: callId, sealed_key: sealed } of rows) {
        const place = placeOf(callId);
        const resealed = valueOrUnsealable(() => this.#keys.seal(this.#keys.open(sealed, place), place));
        if (resealed instanceof TrunklineError) {
          unsealable.push(callId);
          continue;
        }
        await tx
          .updateTable("media_keys")
          .set({ sealed_key: resealed })
          .where("call_id", "=", callId)
          .where("sealed_key", "=", sealed)
          .execute();
      }
    });
    return { resealed: rows.length - unsealable.length, unsealable, lastId };
  }
}

const placeOf = (callId: CallId): SealedPlace => ({ table: "media_keys", rowId: callId, column: "sealed_key" });
