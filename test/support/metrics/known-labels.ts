import { METHODS } from "node:http";
import { getHeapSpaceStatistics } from "node:v8";
import { CARRIER_NAMES, CONNECTION_TYPES } from "../../../src/carriers/list.ts";
import { CARRIER_OPERATIONS } from "../../../src/carriers/telephony.ts";
import { NODE_REQUEST_KINDS } from "../../../src/cluster/message-kinds.ts";
import { SPEND_LIMITS, SPEND_SCOPES } from "../../../src/core/billing/spend.ts";
import { ANALYSIS_FAILURES } from "../../../src/core/calls/analysis.ts";
import { END_REASONS, RESUME_REASONS } from "../../../src/core/calls/reasons.ts";
import { STAGES } from "../../../src/core/calls/stages.ts";
import { RETRIEVAL_MODES } from "../../../src/core/knowledge/call-knowledge.ts";
import {
  CALL_LIMITS,
  DOCUMENT_OUTCOMES,
  EVENT_STREAM_ENDS,
  INBOUND_WEBHOOK_OUTCOMES,
  JOB_OUTCOMES,
  LARGE_RESPONSES,
  REQUEST_LIMIT_SCOPES,
  SIGN_IN_OUTCOMES,
  SPAN_OUTCOMES,
  TRANSCRIPTION_ENDS,
  WEB_CALL_OUTCOMES,
  WEBHOOK_DISABLED_REASONS,
  WEBHOOK_OUTCOMES,
} from "../../../src/core/metrics/control-metrics.ts";
import {
  CALL_RETRIEVAL_OUTCOMES,
  LISTENER_ENDS,
  LLM_ABORT_REASONS,
  NODE_RELAY_OUTCOMES,
  OPUS_REFUSALS,
  PROMPT_TRIM_CAUSES,
  RAN_TOOL_KINDS,
  REDEMPTION_OUTCOMES,
  TOOL_RUN_OUTCOMES,
  TRANSCRIPT_IGNORE_REASONS,
  TURN_MILESTONES,
  TURN_STEPS,
  USAGE_UNIT_LABELS,
} from "../../../src/core/metrics/labels.ts";
import {
  ANNOUNCEMENT_OUTCOMES,
  HANDLING_OUTCOMES,
  REQUEST_OUTCOMES,
} from "../../../src/core/metrics/node-message-metrics.ts";
import { RETRIEVAL_OUTCOMES, RETRIEVAL_RANKINGS } from "../../../src/core/metrics/retrieval-metrics.ts";
import { SPEECH_END_CAUSES, SPEECH_JOB_OUTCOMES } from "../../../src/core/metrics/speech-metrics.ts";
import { BUDGETED_TASKS } from "../../../src/core/metrics/task-metrics.ts";
import { LIVE_STATES } from "../../../src/core/metrics/worker-readings.ts";
import { RETAINED_PARTS } from "../../../src/core/retention.ts";
import { SOFTWARE } from "../../../src/core/runtime/version.ts";
import { TASK_OUTCOMES } from "../../../src/core/task-processes/budgeted-process.ts";
import { MEDIA_SERVERS } from "../../../src/gateway/server/media-server.ts";
import { URGENCIES } from "../../../src/speech/local/jobs.ts";
import { CALL_STATUSES } from "../../../src/store/calls/call-store.ts";
import { JOB_KINDS } from "../../../src/store/job-kinds.ts";
import { JOB_STATUSES } from "../../../src/store/job-store.ts";
import { CARRIER_OUTCOMES } from "../../../src/telephony/carrier-client.ts";
import type { Family } from "./exposition.ts";

const PROVIDERS = ["espeak", "local", "reference", "scripted"];

