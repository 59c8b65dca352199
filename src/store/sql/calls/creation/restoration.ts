import { unavailable } from "../../../../core/errors.ts";
import { asWorkerId, liveTranscriptionOf } from "../../../../core/ids.ts";
import type { CallRedemption, RestoredCall } from "../../../calls/call-store.ts";
import { lockHolder } from "../../cluster/nodes.ts";
import { liveTranscription, restartLive } from "../../transcriptions/live.ts";
import type { CallsContext } from "../context.ts";
import { metadataRows } from "../metadata.ts";
import { settingsColumns, storageColumns } from "../rows.ts";

/** Of a call that is over, and has no record. */
const BY_NO_WORKER: CallRedemption = { workerId: asWorkerId("restored"), workerConnection: 0, epoch: 0 };

/** See `CallStore.restore`. Rejects with `unavailable` also where other nodes have taken the calls of this one. */
export async function restoreCall(
  { database, holderOf, transcriptions }: CallsContext,
  { id, accountId, spec, startedAtMs, redemption = BY_NO_WORKER }: RestoredCall,
): Promise<void> {
  const holder = holderOf();
  const active = {
    status: "active",
    started_at: startedAtMs,
    worker_id: redemption.workerId,
    worker_connection: redemption.workerConnection,
    epoch: redemption.epoch,
    node: holder?.name ?? null,
    node_incarnation: holder?.incarnation ?? null,
  };
  await database.transaction(async (tx) => {
    // Otherwise no node would take the call: they have looked for this one's before.
    if (holder !== undefined && !(await lockHolder(tx, holder, database)))
      throw unavailable("other nodes have taken the calls of this one");
    const known = await tx
      .updateTable("calls")
      .set({ ...active, end_reason: null, ended_at: null })
      .where("id", "=", id)
      .where("account_id", "=", accountId)
      .where("status", "in", ["created", "queued", "ringing", "expired"])
      .returning("id")
      .executeTakeFirst();
    const live = liveTranscriptionOf(id);
    if (known !== undefined && live !== undefined) await restartLive(tx, live, startedAtMs);
    if (known !== undefined || spec === undefined) return;
    const call = await tx
      .insertInto("calls")
      .values({
        id,
        account_id: accountId,
        ...active,
        ...settingsColumns(spec),
        ...storageColumns(spec),
        created_at: startedAtMs,
      })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .returning("id")
      .executeTakeFirst();
    if (call === undefined) return;
    const metadata = metadataRows({ callId: id, accountId }, spec.metadata);
    if (metadata.length > 0) await tx.insertInto("call_metadata").values(metadata).execute();
    if (live !== undefined)
      await transcriptions.insertLive(tx, liveTranscription({ id: live, accountId }, spec), startedAtMs);
  });
}
