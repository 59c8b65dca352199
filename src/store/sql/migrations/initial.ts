import { type Kysely, type Migration, sql } from "kysely";
import type { ColumnTypes } from "../database.ts";
import type { Tables } from "../tables.ts";
import { renamedCallLatency, renamedTurnLatency, renamedUsage, type StoredJson } from "./0012-names.ts";

/** The changes of the schema up to version 13, by name. */
export const initialMigrations = (types: ColumnTypes): Record<string, Migration> => ({
  "0001-accounts-agents-calls": { up: (db) => createFirstTables(db, types) },
  "0002-call-lists-and-named-requests": { up: (db) => addCallListsAndNamedRequests(db, types) },
  "0003-texts-of-turns-as-json": { up: writeTurnsAsJson },
  "0004-tools-in-full": { up: writeToolsInFull },
  "0005-api-keys-of-calls": { up: addApiKeysOfCalls },
  "0006-latency-and-usage": { up: addLatencyAndUsage },
  "0007-approximate-turns": { up: addApproximateTurns },
  "0008-carrier-call-ids": { up: addCarrierCallIds },
  "0009-ages-and-epochs": { up: addAgesAndEpochs },
  "0010-complete-transcripts": { up: addTranscriptComplete },
  "0011-retention": { up: (db) => addRetention(db, types) },
  "0012-names-of-stages-and-latencies": { up: renameStoredMembers },
  "0013-parameters-of-starts": { up: addParameters },
});

async function createFirstTables(db: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("accounts")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull().unique())
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .execute();
  await schema
    .createTable("api_keys")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("hash", "text", (column) => column.notNull().unique())
    .addColumn("visible_prefix", "text", (column) => column.notNull())
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .addColumn("revoked_at", types.epochMs)
    .execute();
  await schema.createIndex("api_keys_by_prefix").on("api_keys").column("visible_prefix").execute();
  await createAgents(db, types);
  await createCalls(db, types);
}

