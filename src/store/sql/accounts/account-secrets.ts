import type { Kysely, Selectable } from "kysely";
import type { AuditAction } from "../../../core/accounts/audit-actions.ts";
import type { Clock } from "../../../core/clock.ts";
import { TrunklineError } from "../../../core/errors.ts";
import { type AccountId, type AccountSecretId, asAccountSecretId } from "../../../core/ids.ts";
import { ACCOUNT_SECRETS_MAX } from "../../../core/limits/accounts/accounts.ts";
import { newId } from "../../../core/new-id.ts";
import type { AccountToolSecrets } from "../../../core/tools/secrets.ts";
import type {
  AccountSecret,
  AccountSecretKind,
  AccountSecretQuery,
  AccountSecretStore,
  NewAccountSecret,
} from "../../accounts/account-secret-store.ts";
import { type Act, type AuditDetails, BY_SERVICE } from "../../accounts/audit-store.ts";
import type { Resealed, ResealPage } from "../../sealing/reseal.ts";
import { type Keyring, type SealedPlace, valueOrUnsealable } from "../../sealing/seal.ts";
import type { SqlDatabase } from "../database.ts";
import { hasOtherKeys, noteKey } from "../sealing-keys.ts";
import type { Tables } from "../tables.ts";
import type { SqlAudit } from "./audit.ts";

type Row = Selectable<Tables["account_secrets"]>;

/** Of each kind: the prefix of its ids. */
const ID_PREFIXES = { provider_credential: "credential", tool_secret: "tool_secret" } as const satisfies Record<
  AccountSecretKind,
  string
>;

const LAST_CHARACTERS = 4;
/** The end of a shorter secret would say too much of it. */
const SHOWN_CHARS_MIN = 16;

/** See `AccountSecretStore`. */
export class SqlAccountSecrets implements AccountSecretStore {
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

