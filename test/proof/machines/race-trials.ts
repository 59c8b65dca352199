import { setTimeout as delay } from "node:timers/promises";
import { Random } from "../../support/random.ts";
import { Callers, NEW_CALL } from "./callers.ts";
import { ProofCluster, type ProofNode } from "./nodes.ts";
import { cpuMsOf } from "./postgres-costs.ts";

const NODES = 3;
const FREQUENT = 40;
/** After so many calls the pools of all nodes have the connections that they need, and these know the catalog. */
const WARMING_CALLS = 60;
const LINES = 8;
const CALL_MS = [500, 1_500] as const;
/** The last records are stored by then, and their recordings rendered. */
const SETTLED_MS = 5_000;

export interface LimitResult {
  limit: number;
  asked: number;
  created: number;
  over: number;
}

/** More creations at once at three nodes than an API key may have calls. */
export async function limitTrial(rounds: number): Promise<LimitResult> {
  const limit = 20;
  const cluster = await ProofCluster.start(NODES, { CALLS_PER_API_KEY: String(limit), TOKEN_TTL_S: "5" });
  try {
    const result = { limit, asked: 0, created: 0, over: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 3 * limit }, (_, n) =>
          cluster.fetch(cluster.nodes[n % NODES] as ProofNode, "/calls", NEW_CALL),
        ),
      );
      const created = answers.filter((answer) => answer?.status === 201).length;
      result.asked += answers.length;
      result.created += created;
      result.over += Math.max(0, created - limit);
      // The tokens of this round expire, and with them its calls.
      await delay(8_000);
    }
    return result;
  } finally {
    await cluster.remove();
  }
}

export interface StatementResult {
  calls: number;
  statementsPerCall: number;
  /** Of all processes of Postgres, once their connections are in use. */
  cpuMsPerCall: number;
  /** The most frequent statements while there were calls, each with how often it ran per call, idle nodes' share included. */
  frequent: readonly { text: string; perCall: number }[];
}

/** What a call costs in Postgres from its creation to its record, less what as many seconds without calls cost. */
export async function statementTrial(seed: number, calls: number): Promise<StatementResult> {
  const cluster = await ProofCluster.start(NODES);
  const { postgres, databaseUrl } = cluster;
  const statements = async (): Promise<number> => {
    const rows = await postgres.query<{ calls: string }>(
      "SELECT coalesce(sum(calls), 0) AS calls FROM pg_stat_statements",
      databaseUrl,
    );
    return Number(rows[0]?.calls);
  };
  const frequent = async (begun: number): Promise<StatementResult["frequent"]> => {
    const rows = await postgres.query<{ query: string; calls: string }>(
      `SELECT query, calls FROM pg_stat_statements ORDER BY calls DESC LIMIT ${FREQUENT}`,
      databaseUrl,
    );
    return rows.map(({ query, calls: count }) => ({ text: query, perCall: Number(count) / begun }));
  };
  const measured = async <T>(work: () => Promise<T>) => {
    const [before, cpuMs, startedMs] = [await statements(), cpuMsOf(postgres), performance.now()];
    const result = await work();
    const tookMs = performance.now() - startedMs;
    return { result, statements: (await statements()) - before, cpuMs: cpuMsOf(postgres) - cpuMs, tookMs };
  };
  try {
    await postgres.query("CREATE EXTENSION pg_stat_statements", databaseUrl);
    const random = new Random(seed);
    const dialled = async (count: number): Promise<Callers> => {
      const callers = new Callers(cluster, random.fork());
      await callers.dial(LINES, CALL_MS, () => callers.placed.length >= count);
      await delay(SETTLED_MS);
      return callers;
    };
    await dialled(WARMING_CALLS);
    await postgres.query("SELECT pg_stat_statements_reset()", databaseUrl);
    const busy = await measured(() => dialled(calls));
    const begun = busy.result.begun.length;
    const mostFrequent = await frequent(begun);
    const idle = await measured(() => delay(10_000));
    const share = busy.tookMs / idle.tookMs;
    return {
      calls: begun,
      statementsPerCall: (busy.statements - share * idle.statements) / begun,
      cpuMsPerCall: (busy.cpuMs - share * idle.cpuMs) / begun,
      frequent: mostFrequent,
    };
  } finally {
    await cluster.remove();
  }
}
