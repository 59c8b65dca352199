import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** What was redacted of a call, when its recording was paused, and what an LLM is to find out about it and has found out. */
export async function addRedactionAndAnalysis({ schema }: Kysely<Tables>): Promise<void> {
  for (const column of ["redaction", "recording_pauses", "analysis_settings", "analysis"])
    await schema.alterTable("calls").addColumn(column, "text").execute();
}
