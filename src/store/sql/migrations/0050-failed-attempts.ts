import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** What endpoints answered to the attempts of a delivery that failed, not to the last one alone. */
export async function addFailedAttempts({ schema }: Kysely<Tables>): Promise<void> {
  await schema.alterTable("webhook_deliveries").addColumn("failed_attempts", "text").execute();
}
