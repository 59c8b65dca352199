import { type Kysely, type Selectable, sql } from "kysely";
import type { AuditAction } from "../../../core/accounts/audit-actions.ts";
import type { Clock } from "../../../core/clock.ts";
import type { AccountId, CarrierId, PhoneNumberId } from "../../../core/ids.ts";
import { PHONE_NUMBERS_MAX } from "../../../core/limits/phone/carriers.ts";
import { newId } from "../../../core/new-id.ts";
import { type Act, type AuditDetails, BY_SERVICE, changedIn } from "../../accounts/audit-store.ts";
import type {
  NewPhoneNumber,
  PhoneNumber,
  PhoneNumberChange,
  PhoneNumberStore,
} from "../../telephony/phone-number-store.ts";
import type { SqlAudit } from "../accounts/audit.ts";
import type { SqlDatabase } from "../database.ts";
import type { Tables } from "../tables.ts";

type Row = Selectable<Tables["phone_numbers"]>;

/** See `PhoneNumberStore`. */
export class SqlPhoneNumbers implements PhoneNumberStore {
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

  async import(
    accountId: AccountId,
    numbers: readonly NewPhoneNumber[],
    act: Act = BY_SERVICE,
  ): Promise<readonly PhoneNumber[]> {
    if (numbers.length === 0) return [];
    const rows = await this.#database.transaction(async (tx) => {
      const texts = numbers.map(({ number }) => number);
      const ofAccount = () => tx.selectFrom("phone_numbers").where("account_id", "=", accountId);
      const known = await ofAccount().select("number").where("number", "in", texts).execute();
      const has = new Set(known.map(({ number }) => number));
      const { count } = await ofAccount()
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      const added = firstOfEach(numbers)
        .filter(({ number }) => !has.has(number))
        .slice(0, Math.max(0, PHONE_NUMBERS_MAX - Number(count)));
      const nowMs = this.#clock.epochMs();
      for (const number of added) {
        const row = newRow(accountId, number, nowMs);
        await tx.insertInto("phone_numbers").values(row).execute();
        await this.#record(tx, row, act, "phone_number.imported", { carrierId: number.carrierId });
      }
      return await ofAccount().selectAll().where("number", "in", texts).orderBy("id").execute();
    });
    return rows.map(numberOf);
  }

  async get(accountId: AccountId, id: PhoneNumberId): Promise<PhoneNumber | undefined> {
    const row = await numbersOf(this.#db, accountId).where("id", "=", id).executeTakeFirst();
    return row && numberOf(row);
  }

  async find(accountId: AccountId, number: string): Promise<PhoneNumber | undefined> {
    const row = await numbersOf(this.#db, accountId).where("number", "=", number).executeTakeFirst();
    return row && numberOf(row);
  }

  async findOfCarrier(carrierId: CarrierId, number: string): Promise<PhoneNumber | undefined> {
    const row = await this.#db
      .selectFrom("phone_numbers")
      .selectAll()
      .where("carrier_id", "=", carrierId)
      .where("number", "=", number)
      .executeTakeFirst();
    return row && numberOf(row);
  }

  async list(
    accountId: AccountId,
    query: { carrierId?: CarrierId | undefined; afterId?: PhoneNumberId | undefined; limit: number },
  ): Promise<{ numbers: readonly PhoneNumber[]; more: boolean }> {
    const { carrierId, afterId, limit } = query;
    let selected = numbersOf(this.#db, accountId);
    if (carrierId !== undefined) selected = selected.where("carrier_id", "=", carrierId);
    if (afterId !== undefined) selected = selected.where("id", ">", afterId);
    // One row more than requested shows whether others follow.
    const rows = await selected
      .orderBy("id")
      .limit(limit + 1)
      .execute();
    return { numbers: rows.slice(0, limit).map(numberOf), more: rows.length > limit };
  }

  update(
    accountId: AccountId,
    id: PhoneNumberId,
    change: PhoneNumberChange,
    act: Act = BY_SERVICE,
  ): Promise<PhoneNumber | undefined> {
    const set = {
      ...changedColumns(change),
      ...(change.inboundWebhookUrl === null && { inbound_webhook_url: null, inbound_webhook_secret: null }),
    };
    return this.#change(accountId, id, set, { act, action: "phone_number.updated", changed: changedIn(change) });
  }

  /** As `update`, with an address that is asked about calls, and its sealed secret. `noteKey` notes the key in the transaction. */
  updateWithWebhook(
    accountId: AccountId,
    id: PhoneNumberId,
    change: Omit<PhoneNumberChange, "inboundWebhookUrl">,
    act: Act,
    { url, sealed, noteKey }: { url: string; sealed: string; noteKey: (tx: Kysely<Tables>) => Promise<void> },
  ): Promise<PhoneNumber | undefined> {
    const set = { ...changedColumns(change), inbound_webhook_url: url, inbound_webhook_secret: sealed };
    const changed = changedIn({ ...change, inboundWebhookUrl: url });
    return this.#change(accountId, id, set, { act, action: "phone_number.updated", changed, before: noteKey });
  }

  setAttached(
    accountId: AccountId,
    id: PhoneNumberId,
    routingBefore: Readonly<Record<string, unknown>>,
    act: Act = BY_SERVICE,
  ): Promise<PhoneNumber | undefined> {
    const routing = JSON.stringify(routingBefore);
    const set = {
      is_attached: 1,
      // Of a number that is attached, the carrier tells what this service has set.
      routing_before: sql<string>`case when is_attached = 1 then routing_before else ${routing} end`,
    };
    return this.#change(accountId, id, set, { act, action: "phone_number.attached" });
  }

  setDetached(
    accountId: AccountId,
    id: PhoneNumberId,
    act: Act = BY_SERVICE,
    { keepsRouting = false }: { keepsRouting?: boolean } = {},
  ): Promise<PhoneNumber | undefined> {
    const set = { is_attached: 0, ...(!keepsRouting && { routing_before: null }) };
    return this.#change(accountId, id, set, { act, action: "phone_number.detached" });
  }

  remove(
    accountId: AccountId,
    id: PhoneNumberId,
    act: Act = BY_SERVICE,
  ): Promise<PhoneNumber | "attached" | undefined> {
    return this.#database.readCommitted(async (tx) => {
      const removed = await tx
        .deleteFrom("phone_numbers")
        .where("id", "=", id)
        .where("account_id", "=", accountId)
        .where("is_attached", "=", 0)
        .returningAll()
        .executeTakeFirst();
      if (removed === undefined) {
        const attached = await numbersOf(tx, accountId).where("id", "=", id).executeTakeFirst();
        return attached && "attached";
      }
      await this.#record(tx, removed, act, "phone_number.deleted");
      return numberOf(removed);
    });
  }

  #change(
    accountId: AccountId,
    id: PhoneNumberId,
    set: object,
    {
      act,
      action,
      changed,
      before,
    }: {
      act: Act;
      action: AuditAction;
      changed?: readonly string[];
      before?: (tx: Kysely<Tables>) => Promise<void>;
    },
  ): Promise<PhoneNumber | undefined> {
    return this.#database.readCommitted(async (tx) => {
      await before?.(tx);
      const row = await tx
        .updateTable("phone_numbers")
        .set({ ...set, updated_at: this.#clock.epochMs() })
        .where("id", "=", id)
        .where("account_id", "=", accountId)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return undefined;
      await this.#record(tx, row, act, action, changed === undefined ? {} : { changed });
      return numberOf(row);
    });
  }

  async #record(
    tx: Kysely<Tables>,
    { id, account_id: accountId }: Row,
    act: Act,
    action: AuditAction,
    details: AuditDetails = {},
  ): Promise<void> {
    await this.#audit.insert(tx, { ...act, accountId, action, target: { kind: "phone_number", id }, details });
  }
}

