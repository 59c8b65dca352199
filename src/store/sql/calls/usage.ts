import type { Kysely } from "kysely";
import type { EpochMs } from "../../../core/clocks.ts";
import type { AccountId } from "../../../core/ids.ts";
import type { CallUsage, TranscriptionUsage, UsageQuery, UsageStore } from "../../accounts/usage-store.ts";
import type { Tables } from "../tables.ts";
import { CONVERSATIONS_END } from "./creation/call-ids.ts";

/** See `UsageStore`. */
export class SqlUsage implements UsageStore {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async listEnded(
    accountId: AccountId,
    { endedFromMs, endedBeforeMs, after, limit }: UsageQuery,
  ): Promise<readonly CallUsage[]> {
    let selected = this.#db
      .selectFrom("calls")
      .select(["id", "agent_id", "ended_at", "duration_ms", "usage", "cost"])
      .$narrowType<{ ended_at: EpochMs }>()
      .where("account_id", "=", accountId)
      // The beginning of the page, so that the index is entered there.
      .where("ended_at", ">=", after?.endedAtMs ?? endedFromMs)
      .where("ended_at", "<", endedBeforeMs)
      .where("started_at", "is not", null)
      .where("id", "<", CONVERSATIONS_END)
      .orderBy("ended_at")
      .orderBy("id")
      .limit(limit);
    if (after !== undefined) {
      selected = selected.where((calls) =>
        calls.or([calls("ended_at", ">", after.endedAtMs), calls("id", ">", after.id)]),
      );
    }
    const rows = await selected.execute();
    return rows.map((row) => ({
      id: row.id,
      ...(row.agent_id !== null && { agentId: row.agent_id }),
      endedAtMs: row.ended_at,
      durationMs: row.duration_ms ?? 0,
      usage: row.usage === null ? [] : JSON.parse(row.usage),
      ...(row.cost !== null && { cost: JSON.parse(row.cost) }),
    }));
  }

  async listTranscribed(
    accountId: AccountId,
    { endedFromMs, endedBeforeMs, after, limit }: UsageQuery<TranscriptionUsage>,
  ): Promise<readonly TranscriptionUsage[]> {
    let selected = this.#db
      .selectFrom("transcriptions")
      .select(["id", "ended_at", "duration_ms", "usage"])
      .$narrowType<{ ended_at: EpochMs; usage: string }>()
      .where("account_id", "=", accountId)
      .where("ended_at", ">=", after?.endedAtMs ?? endedFromMs)
      .where("ended_at", "<", endedBeforeMs)
      .where("usage", "is not", null)
      .where("usage", "!=", "[]")
      .orderBy("ended_at")
      .orderBy("id")
      .limit(limit);
    if (after !== undefined) {
      selected = selected.where((rows) => rows.or([rows("ended_at", ">", after.endedAtMs), rows("id", ">", after.id)]));
    }
    const rows = await selected.execute();
    return rows.map((row) => ({
      id: row.id,
      endedAtMs: row.ended_at,
      durationMs: row.duration_ms ?? 0,
      usage: JSON.parse(row.usage),
    }));
  }
}
