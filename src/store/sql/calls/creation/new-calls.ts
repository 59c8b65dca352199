import { type Insertable, type Kysely, type RawBuilder, sql, type Transaction } from "kysely";
import type { AgeClock } from "../../../../core/age-clock.ts";
import { type CallSpec, storesWords } from "../../../../core/calls/spec.ts";
import { addMs, type EpochMs } from "../../../../core/clocks.ts";
import type { NodeName } from "../../../../core/ids.ts";
import type { CallRecord, NewCall } from "../../../calls/call-store.ts";
import { insertIf, type RowsOfTable, runCombined, withInserts } from "../../combined-writes.ts";
import type { SqlDatabase } from "../../database.ts";
import type { Tables } from "../../tables.ts";
import { metadataRows } from "../metadata.ts";
import { createdRecordOf, NO_PHONE, settingsColumns, storageColumns } from "../rows.ts";
import { newCallId } from "./call-ids.ts";

/** What every new call without a telephone has. */
export interface NewCallRows {
  call: Parameters<typeof createdRecordOf>[0] & { node: NodeName | null } & Insertable<Tables["calls"]>;
  token: Insertable<Tables["stream_tokens"]>;
  metadata: readonly Insertable<Tables["call_metadata"]>[];
}

/** The rows of a call that is created now, with this specification. */
export function newCallRows(
  { accountId, agent, apiKeyId, tokenHash, tokenTtlMs }: NewCall,
  spec: CallSpec,
  { nowMs, age, node }: { nowMs: EpochMs; age: AgeClock; node: NodeName | null },
): NewCallRows {
  const id = newCallId(nowMs, spec.mode);
  return {
    call: {
      id,
      account_id: accountId,
      agent_id: agent?.id ?? null,
      agent_version: agent?.version ?? null,
      variables: agent !== undefined && storesWords(spec) ? JSON.stringify(agent.variables) : null,
      api_key_id: apiKeyId ?? null,
      status: "created",
      ...settingsColumns(spec),
      ...storageColumns(spec),
      created_at: nowMs,
      worker_connection: 0,
      epoch: 0,
      node,
      ...NO_PHONE,
    },
    token: {
      account_id: accountId,
      call_id: id,
      token_hash: tokenHash,
      expires_at: addMs(nowMs, tokenTtlMs),
      boot_id: age.bootId,
      expires_age_ms: addMs(age.nowMs(), tokenTtlMs),
    },
    metadata: metadataRows({ callId: id, accountId }, spec.metadata),
  };
}

const ALWAYS = sql<boolean>`true`;

/** The result of a creation. */
export const created = ({ call }: NewCallRows): { kind: "created"; call: CallRecord; node?: NodeName } => ({
  kind: "created",
  call: createdRecordOf(call),
  ...(call.node !== null && { node: call.node }),
});

/** Stores a new call in one statement if the condition holds; returns whether it did. For databases with `combinesWrites`. */
export function insertNewCallIf(
  db: Kysely<Tables>,
  { call, token, metadata }: NewCallRows,
  condition: RawBuilder<boolean>,
): Promise<boolean> {
  const ofCall: RowsOfTable[] = [
    { table: "stream_tokens", rows: [token] },
    { table: "call_metadata", rows: metadata },
  ];
  const inserted = db.with("call", (part) =>
    insertIf(part, { table: "calls", rows: [call] }, condition).returning("id"),
  );
  return runCombined(withInserts(inserted, "call", ofCall), "call");
}

/** Stores a new call in the transaction that has admitted it. */
export async function insertNewCall(
  tx: Transaction<Tables>,
  rows: NewCallRows,
  { combinesWrites }: Pick<SqlDatabase, "combinesWrites">,
): Promise<void> {
  if (combinesWrites) {
    await insertNewCallIf(tx, rows, ALWAYS);
    return;
  }
  await tx.insertInto("calls").values(rows.call).execute();
  await tx.insertInto("stream_tokens").values(rows.token).execute();
  if (rows.metadata.length > 0) await tx.insertInto("call_metadata").values(rows.metadata).execute();
}