async function createAgents({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("agents")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("base_prompt", "text", (column) => column.notNull())
    .addColumn("context", "text", (column) => column.notNull())
    .addColumn("custom_instructions", "text", (column) => column.notNull())
    .addColumn("language_id", "text", (column) => column.notNull())
    .addColumn("voice_id", "text", (column) => column.notNull())
    .addColumn("call_settings", "text", (column) => column.notNull())
    .addColumn("tool_ids", "text", (column) => column.notNull())
    .addColumn("corpus_ids", "text", (column) => column.notNull())
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .addColumn("updated_at", types.epochMs, (column) => column.notNull())
    .execute();
  await schema.createIndex("agents_by_account").on("agents").columns(["account_id", "id"]).execute();
}

async function createCalls({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("calls")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("settings", "text", (column) => column.notNull())
    .addColumn("words", "text")
    .addColumn("recording_enabled", "integer", (column) => column.notNull())
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .addColumn("started_at", types.epochMs)
    .addColumn("ended_at", types.epochMs)
    .addColumn("duration_ms", types.durationMs)
    .addColumn("end_reason", "text")
    .addColumn("worker_id", "text")
    .addColumn("recording", "text")
    .addColumn("counters", "text")
    .execute();
  await schema.createIndex("calls_by_status").on("calls").columns(["status", "worker_id"]).execute();
  await schema
    .createTable("stream_tokens")
    .addColumn("token_hash", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("call_id", "text", (column) => column.notNull().references("calls.id"))
    .addColumn("expires_at", types.epochMs, (column) => column.notNull())
    .addColumn("redeemed_at", types.epochMs)
    .execute();
  await schema.createIndex("stream_tokens_by_call").on("stream_tokens").column("call_id").execute();
  await schema
    .createTable("turns")
    .addColumn("call_id", "text", (column) => column.notNull().references("calls.id"))
    .addColumn("position", "integer", (column) => column.notNull())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("text", "text")
    .addColumn("start_ms", types.durationMs, (column) => column.notNull())
    .addColumn("end_ms", types.durationMs, (column) => column.notNull())
    .addColumn("interrupted", "integer", (column) => column.notNull())
    .addColumn("latency", "text")
    .addPrimaryKeyConstraint("turns_by_call", ["call_id", "position"])
    .execute();
}

async function addCallListsAndNamedRequests({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .alterTable("calls")
    .addColumn("agent_id", "text", (column) => column.references("agents.id"))
    .execute();
  await schema.createIndex("calls_by_account").on("calls").columns(["account_id", "id"]).execute();
  await schema
    .createTable("idempotent_requests")
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("key_hash", "text", (column) => column.notNull())
    .addColumn("call_id", "text", (column) => column.notNull().references("calls.id"))
    .addColumn("fingerprint", "text", (column) => column.notNull())
    .addColumn("sealed_token", "text", (column) => column.notNull())
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .addPrimaryKeyConstraint("idempotent_requests_by_key", ["account_id", "key_hash"])
    .execute();
  // One index for deleting a call, one for expired idempotency keys.
  await schema.createIndex("idempotent_requests_by_call").on("idempotent_requests").column("call_id").execute();
  await schema.createIndex("idempotent_requests_by_time").on("idempotent_requests").column("created_at").execute();
}

/** Texts were stored plain before, and libsql reads a plain one only up to its first NUL. */
async function writeTurnsAsJson(db: Kysely<Tables>): Promise<void> {
  const turns = db.selectFrom("turns").select(["call_id", "position", "text"]).where("text", "is not", null);
  for (const { call_id, position, text } of await turns.execute()) {
    await db
      .updateTable("turns")
      .set({ text: JSON.stringify(text) })
      .where("call_id", "=", call_id)
      .where("position", "=", position)
      .execute();
  }
}

/** Tools were stored as names before, and a call's language could not be pinned. */
async function writeToolsInFull(db: Kysely<Tables>): Promise<void> {
  for (const { id, settings: text } of await db.selectFrom("calls").select(["id", "settings"]).execute()) {
    const { tools = [], ...settings } = JSON.parse(text) as { tools?: readonly unknown[] };
    const inFull = tools.map((tool) =>
      typeof tool === "string" ? { kind: "built_in", name: tool, fixedArguments: {} } : tool,
    );
    await db
      .updateTable("calls")
      .set({ settings: JSON.stringify({ languagePinned: false, ...settings, tools: inFull }) })
      .where("id", "=", id)
      .execute();
  }
}

/** The calls of an API key are counted by this column, also after a restart. */
async function addApiKeysOfCalls({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .alterTable("calls")
    .addColumn("api_key_id", "text", (column) => column.references("api_keys.id"))
    .execute();
}

/** The latency of a call, its providers' usage and its cost. */
async function addLatencyAndUsage({ schema }: Kysely<Tables>): Promise<void> {
  for (const column of ["latency", "usage", "cost"]) {
    await schema.alterTable("calls").addColumn(column, "text").execute();
  }
}

/** Whether a turn's end is an estimate was not stored before; existing turns count as exact. */
async function addApproximateTurns({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .alterTable("turns")
    .addColumn("approximate", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}

/** The carrier's id of a call, by which lists find calls. */
async function addCarrierCallIds({ schema }: Kysely<Tables>): Promise<void> {
  await schema.alterTable("calls").addColumn("carrier_call_id", "text").execute();
  await schema
    .createIndex("calls_by_carrier_call_id")
    .on("calls")
    .columns(["account_id", "carrier_call_id", "id"])
    .execute();
}

/**
 * Tokens age by a clock that never jumps, redemptions can be returned, and recovery compares numbers instead of times.
 * This expires waiting tokens, because their boot is unknown.
 */
async function addAgesAndEpochs(db: Kysely<Tables>): Promise<void> {
  const { schema } = db;
  for (const table of ["stream_tokens", "idempotent_requests"]) {
    await schema
      .alterTable(table)
      .addColumn("boot_id", "text", (column) => column.notNull().defaultTo(""))
      .execute();
  }
  const wholeNumbers = [
    ["stream_tokens", "expires_age_ms"],
    ["idempotent_requests", "created_age_ms"],
    ["calls", "worker_connection"],
    ["calls", "epoch"],
  ] as const;
  for (const [table, name] of wholeNumbers) {
    await schema
      .alterTable(table)
      .addColumn(name, "bigint", (column) => column.notNull().defaultTo(0))
      .execute();
  }
  await schema
    .createIndex("idempotent_requests_by_age")
    .on("idempotent_requests")
    .columns(["boot_id", "created_age_ms"])
    .execute();
  await schema.alterTable("stream_tokens").addColumn("redemption_nonce", "text").execute();
  await schema
    .createTable("epochs")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("value", "bigint", (column) => column.notNull())
    .execute();
  await db.insertInto("epochs").values({ name: "control", value: 0 }).execute();
}

/** Retention finds calls by their end, also after it has deleted parts of millions of earlier ones. */
async function addRetention({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  for (const column of ["recording_deleted_at", "transcript_deleted_at"] as const) {
    await schema.alterTable("calls").addColumn(column, types.epochMs).execute();
    await schema
      .createIndex(`calls_by_end_without_${column}`)
      .on("calls")
      .columns(["account_id", "ended_at", "id"])
      .where(sql.ref(column), "is", null)
      .execute();
  }
  await schema.createIndex("calls_by_end").on("calls").columns(["account_id", "ended_at", "id"]).execute();
}

/** Whether a transcript is complete was not stored before; for existing calls it is unknown. */
async function addTranscriptComplete({ schema }: Kysely<Tables>): Promise<void> {
  await schema.alterTable("calls").addColumn("transcript_complete", "integer").execute();
}

/** Parameters of starts were not stored before. */
async function addParameters({ schema }: Kysely<Tables>): Promise<void> {
  await schema.alterTable("calls").addColumn("parameters", "text").execute();
}

/** Stages and latencies in stored JSON get the names that the API uses. */
async function renameStoredMembers(db: Kysely<Tables>): Promise<void> {
  const rewritten = (text: string | null, rename: (value: StoredJson) => StoredJson): string | null =>
    text === null ? null : JSON.stringify(rename(JSON.parse(text)));
  const calls = db
    .selectFrom("calls")
    .select(["id", "latency", "usage"])
    .where((row) => row.or([row("latency", "is not", null), row("usage", "is not", null)]));
  for (const { id, latency, usage } of await calls.execute()) {
    await db
      .updateTable("calls")
      .set({ latency: rewritten(latency, renamedCallLatency), usage: rewritten(usage, renamedUsage) })
      .where("id", "=", id)
      .execute();
  }
  const turns = db.selectFrom("turns").select(["call_id", "position", "latency"]).where("latency", "is not", null);
  for (const { call_id, position, latency } of await turns.execute()) {
    await db
      .updateTable("turns")
      .set({ latency: rewritten(latency, renamedTurnLatency) })
      .where("call_id", "=", call_id)
      .where("position", "=", position)
      .execute();
  }
}
