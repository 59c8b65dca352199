import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/**
 * Words are stored or not apart from audio. A saved agent whose calls stored neither keeps that: its settings say both
 * now.
 */
export async function addTranscripts(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("calls").addColumn("transcript_enabled", "integer").execute();
  const agents = await db
    .selectFrom("agents")
    .select(["id", "call_settings"])
    .where("call_settings", "like", '%"recordingEnabled":false%')
    .execute();
  for (const { id, call_settings: text } of agents) {
    const settings = JSON.parse(text) as { recordingEnabled?: boolean };
    if (settings.recordingEnabled !== false) continue;
    const callSettings = { ...settings, transcriptEnabled: false };
    await db
      .updateTable("agents")
      .set({ call_settings: JSON.stringify(callSettings) })
      .where("id", "=", id)
      .execute();
  }
}
