import type { Insertable } from "kysely";
import { systemClock } from "../../../src/core/clock.ts";
import type { AccountId, AgentId } from "../../../src/core/ids.ts";
import { newId } from "../../../src/core/new-id.ts";
import { definitionColumns, versionRow } from "../../../src/store/sql/agents/rows.ts";
import type { SqlDatabase } from "../../../src/store/sql/database.ts";
import type { Tables } from "../../../src/store/sql/tables.ts";
import { AGENT } from "../calls/stored-calls.ts";

// Many agents, written by SQL: the stores would take minutes, a commit for each.

/** SQLite takes at most 32,766 parameters in a statement. */
const ROWS_PER_INSERT = 1_000;
/** Agents in one transaction. */
const AGENTS_PER_TRANSACTION = 1_000;

export interface ManyAgents {
  accounts: number;
  agentsPerAccount: number;
  versionsPerAgent: number;
  /** Sentences of 40 characters in the prompt of each version; 50 by default. */
  sentences?: number;
}

/** Fills migrated stores. Gives all accounts, the one in the middle, and one of its agents. */
export async function insertManyAgents(
  database: SqlDatabase,
  size: ManyAgents,
): Promise<{ accountIds: readonly AccountId[]; accountId: AccountId; agentId: AgentId }> {
  const accountIds = Array.from({ length: size.accounts }, () => newId("account"));
  const nowMs = systemClock.epochMs();
  await inBatches(accountIds, async (batch) => {
    const rows = batch.map((id) => ({ id, name: id, created_at: nowMs }));
    await database.db.insertInto("accounts").values(rows).execute();
  });
  const agentIds = await insertAgentsOf(database, accountIds, size);
  const middle = Math.floor(size.accounts / 2);
  const [accountId, agentId] = [accountIds[middle], agentIds[middle * size.agentsPerAccount]];
  if (accountId === undefined || agentId === undefined) throw new Error("there is no agent");
  return { accountIds, accountId, agentId };
}

/** Gives each of these accounts as many agents. Resolves with the ids of the agents, account by account. */
export async function insertAgentsOf(
  { db }: SqlDatabase,
  accountIds: readonly AccountId[],
  { agentsPerAccount, versionsPerAgent, sentences = 50 }: Omit<ManyAgents, "accounts">,
): Promise<readonly AgentId[]> {
  const nowMs = systemClock.epochMs();
  const ids: AgentId[] = [];
  const owners = accountIds.flatMap((accountId) =>
    Array.from({ length: agentsPerAccount }, (_, index) => ({ accountId, index })),
  );
  for (let from = 0; from < owners.length; from += AGENTS_PER_TRANSACTION) {
    const agents: Insertable<Tables["agents"]>[] = [];
    const versions: Insertable<Tables["agent_versions"]>[] = [];
    for (const { accountId, index } of owners.slice(from, from + AGENTS_PER_TRANSACTION)) {
      const definition = {
        ...AGENT,
        name: `desk ${index}`,
        basePrompt: "You answer the telephone, and are kind. ".repeat(sentences),
        languageId: index % 2 === 0 ? "de" : "en-US",
        voiceId: `voice ${index % 5}`,
      };
      const row = { id: newId("agent"), account_id: accountId };
      ids.push(row.id);
      agents.push({
        ...row,
        ...definitionColumns(definition),
        ...{ live_version: versionsPerAgent, draft_version: null, deleted_at: null },
        ...{ created_at: nowMs, updated_at: nowMs, published_at: nowMs },
      });
      for (let version = 1; version <= versionsPerAgent; version++) {
        versions.push(versionRow(row, { version, createdAtMs: nowMs, publishedAtMs: nowMs }, definition));
      }
    }
    await db.transaction().execute(async (tx) => {
      await inBatches(agents, async (batch) => void (await tx.insertInto("agents").values(batch).execute()));
      await inBatches(versions, async (batch) => void (await tx.insertInto("agent_versions").values(batch).execute()));
    });
  }
  return ids;
}

/** Writes rows in statements that both databases take. */
export async function inBatches<Row>(rows: readonly Row[], write: (batch: Row[]) => Promise<void>): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_PER_INSERT) await write(rows.slice(from, from + ROWS_PER_INSERT));
}