/** Every value that each label may have, or what it looks like where it is a number. A label that is missing here fails the test. */
const KNOWN: Readonly<Record<string, readonly string[] | RegExp>> = {
  process: ["control", "worker", "renderer", "speech", "retrieval", "transcriber"],
  connection_type: CONNECTION_TYPES,
  direction: ["in", "out"],
  cause: [
    ...[
      "malformed",
      "ignored",
      "flood",
      "early",
      "late",
      "duplicate",
      "stale",
      "idle",
      "unread",
      "refused",
      ...SPEECH_END_CAUSES,
    ],
    ...PROMPT_TRIM_CAUSES,
  ],
  port: ["api", "metrics"],

  part: RETAINED_PARTS,
  reason: [
    ...END_REASONS,
    ...EVENT_STREAM_ENDS,
    ...LISTENER_ENDS,
    ...LLM_ABORT_REASONS,
    ...OPUS_REFUSALS,
    ...RESUME_REASONS,
    ...TRANSCRIPT_IGNORE_REASONS,
    ...WEBHOOK_DISABLED_REASONS,
  ],
  carrier: CARRIER_NAMES,
  operation: CARRIER_OPERATIONS,
  outcome: [
    ...NODE_RELAY_OUTCOMES,
    ...DOCUMENT_OUTCOMES,
    ...RETRIEVAL_OUTCOMES,
    ...CARRIER_OUTCOMES,
    ...NODE_RELAY_OUTCOMES,
    ...REDEMPTION_OUTCOMES,
    ...TOOL_RUN_OUTCOMES,
    ...CALL_RETRIEVAL_OUTCOMES,
    ...TASK_OUTCOMES,
    ...SPEECH_JOB_OUTCOMES,
    ...JOB_OUTCOMES,
    ...INBOUND_WEBHOOK_OUTCOMES,
    ...WEBHOOK_OUTCOMES,
    ...SIGN_IN_OUTCOMES,
    ...SPAN_OUTCOMES,
    ...WEB_CALL_OUTCOMES,
    ...["completed", ...ANALYSIS_FAILURES],
    ...REQUEST_OUTCOMES,
    ...HANDLING_OUTCOMES,
    ...ANNOUNCEMENT_OUTCOMES,
  ],
  retrieval: RETRIEVAL_MODES,
  by: RETRIEVAL_RANKINGS,
  urgency: URGENCIES,
  task: BUDGETED_TASKS,
  state: [...LIVE_STATES, "up", "silent", "waiting", "in_progress"],
  stage: STAGES,
  detector: /^(silero-[\w-]+\+)?fvad[23]$/,
  vad_stage: ["gate", "network", "fallback"],
  milestone: TURN_MILESTONES,
  step: TURN_STEPS,
  unit: USAGE_UNIT_LABELS,
  scope: [...SPEND_SCOPES, "service", ...REQUEST_LIMIT_SCOPES],
  limit: [...SPEND_LIMITS, ...CALL_LIMITS],
  provider: PROVIDERS,
  from: PROVIDERS,
  to: PROVIDERS,
  method: METHODS,
  status: /^[1-5]\d\d$/,
  software: [SOFTWARE],
  media_server: MEDIA_SERVERS,
  le: /^(\d+(\.\d+)?|\+Inf)$/,
  quantile: ["0.5", "0.9", "0.99", "1"],
  // Of large responses, of background jobs, of requests to other nodes, and of Node's own garbage collections.
  kind: [
    ...NODE_REQUEST_KINDS,
    "unknown",
    ...RAN_TOOL_KINDS,
    ...LARGE_RESPONSES,
    ...JOB_KINDS,
    "major",
    "minor",
    "incremental",
    "weakcb",
  ],
  space: getHeapSpaceStatistics().map(({ space_name }) => space_name.replace(/_space$/, "")),
  version: [process.version],
  major: /^\d+$/,
  minor: /^\d+$/,
  patch: /^\d+$/,
};

/** The labels of an exposition whose values stand in no list; `routes` are the patterns of the API's routes. */
export function unknownLabels(families: ReadonlyMap<string, Family>, routes: readonly string[] = []): string[] {
  const isKnown = (name: string, label: string, value: string): boolean => {
    if (label === "route") return value === "none" || routes.includes(value);
    if (name === "trunkline_call_records_total" && label === "status")
      return CALL_STATUSES.some((one) => one === value);
    if (name === "trunkline_transcriptions_total" && label === "status")
      return TRANSCRIPTION_ENDS.some((one) => one === value);
    if (name === "trunkline_jobs" && label === "status") return JOB_STATUSES.some((one) => one === value);
    const known = KNOWN[label];
    return known instanceof RegExp ? known.test(value) : (known?.includes(value) ?? false);
  };
  return [...families.values()].flatMap(({ samples }) =>
    samples.flatMap(({ name, labels }) =>
      Object.entries(labels).flatMap(([label, value]) =>
        isKnown(name, label, value) ? [] : [`${name}{${label}="${value}"}`],
      ),
    ),
  );
}
