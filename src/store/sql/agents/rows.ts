import type { Selectable } from "kysely";
import type { Agent, AgentDefinition, ListedVersion } from "../../agent-store.ts";
import type { Tables } from "../tables.ts";

export type AgentRow = Selectable<Tables["agents"]>;

/** The columns of a version in lists: without its definition, which can be long. */
export const LISTED_VERSION_COLUMNS = ["version", "created_at", "created_by", "published_at"] as const;

/** The columns of the live definition. */
export const definitionColumns = (definition: AgentDefinition) => ({
  name: JSON.stringify(definition.name),
  base_prompt: JSON.stringify(definition.basePrompt),
  context: JSON.stringify(definition.context),
  custom_instructions: JSON.stringify(definition.customInstructions),
  language_id: definition.languageId,
  voice_id: definition.voiceId,
  call_settings: JSON.stringify(definition.callSettings),
  tool_ids: JSON.stringify(definition.toolIds),
  corpus_ids: JSON.stringify(definition.corpusIds),
  variables: JSON.stringify(definition.variables),
  allowed_overrides: JSON.stringify(definition.allowedOverrides),
});

/** The definition in these columns. */
export const definitionOf = (row: ReturnType<typeof definitionColumns>): AgentDefinition => ({
  name: JSON.parse(row.name),
  basePrompt: JSON.parse(row.base_prompt),
  context: JSON.parse(row.context),
  customInstructions: JSON.parse(row.custom_instructions),
  languageId: row.language_id,
  voiceId: row.voice_id,
  callSettings: JSON.parse(row.call_settings),
  toolIds: JSON.parse(row.tool_ids),
  corpusIds: JSON.parse(row.corpus_ids),
  variables: JSON.parse(row.variables),
  allowedOverrides: JSON.parse(row.allowed_overrides),
});

/** The agent of a row. */
export const agentOf = (row: AgentRow): Agent => ({
  id: row.id,
  accountId: row.account_id,
  ...definitionOf(row),
  version: row.live_version,
  ...(row.draft_version !== null && { draftVersion: row.draft_version }),
  createdAtMs: row.created_at,
  updatedAtMs: row.updated_at,
  publishedAtMs: row.published_at ?? row.created_at,
});

/** The row of a version. */
export const versionRow = (
  { id, account_id }: Pick<AgentRow, "id" | "account_id">,
  { version, createdAtMs, createdBy, publishedAtMs }: ListedVersion,
  definition: AgentDefinition,
) => ({
  agent_id: id,
  version,
  account_id,
  created_at: createdAtMs,
  created_by: createdBy ?? null,
  published_at: publishedAtMs ?? null,
  definition: JSON.stringify(definition),
});

/** A version as lists show it. */
export const listedVersionOf = (
  row: Pick<Selectable<Tables["agent_versions"]>, (typeof LISTED_VERSION_COLUMNS)[number]>,
): ListedVersion => ({
  version: row.version,
  createdAtMs: row.created_at,
  ...(row.created_by !== null && { createdBy: row.created_by }),
  ...(row.published_at !== null && { publishedAtMs: row.published_at }),
});
