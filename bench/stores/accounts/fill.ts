import { type Insertable, sql } from "kysely";
import { systemClock } from "../../../src/core/clock.ts";
import type { AccountId, AgentId } from "../../../src/core/ids.ts";
import { newId } from "../../../src/core/new-id.ts";
import { openStores, type StorePlace } from "../../../src/store/open-stores.ts";
import { API_KEY_VISIBLE_CHARS, createApiKey, hashSecret } from "../../../src/store/secrets.ts";
import type { SqlDatabase } from "../../../src/store/sql/database.ts";
import type { Tables } from "../../../src/store/sql/tables.ts";
import { inBatches, insertAgentsOf, insertManyAgents } from "../../../test/support/stores/many-agents.ts";
import { insertManyCalls, openSqlDatabase } from "../../../test/support/stores/many-calls.ts";
import { accountName } from "../../rig/service.ts";

// Many accounts and agents, written by SQL: the stores would take an hour, a commit for each.

/** The agents of whose calls there are some. */
const CALLING_AGENTS = 20;

export interface Size {
  /** Besides the account whose lists are read. */
  accounts: number;
  agentsPerAccount: number;
  /** Of the account whose lists are read. */
  ownAgents: number;
  versionsPerAgent: number;
  sentences: number;
  calls: number;
  auditEvents: number;
}

/** What the requests need to know. */
export interface Filled {
  agentId: AgentId;
  /** An API key of each of the other accounts. */
  apiKeys: readonly string[];
}

/** Fills the database of a service. */
export async function fillAccounts(place: StorePlace, size: Size): Promise<Filled> {
  const stores = await openStores(place, systemClock);
  const database = openSqlDatabase(place);
  try {
    const ownId = await stores.accounts.ensure(accountName(0));
    const agentIds = await insertAgentsOf(database, [ownId], { ...size, agentsPerAccount: size.ownAgents });
    const { accountIds } = await insertManyAgents(database, size);
    const apiKeys = await insertApiKeys(database, accountIds);
    await insertAuditEvents(database, ownId, size.auditEvents);
    const other = await stores.accounts.ensure("another");
    const agents = agentIds.slice(0, CALLING_AGENTS);
    await insertManyCalls(database, { calls: size.calls, accounts: [ownId, other], agents });
    // What autovacuum does a minute later.
    if (database.locksRows) await sql`VACUUM ANALYZE`.execute(database.db);
    return { agentId: agentIds[0] as AgentId, apiKeys };
  } finally {
    await database.db.destroy();
    await stores.close();
  }
}

/** An API key for each account, whose limits and days are set. */
async function insertApiKeys({ db }: SqlDatabase, accountIds: readonly AccountId[]): Promise<readonly string[]> {
  const settings = { limits: { concurrentCalls: 20, creationsPerMinute: 60 }, retention: { recording: 30 } };
  const apiKeys = accountIds.map(() => createApiKey());
  const rows = accountIds.map((accountId, index): Insertable<Tables["api_keys"]> => {
    const key = apiKeys[index] ?? "";
    return {
      id: newId("key"),
      account_id: accountId,
      name: "laptop",
      hash: hashSecret(key),
      visible_prefix: key.slice(0, API_KEY_VISIBLE_CHARS),
      created_at: systemClock.epochMs(),
    };
  });
  await db.transaction().execute(async (tx) => {
    await tx
      .updateTable("accounts")
      .set({ settings: JSON.stringify(settings) })
      .execute();
    await inBatches(rows, async (batch) => void (await tx.insertInto("api_keys").values(batch).execute()));
  });
  return apiKeys;
}

async function insertAuditEvents({ db }: SqlDatabase, accountId: AccountId, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, index) => ({
    id: newId("audit"),
    account_id: accountId,
    actor_kind: "api_key",
    actor_id: `key_${index % 100}`,
    action: index % 2 === 0 ? "agent.updated" : "agent.published",
    target_kind: "agent",
    target_id: `agent_${index % 1_000}`,
    details: "{}",
    created_at: systemClock.epochMs(),
  }));
  await db.transaction().execute(async (tx) => {
    await inBatches(events, async (batch) => void (await tx.insertInto("audit_events").values(batch).execute()));
  });
}
