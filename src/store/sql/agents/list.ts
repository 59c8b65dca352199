import { setImmediate } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import type { AccountId, AgentId } from "../../../core/ids.ts";
import { LIST_BYTES_MAX } from "../../../core/limits/control-api/api.ts";
import type { Agent, AgentQuery } from "../../agent-store.ts";
import type { Tables } from "../tables.ts";
import { agentOf } from "./rows.ts";

/** Agents whose index entries one query reads. SQLite runs while the process waits. */
const WINDOW_AGENTS_MAX = 1_000;

/** The parts of an agent that can be long. */
const LONG_COLUMNS = ["base_prompt", "context", "custom_instructions", "call_settings", "variables"] as const;

/** The account's agents that match the query, oldest first, and whether others follow. */
export async function listAgents(
  db: Kysely<Tables>,
  accountId: AccountId,
  query: AgentQuery,
): Promise<{ agents: readonly Agent[]; more: boolean }> {
  // One agent more than requested shows whether others follow.
  const ids = await matchingIds(db, accountId, query, query.limit + 1);
  const fitting = await fittingIds(db, ids.slice(0, query.limit));
  if (fitting.length === 0) return { agents: [], more: false };
  const rows = await db
    .selectFrom("agents")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("id", "in", fitting)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .execute();
  return { agents: rows.map(agentOf), more: ids.length > fitting.length };
}

/**
 * The ids of the next agents that match, at most `count`. An index has all that is compared. No index finds a part of a
 * name, and databases disagree about upper and lower case, so names are compared here, a window at a time.
 */
async function matchingIds(
  db: Kysely<Tables>,
  accountId: AccountId,
  { afterAgentId, name, languageId, voiceId }: AgentQuery,
  count: number,
): Promise<readonly AgentId[]> {
  const wanted = name === undefined ? undefined : comparable(name);
  const window = wanted === undefined ? count : WINDOW_AGENTS_MAX;
  const found: AgentId[] = [];
  for (let after = afterAgentId; ; ) {
    let agents = db
      .selectFrom("agents")
      .select(["id", "name"])
      .where("account_id", "=", accountId)
      .where("deleted_at", "is", null);
    if (languageId !== undefined) agents = agents.where("language_id", "=", languageId);
    if (voiceId !== undefined) agents = agents.where("voice_id", "=", voiceId);
    if (after !== undefined) agents = agents.where("id", ">", after);
    const rows = await agents.orderBy("id").limit(window).execute();
    const matching = rows.filter((row) => wanted === undefined || comparable(nameIn(row.name)).includes(wanted));
    found.push(...matching.map(({ id }) => id));
    if (found.length >= count || rows.length < window) return found.slice(0, count);
    after = rows.at(-1)?.id;
    await setImmediate();
  }
}

/** The name that is stored as JSON; most have nothing that JSON writes in another way. */
const nameIn = (json: string): string => (json.includes("\\") ? JSON.parse(json) : json.slice(1, -1));

/** A text in which the case of letters and the way to write an accent make no difference. */
const comparable = (text: string): string => text.normalize("NFC").toLowerCase();

/** The first of these agents, as many as one read may have. Their texts are measured without being read. */
async function fittingIds(db: Kysely<Tables>, ids: readonly AgentId[]): Promise<readonly AgentId[]> {
  if (ids.length === 0) return [];
  const sizes = LONG_COLUMNS.map((column) => sql`octet_length(${sql.ref(column)})`);
  const rows = await db
    .selectFrom("agents")
    .select("id")
    .select(sql<number>`${sql.join(sizes, sql` + `)}`.as("bytes"))
    .where("id", "in", ids)
    .orderBy("id")
    .execute();
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += Number(row.bytes);
    return index > 0 && bytes > LIST_BYTES_MAX;
  });
  return rows.slice(0, end === -1 ? rows.length : end).map(({ id }) => id);
}
