import { addMs } from "../../../../core/clocks.ts";
import type { CallId } from "../../../../core/ids.ts";
import { TRANSACTION_ROWS_MAX } from "../../../../core/limits/storage/storage.ts";
import type { Transcription } from "../../../transcription-store.ts";
import { isOwnMatter } from "../../cluster/held-calls.ts";
import { LIVE_EXPIRED } from "../../transcriptions/live.ts";
import type { CallsContext } from "../context.ts";
import { deleteExpiredRequests } from "../creation/idempotent-requests.ts";
import { callData } from "../event-data.ts";
import { EXPIRED, hasValidToken, lastExpiry, RECORD_COLUMNS, recordOf } from "../rows.ts";
import { dayOf, deleteOldWebCallCosts, settleWebCalls } from "../web-calls.ts";
import { emitEnd, endLive } from "./every-end.ts";
import { forgetRedactedValues } from "./redaction.ts";

const DAY_MS = 24 * 3_600_000;

interface ExpiredCall {
  callId: CallId;
  /** Where the call is that of a live transcription. */
  transcription: Transcription | undefined;
}

/** See `CallStore.expire`. Also deletes old costs of web calls and expired idempotency keys, and retries a purge of the change log. */
export async function expireCalls(context: CallsContext): Promise<readonly CallId[]> {
  const { database, clock, age, changeLog } = context;
  const end = { status: EXPIRED.status, endReason: EXPIRED.end_reason };
  const ids: CallId[] = [];
  for (;;) {
    const expired = await expireBatch(context);
    for (const { callId, transcription } of expired) {
      ids.push(callId);
      emitEnd(context, { callId, ...end }, transcription);
    }
    if (expired.length < TRANSACTION_ROWS_MAX) break;
  }
  await deleteOldWebCallCosts(database.db, dayOf(addMs(clock.epochMs(), -DAY_MS)));
  await deleteExpiredRequests(database.db, { clock, age });
  await changeLog.retry();
  return ids;
}

/** Expires at most TRANSACTION_ROWS_MAX calls in one transaction. */
async function expireBatch(context: CallsContext): Promise<readonly ExpiredCall[]> {
  const { database, age, holderOf, events, changeLog } = context;
  let hadRedactedValues = false;
  const due = database.db
    .selectFrom("calls")
    .select("id")
    .where("status", "=", "created")
    .where((calls) => isOwnMatter(calls, holderOf(), database))
    .where((calls) => calls.not(hasValidToken(calls, age)))
    .limit(TRANSACTION_ROWS_MAX);
  // Most of the time there is none, which needs no write.
  const found = await due.execute();
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  const calls = await database.readCommitted(async (tx) => {
    const expired = await tx
      .updateTable("calls")
      .set((calls) => ({ ...EXPIRED, ended_at: lastExpiry(calls) }))
      .where("id", "in", ids)
      .where("status", "=", "created")
      .where((calls) => calls.not(hasValidToken(calls, age)))
      .returning(RECORD_COLUMNS)
      .execute();
    await settleWebCalls(
      tx,
      expired.map(({ id }) => id),
    );
    const calls: ExpiredCall[] = [];
    for (const row of expired) {
      const record = recordOf(row);
      const { accountId, id: callId } = record;
      if (await forgetRedactedValues(tx, record)) hadRedactedValues = true;
      await events.insert(tx, { accountId, type: "call.expired", callId, data: callData(record) });
      calls.push({ callId, transcription: await endLive(tx, callId, LIVE_EXPIRED, context) });
    }
    return calls;
  });
  events.notify();
  if (hadRedactedValues) changeLog.markPending();
  return calls;
}
