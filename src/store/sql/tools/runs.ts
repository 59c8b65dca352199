import { type Kysely, sql, type Transaction } from "kysely";
import type { ToolSpec } from "../../../core/calls/spec.ts";
import { isoTime } from "../../../core/clock.ts";
import { addMs, type EpochMs, epochMs, millisecondsOf } from "../../../core/clocks.ts";
import type { AccountId, CallId, ToolId } from "../../../core/ids.ts";
import { TOOL_FAILED_EVENTS_PER_CALL_MAX, TOOL_RUNS_KEPT_MAX } from "../../../core/limits/agents/tools.ts";
import { newId } from "../../../core/new-id.ts";
import type { CallToolRun } from "../../calls/call-store.ts";
import type { Tables } from "../tables.ts";
import type { SqlEvents } from "../webhooks/events.ts";

/** Tools whose oldest runs one round deletes, and rows of one statement. */
const TOOLS_PER_ROUND = 50;
const ROWS_PER_DELETE = 1_000;

/** A call whose end is stored. */
export interface EndedCall {
  callId: CallId;
  accountId: AccountId;
  startedAtMs: EpochMs;
  tools: readonly ToolSpec[];
  storesWords: boolean;
}

/**
 * Stores the runs of saved tools of a call, and the events of all that failed, in the transaction of its end. Neither holds words
 * of a call that stores none, and the events never do.
 */
export async function insertToolRuns(
  tx: Transaction<Tables>,
  call: EndedCall,
  runs: readonly CallToolRun[],
  events: SqlEvents,
): Promise<void> {
  const rows = toolRunRows(call, runs);
  if (rows.length > 0) await tx.insertInto("tool_runs").values(rows).execute();
  const failed = runs.filter((run) => run.failed === true);
  const reported = failed.slice(0, TOOL_FAILED_EVENTS_PER_CALL_MAX);
  for (const [index, run] of reported.entries()) {
    const moreFailures = index === reported.length - 1 ? failed.length - reported.length : 0;
    await events.insert(tx, {
      accountId: call.accountId,
      type: "tool.failed",
      callId: call.callId,
      name: `${call.callId} ${run.toolCallId}`,
      data: failureData(call, run, moreFailures),
    });
  }
}

/** The rows of the runs of saved tools. */
export const toolRunRows = (call: EndedCall, runs: readonly CallToolRun[]) =>
  runs.flatMap((run) => {
    const toolId = toolIdOf(call, run);
    return toolId === undefined ? [] : [rowOf(call, run, toolId)];
  });

const specOf = ({ tools }: EndedCall, { name }: CallToolRun): ToolSpec | undefined =>
  tools.find((tool) => tool.name === name);

function toolIdOf(call: EndedCall, run: CallToolRun): ToolId | undefined {
  const tool = specOf(call, run);
  return tool === undefined || tool.kind === "built_in" ? undefined : tool.toolId;
}

const startOf = ({ startedAtMs }: EndedCall, { startMs }: CallToolRun): EpochMs =>
  epochMs(Math.round(millisecondsOf(addMs(startedAtMs, startMs))));

const rowOf = (call: EndedCall, run: CallToolRun, toolId: ToolId) => ({
  id: newId("tool_run"),
  account_id: call.accountId,
  tool_id: toolId,
  call_id: call.callId,
  name: run.name,
  started_at: startOf(call, run),
  duration_ms: run.durationMs,
  failed: run.failed === null ? null : Number(run.failed),
  words: call.storesWords && run.words !== undefined ? JSON.stringify(run.words) : null,
});

/** The `data` of `tool.failed`. */
const failureData = (call: EndedCall, run: CallToolRun, moreFailures: number): object => ({
  callId: call.callId,
  toolCallId: run.toolCallId,
  toolId: toolIdOf(call, run) ?? null,
  name: run.name,
  type: specOf(call, run)?.kind ?? null,
  startedAt: isoTime(startOf(call, run)),
  startMs: run.startMs,
  durationMs: run.durationMs,
  moreFailures,
});

/** See `ToolStore.deleteOldRuns`. */
export async function deleteOldRuns(db: Kysely<Tables>, testsBeforeMs: EpochMs): Promise<number> {
  const tests = db
    .selectFrom("tool_runs")
    .select("id")
    .where("call_id", "is", null)
    .where("started_at", "<", testsBeforeMs)
    .limit(ROWS_PER_DELETE);
  let deleted = Number((await db.deleteFrom("tool_runs").where("id", "in", tests).executeTakeFirst()).numDeletedRows);
  const full = await db
    .selectFrom("tool_runs")
    .select("tool_id")
    .groupBy("tool_id")
    .having(sql`count(*)`, ">", TOOL_RUNS_KEPT_MAX)
    .limit(TOOLS_PER_ROUND)
    .execute();
  for (const { tool_id: toolId } of full) {
    const old = db
      .selectFrom("tool_runs")
      .select("id")
      .where("tool_id", "=", toolId)
      .orderBy("id", "desc")
      .offset(TOOL_RUNS_KEPT_MAX)
      .limit(ROWS_PER_DELETE);
    const { numDeletedRows } = await db.deleteFrom("tool_runs").where("id", "in", old).executeTakeFirst();
    deleted += Number(numDeletedRows);
  }
  return deleted;
}
