import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** What was measured of a call's network. */
export async function addCallNetwork({ schema }: Kysely<Tables>): Promise<void> {
  await schema.alterTable("calls").addColumn("network", "text").execute();
}