const changedColumns = ({ name, agentId, maxConcurrentCalls, refusalText }: PhoneNumberChange) => ({
  ...(name !== undefined && { name }),
  ...(agentId !== undefined && { agent_id: agentId }),
  ...(maxConcurrentCalls !== undefined && { max_concurrent_calls: maxConcurrentCalls }),
  ...(refusalText !== undefined && { refusal_text: refusalText === null ? null : JSON.stringify(refusalText) }),
});

const numbersOf = (db: Kysely<Tables>, accountId: AccountId) =>
  db.selectFrom("phone_numbers").selectAll().where("account_id", "=", accountId);

const firstOfEach = (numbers: readonly NewPhoneNumber[]): readonly NewPhoneNumber[] =>
  numbers.filter(({ number }, at) => numbers.findIndex((other) => other.number === number) === at);

const newRow = (
  accountId: AccountId,
  { number, carrierId, carrierNumberId, name }: NewPhoneNumber,
  nowMs: Row["created_at"],
): Row => ({
  id: newId("number"),
  account_id: accountId,
  number,
  carrier_id: carrierId,
  carrier_number_id: carrierNumberId,
  name,
  agent_id: null,
  inbound_webhook_url: null,
  inbound_webhook_secret: null,
  max_concurrent_calls: null,
  refusal_text: null,
  is_attached: 0,
  routing_before: null,
  created_at: nowMs,
  updated_at: nowMs,
});

const numberOf = (row: Row): PhoneNumber => ({
  id: row.id,
  accountId: row.account_id,
  number: row.number,
  carrierId: row.carrier_id,
  carrierNumberId: row.carrier_number_id,
  name: row.name,
  ...(row.agent_id !== null && { agentId: row.agent_id }),
  ...(row.inbound_webhook_url !== null && { inboundWebhookUrl: row.inbound_webhook_url }),
  ...(row.max_concurrent_calls !== null && { maxConcurrentCalls: row.max_concurrent_calls }),
  ...(row.refusal_text !== null && { refusalText: JSON.parse(row.refusal_text) }),
  isAttached: row.is_attached === 1,
  ...(row.routing_before !== null && { routingBefore: JSON.parse(row.routing_before) }),
  createdAtMs: row.created_at,
  updatedAtMs: row.updated_at,
});
