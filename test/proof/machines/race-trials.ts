import { setTimeout as delay } from "node:timers/promises";
import { Random } from "../../support/random.ts";
import { Callers, NEW_CALL } from "./callers.ts";
import { ProofCluster, type ProofNode } from "./nodes.ts";
import { cpuMsOf } from "./postgres-costs.ts";

const NODES = 3;
const FREQUENT = 40;

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
  /** Of all processes of Postgres. */
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
  const measured = async (work: () => Promise<void>) => {
    const [before, cpuMs, startedMs] = [await statements(), cpuMsOf(postgres), performance.now()];
    await work();
    const tookMs = performance.now() - startedMs;
    return { statements: (await statements()) - before, cpuMs: cpuMsOf(postgres) - cpuMs, tookMs };
  };
  try {
    await postgres.query("CREATE EXTENSION pg_stat_statements", databaseUrl);
    const callers = new Callers(cluster, new Random(seed));
    const busy = await measured(async () => {
      await callers.dial(8, [500, 1_500], () => callers.placed.length >= calls);
      // The last records are stored, and their recordings rendered.
      await delay(5_000);
    });
    const begun = callers.begun.length;
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
