import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CompiledQuery, type Kysely, type KyselyPlugin, type RootOperationNode, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filterCases } from "../../bench/stores/lists/filters.ts";
import { systemAgeClock } from "../../src/core/age-clock.ts";
import { systemClock } from "../../src/core/clock.ts";
import { addMs, type EpochMs } from "../../src/core/clocks.ts";
import type { AccountId, AgentId, CallId } from "../../src/core/ids.ts";
import type { CallUsage } from "../../src/store/accounts/usage-store.ts";
import { openStores, type StorePlace } from "../../src/store/open-stores.ts";
import { listCalls } from "../../src/store/sql/calls/list.ts";
import { SqlUsage } from "../../src/store/sql/calls/usage.ts";
import type { SqlDatabase } from "../../src/store/sql/database.ts";
import type { Tables } from "../../src/store/sql/tables.ts";
import { AGENT } from "../support/calls/stored-calls.ts";
import { hasPostgres, PostgresServer } from "../support/postgres/server.ts";
import { callIdsAt, insertManyCalls, openSqlDatabase } from "../support/stores/many-calls.ts";

/** SQLite plans by the schema alone, and Postgres no longer scans sequentially with far fewer rows. */
const CALLS = 10_000;
const AGENTS = 12;
const TIMEOUT_MS = 120_000;
const DAY_MS = 86_400_000;

/** Keeps the queries that run through it. */
class QueryRecorder implements KyselyPlugin {
  readonly nodes: RootOperationNode[] = [];

  transformQuery({ node }: { node: RootOperationNode }): RootOperationNode {
    this.nodes.push(node);
    return node;
  }

  async transformResult<Result>({ result }: { result: Result }): Promise<Result> {
    return result;
  }
}

/** A step of a plan that reads a table: `calls: SEARCH ... USING COVERING INDEX ...`, or a node's type in Postgres. */
type Explain = (db: Kysely<Tables>, query: CompiledQuery) => Promise<readonly string[]>;

const explainSqlite: Explain = async (db, { sql: text, parameters }) => {
  const explained = CompiledQuery.raw(`EXPLAIN QUERY PLAN ${text}`, [...parameters]);
  const { rows } = await db.executeQuery<{ detail: string }>(explained as CompiledQuery<{ detail: string }>);
  return rows.map(({ detail }) => detail);
};

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  Plans?: PlanNode[];
}

const explainPostgres: Explain = async (db, { sql: text, parameters }) => {
  const explained = CompiledQuery.raw(`EXPLAIN (FORMAT JSON) ${text}`, [...parameters]);
  const { rows } = await db.executeQuery<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(explained as never);
  const stepsOf = (node: PlanNode): string[] => [
    [node["Node Type"], node["Relation Name"], node["Index Name"]].filter((part) => part !== undefined).join(" "),
    ...(node.Plans ?? []).flatMap(stepsOf),
  ];
  return rows.flatMap((row) => row["QUERY PLAN"].flatMap(({ Plan }) => stepsOf(Plan)));
};

/** A step that reads a whole table, or a whole index. */
const READS_ALL = /^SCAN (?!CONSTANT)|Seq Scan/;

const STORES = [
  { name: "SQLite", isHere: true, usesPostgres: false, explain: explainSqlite },
  {
    name: "Postgres (only where postgresql is installed)",
    isHere: hasPostgres,
    usesPostgres: true,
    explain: explainPostgres,
  },
];

