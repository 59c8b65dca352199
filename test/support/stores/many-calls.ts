import type { Insertable, Kysely } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { type AgeClock, systemAgeClock } from "../../../src/core/age-clock.ts";
import type { PhoneCallFacts } from "../../../src/core/calls/phone.ts";
import type { EndReason } from "../../../src/core/calls/reasons.ts";
import type { CallSpec, ConnectionType } from "../../../src/core/calls/spec.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { addMs, type EpochMs } from "../../../src/core/clocks.ts";
import { type AccountId, type AgentId, asCallId, asWorkerId, type CallId } from "../../../src/core/ids.ts";
import type { CallStatus } from "../../../src/store/calls/call-store.ts";
import type { StorePlace } from "../../../src/store/open-stores.ts";
import { Pool } from "../../../src/store/postgres/pool.ts";
import { PostgresDatabase } from "../../../src/store/postgres/postgres-database.ts";
import { metadataRows } from "../../../src/store/sql/calls/metadata.ts";
import { NO_PHONE, phoneColumns, promptsOf, settingsColumns } from "../../../src/store/sql/calls/rows.ts";
import type { SqlDatabase } from "../../../src/store/sql/database.ts";
import type { Tables } from "../../../src/store/sql/tables.ts";
import { databasePath, openDatabase } from "../../../src/store/sqlite/database/database.ts";
import { DatabaseFiles } from "../../../src/store/sqlite/database/database-files.ts";
import { SqliteDatabase } from "../../../src/store/sqlite/database/sqlite-database.ts";
import { Random } from "../random.ts";

// Many calls as a year of business leaves them, written by SQL: the stores would take minutes, a commit for each.

const ROWS_PER_INSERT = 400;
const DAYS = 90;
const DAY_MS = 86_400_000;
const TOKEN_TTL_MS = 600_000;

/** The database of stores that exist and are migrated. Close it by `db.destroy`. */
export function openSqlDatabase({ dataDir, databaseUrl: url }: StorePlace): SqlDatabase {
  if (url !== undefined) {
    return new PostgresDatabase(new Pool({ url, connectionsMax: 2, clock: systemClock, limitsQueries: false }));
  }
  const path = databasePath(dataDir);
  const file = openDatabase(path);
  return new SqliteDatabase(file, path, new DatabaseFiles(path));
}

/** Values and the share of calls that have each. The shares of one list add up to 1. */
type Shares<T> = readonly (readonly [value: T, share: number])[];

const ENDS: Shares<readonly [CallStatus, EndReason]> = [
  [["ended", "caller_hangup"], 0.52],
  [["ended", "agent_hangup"], 0.26],
  [["expired", "token_expired"], 0.12],
  [["ended", "inactivity"], 0.05],
  [["failed", "provider_error"], 0.03],
  [["ended", "connection_lost"], 0.0192],
  [["failed", "worker_lost"], 0.0005],
  [["ended", "spend_limit"], 0.0003],
];
const CONNECTIONS: Shares<ConnectionType> = [
  ["carrier_a", 0.6],
  ["carrier_b", 0.2],
  ["websocket", 0.15],
  ["carrier_c", 0.05],
];
/** The newest calls, which are still on unless it is said otherwise, and those that wait for their stream. */
const ACTIVE_CALLS = 50;
const WAITING_CALLS = 50;
/** One carrier gives all of its test calls the same id. */
export const SHARED_CARRIER_CALL_ID = "CA-the-same-for-many";
const SHARED_SHARE = 0.15;
export const OWN_NUMBER = "+15550100";
/** Metadata that the oldest calls have, and that never stand together: `wing` is one or the other. */
export const OLDEST_PILOT_CALLS = 800;

export interface ManyCalls {
  calls: number;
  /** Whose calls they are, in turn: the first one has `calls` of them, each other one a fifth as many in between. */
  accounts: readonly AccountId[];
  /** The agents of the first account; the first one has half of the calls, the next half of the rest, and so on. */
  agents: readonly AgentId[];
  /** How many are on. A service that starts ends them, because it has no worker with them. */
  activeCalls?: number;
}

