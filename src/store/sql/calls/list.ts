import { setImmediate } from "node:timers/promises";
import { type ExpressionBuilder, type Kysely, sql } from "kysely";
import type { AgeClock } from "../../../core/age-clock.ts";
import type { AccountId, CallId } from "../../../core/ids.ts";
import { LIST_READ_BYTES_MAX } from "../../../core/limits/api.ts";
import type { CallQuery, CallStatus, ListedCall } from "../../call-store.ts";
import type { SqlDatabase } from "../database.ts";
import type { Tables } from "../tables.ts";
import { currentRecordOf, hasValidToken, LISTED_COLUMNS, lastExpiry } from "./rows.ts";

/**
 * Calls that one query reads, LIST_READ_BYTES_MAX at most. SQLite runs while the process waits, and a filter that
 * matches few calls reads many. Between two queries the event loop runs.
 */
const WINDOW_CALLS_MAX = 500;

/** The account's calls that match the query, newest first, and whether others follow. */
export async function listCalls(
  database: SqlDatabase,
  accountId: AccountId,
  { afterCallId, limit, ...filters }: CallQuery,
  age: AgeClock,
): Promise<{ calls: readonly ListedCall[]; more: boolean }> {
  const found: ListedCall[] = [];
  let after = afterCallId;
  for (;;) {
    const last = await endOfWindow(database.db, accountId, filters.carrierCallId, after);
    let window = matching(database, accountId, filters, age);
    if (after !== undefined) window = window.where("calls.id", "<", after);
    if (last !== undefined) window = window.where("calls.id", ">=", last);
    // One row more than requested shows whether others follow.
    const rows = await window.limit(limit + 1 - found.length).execute();
    found.push(...rows.map(currentRecordOf));
    if (found.length > limit || last === undefined) return { calls: found.slice(0, limit), more: found.length > limit };
    after = last;
    await setImmediate();
  }
}

/**
 * The oldest call of the next window; undefined when all remaining calls fit into it. With `carrierCallId` only its
 * calls count: an index finds them, but the peer chooses the id, so any number of calls may share it. The length of a
 * column is known without reading it, but the columns stored before a requested one have to be read, including the
 * words.
 */
async function endOfWindow(
  db: Kysely<Tables>,
  accountId: AccountId,
  carrierCallId: string | undefined,
  after: CallId | undefined,
): Promise<CallId | undefined> {
  const bytes = sql<number>`octet_length(settings) + coalesce(octet_length(words), 0)`;
  let earlier = db
    .selectFrom("calls")
    .select(["id", bytes.as("bytes")])
    .where("account_id", "=", accountId);
  if (carrierCallId !== undefined) earlier = earlier.where("carrier_call_id", "=", JSON.stringify(carrierCallId));
  if (after !== undefined) earlier = earlier.where("id", "<", after);
  const rows = await earlier.orderBy("id", "desc").limit(WINDOW_CALLS_MAX).execute();
  let sum = 0;
  const fitting = rows.findIndex((row) => {
    sum += row.bytes;
    return sum > LIST_READ_BYTES_MAX;
  });
  if (fitting === -1) return rows.length < WINDOW_CALLS_MAX ? undefined : rows.at(-1)?.id;
  return rows[Math.max(0, fitting - 1)]?.id;
}

function matching(
  { db, dialect }: SqlDatabase,
  accountId: AccountId,
  filters: Omit<CallQuery, "afterCallId" | "limit">,
  age: AgeClock,
) {
  const { status, connectionType, carrierCallId, createdFromMs, createdBeforeMs, metadata = {} } = filters;
  let calls = db
    .selectFrom("calls")
    .select(LISTED_COLUMNS)
    // A list does not show tools. The database removes them, so that JSON.parse need not read them: the largest calls
    // take a fifth of the time.
    .select(dialect.jsonWithout("calls.settings", "tools").as("settings"))
    .select((eb) => [lastExpiry(eb).as("expires_at"), hasValidToken(eb, age).as("has_valid_token")])
    .where("calls.account_id", "=", accountId)
    .orderBy("calls.id", "desc");
  if (carrierCallId !== undefined) calls = calls.where("calls.carrier_call_id", "=", JSON.stringify(carrierCallId));
  if (createdFromMs !== undefined) calls = calls.where("calls.created_at", ">=", createdFromMs);
  if (createdBeforeMs !== undefined) calls = calls.where("calls.created_at", "<", createdBeforeMs);
  if (status !== undefined) calls = calls.where((eb) => hasStatus(eb, status, age));
  if (connectionType !== undefined) {
    calls = calls.where(dialect.jsonText("calls.settings", "connectionType"), "=", connectionType);
  }
  for (const [key, text] of Object.entries(metadata)) {
    calls = calls.where(dialect.jsonHasText("calls.settings", "metadata", key, text));
  }
  return calls;
}

/**
 * Whether a call has this status now: it is `expired` once its last token has expired, whether `expire` has run or not.
 */
function hasStatus(eb: ExpressionBuilder<Tables, "calls">, status: CallStatus, age: AgeClock) {
  const stored = eb("calls.status", "=", status);
  if (status !== "created" && status !== "expired") return stored;
  const isGood = hasValidToken(eb, age);
  if (status === "created") return eb.and([stored, isGood]);
  return eb.or([stored, eb.and([eb("calls.status", "=", "created"), eb.not(isGood)])]);
}
