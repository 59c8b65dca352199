import { join } from "node:path";
import { CompiledQuery, Kysely, PostgresDialect, SqliteDialect } from "kysely";
import Libsql from "libsql";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import type { AccountId, AgentId } from "../../../src/core/ids.ts";
import { openStores, type StorePlace } from "../../../src/store/open-stores.ts";
import { SqlAudit } from "../../../src/store/sql/accounts/audit.ts";
import { SqlAgents } from "../../../src/store/sql/agents/agents.ts";
import type { SqlDatabase } from "../../../src/store/sql/database.ts";
import type { Tables } from "../../../src/store/sql/tables.ts";
import { hasPostgres } from "../../support/postgres/server.ts";
import { migratedDatabase } from "../../support/stores/every-store.ts";
import { insertManyAgents } from "../../support/stores/many-agents.ts";
import { openSqlDatabase } from "../../support/stores/many-calls.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const SIZE = { accounts: 100, agentsPerAccount: 20, versionsPerAgent: 10 };

interface Planned {
  agents: SqlAgents;
  accountId: AccountId;
  agentId: AgentId;
  /** The statements since the last call, and the plan of each. */
  plans(): Promise<{ statement: string; plan: string }[]>;
}

/** Stores with many agents, and the plans of what is asked of them. */
async function withPlans(place: StorePlace, work: (planned: Planned) => Promise<void>): Promise<void> {
  await (await openStores(place, systemClock)).close();
  const database = openSqlDatabase(place);
  const { accountId, agentId } = await insertManyAgents(database, SIZE);
  await database.db.destroy();
  const isPostgres = place.databaseUrl !== undefined;
  const dialect = isPostgres
    ? new PostgresDialect({ pool: new pg.Pool({ connectionString: place.databaseUrl, max: 1 }) })
    : new SqliteDialect({ database: new Libsql(join(place.dataDir, "trunkline.db")) });
  const seen: CompiledQuery[] = [];
  let isListening = true;
  const db = new Kysely<Tables>({
    dialect,
    log: ({ query }) => {
      if (isListening) seen.push(query);
    },
  });
  const explain = isPostgres ? "EXPLAIN" : "EXPLAIN QUERY PLAN";
  const plans = async () => {
    isListening = false;
    const found: { statement: string; plan: string }[] = [];
    for (const { sql, parameters } of seen.splice(0)) {
      const { rows } = await db.executeQuery<Record<string, unknown>>(
        CompiledQuery.raw(`${explain} ${sql}`, [...parameters]),
      );
      found.push({ statement: sql, plan: rows.map((row) => String(row.detail ?? row["QUERY PLAN"])).join("\n") });
    }
    isListening = true;
    return found;
  };
  try {
    if (isPostgres) await db.executeQuery(CompiledQuery.raw("ANALYZE"));
    seen.splice(0);
    const agents = new SqlAgents({ db } as SqlDatabase, systemClock, new SqlAudit(db, systemClock));
    await work({ agents, accountId, agentId, plans });
  } finally {
    await db.destroy();
  }
}

const FILTERS = [
  {},
  { name: "desk" },
  { languageId: "de" },
  { voiceId: "voice 1" },
  { name: "desk 1", languageId: "de", voiceId: "voice 1" },
];

async function everyListUsesAnIndex(place: StorePlace): Promise<void> {
  await withPlans(place, async ({ agents, accountId, agentId, plans }) => {
    for (const filter of FILTERS) {
      await agents.list(accountId, { ...filter, limit: 20 });
      const statements = await plans();
      // The first one finds the ids.
      expect(statements[0]?.plan).toMatch(/agents_by_filters/);
      for (const { statement, plan } of statements) {
        expect([statement, /\bseq scan\b|^SCAN /im.test(plan)]).toEqual([statement, false]);
        // A list never reads what earlier versions were.
        expect(statement).not.toContain("agent_versions");
      }
    }
    await agents.listVersions(accountId, agentId, { limit: 20, beforeVersion: 8 });
    const versions = await plans();
    expect(versions.length).toBeGreaterThan(0);
    for (const { statement, plan } of versions) {
      expect(plan).toMatch(/agent_versions/);
      expect(plan).not.toMatch(/\bseq scan\b|^SCAN /im);
      expect(statement).not.toContain("definition");
    }
  });
}

describe("lists of agents and of versions read by an index, and no definition of an earlier version", () => {
  test("on SQLite", () => everyListUsesAnIndex({ dataDir: temporaryDirectory(), databaseUrl: undefined }));

  test.skipIf(!hasPostgres)("on Postgres (only where postgresql is installed)", async () => {
    await everyListUsesAnIndex({ dataDir: temporaryDirectory(), databaseUrl: await migratedDatabase() });
  });
});
