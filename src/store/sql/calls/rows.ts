import type { ExpressionBuilder, Selectable } from "kysely";
import type { AgeClock } from "../../../core/age-clock.ts";
import type { PhoneCallFacts } from "../../../core/calls/phone.ts";
import { type CallSpec, storesWords } from "../../../core/calls/spec.ts";
import type { TranscriptTurn } from "../../../core/calls/transcript.ts";
import { callMs, type EpochMs, millisecondsOf } from "../../../core/clocks.ts";
import type { CarrierId, PhoneNumberId } from "../../../core/ids.ts";
import { type ReplyPassages, withoutNames } from "../../../core/knowledge/call-knowledge.ts";
import { PHONE_ADDRESS_CHARS_MAX } from "../../../core/limits/phone/carriers.ts";
import type { CallPrompts, CallRecord } from "../../calls/call-store.ts";
import type { Tables } from "../tables.ts";

export const EXPIRED = { status: "expired", end_reason: "token_expired" } as const;

/** The columns of a call in lists: without its tools. */
export const LISTED_COLUMNS = [
  "calls.id",
  "calls.account_id",
  "calls.agent_id",
  "calls.agent_version",
  "calls.variables",
  "calls.status",
  "calls.settings",
  "calls.created_at",
  "calls.started_at",
  "calls.ended_at",
  "calls.duration_ms",
  "calls.end_reason",
  "calls.worker_id",
  "calls.carrier_call_id",
  "calls.parameters",
  "calls.transcript_complete",
  "calls.recording",
  "calls.counters",
  "calls.latency",
  "calls.network",
  "calls.usage",
  "calls.cost",
  "calls.recording_deleted_at",
  "calls.transcript_deleted_at",
  "calls.direction",
  "calls.from_number",
  "calls.to_number",
  "calls.carrier_id",
  "calls.phone_number_id",
  "calls.carrier_code",
  "calls.carrier_price",
  "calls.phone_headers",
  "calls.redaction",
  "calls.recording_pauses",
] as const;

/** The columns of a record: all but the words, which can be long and which no record shows. */
export const RECORD_COLUMNS = [...LISTED_COLUMNS, "calls.tools", "calls.analysis_settings", "calls.analysis"] as const;

export type RecordRow = Omit<
  Selectable<Tables["calls"]>,
  | "words"
  | "recording_enabled"
  | "transcript_enabled"
  | "api_key_id"
  | "worker_connection"
  | "epoch"
  | "node"
  | "node_incarnation"
  | "connection_type"
  | "tools"
  | "analysis_settings"
  | "analysis"
> & { tools?: string; analysis_settings?: string | null; analysis?: string | null };

type CreatedRow = Pick<
  RecordRow,
  | "id"
  | "account_id"
  | "agent_id"
  | "agent_version"
  | "variables"
  | "settings"
  | "tools"
  | "analysis_settings"
  | "created_at"
  | keyof ReturnType<typeof phoneColumns>
>;

/** Whether the call has a valid token. A created call without one is expired, whether `expire` has run or not. */
export const hasValidToken = (calls: ExpressionBuilder<Tables, "calls">, age: AgeClock) =>
  calls.exists(
    calls
      .selectFrom("stream_tokens")
      .select("stream_tokens.token_hash")
      .whereRef("stream_tokens.call_id", "=", "calls.id")
      .where("stream_tokens.boot_id", "=", age.bootId)
      .where("stream_tokens.expires_age_ms", ">", age.nowMs()),
  );

/**
 * When the last of a call's tokens expires or expired, by the wall clock of its creation: the end of an expired call.
 */
export const lastExpiry = (calls: ExpressionBuilder<Tables, "calls">) =>
  calls
    .selectFrom("stream_tokens")
    .select(({ fn }) => fn.max("stream_tokens.expires_at").as("expires_at"))
    .whereRef("stream_tokens.call_id", "=", "calls.id");

