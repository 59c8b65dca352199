import { type Kysely, sql } from "kysely";
import type { AgentId } from "../../../core/ids.ts";
import type { ColumnTypes } from "../database.ts";
import type { Tables } from "../tables.ts";

const ROWS_PER_BATCH = 100;

/** Versions, drafts, variables and overrides of agents. What is stored becomes version 1. */
export async function addAgentVersions(db: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  const { schema } = db;
  for (const column of ["variables", "allowed_overrides"]) {
    await schema
      .alterTable("agents")
      .addColumn(column, "text", (definition) => definition.notNull().defaultTo("[]"))
      .execute();
  }
  await schema
    .alterTable("agents")
    .addColumn("live_version", "integer", (definition) => definition.notNull().defaultTo(1))
    .execute();
  await schema.alterTable("agents").addColumn("draft_version", "integer").execute();
  await schema.alterTable("agents").addColumn("published_at", types.epochMs).execute();
  await schema.alterTable("agents").addColumn("deleted_at", types.epochMs).execute();
  await schema
    .createTable("agent_versions")
    .addColumn("agent_id", "text", (column) => column.notNull().references("agents.id"))
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("created_at", types.epochMs, (column) => column.notNull())
    .addColumn("created_by", "text")
    .addColumn("published_at", types.epochMs)
    .addColumn("definition", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("agent_versions_by_agent", ["agent_id", "version"])
    .execute();
  // Any filter of the list of agents is decided by this index alone.
  await schema
    .createIndex("agents_by_filters")
    .on("agents")
    .columns(["account_id", "id", "language_id", "voice_id", "name"])
    .where(sql.ref("deleted_at"), "is", null)
    .execute();
  await schema.alterTable("calls").addColumn("agent_version", "integer").execute();
  await schema.alterTable("calls").addColumn("variables", "text").execute();
  await storeFirstVersions(db);
  await db.updateTable("calls").set({ agent_version: 1 }).where("agent_id", "is not", null).execute();
}

/** In batches, because the prompts of all agents may not fit into memory. */
async function storeFirstVersions(db: Kysely<Tables>): Promise<void> {
  for (let after = "" as AgentId; ; ) {
    const rows = await db
      .selectFrom("agents")
      .selectAll()
      .where("id", ">", after)
      .orderBy("id")
      .limit(ROWS_PER_BATCH)
      .execute();
    if (rows.length === 0) return;
    const versions = rows.map((row) => ({
      agent_id: row.id,
      version: 1,
      account_id: row.account_id,
      created_at: row.created_at,
      published_at: row.created_at,
      definition: JSON.stringify({
        name: JSON.parse(row.name),
        basePrompt: JSON.parse(row.base_prompt),
        context: JSON.parse(row.context),
        customInstructions: JSON.parse(row.custom_instructions),
        languageId: row.language_id,
        voiceId: row.voice_id,
        callSettings: withTranscriptEnabled(JSON.parse(row.call_settings)),
        toolIds: JSON.parse(row.tool_ids),
        corpusIds: JSON.parse(row.corpus_ids),
        variables: [],
        allowedOverrides: [],
      }),
    }));
    await db.insertInto("agent_versions").values(versions).execute();
    after = rows.at(-1)?.id ?? after;
  }
}

/** As 0022-transcripts writes the settings of the agent itself. */
const withTranscriptEnabled = (settings: { recordingEnabled?: boolean }): object =>
  settings.recordingEnabled === false ? { ...settings, transcriptEnabled: false } : settings;
