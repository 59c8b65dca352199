import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** What an operator or the service has done is rare among what API keys and people do. */
export async function addAuditActors({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createIndex("audit_events_by_actor")
    .on("audit_events")
    .columns(["account_id", "actor_kind", "id"])
    .execute();
}