/** Fills migrated stores. The same calls every time, but for their ids and times. */
export async function insertManyCalls(
  { db }: SqlDatabase,
  { calls, accounts, agents, activeCalls = ACTIVE_CALLS }: ManyCalls,
  age: AgeClock = systemAgeClock(),
): Promise<void> {
  const random = new Random(20);
  const nowMs = systemClock.epochMs();
  const stepMs = (DAYS * DAY_MS) / calls;
  for (let from = 0; from < calls; from += ROWS_PER_INSERT) {
    const rows: CallRows[] = [];
    for (let index = from; index < Math.min(calls, from + ROWS_PER_INSERT); index += 1) {
      const createdMs = addMs(nowMs, Math.round((index + 1 - calls) * stepMs));
      for (const [at, accountId] of accounts.entries()) {
        if (at > 0 && index % 5 > 0) continue;
        rows.push(
          rowsOf(
            { index, left: calls - 1 - index, accountId, agents: at === 0 ? agents : [], createdMs, activeCalls },
            random,
            age,
          ),
        );
      }
    }
    await insertRows(db, rows);
  }
}

interface CallRows {
  call: Insertable<Tables["calls"]>;
  token: Insertable<Tables["stream_tokens"]>;
  metadata: Insertable<Tables["call_metadata"]>[];
}

interface Origin {
  index: number;
  /** How many calls of the account follow. */
  left: number;
  accountId: AccountId;
  agents: readonly AgentId[];
  createdMs: EpochMs;
  activeCalls: number;
}

function rowsOf(
  { index, left, accountId, agents, createdMs, activeCalls }: Origin,
  random: Random,
  age: AgeClock,
): CallRows {
  const id = asCallId(`call_${uuidv7({ msecs: Number(createdMs) })}`);
  const share = (): number => random.between(0, 1);
  const connectionType = pick(CONNECTIONS, share());
  const isWaiting = left < WAITING_CALLS;
  const isActive = !isWaiting && left < WAITING_CALLS + activeCalls;
  const [status, endReason] = pick(ENDS, share());
  const hasStarted = isActive || status !== "expired";
  const spec = specOf(index, connectionType, share());
  const agentId = agents[Math.floor(-Math.log2(1 - share()))];
  const startedMs = addMs(createdMs, 2_000);
  const durationMs = Math.round(20_000 + 240_000 * share());
  const isOver = !isWaiting && !isActive;
  const carrierCallId = share() < SHARED_SHARE ? SHARED_CARRIER_CALL_ID : `CA${index}`;
  return {
    call: {
      id,
      account_id: accountId,
      agent_id: agentId ?? null,
      api_key_id: null,
      ...settingsColumns(spec),
      words: JSON.stringify(promptsOf(spec)),
      recording_enabled: 1,
      created_at: createdMs,
      status: isWaiting ? "created" : isActive ? "active" : status,
      started_at: hasStarted && !isWaiting ? startedMs : null,
      worker_id: hasStarted && !isWaiting ? asWorkerId("worker") : null,
      worker_connection: 0,
      epoch: 0,
      ended_at: isOver ? addMs(startedMs, durationMs) : null,
      duration_ms: isOver && hasStarted ? durationMs : null,
      end_reason: isOver ? endReason : null,
      carrier_call_id: hasStarted && connectionType !== "websocket" ? JSON.stringify(carrierCallId) : null,
      ...(connectionType === "websocket" ? NO_PHONE : phoneColumns(phoneOf(index), true)),
      ...(isOver && hasStarted && ENDED_COLUMNS),
    },
    token: {
      token_hash: `${id}-token`,
      account_id: accountId,
      call_id: id,
      expires_at: addMs(createdMs, TOKEN_TTL_MS),
      boot_id: age.bootId,
      expires_age_ms: addMs(age.nowMs(), isWaiting ? TOKEN_TTL_MS : -TOKEN_TTL_MS),
      redeemed_at: hasStarted && !isWaiting ? startedMs : null,
      redemption_nonce: null,
    },
    metadata: metadataRows({ callId: id, accountId }, spec.metadata),
  };
}

/** The account has one number, which a third of its telephone calls are placed from and the others come to. */
const phoneOf = (index: number): PhoneCallFacts => {
  const caller = `+1555${String(index).padStart(7, "0")}`;
  return index % 3 === 0
    ? { direction: "outbound", from: OWN_NUMBER, to: caller }
    : { direction: "inbound", from: caller, to: OWN_NUMBER };
};