  async put(
    accountId: AccountId,
    { kind, name, text, hosts }: NewAccountSecret,
    act: Act = BY_SERVICE,
  ): Promise<AccountSecret | undefined> {
    const id: AccountSecretId = newId(ID_PREFIXES[kind]);
    const row: Row = {
      id,
      account_id: accountId,
      kind,
      name,
      sealed_secret: this.#keys.seal(text, placeOf(id)),
      last_characters: text.length < SHOWN_CHARS_MIN ? "" : text.slice(-LAST_CHARACTERS),
      hosts: hosts === undefined ? null : JSON.stringify(hosts),
      created_at: this.#clock.epochMs(),
    };
    // One that counts the others must not miss one that is stored at the same time.
    return await this.#database.transaction(async (tx) => {
      const replaced = await tx
        .deleteFrom("account_secrets")
        .where("account_id", "=", accountId)
        .where("kind", "=", kind)
        .where("name", "=", name)
        .returning("id")
        .executeTakeFirst();
      if (replaced === undefined && (await countOf(tx, accountId, kind)) >= ACCOUNT_SECRETS_MAX) return undefined;
      await noteKey(tx, this.#keys, this.#clock);
      await tx.insertInto("account_secrets").values(row).execute();
      const details = { name, ...(replaced !== undefined && { replaced: replaced.id }) };
      await this.#record(tx, row, act, `${kind}.created`, details);
      return secretOf(row);
    });
  }

  async list(
    accountId: AccountId,
    kind: AccountSecretKind,
    { afterId, limit }: AccountSecretQuery,
  ): Promise<{ secrets: readonly AccountSecret[]; more: boolean }> {
    let selected = this.#db
      .selectFrom("account_secrets")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("kind", "=", kind);
    if (afterId !== undefined) selected = selected.where("id", ">", afterId);
    // One row more than requested shows whether others follow.
    const rows = await selected
      .orderBy("id")
      .limit(limit + 1)
      .execute();
    return { secrets: rows.slice(0, limit).map(secretOf), more: rows.length > limit };
  }

  async get(accountId: AccountId, kind: AccountSecretKind, id: AccountSecretId): Promise<AccountSecret | undefined> {
    const row = await this.#db
      .selectFrom("account_secrets")
      .selectAll()
      .where("id", "=", id)
      .where("account_id", "=", accountId)
      .where("kind", "=", kind)
      .executeTakeFirst();
    return row && secretOf(row);
  }

  open(accountId: AccountId, kind: AccountSecretKind): Promise<Readonly<Record<string, string>>> {
    return openAccountSecrets(this.#db, this.#keys, accountId, kind);
  }

  openToolSecrets(accountId: AccountId, names: readonly string[]): Promise<AccountToolSecrets> {
    return openToolSecrets(this.#db, this.#keys, accountId, names);
  }

  async remove(
    accountId: AccountId,
    kind: AccountSecretKind,
    id: AccountSecretId,
    act: Act = BY_SERVICE,
  ): Promise<AccountSecret | undefined> {
    return await this.#database.readCommitted(async (tx) => {
      const row = await tx
        .deleteFrom("account_secrets")
        .where("id", "=", id)
        .where("account_id", "=", accountId)
        .where("kind", "=", kind)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return undefined;
      await this.#record(tx, row, act, `${kind}.deleted`, { name: row.name });
      return secretOf(row);
    });
  }

  async reseal({ limit, afterId }: ResealPage): Promise<Resealed> {
    if (!(await hasOtherKeys(this.#db, this.#keys))) return { resealed: 0, unsealable: [] };
    const rows = await this.#db
      .selectFrom("account_secrets")
      .select(["id", "sealed_secret"])
      .where("sealed_secret", "not like", `v1.${this.#keys.current.id}.%`)
      .$if(afterId !== undefined, (secrets) => secrets.where("id", ">", asAccountSecretId(afterId ?? "")))
      .orderBy("id")
      .limit(limit)
      .execute();
    const lastId = rows.at(-1)?.id;
    if (lastId === undefined) return { resealed: 0, unsealable: [] };
    const unsealable: AccountSecretId[] = [];
    await this.#database.transaction(async (tx) => {
      await noteKey(tx, this.#keys, this.#clock);
      unsealable.length = 0;
      for (const { id, sealed_secret: sealed } of rows) {
        const resealed = valueOrUnsealable(() => this.#keys.seal(this.#keys.open(sealed, placeOf(id)), placeOf(id)));
        if (resealed instanceof TrunklineError) {
          unsealable.push(id);
          continue;
        }
        await tx
          .updateTable("account_secrets")
          .set({ sealed_secret: resealed })
          .where("id", "=", id)
          .where("sealed_secret", "=", sealed)
          .execute();
      }
    });
    return { resealed: rows.length - unsealable.length, unsealable, lastId };
  }

  async #record(
    tx: Kysely<Tables>,
    { id, account_id: accountId, kind }: Row,
    act: Act,
    action: AuditAction,
    details: AuditDetails,
  ): Promise<void> {
    await this.#audit.insert(tx, { ...act, accountId, action, target: { kind, id }, details });
  }
}

async function countOf(db: Kysely<Tables>, accountId: AccountId, kind: AccountSecretKind): Promise<number> {
  const { secrets } = await db
    .selectFrom("account_secrets")
    .select(({ fn }) => fn.countAll<number>().as("secrets"))
    .where("account_id", "=", accountId)
    .where("kind", "=", kind)
    .executeTakeFirstOrThrow();
  return Number(secrets);
}

/** The texts of an account's secrets of a kind, by their names. Throws `unsealable` where one was changed or lacks its key. */
export async function openAccountSecrets(
  db: Kysely<Tables>,
  keys: Keyring,
  accountId: AccountId,
  kind: AccountSecretKind,
): Promise<Readonly<Record<string, string>>> {
  const rows = await db
    .selectFrom("account_secrets")
    .select(["id", "name", "sealed_secret"])
    .where("account_id", "=", accountId)
    .where("kind", "=", kind)
    .execute();
  return openedSecrets(keys, rows);
}

/** A secret as it is stored; without a name it is none, as a row of an outer join. */
export interface SealedSecret {
  id: AccountSecretId | null;
  name: string | null;
  sealed_secret: string | null;
}

/** The texts of secrets, by their names. Throws `unsealable` where one was changed or lacks its key. */
export const openedSecrets = (keys: Keyring, rows: readonly SealedSecret[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    rows.flatMap(({ id, name, sealed_secret: sealed }) =>
      id === null || name === null || sealed === null ? [] : [[name, keys.open(sealed, placeOf(id))]],
    ),
  );

/** Those of an account's tool secrets that have these names. Throws `unsealable` where one was changed or lacks its key. */
export async function openToolSecrets(
  db: Kysely<Tables>,
  keys: Keyring,
  accountId: AccountId,
  names: readonly string[],
): Promise<AccountToolSecrets> {
  if (names.length === 0) return {};
  const rows = await db
    .selectFrom("account_secrets")
    .select(["id", "name", "sealed_secret", "hosts"])
    .where("account_id", "=", accountId)
    .where("kind", "=", "tool_secret")
    .where("name", "in", names)
    .execute();
  return Object.fromEntries(
    rows.map(({ id, name, sealed_secret: sealed, hosts }) => [
      name,
      { value: keys.open(sealed, placeOf(id)), hosts: JSON.parse(hosts ?? "[]") },
    ]),
  );
}

/** Where the text of a secret is sealed for. */
export const placeOf = (id: AccountSecretId): SealedPlace => ({
  table: "account_secrets",
  rowId: id,
  column: "sealed_secret",
});

const secretOf = (row: Row): AccountSecret => ({
  id: row.id,
  accountId: row.account_id,
  kind: row.kind,
  name: row.name,
  lastCharacters: row.last_characters,
  ...(row.hosts !== null && { hosts: JSON.parse(row.hosts) }),
  createdAtMs: row.created_at,
});