for (const { name, isHere, usesPostgres, explain } of STORES) {
  describe.skipIf(!isHere)(`the lists of many calls on ${name}`, () => {
    const directory = mkdtempSync(join(tmpdir(), "trunkline-plans-"));
    let server: PostgresServer | undefined;
    let database: SqlDatabase;
    let accountId: AccountId;
    let deepCallId: CallId;
    const agents: AgentId[] = [];

    beforeAll(async () => {
      server = usesPostgres ? await PostgresServer.start() : undefined;
      const place: StorePlace = { dataDir: directory, databaseUrl: await server?.createDatabase() };
      const stores = await openStores(place, systemClock);
      accountId = await stores.accounts.ensure("first");
      while (agents.length < AGENTS) agents.push((await stores.agents.create(accountId, AGENT)).id);
      database = openSqlDatabase(place);
      const accounts = [accountId, await stores.accounts.ensure("second")];
      await insertManyCalls(database, { calls: CALLS, accounts, agents });
      if (usesPostgres) await sql`VACUUM ANALYZE`.execute(database.db);
      [deepCallId] = (await callIdsAt(database.db, accountId, [Math.floor(0.9 * CALLS)])) as [CallId];
      await stores.close();
    }, TIMEOUT_MS);

    afterAll(async () => {
      await database.db.destroy();
      await server?.remove();
      rmSync(directory, { recursive: true, force: true });
    });

    /** The plans of all queries that a page needs. */
    async function plansOf(filters: object, afterCallId: CallId | undefined): Promise<readonly string[]> {
      const recorder = new QueryRecorder();
      const db = database.db.withPlugin(recorder);
      await listCalls({ ...database, db }, accountId, { ...filters, afterCallId, limit: 20 }, systemAgeClock());
      const plans: string[] = [];
      for (const node of recorder.nodes) {
        plans.push(...(await explain(database.db, database.db.getExecutor().compileQuery(node, { queryId: "plan" }))));
      }
      return plans;
    }

    test(
      "no filter, and no combination of filters, reads a whole table or a whole index",
      async () => {
        for (const [filter, filters] of Object.entries(filterCases(agents))) {
          for (const after of [undefined, deepCallId]) {
            const plans = await plansOf(filters, after);
            expect(plans.length, filter).toBeGreaterThan(0);
            expect(
              plans.filter((step) => READS_ALL.test(step)),
              filter,
            ).toEqual([]);
          }
        }
      },
      TIMEOUT_MS,
    );

    test("a filter alone uses its own index", async () => {
      const indexes = {
        calls_by_status_and_id: { status: "failed" },
        calls_by_connection_type_and_id: { connectionType: "webrtc" },
        calls_by_end_reason_and_id: { endReason: "spend_limit" },
        calls_by_agent_id_and_id: { agentId: agents.at(-1) },
        calls_by_carrier_call_id: { carrierCallId: "CA777" },
        calls_by_direction_and_id: { direction: "outbound" },
        calls_by_from_number_and_id: { from: "+15550000778" },
        calls_by_to_number_and_id: { to: "+15559999999" },
        call_metadata: { metadata: { order: "A-777" } },
      };
      for (const [index, filters] of Object.entries(indexes)) {
        expect((await plansOf(filters, undefined)).join("\n")).toContain(index);
      }
    });

    test("the usage of a range of time is read by the index of ends, from where the page begins", async () => {
      const [endedFromMs, endedBeforeMs] = [-40, -1].map((days) => addMs(systemClock.epochMs(), days * DAY_MS));
      const [first] = (await new SqlUsage(database.db).listEnded(accountId, {
        endedFromMs: endedFromMs as EpochMs,
        endedBeforeMs: endedBeforeMs as EpochMs,
        limit: 1,
      })) as [CallUsage];
      for (const after of [undefined, first]) {
        const recorder = new QueryRecorder();
        const query = {
          endedFromMs: endedFromMs as EpochMs,
          endedBeforeMs: endedBeforeMs as EpochMs,
          after,
          limit: 500,
        };
        const calls = await new SqlUsage(database.db.withPlugin(recorder)).listEnded(accountId, query);
        expect(calls.length).toBe(500);
        const [node] = recorder.nodes as [RootOperationNode];
        const plan = await explain(database.db, database.db.getExecutor().compileQuery(node, { queryId: "plan" }));
        expect(plan.join("\n")).toContain("calls_by_end");
        expect(plan.filter((step) => READS_ALL.test(step))).toEqual([]);
      }
    });

    test("a query that reads a table whole is noticed", async () => {
      const everything = database.db.selectFrom("calls").select("id").where("duration_ms", "=", 1);
      expect((await explain(database.db, everything.compile())).join("\n")).toMatch(READS_ALL);
    });
  });
}