/** The record of a call as it is now. */
export function currentRecordOf(row: RecordRow & { expires_at: EpochMs | null; has_valid_token: unknown }): CallRecord {
  const isExpired = row.status === "created" && !row.has_valid_token;
  return recordOf(isExpired ? { ...row, ...EXPIRED, ended_at: row.expires_at } : row);
}

/** The columns of what may be stored of a call, and its prompts where they may. */
export const storageColumns = (spec: CallSpec) => ({
  words: storesWords(spec) ? JSON.stringify(promptsOf(spec)) : null,
  recording_enabled: Number(spec.recordingEnabled),
  transcript_enabled: Number(storesWords(spec)),
});

/** The part of a specification that may be spoken. */
export const promptsOf = ({ systemPrompt, greeting }: CallSpec): CallPrompts => ({
  systemPrompt,
  ...(greeting !== undefined && { greeting }),
});

/** The columns of the part of a specification that the record shows. */
export function settingsColumns({ systemPrompt: _, greeting: __, tools, analysis, ...settings }: CallSpec) {
  return {
    settings: JSON.stringify(settings),
    tools: JSON.stringify(tools),
    analysis_settings: analysis === undefined ? null : JSON.stringify(analysis),
    connection_type: settings.connectionType,
  };
}

/** The columns of a telephone call's facts; its headers only where words are stored. */
export const phoneColumns = (facts: PhoneCallFacts, withHeaders: boolean) => ({
  direction: facts.direction,
  from_number: phoneAddress(facts.from),
  to_number: phoneAddress(facts.to),
  carrier_id: (facts.carrierId as CarrierId | undefined) ?? null,
  phone_number_id: (facts.phoneNumberId as PhoneNumberId | undefined) ?? null,
  carrier_code: facts.carrierCode === undefined ? null : JSON.stringify(facts.carrierCode),
  phone_headers: withHeaders && facts.headers !== undefined ? JSON.stringify(facts.headers) : null,
});

/** Those of a call that is none of the telephone. */
export const NO_PHONE: PhoneRow = {
  direction: null,
  from_number: null,
  to_number: null,
  carrier_id: null,
  phone_number_id: null,
  carrier_code: null,
  phone_headers: null,
};

/** A number or an address as its column holds it, and a filter looks for it. */
export const phoneAddress = (address: string): string => JSON.stringify(address.slice(0, PHONE_ADDRESS_CHARS_MAX));

type PhoneRow = { [Column in keyof ReturnType<typeof phoneColumns>]: RecordRow[Column] };

/** The facts in these columns; undefined for a call that is none of the telephone. */
export const phoneFactsOf = (row: PhoneRow): PhoneCallFacts | undefined =>
  row.direction === null
    ? undefined
    : {
        direction: row.direction,
        from: row.from_number === null ? "" : JSON.parse(row.from_number),
        to: row.to_number === null ? "" : JSON.parse(row.to_number),
        ...(row.carrier_id !== null && { carrierId: row.carrier_id }),
        ...(row.phone_number_id !== null && { phoneNumberId: row.phone_number_id }),
        ...(row.phone_headers !== null && { headers: JSON.parse(row.phone_headers) }),
        ...(row.carrier_code !== null && { carrierCode: JSON.parse(row.carrier_code) }),
      };

/** The status in which a call begins: see `CALL_STATUSES`. */
export const firstStatusOf = ({ direction }: Pick<RecordRow, "direction">): CallRecord["status"] => {
  if (direction === null) return "created";
  return direction === "outbound" ? "queued" : "ringing";
};

