import { type Kysely, sql } from "kysely";
import type { CallId } from "../../../core/ids.ts";
import { metadataRows } from "../calls/metadata.ts";
import type { Tables } from "../tables.ts";

const ROWS_PER_BATCH = 500;

/**
 * What lists filter by stood in JSON, of which a filter that matches few calls read all. It gets columns and a table with
 * indexes. Tools, which lists do not show and which can be a hundred times as long as the rest, get a column of their
 * own.
 */
export async function addListFilters(db: Kysely<Tables>): Promise<void> {
  const { schema } = db;
  for (const column of ["connection_type", "tools"]) {
    await schema
      .alterTable("calls")
      .addColumn(column, "text", (definition) => definition.notNull().defaultTo(column === "tools" ? "[]" : ""))
      .execute();
  }
  await schema
    .createTable("call_metadata")
    .addColumn("call_id", "text", (column) => column.notNull().references("calls.id"))
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("pair_hash", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("call_metadata_by_pair", ["account_id", "pair_hash", "call_id"])
    .execute();
  await schema.createIndex("call_metadata_by_call").on("call_metadata").column("call_id").execute();
  await fillFilters(db);
  // Any combination of filters without metadata is decided by this index alone.
  await schema
    .createIndex("calls_by_filters")
    .on("calls")
    .columns([
      "account_id",
      "id",
      "status",
      "created_at",
      "connection_type",
      "end_reason",
      "agent_id",
      "carrier_call_id",
    ])
    .execute();
  await schema.dropIndex("calls_by_account").execute();
  // One filter alone, and the rarest of several, is decided by an index of its own.
  for (const column of ["status", "connection_type"] as const) {
    await schema.createIndex(`calls_by_${column}_and_id`).on("calls").columns(["account_id", column, "id"]).execute();
  }
  // A new call has no end, and many calls have no agent.
  for (const column of ["end_reason", "agent_id"] as const) {
    await schema
      .createIndex(`calls_by_${column}_and_id`)
      .on("calls")
      .columns(["account_id", column, "id"])
      .where(sql.ref(column), "is not", null)
      .execute();
  }
}

/** In batches, because the settings of all calls may not fit into memory. */
async function fillFilters(db: Kysely<Tables>): Promise<void> {
  for (let after = "" as CallId; ; ) {
    const rows = await db
      .selectFrom("calls")
      .select(["id", "account_id", "settings"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(ROWS_PER_BATCH)
      .execute();
    for (const { id, account_id, settings: text } of rows) {
      const { tools = [], ...settings } = JSON.parse(text) as {
        tools?: readonly unknown[];
        connectionType: string;
        metadata?: Record<string, unknown>;
      };
      await db
        .updateTable("calls")
        .set({
          settings: JSON.stringify(settings),
          tools: JSON.stringify(tools),
          connection_type: settings.connectionType,
        })
        .where("id", "=", id)
        .execute();
      const pairs = metadataRows({ callId: id, accountId: account_id }, settings.metadata);
      if (pairs.length > 0) await db.insertInto("call_metadata").values(pairs).execute();
    }
    const last = rows.at(-1)?.id;
    if (last === undefined || rows.length < ROWS_PER_BATCH) return;
    after = last;
  }
}
