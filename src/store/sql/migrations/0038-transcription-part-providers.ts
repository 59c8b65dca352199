import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** The provider of each request of a part, so that every one is counted. */
export async function addTranscriptionPartProviders({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .alterTable("transcription_parts")
    .addColumn("providers", "text", (column) => column.notNull().defaultTo(""))
    .execute();
}
