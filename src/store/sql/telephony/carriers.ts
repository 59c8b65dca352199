import { randomBytes } from "node:crypto";
import type { Kysely, Selectable } from "kysely";
import type { AuditAction } from "../../../core/accounts/audit-actions.ts";
import type { Clock } from "../../../core/clock.ts";
import { TrunklineError } from "../../../core/errors.ts";
import { type AccountId, asCarrierId, type CarrierId } from "../../../core/ids.ts";
import { newId } from "../../../core/new-id.ts";
import { type Act, type AuditDetails, BY_SERVICE, changedIn } from "../../accounts/audit-store.ts";
import { hangUpKey, hangUpLane, PHONE_CALL_JOB } from "../../job-kinds.ts";
import type { Resealed, ResealPage } from "../../sealing/reseal.ts";
import { type Keyring, type SealedPlace, valueOrUnsealable } from "../../sealing/seal.ts";
import type {
  Carrier,
  CarrierChange,
  CarrierStore,
  NewCarrier,
  OpenedCarrier,
  UnsettledCalls,
} from "../../telephony/carrier-store.ts";
import type { SqlAudit } from "../accounts/audit.ts";
import type { SqlDatabase } from "../database.ts";
import { hasOtherKeys, noteKey } from "../sealing-keys.ts";
import type { Tables } from "../tables.ts";
import { hasOpenCalls, unsettledCalls } from "./open-calls.ts";

type Row = Selectable<Tables["carriers"]>;

/** 32 characters of base64url: too many to try. */
const WEBHOOK_KEY_BYTES = 24;

/** See `CarrierStore`. */
export class SqlCarriers implements CarrierStore {
  readonly #database: SqlDatabase;
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #keys: Keyring;
  readonly #audit: SqlAudit;

  constructor(database: SqlDatabase, clock: Clock, keys: Keyring, audit: SqlAudit) {
    this.#database = database;
    this.#db = database.db;
    this.#clock = clock;
    this.#keys = keys;
    this.#audit = audit;
  }

