import { createHash } from "node:crypto";
import { type Kysely, sql } from "kysely";
import { canonicalJson } from "../../core/canonical-json.ts";
import type { TableSum, TransferredRow, TransferStore, TransferSums } from "../transfer-store.ts";
import type { SqlDatabase } from "./database.ts";
import type { Tables } from "./tables.ts";

/** Every table that an export has, with its primary key; a row refers only to rows of the tables before its own. */
const TABLES: readonly (readonly [name: keyof Tables, ...primaryKey: string[]])[] = [
  ["accounts", "id"],
  ["api_keys", "id"],
  ["users", "id"],
  ["user_secrets", "hash"],
  ["owner_secrets", "hash"],
  ["account_secrets", "id"],
  ["agents", "id"],
  ["agent_versions", "agent_id", "version"],
  ["tools", "id"],
  ["tool_runs", "id"],
  ["carriers", "id"],
  ["phone_numbers", "id"],
  ["calls", "id"],
  ["stream_tokens", "token_hash"],
  ["idempotent_requests", "account_id", "key_hash"],
  ["turns", "call_id", "position"],
  ["call_metadata", "account_id", "pair_hash", "call_id"],
  ["phone_calls", "call_id"],
  ["phone_call_events", "call_id", "position"],
  ["transcriptions", "id"],
  ["transcription_parts", "transcription_id", "channel", "start_ms", "end_ms"],
  ["transcription_results", "transcription_id", "position"],
  ["transcription_requests", "account_id", "key_hash"],
  ["corpora", "id"],
  ["documents", "id"],
  ["document_chunks", "document_id", "version", "ordinal"],
  ["document_requests", "account_id", "key_hash"],
  ["epochs", "name"],
  ["bucket_claims", "name"],
  ["media_keys", "call_id"],
  ["sealing_keys", "id"],
  ["publishable_keys", "id"],
  ["publishable_key_origins", "origin", "publishable_key_id"],
  ["web_calls", "call_id"],
  ["web_call_costs", "publishable_key_id", "day", "address_hash"],
  ["webhooks", "id"],
  ["webhook_events", "id"],
  ["webhook_deliveries", "id"],
  ["event_streams", "account_id"],
  ["stream_events", "id"],
  ["jobs", "id"],
  ["audit_events", "id"],
];

const ROWS_PER_READ = 500;
/** Postgres takes at most 65,535 parameters in a statement, SQLite 32,766; the widest table has under 50 columns. */
const ROWS_PER_WRITE = 200;
/** Postgres gives a statement up that takes seconds. */
const ROWS_PER_DELETE = 1_000;
/** Tables that are never empty. */
const COUNTERS: readonly string[] = ["epochs"];

/** See `TransferStore`. */
export class SqlTransfer implements TransferStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async schemaVersion(): Promise<string> {
    const { rows } = await sql<{ name: string }>`select max(name) as name from kysely_migration`.execute(
      this.#database.db,
    );
    return rows[0]?.name ?? "";
  }

  export(take: (row: TransferredRow) => Promise<void>): Promise<TransferSums> {
    return this.#database.readSnapshot((db) => readAll(db, take));
  }

  async isEmpty(): Promise<boolean> {
    const { db } = this.#database;
    for (const [table] of TABLES) {
      if (COUNTERS.includes(table)) continue;
      const found = await db.selectFrom(table).select(sql<number>`1`.as("one")).limit(1).executeTakeFirst();
      if (found !== undefined) return false;
    }
    return true;
  }

  async unfinishedImport(): Promise<string | undefined> {
    return await unfinishedImport(this.#database.db);
  }

  async beginImport(id: string): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await tx.deleteFrom("unfinished_imports").execute();
      await tx.insertInto("unfinished_imports").values({ id }).execute();
    });
  }

  async endImport(): Promise<void> {
    await this.#database.db.deleteFrom("unfinished_imports").execute();
  }

  async deleteAll(onRows: (rows: number) => void): Promise<void> {
    let total = 0;
    for (const [table, ...primaryKey] of TABLES.toReversed()) {
      if (COUNTERS.includes(table)) continue;
      const key = sql.join(primaryKey.map((column) => sql.ref(column)));
      const some = sql`select ${key} from ${sql.table(table)} limit ${sql.lit(ROWS_PER_DELETE)}`;
      for (let deleted = ROWS_PER_DELETE; deleted === ROWS_PER_DELETE; ) {
        const statement = sql`delete from ${sql.table(table)} where (${key}) in (${some}) returning 1 as deleted`;
        deleted = (await statement.execute(this.#database.db)).rows.length;
        total += deleted;
        onRows(total);
      }
    }
  }

  async import(rows: AsyncIterable<TransferredRow>, onRows: (rows: number) => void): Promise<void> {
    let total = 0;
    let batch: TransferredRow[] = [];
    const store = async (): Promise<void> => {
      await this.#store(batch);
      total += batch.length;
      onRows(total);
      batch = [];
    };
    for await (const row of rows) {
      if (batch.length === ROWS_PER_WRITE || (batch[0] !== undefined && batch[0].table !== row.table)) await store();
      batch.push(row);
    }
    if (batch.length > 0) await store();
  }

  async #store(batch: readonly TransferredRow[]): Promise<void> {
    const [first] = batch;
    if (first === undefined) return;
    const name = TABLES.find(([table]) => table === first.table)?.[0];
    if (name === undefined) throw new Error(`there is no table ${JSON.stringify(first.table)}`);
    await this.#database.transaction(async (tx) => {
      // The schema itself has made the row of each counter.
      if (COUNTERS.includes(name)) await tx.deleteFrom(name).execute();
      await tx
        .insertInto(name)
        .values(batch.map(({ row }) => row) as never)
        .execute();
    });
  }
}

/** See `TransferStore`. */
export async function unfinishedImport(db: Kysely<Tables>): Promise<string | undefined> {
  return (await db.selectFrom("unfinished_imports").select("id").executeTakeFirst())?.id;
}

async function readAll(db: Kysely<Tables>, take: (row: TransferredRow) => Promise<void>): Promise<TransferSums> {
  const sums: Record<string, TableSum> = {};
  for (const [table, ...primaryKey] of TABLES) {
    let rows = 0;
    let digest = 0n;
    const key = sql.join(primaryKey.map((column) => sql.ref(column)));
    for (let last: readonly unknown[] | undefined; ; ) {
      const after = last === undefined ? sql`` : sql`where (${key}) > (${sql.join(last)})`;
      const page = await sql<
        TransferredRow["row"]
      >`select * from ${sql.table(table)} ${after} order by ${key} limit ${sql.lit(ROWS_PER_READ)}`.execute(db);
      for (const row of page.rows) {
        rows += 1;
        digest = BigInt.asUintN(64, digest + digestOf(row));
        await take({ table, row });
      }
      const end = page.rows.at(-1);
      if (end === undefined || page.rows.length < ROWS_PER_READ) break;
      last = primaryKey.map((column) => end[column]);
    }
    sums[table] = { rows, digest: digest.toString(16).padStart(16, "0") };
  }
  return sums;
}

const digestOf = (row: object): bigint => createHash("sha256").update(canonicalJson(row)).digest().readBigUInt64BE();
