import type { Selectable } from "kysely";
import type { SavedTool, ToolRun } from "../../tool-store.ts";
import type { Tables } from "../tables.ts";

export type ToolRow = Selectable<Tables["tools"]>;
export type ToolRunRow = Selectable<Tables["tool_runs"]>;

export const toolOf = (row: ToolRow): SavedTool => ({
  id: row.id,
  accountId: row.account_id,
  definition: JSON.parse(row.definition),
  version: row.version,
  ...(row.listing !== null && { listing: JSON.parse(row.listing) }),
  createdAtMs: row.created_at,
  updatedAtMs: row.updated_at,
});

export const toolRunOf = (row: ToolRunRow): ToolRun => ({
  id: row.id,
  toolId: row.tool_id,
  source: row.call_id === null ? "test" : "call",
  ...(row.call_id !== null && { callId: row.call_id }),
  name: row.name,
  startedAtMs: row.started_at,
  durationMs: row.duration_ms,
  failed: row.failed === null ? null : row.failed === 1,
  ...(row.words !== null && { words: JSON.parse(row.words) }),
});