  async create(accountId: AccountId, carrier: NewCarrier, act: Act = BY_SERVICE): Promise<Carrier> {
    const id = newId("carrier");
    const nowMs = this.#clock.epochMs();
    const row: Row = {
      id,
      account_id: accountId,
      carrier: carrier.carrier,
      name: carrier.name,
      public_credentials: JSON.stringify(carrier.publicCredentials),
      sealed_credentials: this.#seal(id, carrier.credentials),
      webhook_key: randomBytes(WEBHOOK_KEY_BYTES).toString("base64url"),
      max_concurrent_calls: carrier.maxConcurrentCalls ?? null,
      calls_per_second: carrier.callsPerSecond,
      allowed_countries: listColumn(carrier.allowedCountries),
      allowed_numbers: listColumn(carrier.allowedNumbers),
      created_at: nowMs,
      updated_at: nowMs,
      verified_at: nowMs,
    };
    await this.#database.readCommitted(async (tx) => {
      await noteKey(tx, this.#keys, this.#clock);
      await tx.insertInto("carriers").values(row).execute();
      await this.#record(tx, row, act, "carrier.created", { carrier: row.carrier });
    });
    return carrierOf(row);
  }

  async get(accountId: AccountId, id: CarrierId): Promise<Carrier | undefined> {
    const row = await rowOf(this.#db, accountId, id);
    return row && carrierOf(row);
  }

  async list(
    accountId: AccountId,
    { afterId, limit }: { afterId?: CarrierId | undefined; limit: number },
  ): Promise<{ carriers: readonly Carrier[]; more: boolean }> {
    let selected = this.#db.selectFrom("carriers").selectAll().where("account_id", "=", accountId);
    if (afterId !== undefined) selected = selected.where("id", ">", afterId);
    // One row more than requested shows whether others follow.
    const rows = await selected
      .orderBy("id")
      .limit(limit + 1)
      .execute();
    return { carriers: rows.slice(0, limit).map(carrierOf), more: rows.length > limit };
  }

  update(
    accountId: AccountId,
    id: CarrierId,
    change: CarrierChange,
    act: Act = BY_SERVICE,
    identity: readonly string[] = Object.keys(change.publicCredentials ?? {}),
  ): Promise<Carrier | "in_use" | UnsettledCalls | undefined> {
    const nowMs = this.#clock.epochMs();
    const { name, publicCredentials, credentials, callsPerSecond } = change;
    const { maxConcurrentCalls, allowedCountries, allowedNumbers } = change;
    const set = {
      ...(name !== undefined && { name }),
      ...(publicCredentials !== undefined && { public_credentials: JSON.stringify(publicCredentials) }),
      ...(credentials !== undefined && { sealed_credentials: this.#seal(id, credentials), verified_at: nowMs }),
      ...(callsPerSecond !== undefined && { calls_per_second: callsPerSecond }),
      ...(maxConcurrentCalls !== undefined && { max_concurrent_calls: maxConcurrentCalls }),
      ...(allowedCountries !== undefined && { allowed_countries: listColumn(allowedCountries) }),
      ...(allowedNumbers !== undefined && { allowed_numbers: listColumn(allowedNumbers) }),
      updated_at: nowMs,
    };
    return this.#database.transaction(async (tx) => {
      if (publicCredentials !== undefined) {
        const before = await rowOf(tx, accountId, id);
        const named = before && JSON.parse(before.public_credentials);
        const isOther = named !== undefined && identity.some((name) => named[name] !== publicCredentials[name]);
        const use = isOther ? await this.#useOf(tx, accountId, id) : undefined;
        if (use !== undefined) return use;
      }
      if (credentials !== undefined) await noteKey(tx, this.#keys, this.#clock);
      const row = await tx
        .updateTable("carriers")
        .set(set)
        .where("id", "=", id)
        .where("account_id", "=", accountId)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return undefined;
      await this.#record(tx, row, act, "carrier.updated", { changed: changedIn(change) });
      return carrierOf(row);
    });
  }

  remove(
    accountId: AccountId,
    id: CarrierId,
    act: Act = BY_SERVICE,
  ): Promise<Carrier | "in_use" | UnsettledCalls | undefined> {
    return this.#database.transaction(async (tx) => {
      const row = await rowOf(tx, accountId, id);
      if (row === undefined) return undefined;
      const use = await this.#useOf(tx, accountId, id);
      if (use !== undefined) return use;
      await tx.deleteFrom("phone_numbers").where("carrier_id", "=", id).execute();
      await tx.deleteFrom("carriers").where("id", "=", id).execute();
      await this.#record(tx, row, act, "carrier.deleted", { carrier: row.carrier });
      return carrierOf(row);
    });
  }

  /** What its account at the carrier is still needed for. */
  async #useOf(
    tx: Kysely<Tables>,
    accountId: AccountId,
    id: CarrierId,
  ): Promise<"in_use" | UnsettledCalls | undefined> {
    return (await isInUse(tx, id)) ? "in_use" : await unsettledCalls(tx, accountId, id, this.#clock.epochMs());
  }

  async open(id: CarrierId): Promise<OpenedCarrier | undefined> {
    const row = await this.#db.selectFrom("carriers").selectAll().where("id", "=", id).executeTakeFirst();
    return row && this.#opened(row);
  }

  async openByWebhookKey(webhookKey: string): Promise<OpenedCarrier | undefined> {
    const row = await this.#db
      .selectFrom("carriers")
      .selectAll()
      .where("webhook_key", "=", webhookKey)
      .executeTakeFirst();
    return row && this.#opened(row);
  }

  async reseal({ limit, afterId }: ResealPage): Promise<Resealed> {
    if (!(await hasOtherKeys(this.#db, this.#keys))) return { resealed: 0, unsealable: [] };
    const rows = await this.#db
      .selectFrom("carriers")
      .select(["id", "sealed_credentials"])
      .where("sealed_credentials", "not like", `v1.${this.#keys.current.id}.%`)
      .where("sealed_credentials", "!=", FORGOTTEN)
      .$if(afterId !== undefined, (carriers) => carriers.where("id", ">", asCarrierId(afterId ?? "")))
      .orderBy("id")
      .limit(limit)
      .execute();
    const lastId = rows.at(-1)?.id;
    if (lastId === undefined) return { resealed: 0, unsealable: [] };
    const unsealable: CarrierId[] = [];
    await this.#database.transaction(async (tx) => {
      await noteKey(tx, this.#keys, this.#clock);
      unsealable.length = 0;
      for (const { id, sealed_credentials: sealed } of rows) {
        const resealed = valueOrUnsealable(() =>
          this.#keys.seal(this.#keys.open(sealed, carrierPlace(id)), carrierPlace(id)),
        );
        if (resealed instanceof TrunklineError) {
          unsealable.push(id);
          continue;
        }
        await tx
          .updateTable("carriers")
          .set({ sealed_credentials: resealed })
          .where("id", "=", id)
          .where("sealed_credentials", "=", sealed)
          .execute();
      }
    });
    return { resealed: rows.length - unsealable.length, unsealable, lastId };
  }

  #seal(id: CarrierId, credentials: NewCarrier["credentials"]): string {
    return this.#keys.seal(JSON.stringify(credentials), carrierPlace(id));
  }

  #opened(row: Row): OpenedCarrier {
    return { carrier: carrierOf(row), credentials: openCredentials(this.#keys, row) };
  }

  async #record(
    tx: Kysely<Tables>,
    { id, account_id: accountId }: Row,
    act: Act,
    action: AuditAction,
    details: AuditDetails,
  ): Promise<void> {
    await this.#audit.insert(tx, { ...act, accountId, action, target: { kind: "carrier", id }, details });
  }
}

/** What stands in the place of credentials whose key was lost and forgotten. It opens as little as they did. */
export const FORGOTTEN = "";

/** Where the credentials of a carrier are sealed for. */
export const carrierPlace = (id: CarrierId): SealedPlace => ({
  table: "carriers",
  rowId: id,
  column: "sealed_credentials",
});

/** Throws `unsealable` where the credentials were changed or lack their key. */
export const openCredentials = (
  keys: Keyring,
  { id, sealed_credentials: sealed }: Pick<Row, "id" | "sealed_credentials">,
): OpenedCarrier["credentials"] => JSON.parse(keys.open(sealed, carrierPlace(id)));

const rowOf = (db: Kysely<Tables>, accountId: AccountId, id: CarrierId): Promise<Row | undefined> =>
  db.selectFrom("carriers").selectAll().where("id", "=", id).where("account_id", "=", accountId).executeTakeFirst();

async function isInUse(tx: Kysely<Tables>, id: CarrierId): Promise<boolean> {
  const attached = await tx
    .selectFrom("phone_numbers")
    .select("id")
    .where("carrier_id", "=", id)
    .where("is_attached", "=", 1)
    .limit(1)
    .executeTakeFirst();
  if (attached !== undefined) return true;
  const live = await tx
    .selectFrom("calls")
    .select("id")
    .where("carrier_id", "=", id)
    .where("ended_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  return live !== undefined || (await isNeededByEnded(tx, id));
}

/** Calls whose records have ended, or were deleted, may not be over at the carrier. */
async function isNeededByEnded(tx: Kysely<Tables>, id: CarrierId): Promise<boolean> {
  if (await hasOpenCalls(tx, id)) return true;
  const hangUp = await tx
    .selectFrom("jobs")
    .select("id")
    .where("status", "in", ["pending", "running"])
    .where("lane", "=", hangUpLane(id))
    .where("live_key", "like", `${PHONE_CALL_JOB} ${hangUpKey(id, "")}%`)
    .limit(1)
    .executeTakeFirst();
  return hangUp !== undefined;
}

const listColumn = (list: readonly string[] | null | undefined): string | null =>
  list === null || list === undefined ? null : JSON.stringify(list);

const carrierOf = (row: Row): Carrier => ({
  id: row.id,
  accountId: row.account_id,
  carrier: row.carrier,
  name: row.name,
  publicCredentials: JSON.parse(row.public_credentials),
  ...(row.max_concurrent_calls !== null && { maxConcurrentCalls: row.max_concurrent_calls }),
  callsPerSecond: row.calls_per_second,
  ...(row.allowed_countries !== null && { allowedCountries: JSON.parse(row.allowed_countries) }),
  ...(row.allowed_numbers !== null && { allowedNumbers: JSON.parse(row.allowed_numbers) }),
  webhookKey: row.webhook_key,
  createdAtMs: row.created_at,
  updatedAtMs: row.updated_at,
  verifiedAtMs: row.verified_at,
});
