import type { Kysely } from "kysely";
import type { ColumnTypes } from "../database.ts";
import type { Tables } from "../tables.ts";

/** What all nodes count together: the creations of an account, and when a number may be called from again. Where nodes reach each other. */
export async function addLimitsOfNodes({ schema }: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await schema.alterTable("nodes").addColumn("relay_url", "text").execute();
  await schema.alterTable("call_counts").addColumn("creations", "double precision").execute();
  await schema.alterTable("call_counts").addColumn("creations_at", types.epochMs).execute();
  await schema
    .createTable("dial_paces")
    .addColumn("carrier_id", "text", (column) => column.notNull().references("carriers.id").onDelete("cascade"))
    .addColumn("from_number", "text", (column) => column.notNull())
    .addColumn("next_at", types.epochMs, (column) => column.notNull())
    .addPrimaryKeyConstraint("dial_paces_pk", ["carrier_id", "from_number"])
    .execute();
}