const specOf = (index: number, connectionType: ConnectionType, wing: number): CallSpec => ({
  systemPrompt: `You answer the telephone of bakery ${index}. ${"Be kind, be brief, and never promise a cake for the same day. ".repeat(12)}`,
  voiceId: "reference/gmw/en-US",
  language: "en-US",
  languagePinned: false,
  model: "model_b",
  temperature: 0.7,
  greeting: "Good day, this is the bakery.",
  firstSpeaker: "agent",
  interruptible: true,
  maxDurationMs: 3_600_000,
  inactivityTimeoutMs: 30_000,
  inactivityAction: "prompt",
  recordingEnabled: true,
  connectionType,
  tools: [{ kind: "built_in", name: "hang_up", fixedArguments: {} }],
  metadata: {
    order: `A-${index}`,
    shop: `shop ${index % 50}`,
    campaign: index % 5,
    // Half of all calls each; no call has `wing` west and `east` true.
    ...(wing < 0.5 ? { wing: "west" } : { wing: "east", east: true }),
    ...(index < OLDEST_PILOT_CALLS && { pilot: true }),
  },
});

/** What the end of a call writes, as long as it usually is. */
const ENDED_COLUMNS = {
  transcript_complete: 1,
  recording: JSON.stringify({ channels: 2, sampleRateHz: 8_000, durationMs: 81_240, complete: true }),
  counters: JSON.stringify({
    framesIn: 4_062,
    framesOut: 2_110,
    framesLost: 3,
    framesLate: 1,
    interruptions: 2,
    replies: 9,
  }),
  latency: JSON.stringify(
    Object.fromEntries(
      ["endOfTurn", "finalTranscript", "llmFirstToken", "firstSegment", "ttsFirstByte", "firstFrame", "total"].map(
        (step) => [step, { count: 9, p50Ms: 210.5, p90Ms: 310.25, p95Ms: 402.75, p99Ms: 402.75 }],
      ),
    ),
  ),
  usage: JSON.stringify([
    { stage: "stt", provider: "reference", audioMs: 81_240, cost: 0.0012 },
    { stage: "llm", provider: "reference", inputTokens: 5_210, outputTokens: 402, cost: 0.0041 },
    { stage: "tts", provider: "reference", characters: 1_320, cost: 0.0021 },
  ]),
  cost: JSON.stringify({ currency: "USD", total: 0.0074, complete: true }),
};

function pick<T>(shares: Shares<T>, at: number): T {
  let sum = 0;
  for (const [value, share] of shares) {
    sum += share;
    if (at < sum) return value;
  }
  return (shares[0] as readonly [T, number])[0];
}

async function insertRows(db: Kysely<Tables>, rows: readonly CallRows[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx
      .insertInto("calls")
      .values(rows.map(({ call }) => withEveryColumn(call)))
      .execute();
    await tx
      .insertInto("stream_tokens")
      .values(rows.map(({ token }) => token))
      .execute();
    for (let from = 0; from < rows.length; from += ROWS_PER_INSERT) {
      const pairs = rows.slice(from, from + ROWS_PER_INSERT).flatMap(({ metadata }) => metadata);
      await tx.insertInto("call_metadata").values(pairs).execute();
    }
  });
}

const ENDED_NULLS = Object.fromEntries(Object.keys(ENDED_COLUMNS).map((column) => [column, null]));

/** Rows of one statement have the same columns. */
const withEveryColumn = (call: Insertable<Tables["calls"]>): Insertable<Tables["calls"]> => ({
  ...ENDED_NULLS,
  ...call,
});

/** The ids of an account's calls, newest first, at these positions. */
export async function callIdsAt(
  db: Kysely<Tables>,
  accountId: AccountId,
  positions: readonly number[],
): Promise<CallId[]> {
  const ids: CallId[] = [];
  for (const position of positions) {
    const row = await db
      .selectFrom("calls")
      .select("id")
      .where("account_id", "=", accountId)
      .orderBy("id", "desc")
      .offset(position)
      .limit(1)
      .executeTakeFirstOrThrow();
    ids.push(row.id);
  }
  return ids;
}
