import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** What a turn of the agent was given of documents. */
export async function addTurnPassages({ schema }: Kysely<Tables>): Promise<void> {
  await schema.alterTable("turns").addColumn("retrieval", "text").execute();
}
