import type { Kysely } from "kysely";
import type { Clock } from "../../../core/clock.ts";
import { TrunklineError } from "../../../core/errors.ts";
import { type AccountId, asPhoneNumberId, type PhoneNumberId } from "../../../core/ids.ts";
import { type Act, BY_SERVICE } from "../../accounts/audit-store.ts";
import type { Resealed, ResealPage } from "../../sealing/reseal.ts";
import { type Keyring, type SealedPlace, valueOrUnsealable } from "../../sealing/seal.ts";
import type { InboundWebhook, InboundWebhookStore } from "../../telephony/inbound-webhook-store.ts";
import type { PhoneNumber, PhoneNumberChange } from "../../telephony/phone-number-store.ts";
import type { SqlDatabase } from "../database.ts";
import { hasOtherKeys, noteKey } from "../sealing-keys.ts";
import type { Tables } from "../tables.ts";
import { newSecret } from "../webhooks/webhooks.ts";
import type { SqlPhoneNumbers } from "./phone-numbers.ts";

/** See `InboundWebhookStore`. */
export class SqlInboundWebhooks implements InboundWebhookStore {
  readonly #database: SqlDatabase;
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #keys: Keyring;
  readonly #numbers: SqlPhoneNumbers;

  constructor(database: SqlDatabase, clock: Clock, keys: Keyring, numbers: SqlPhoneNumbers) {
    this.#database = database;
    this.#db = database.db;
    this.#clock = clock;
    this.#keys = keys;
    this.#numbers = numbers;
  }

  async set(
    accountId: AccountId,
    id: PhoneNumberId,
    url: string,
    change: Omit<PhoneNumberChange, "inboundWebhookUrl">,
    act: Act = BY_SERVICE,
  ): Promise<{ number: PhoneNumber; secret: string } | undefined> {
    const secret = newSecret();
    const sealed = this.#keys.seal(secret, inboundWebhookPlace(id));
    const number = await this.#numbers.updateWithWebhook(accountId, id, change, act, {
      url,
      sealed,
      noteKey: (tx) => noteKey(tx, this.#keys, this.#clock),
    });
    return number && { number, secret };
  }

  async open(id: PhoneNumberId): Promise<InboundWebhook | undefined> {
    const row = await this.#db
      .selectFrom("phone_numbers")
      .select(["inbound_webhook_url", "inbound_webhook_secret"])
      .where("id", "=", id)
      .executeTakeFirst();
    const { inbound_webhook_url: url = null, inbound_webhook_secret: sealed = null } = row ?? {};
    if (url === null || sealed === null) return undefined;
    return { url, secret: this.#keys.open(sealed, inboundWebhookPlace(id)) };
  }

  async reseal({ limit, afterId }: ResealPage): Promise<Resealed> {
    if (!(await hasOtherKeys(this.#db, this.#keys))) return { resealed: 0, unsealable: [] };
    const rows = await this.#db
      .selectFrom("phone_numbers")
      .select(["id", "inbound_webhook_secret"])
      .where("inbound_webhook_secret", "not like", `v1.${this.#keys.current.id}.%`)
      .$if(afterId !== undefined, (numbers) => numbers.where("id", ">", asPhoneNumberId(afterId ?? "")))
      .$narrowType<{ inbound_webhook_secret: string }>()
      .orderBy("id")
      .limit(limit)
      .execute();
    const lastId = rows.at(-1)?.id;
    if (lastId === undefined) return { resealed: 0, unsealable: [] };
    const unsealable: PhoneNumberId[] = [];
    await this.#database.transaction(async (tx) => {
      await noteKey(tx, this.#keys, this.#clock);
      unsealable.length = 0;
      for (const { id, inbound_webhook_secret: sealed } of rows) {
        const place = inboundWebhookPlace(id);
        const resealed = valueOrUnsealable(() => this.#keys.seal(this.#keys.open(sealed, place), place));
        if (resealed instanceof TrunklineError) {
          unsealable.push(id);
          continue;
        }
        await tx
          .updateTable("phone_numbers")
          .set({ inbound_webhook_secret: resealed })
          .where("id", "=", id)
          .where("inbound_webhook_secret", "=", sealed)
          .execute();
      }
    });
    return { resealed: rows.length - unsealable.length, unsealable, lastId };
  }
}

/** Where the secret of a number's inbound webhook is sealed for. */
export const inboundWebhookPlace = (id: PhoneNumberId): SealedPlace => ({
  table: "phone_numbers",
  rowId: id,
  column: "inbound_webhook_secret",
});