/** The record as it is stored. */
export const recordOf = (row: RecordRow): CallRecord => ({
  ...createdRecordOf(row),
  status: row.status as CallRecord["status"],
  ...(row.started_at !== null && { startedAtMs: row.started_at }),
  ...(row.ended_at !== null && { endedAtMs: row.ended_at }),
  ...(row.duration_ms !== null && { durationMs: row.duration_ms }),
  ...(row.end_reason !== null && { endReason: row.end_reason as NonNullable<CallRecord["endReason"]> }),
  ...(row.carrier_call_id !== null && { carrierCallId: JSON.parse(row.carrier_call_id) }),
  ...(row.parameters !== null && { parameters: JSON.parse(row.parameters) }),
  ...(row.transcript_complete !== null && { transcriptComplete: row.transcript_complete === 1 }),
  ...(row.recording !== null && { recording: JSON.parse(row.recording) }),
  ...(row.counters !== null && { counters: JSON.parse(row.counters) }),
  ...(row.latency !== null && { latency: JSON.parse(row.latency) }),
  ...(row.network !== null && { network: JSON.parse(row.network) }),
  ...(row.usage !== null && { usage: JSON.parse(row.usage) }),
  ...(row.cost !== null && { cost: JSON.parse(row.cost) }),
  ...(row.redaction !== null && { redaction: JSON.parse(row.redaction) }),
  ...(row.recording_pauses !== null && { recordingPauses: JSON.parse(row.recording_pauses) }),
  ...(isText(row.analysis) && { analysis: JSON.parse(row.analysis) }),
  ...(row.carrier_price !== null && { carrierPrice: JSON.parse(row.carrier_price) }),
  ...(row.recording_deleted_at !== null && { recordingDeletedAtMs: row.recording_deleted_at }),
  ...(row.transcript_deleted_at !== null && { transcriptDeletedAtMs: row.transcript_deleted_at }),
});

/** The record that a call had when it was created: in its first status, whatever has happened since. */
export const createdRecordOf = (row: CreatedRow): CallRecord =>
  withPhone(row, {
    id: row.id,
    accountId: row.account_id,
    ...(row.agent_id !== null && { agentId: row.agent_id }),
    ...(row.agent_version !== null && { agentVersion: row.agent_version }),
    ...(row.variables !== null && { variables: JSON.parse(row.variables) }),
    status: firstStatusOf(row),
    settings: {
      ...JSON.parse(row.settings),
      ...(row.tools !== undefined && { tools: JSON.parse(row.tools) }),
      ...(isText(row.analysis_settings) && { analysis: JSON.parse(row.analysis_settings) }),
    },
    createdAtMs: row.created_at,
  });

/** The column was selected, and has a value. */
const isText = (column: string | null | undefined): column is string => column !== undefined && column !== null;

function withPhone(row: CreatedRow, record: CallRecord): CallRecord {
  const phone = phoneFactsOf(row);
  return phone === undefined ? record : { ...record, phone };
}

/** The columns of a turn; without its text when `withText` is false. */
export const turnRowOf = (turn: TranscriptTurn, withText: boolean) => ({
  role: turn.role,
  text: withText ? JSON.stringify(turn.text) : null,
  start_ms: millisecondsOf(turn.startMs),
  end_ms: millisecondsOf(turn.endMs),
  interrupted: turn.interrupted ? 1 : 0,
  approximate: turn.approximate === true ? 1 : 0,
  latency: turn.latency === undefined ? null : JSON.stringify(turn.latency),
  retrieval: turn.retrieval === undefined ? null : JSON.stringify(retrievalOf(turn.retrieval, withText)),
});

const retrievalOf = ({ tookMs, passages }: ReplyPassages, withText: boolean): ReplyPassages => ({
  tookMs,
  passages: withText ? passages : passages.map(withoutNames),
});

/** The turn of a row; its text is empty when none was stored. */
export const turnOf = (row: Selectable<Tables["turns"]>): TranscriptTurn => ({
  role: row.role as TranscriptTurn["role"],
  text: row.text === null ? "" : JSON.parse(row.text),
  startMs: callMs(row.start_ms),
  endMs: callMs(row.end_ms),
  interrupted: row.interrupted === 1,
  ...(row.approximate === 1 && { approximate: true }),
  ...(row.latency !== null && { latency: JSON.parse(row.latency) }),
  ...(row.retrieval !== null && { retrieval: JSON.parse(row.retrieval) }),
});
