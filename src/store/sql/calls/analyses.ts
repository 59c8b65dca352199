import type { Kysely, Transaction } from "kysely";
import type { CallCost, ProviderUsage } from "../../../core/billing/prices.ts";
import type { CallAnalysis } from "../../../core/calls/analysis.ts";
import type { EndReason } from "../../../core/calls/reasons.ts";
import type { CallId } from "../../../core/ids.ts";
import type { AnalysisBill, AnalysisStore, PendingAnalysis } from "../../calls/analysis-store.ts";
import type { CallSettings } from "../../calls/call-store.ts";
import type { SqlDatabase } from "../database.ts";
import type { SideEffects } from "../side-effects.ts";
import type { Tables } from "../tables.ts";
import { turnOf } from "./rows.ts";

const PENDING = JSON.stringify({ status: "pending" } satisfies CallAnalysis);

const ABANDONED = JSON.stringify({ status: "failed", reason: "provider_failed" } satisfies CallAnalysis);

/** The analysis of a call that ends now, as its column holds it. `hasWords`: something was said and is stored. */
export const firstAnalysisOf = (settings: string | null, hasWords: boolean): string | null => {
  if (settings === null) return null;
  return hasWords ? PENDING : JSON.stringify({ status: "failed", reason: "no_transcript" } satisfies CallAnalysis);
};

export const isPending = (analysis: string | null): boolean => analysis === PENDING;

/** See `AnalysisStore`. */
export class SqlAnalyses implements AnalysisStore {
  readonly #database: SqlDatabase;
  readonly #events: SideEffects["events"];

  constructor(database: SqlDatabase, { events }: Pick<SideEffects, "events">) {
    this.#database = database;
    this.#events = events;
  }

  async pending(callId: CallId): Promise<PendingAnalysis | undefined> {
    const { db } = this.#database;
    const call = await db
      .selectFrom("calls")
      .select(["account_id", "settings", "analysis_settings", "end_reason"])
      .where("id", "=", callId)
      .where("analysis", "=", PENDING)
      .where("transcript_deleted_at", "is", null)
      .executeTakeFirst();
    if (call === undefined || call.analysis_settings === null) return undefined;
    const turns = await db.selectFrom("turns").selectAll().where("call_id", "=", callId).orderBy("position").execute();
    const { model, language }: CallSettings = JSON.parse(call.settings);
    return {
      accountId: call.account_id,
      settings: JSON.parse(call.analysis_settings),
      model,
      language,
      endReason: (call.end_reason as EndReason | null) ?? undefined,
      turns: turns.map(turnOf),
    };
  }

  attempted(callId: CallId, bill: AnalysisBill): Promise<void> {
    return this.#database.transaction(async (tx) => {
      await addBill(tx, callId, bill);
    });
  }

  async settle(callId: CallId, analysis: CallAnalysis, bill: AnalysisBill): Promise<boolean> {
    const isSettled = await this.#database.transaction(async (tx) => {
      const call = await tx
        .updateTable("calls")
        .set({ analysis: JSON.stringify(analysis) })
        .where("id", "=", callId)
        .where("analysis", "=", PENDING)
        .returning("account_id")
        .executeTakeFirst();
      if (call === undefined) return false;
      await addBill(tx, callId, bill);
      await this.#events.insert(tx, { accountId: call.account_id, type: "call.ended", callId });
      return true;
    });
    this.#events.notify();
    return isSettled;
  }

  async announceEnd(callId: CallId): Promise<void> {
    await this.#database.readCommitted(async (tx) => {
      const call = await tx
        .selectFrom("calls")
        .select("account_id")
        .where("id", "=", callId)
        .where("ended_at", "is not", null)
        .executeTakeFirst();
      if (call !== undefined) await this.#events.insert(tx, { accountId: call.account_id, type: "call.ended", callId });
    });
    this.#events.notify();
  }
}

/** The job of a pending analysis was given up or deleted. */
export async function abandonAnalysis(tx: Kysely<Tables>, callId: CallId): Promise<void> {
  await tx
    .updateTable("calls")
    .set({ analysis: ABANDONED })
    .where("id", "=", callId)
    .where("analysis", "=", PENDING)
    .execute();
}

/** The job is attempted again. */
export async function resumeAnalysis(tx: Kysely<Tables>, callId: CallId): Promise<void> {
  await tx
    .updateTable("calls")
    .set({ analysis: PENDING })
    .where("id", "=", callId)
    .where("analysis", "=", ABANDONED)
    .execute();
}

/** Adds what an analysis has used to the usage and the cost of its call. */
async function addBill(
  tx: Kysely<Tables> | Transaction<Tables>,
  callId: CallId,
  { usage, cost }: AnalysisBill,
): Promise<void> {
  if (usage.length === 0) return;
  const call = await tx.selectFrom("calls").select(["usage", "cost"]).where("id", "=", callId).executeTakeFirst();
  if (call === undefined) return;
  const before: ProviderUsage[] = call.usage === null ? [] : JSON.parse(call.usage);
  const costBefore: CallCost | undefined = call.cost === null ? undefined : JSON.parse(call.cost);
  await tx
    .updateTable("calls")
    .set({
      usage: JSON.stringify([...before, ...usage]),
      ...(cost !== undefined && { cost: JSON.stringify(costBefore === undefined ? cost : sumOf(costBefore, cost)) }),
    })
    .where("id", "=", callId)
    .execute();
}

const sumOf = (before: CallCost, cost: CallCost): CallCost => ({
  currency: cost.currency,
  total: Math.round((before.total + cost.total) * 1e9) / 1e9,
  complete: before.complete && cost.complete,
});
