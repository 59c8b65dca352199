import type { ExpressionBuilder, Insertable, Selectable, Updateable } from "kysely";
import { addMs } from "../../../../core/clocks.ts";
import type { AccountId, CallId } from "../../../../core/ids.ts";
import { ANALYSIS_EVENT_WAIT_MS } from "../../../../core/limits/calls/analysis.ts";
import type { WebhookEventType } from "../../../../core/webhook-events.ts";
import type { CallEnd, CallToolRun } from "../../../calls/call-store.ts";
import { ANALYSIS_JOB, ENDED_EVENT_JOB, RENDER_JOB } from "../../../job-kinds.ts";
import type { NewJob } from "../../../job-store.ts";
import type { Tables } from "../../tables.ts";
import type { EndedCall } from "../../tools/runs.ts";
import { firstAnalysisOf, isPending } from "../analyses.ts";
import { withoutRedactedValues } from "./redaction.ts";

/** What the end of a call depends on. */
export const ENDED_CALL_COLUMNS = [
  "account_id",
  "recording_enabled",
  "transcript_enabled",
  "started_at",
  "tools",
  "settings",
  "analysis_settings",
] as const;

export type EndedCallRow = Pick<Selectable<Tables["calls"]>, (typeof ENDED_CALL_COLUMNS)[number]> & {
  /** A process that died while it stored the end may have left turns. */
  has_turns: unknown;
  is_web: unknown;
};

/** What is stored with the end of a call, all of it or nothing. */
export interface Ending {
  callId: CallId;
  accountId: AccountId;
  end: CallEnd;
  isWeb: boolean;
  columns: Updateable<Tables["calls"]>;
  lastTurns: readonly Insertable<Tables["turns"]>[];
  toolRuns: { call: EndedCall; runs: readonly CallToolRun[] };
  jobs: readonly NewJob[];
  eventTypes: readonly WebhookEventType[];
}

/** A subquery that finds a row of the call in this table. */
export const hasRowIn = (calls: ExpressionBuilder<Tables, "calls">, table: "turns" | "web_calls") =>
  calls.selectFrom(table).select(`${table}.call_id`).whereRef(`${table}.call_id`, "=", "calls.id");

/** `lastTurns` are those that are not stored yet. */
export function endingOf(
  callId: CallId,
  active: EndedCallRow,
  end: CallEnd,
  { lastTurns, withText }: { lastTurns: Ending["lastTurns"]; withText: boolean },
): Ending {
  const accountId = active.account_id;
  const hasWords = withText && end.turns.some(({ text }) => text.trim() !== "");
  const analysis = firstAnalysisOf(active.analysis_settings, hasWords);
  const startedAtMs = active.started_at ?? addMs(end.endedAtMs, -end.durationMs);
  const runs = end.toolRuns ?? [];
  const hasFailedRun = runs.some(({ failed }) => failed === true);
  const of = { payload: { callId }, key: callId, accountId };
  return {
    callId,
    accountId,
    end,
    isWeb: Boolean(active.is_web),
    columns: { ...endColumns(end, withText), analysis, ...withoutRedactedValues(active.settings) },
    lastTurns,
    toolRuns: {
      call: { callId, accountId, startedAtMs, tools: JSON.parse(active.tools), storesWords: withText },
      runs,
    },
    jobs: [
      // An LLM analyses the call, and its end is announced with the result, or without it after a time.
      ...(isPending(analysis)
        ? [
            { kind: ANALYSIS_JOB, lane: accountId, ...of },
            { kind: ENDED_EVENT_JOB, delayMs: ANALYSIS_EVENT_WAIT_MS, ...of },
          ]
        : []),
      ...(end.hasJournal === true && active.recording_enabled === 1 ? [{ kind: RENDER_JOB, ...of }] : []),
    ],
    eventTypes: [
      ...(isPending(analysis) ? [] : (["call.ended"] as const)),
      ...(hasFailedRun ? (["tool.failed"] as const) : []),
    ],
  };
}

const jsonOf = (value: object | undefined): string | null => (value === undefined ? null : JSON.stringify(value));

const endColumns = (end: CallEnd, withText: boolean) => ({
  status: end.status,
  end_reason: end.endReason,
  ended_at: end.endedAtMs,
  duration_ms: end.durationMs,
  ...(end.carrierCallId !== undefined && { carrier_call_id: JSON.stringify(end.carrierCallId) }),
  parameters: withText ? jsonOf(end.parameters) : null,
  transcript_complete: end.transcriptComplete === undefined ? null : Number(end.transcriptComplete),
  counters: jsonOf(end.counters),
  latency: jsonOf(end.latency),
  network: jsonOf(end.network),
  redaction: jsonOf(end.redaction),
  recording_pauses: jsonOf(end.recordingPauses),
  usage: jsonOf(end.usage),
  cost: jsonOf(end.cost),
});
