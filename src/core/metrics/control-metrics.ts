import type { AnalysisFailure } from "../calls/analysis.ts";
import { END_REASONS, type EndReason } from "../calls/reasons.ts";
import type { ConnectionType } from "../calls/spec.ts";
import { type EpochMs, millisecondsOf } from "../clocks.ts";
import { DOCUMENT_FAILURE_CODES, type DocumentFailureCode } from "../knowledge/documents.ts";
import { RETAINED_PARTS, type RetainedPart } from "../retention.ts";
import type { WorkersMetrics } from "./aggregation.ts";
import {
  CONNECTION_TYPE_LABEL,
  counter,
  gauge,
  histogram,
  observableGauge,
  observableGauges,
  registryOf,
} from "./instruments.ts";
import { budgetedTaskCounter } from "./task-metrics.ts";

const REQUEST_BUCKETS_S = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const JOB_BUCKETS_S = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 3_600];
const DOCUMENT_BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300];
const RECORD_BUCKETS_S = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The ports of the control process. */
const HTTP_PORTS = ["api", "metrics"] as const;
export type HttpPort = (typeof HTTP_PORTS)[number];
/** Why a connection is closed: see `http-connections.ts`. */
const CLOSE_CAUSES = ["idle", "unread", "refused"] as const;

/**
 * `list` includes transcripts, events and results of transcriptions; `download` is a recording, `upload` a file to transcribe or a document,
 * and `corpus_query` a question to a corpus.
 */
export const LARGE_RESPONSES = ["list", "download", "upload", "corpus_query"] as const;
/** How transcriptions end. */
export const TRANSCRIPTION_ENDS = ["completed", "failed", "cancelled"] as const;
export type TranscriptionEnd = (typeof TRANSCRIPTION_ENDS)[number];

/** How the processing of a document ends: its text can be found, or the reason why not. */
export const DOCUMENT_OUTCOMES = ["ready", ...DOCUMENT_FAILURE_CODES] as const;

/** Whose limit was reached. */
const LARGE_RESPONSE_SCOPES = ["account", "service"] as const;

/** Whose limit of requests a minute was reached. */
export const REQUEST_LIMIT_SCOPES = ["api_key", "user", "account"] as const;

/** What becomes of an attempt to sign in by a password. */
export const SIGN_IN_OUTCOMES = ["signed_in", "refused", "limited", "overloaded"] as const;

/** Which limit refused a new call: of concurrent calls, of created calls a minute, or of a carrier's calls that wait to be dialled. */
export const CALL_LIMITS = [
  "api_key_calls",
  "account_calls",
  "account_creations",
  "carrier_waiting",
  "account_waiting",
] as const;

/**
 * What becomes of a request with a publishable key: the call was `created`, the `origin` is not one of the key's, the key
 * was `revoked` meanwhile, or a limit was reached.
 */
export const WEB_CALL_OUTCOMES = [
  "created",
  "origin",
  "revoked",
  "starts",
  "starts_of_address",
  "addresses_full",
  "concurrent_calls",
  "concurrent_calls_of_address",
  "cost",
  "cost_of_address",
] as const;
export type WebCallOutcome = (typeof WEB_CALL_OUTCOMES)[number];

/**
 * Why a stream of events ends: the `client` disconnected, it was too `slow`, its API key or session was `revoked`, the service stops
 * (`shutdown`), or it has all events that it asked for (`complete`).
 */
export const EVENT_STREAM_ENDS = ["client", "slow", "revoked", "shutdown", "complete"] as const;
export type EventStreamEnd = (typeof EVENT_STREAM_ENDS)[number];

/** What becomes of a job by an attempt. */
export const JOB_OUTCOMES = ["done", "again", "retry", "dead"] as const;
/** What becomes of an attempt to deliver an event. */
/**
 * What became of a question to the inbound webhook of a number: it has `answered` or `refused` the call, or the saved agent answered,
 * because no answer came in time (`failed`) or it could not be used (`invalid`).
 */
export const INBOUND_WEBHOOK_OUTCOMES = ["answered", "refused", "failed", "invalid"] as const;

export const WEBHOOK_OUTCOMES = ["delivered", "failed"] as const;
/** Why the service disables a webhook. */
export const WEBHOOK_DISABLED_REASONS = ["gone", "failing"] as const;

/** What becomes of a span of a trace: the collector has taken it or has not, or too many waited to be sent. */
export const SPAN_OUTCOMES = ["exported", "failed", "dropped"] as const;
export type SpanOutcome = (typeof SPAN_OUTCOMES)[number];

/** The call slots: how many there are, and how many are taken by live calls and by calls that wait for their streams. */
export interface SlotUsage {
  max: number;
  active: number;
  reserved: number;
}

/** The free space of the disks that the service writes to. */
export interface DiskReading {
  /** NaN when it could not be read. */
  freeBytes: number;
  isLow: boolean;
}

/** The metrics of the control process, and of how many workers answered the scrape. */
export class ControlMetrics {
  readonly registry = registryOf("control");
  /** A task with a budget has ended. */
  readonly budgetedTask = budgetedTaskCounter(this.registry);
  readonly #created = counter(this.registry, "calls_created_total", "Calls created by the API.", [
    CONNECTION_TYPE_LABEL,
  ]);
  readonly #recorded = counter(
    this.registry,
    "call_records_total",
    "Ended calls with a record, including lost, cancelled and expired ones.",
    ["status", "reason"],
  );
  readonly #recordTime = histogram(
    this.registry,
    "call_record_duration_seconds",
    "Time to make the record, transcript and recording of a call.",
    [],
    RECORD_BUCKETS_S,
  );
  readonly #requests = counter(
    this.registry,
    "api_requests_total",
    "Requests to the API that were answered, by the route's pattern.",
    ["method", "route", "status"],
  );
  readonly #requestTime = histogram(
    this.registry,
    "api_request_duration_seconds",
    "From a request's head to the end of its answer, by the route's pattern, except for streams of events.",
    ["method", "route"],
    REQUEST_BUCKETS_S,
  );
  readonly #requestsLimited = counter(
    this.registry,
    "api_requests_limited_total",
    "Requests to the API that were refused with 429 because the API key, the person or the account had reached its limit of requests a minute.",
    ["scope"],
  );
  readonly #signIns = counter(
    this.registry,
    "sign_ins_total",
    "Attempts of people to sign in by a password. `limited`: there were too many wrong ones. `overloaded`: too many passwords wait to be hashed.",
    ["outcome"],
  );
  readonly #callsLimited = counter(
    this.registry,
    "calls_limited_total",
    "New calls that were refused with 429 because the API key or the account had reached its limit of concurrent calls, the account that of created calls a minute, or a carrier or the account that of calls that wait to be dialled (`carrier_waiting`, `account_waiting`).",
    ["limit"],
  );
  readonly #eventStreamsEnded = counter(
    this.registry,
    "event_streams_ended_total",
    "Streams of `GET /events` that ended. `slow`: the client left events unread for 10 s. `revoked`: its API key or session is no longer valid. `complete`: it was not to follow.",
    ["reason"],
  );
  readonly #carrierRequests = counter(
    this.registry,
    "carrier_requests_total",
    "Requests to the APIs of carriers. `refused` and `gone`: the carrier has done nothing. `busy`: it takes no requests at present. `unreachable`: no connection could be made. `uncertain`: it may have done what it was asked for.",
    ["carrier", "operation", "outcome"],
  );
  readonly #inboundWebhooks = counter(
    this.registry,
    "inbound_webhook_requests_total",
    "Questions to the inbound webhooks of telephone numbers. `failed`: no answer came in time. `invalid`: it could not be used. After both the saved agent answers.",
    ["outcome"],
  );
  readonly #webCalls = counter(
    this.registry,
    "web_call_starts_total",
    "Requests with publishable keys to start calls: `created`, or why they were refused. `origin`: it is none of the publishable key's. The others name the limit; `addresses_full`: more addresses than can be counted have started calls within a minute.",
    ["outcome"],
  );
  readonly #shippedBytes = counter(
    this.registry,
    "journal_shipped_bytes_total",
    "Bytes of journals that were stored in the bucket.",
  );
  readonly #shippingFailures = counter(
    this.registry,
    "journal_shipping_failures_total",
    "Attempts to ship a journal to the bucket that failed. They are repeated.",
  );
  readonly #retentionDeleted = counter(
    this.registry,
    "retention_deleted_total",
    "Recordings, transcripts and records that retention deleted.",
    ["part"],
  );
  readonly #retentionBytes = counter(
    this.registry,
    "retention_deleted_bytes_total",
    "Bytes of files that retention deleted.",
  );
  readonly #retentionFailures = counter(
    this.registry,
    "retention_failures_total",
    "Recordings, transcripts and records that retention could not delete; the next run tries again.",
    ["part"],
  );
  readonly #retentionRun = gauge(
    this.registry,
    "retention_last_run_timestamp_seconds",
    "When retention last finished a run, in seconds since the Unix epoch; 0 before the first.",
  );
  readonly #jobs = counter(
    this.registry,
    "job_attempts_total",
    "Attempts of background jobs, by what became of the job. `again`: it runs by a schedule and is done for this time. `retry`: it failed and is attempted again. `dead`: it failed for good.",
    ["kind", "outcome"],
  );
  readonly #jobTime = histogram(
    this.registry,
    "job_attempt_duration_seconds",
    "Time that an attempt of a background job took.",
    ["kind"],
    JOB_BUCKETS_S,
  );
  readonly #webhookAttempts = counter(
    this.registry,
    "webhook_attempts_total",
    "Attempts to deliver an event to a webhook.",
    ["outcome"],
  );
  readonly #webhookTime = histogram(
    this.registry,
    "webhook_attempt_duration_seconds",
    "From the look-up of a webhook's address to the end of its answer.",
    [],
    REQUEST_BUCKETS_S,
  );
  readonly #webhooksFilled = counter(
    this.registry,
    "webhooks_filled_total",
    "How often so many deliveries of a webhook waited that further ones failed at once. They can be replayed.",
  );
  readonly #webhooksDisabled = counter(
    this.registry,
    "webhooks_disabled_total",
    "Webhooks that the service disabled. `gone`: the endpoint answered 410. `failing`: it failed for five days.",
    ["reason"],
  );
  readonly #connectionsClosed = counter(
    this.registry,
    "http_connections_closed_total",
    "Connections to the API and the metrics port that were closed because the connection limit was reached. `idle`: they had no complete request. `unread`: their response was not read. `refused`: all other connections had a request in progress.",
    ["port", "cause"],
  );
  readonly #responsesRefused = counter(
    this.registry,
    "large_responses_refused_total",
    "Lists, transcripts and events (`list`), downloads of recordings (`download`), uploads of files to transcribe and of documents (`upload`) and questions to corpora (`corpus_query`) that were refused because too many were in progress: with 429 those of the `account`, with 503 those of the `service`.",
    ["kind", "scope"],
  );
  readonly #responsesClosed = counter(
    this.registry,
    "large_responses_closed_total",
    "Lists, transcripts and events (`list`) and downloads of recordings (`download`) that were closed because their clients did not read them while other accounts waited.",
    ["kind"],
  );
  readonly #transcriptions = counter(this.registry, "transcriptions_total", "Transcriptions that are over.", [
    "status",
  ]);
  readonly #transcriptionAudio = counter(
    this.registry,
    "transcription_audio_seconds_total",
    "Audio that providers were sent for transcriptions that are over.",
    ["provider"],
  );
  readonly #documents = counter(
    this.registry,
    "documents_processed_total",
    "Documents of corpora whose processing has ended: `ready`, or the reason of the failure.",
    ["outcome"],
  );
  readonly #documentTimes = histogram(
    this.registry,
    "document_processing_seconds",
    "From the beginning of the last attempt at a document to its end, fetching and waiting for the process that reads included.",
    ["outcome"],
    DOCUMENT_BUCKETS_S,
  );
  readonly #spans = counter(
    this.registry,
    "trace_spans_total",
    "Spans of the traces of calls. `exported`: the collector has taken them. `failed`: it refused them or did not answer. `dropped`: too many waited.",
    ["outcome"],
  );
  readonly #ready = gauge(this.registry, "ready", "1 while new calls are accepted.");
  readonly #restarts = counter(
    this.registry,
    "process_restarts_total",
    "Processes that were restarted: by the supervisor, and the `renderer` and the `transcriber` by the control process.",
    ["process"],
  );
  #rendererRestarts = 0;
  #transcriberRestarts = 0;
  readonly #recordingFailures = counter(
    this.registry,
    "recording_failures_total",
    "Recordings that could not be made from their journals.",
  );
  readonly #analyses = counter(
    this.registry,
    "analyses_total",
    "Analyses of ended calls, by what came of them: `completed`, or the reason why there is none.",
    ["outcome"],
  );
  readonly #workers = gauge(
    this.registry,
    "workers",
    "Media workers, by whether they answered this scrape (`up`) or not (`silent`).",
    ["state"],
  );

  /** `connectionTypes`: all that calls can have. */
  constructor(connectionTypes: readonly ConnectionType[]) {
    // Counters start at 0, so that their first increment is visible as an increase.
    for (const connectionType of connectionTypes) this.#created.inc({ [CONNECTION_TYPE_LABEL]: connectionType }, 0);
    for (const kind of LARGE_RESPONSES) {
      this.#responsesClosed.inc({ kind }, 0);
      for (const scope of LARGE_RESPONSE_SCOPES) this.#responsesRefused.inc({ kind, scope }, 0);
    }
    for (const port of HTTP_PORTS) {
      for (const cause of CLOSE_CAUSES) this.#connectionsClosed.inc({ port, cause }, 0);
    }
    for (const reason of END_REASONS) {
      const statuses = reason === "token_expired" ? ["expired"] : ["ended", "failed"];
      for (const status of statuses) this.#recorded.inc({ status, reason }, 0);
    }
    for (const part of RETAINED_PARTS) {
      this.#retentionDeleted.inc({ part }, 0);
      this.#retentionFailures.inc({ part }, 0);
    }
    for (const outcome of SPAN_OUTCOMES) this.#spans.inc({ outcome }, 0);
    for (const status of TRANSCRIPTION_ENDS) this.#transcriptions.inc({ status }, 0);
    for (const outcome of DOCUMENT_OUTCOMES) this.#documents.inc({ outcome }, 0);
    for (const outcome of ["ready", "failed"]) this.#documentTimes.zero({ outcome });
    for (const scope of REQUEST_LIMIT_SCOPES) this.#requestsLimited.inc({ scope }, 0);
    for (const outcome of SIGN_IN_OUTCOMES) this.#signIns.inc({ outcome }, 0);
    for (const limit of CALL_LIMITS) this.#callsLimited.inc({ limit }, 0);
    for (const reason of EVENT_STREAM_ENDS) this.#eventStreamsEnded.inc({ reason }, 0);
    for (const outcome of WEB_CALL_OUTCOMES) this.#webCalls.inc({ outcome }, 0);
    for (const outcome of INBOUND_WEBHOOK_OUTCOMES) this.#inboundWebhooks.inc({ outcome }, 0);
    for (const outcome of WEBHOOK_OUTCOMES) this.#webhookAttempts.inc({ outcome }, 0);
    for (const reason of WEBHOOK_DISABLED_REASONS) this.#webhooksDisabled.inc({ reason }, 0);
  }

  /** This became of so many spans of traces. */
  spansCounted(outcome: SpanOutcome, spans: number): void {
    this.#spans.inc({ outcome }, spans);
  }

  /** A transcription is over; `used` is what its providers were sent, in seconds by provider. */
  transcriptionEnded(status: TranscriptionEnd, used: ReadonlyMap<string, number>): void {
    this.#transcriptions.inc({ status });
    for (const [provider, audioSeconds] of used) this.#transcriptionAudio.inc({ provider }, audioSeconds);
  }

  /** The processing of a document has ended. */
  documentEnded(outcome: "ready" | DocumentFailureCode): void {
    this.#documents.inc({ outcome });
  }

  /** An attempt that ended the processing of a document took this time. */
  documentProcessed(outcome: "ready" | "failed", tookMs: number): void {
    this.#documentTimes.observe({ outcome }, tookMs / 1_000);
  }

  /** `processing` is called at each scrape. */
  observeTranscriptions(processing: () => number): void {
    const help = "Transcriptions in progress in this process.";
    observableGauge(this.registry, "transcriptions_processing", help, processing);
  }

  /** How often processes of each kind were restarted since the service started. */
  setRestarts(counts: Readonly<Record<"control" | "worker" | "speech" | "retrieval", number>>): void {
    this.#restarts.reset();
    const all = { ...counts, renderer: this.#rendererRestarts, transcriber: this.#transcriberRestarts };
    for (const [process, count] of Object.entries(all)) this.#restarts.inc({ process }, count);
  }

  /** Restarts of this control process's renderer. */
  rendererRestarted(): void {
    this.#rendererRestarts += 1;
    this.#restarts.inc({ process: "renderer" });
  }

  transcriberDied(): void {
    this.#transcriberRestarts += 1;
    this.#restarts.inc({ process: "transcriber" });
  }

  /** An analysis is completed, or has failed for this reason. */
  analysisSettled(outcome: "completed" | AnalysisFailure): void {
    this.#analyses.inc({ outcome });
  }

  recordingFailed(): void {
    this.#recordingFailures.inc();
  }

  /** Background jobs of this kind are attempted here: their counters start at 0. */
  registerJobKind(kind: string): void {
    for (const outcome of JOB_OUTCOMES) this.#jobs.inc({ kind, outcome }, 0);
  }

  jobAttempted(kind: string, outcome: (typeof JOB_OUTCOMES)[number], tookMs: number): void {
    this.#jobs.inc({ kind, outcome });
    this.#jobTime.observe({ kind }, tookMs / 1_000);
  }

  /** `counts` and `oldestDueMs` are read at each scrape. */
  observeJobs(statistics: () => { counts: Readonly<Record<string, number>>; oldestDueMs: number }): void {
    observableGauges(
      this.registry,
      "jobs",
      "Background jobs. `dead`: they failed for good, and wait for an operator. Read every 10 s.",
      "status",
      () => statistics().counts,
    );
    observableGauge(
      this.registry,
      "job_oldest_due_seconds",
      "How long the background job that is due the longest has waited. Read every 10 s.",
      () => statistics().oldestDueMs / 1_000,
    );
  }

  /** A carrier's API was asked for something. */
  carrierAsked(carrier: string, operation: string, outcome: string): void {
    this.#carrierRequests.inc({ carrier, operation, outcome });
  }

  /** The inbound webhook of a number was asked about a call. */
  inboundWebhookAsked(outcome: (typeof INBOUND_WEBHOOK_OUTCOMES)[number]): void {
    this.#inboundWebhooks.inc({ outcome });
  }

  webhookAttempted(outcome: (typeof WEBHOOK_OUTCOMES)[number], tookMs: number): void {
    this.#webhookAttempts.inc({ outcome });
    this.#webhookTime.observe(tookMs / 1_000);
  }

  webhookFilled(): void {
    this.#webhooksFilled.inc();
  }

  webhookDisabled(reason: string): void {
    this.#webhooksDisabled.inc({ reason });
  }

  /** `counts` is called at each scrape: calls that wait for their records, and calls in progress. */
  observeRecords(counts: () => Readonly<Record<"waiting" | "in_progress", number>>): void {
    observableGauges(
      this.registry,
      "call_records_pending",
      "Ended calls whose records are not made yet.",
      "state",
      counts,
    );
  }

  /** `slots` is called at each scrape. */
  observeSlots(slots: () => SlotUsage): void {
    const { registry } = this;
    observableGauge(registry, "call_slots_max", "Call slots of the workers that accept calls.", () => slots().max);
    observableGauge(registry, "call_slots_active", "Call slots taken by live calls.", () => slots().active);
    observableGauge(
      registry,
      "call_slots_reserved",
      "Call slots reserved for created calls whose stream has not connected yet.",
      () => slots().reserved,
    );
  }

  /** `disk` is called at each scrape. */
  observeDisk(disk: () => DiskReading): void {
    const { registry } = this;
    observableGauge(registry, "disk_free_bytes", "Free space of the fullest disk of DATA_DIR.", () => disk().freeBytes);
    observableGauge(
      registry,
      "disk_low",
      "1 while the free space is below DISK_FREE_MIN_MB and new calls are refused.",
      () => Number(disk().isLow),
    );
  }

  /** Bytes of journals were stored in the bucket. */
  journalShipped(bytes: number): void {
    this.#shippedBytes.inc(bytes);
  }

  /** A journal could not be shipped, or it was not known which are to be. */
  shippingFailed(): void {
    this.#shippingFailures.inc();
  }

  /** `reading` is called at each scrape. */
  observeShipping(reading: () => { bytesWaiting: number; oldestMs: number }): void {
    const { registry } = this;
    observableGauge(
      registry,
      "journal_bytes_waiting",
      "Bytes of journals on this disk that are not in the bucket yet; 0 without a bucket.",
      () => reading().bytesWaiting,
    );
    observableGauge(
      registry,
      "journal_oldest_waiting_seconds",
      "The age of the oldest of these bytes: what would be lost with this disk.",
      () => reading().oldestMs / 1_000,
    );
  }

  /** `isLost` is called at each scrape. */
  observeDatabase(isLost: () => boolean): void {
    observableGauge(
      this.registry,
      "database_lost",
      "1 while the database does not answer, or its file was removed or replaced: new calls are refused.",
      () => Number(isLost()),
    );
  }

  /** `counts` is called at each scrape: open connections by port. */
  observeConnections(counts: () => Readonly<Record<HttpPort, number>>): void {
    observableGauges(
      this.registry,
      "http_connections",
      "Open connections to the API and to the metrics port.",
      "port",
      counts,
    );
  }

  connectionClosed(port: HttpPort, cause: (typeof CLOSE_CAUSES)[number]): void {
    this.#connectionsClosed.inc({ port, cause });
  }

  /** The counter of large responses of this kind that were refused or aborted. */
  largeResponses(kind: (typeof LARGE_RESPONSES)[number]) {
    return {
      refused: (scope: (typeof LARGE_RESPONSE_SCOPES)[number]): void => this.#responsesRefused.inc({ kind, scope }),
      closed: (): void => this.#responsesClosed.inc({ kind }),
    };
  }

  callCreated(connectionType: ConnectionType): void {
    this.#created.inc({ [CONNECTION_TYPE_LABEL]: connectionType });
  }

  /** A call has ended, and its record says so. */
  callRecorded(status: "ended" | "failed" | "expired", reason: EndReason): void {
    this.#recorded.inc({ status, reason });
  }

  /** The record, transcript and recording of a call were made. */
  recordMade(tookMs: number): void {
    this.#recordTime.observe(tookMs / 1_000);
  }

  /** Retention deleted a part of a call, with this many bytes of files. */
  retentionDeleted(part: RetainedPart, bytes: number): void {
    this.#retentionDeleted.inc({ part });
    this.#retentionBytes.inc(bytes);
  }

  retentionFailed(part: RetainedPart): void {
    this.#retentionFailures.inc({ part });
  }

  /** A run of retention has ended. */
  retentionRan(at: EpochMs): void {
    this.#retentionRun.set(millisecondsOf(at) / 1_000);
  }

  /** `route` is the pattern of the route, never the requested path. */
  requestAnswered(method: string, route: string, status: number, durationMs: number | undefined): void {
    this.#requests.inc({ method, route, status });
    if (durationMs !== undefined) this.#requestTime.observe({ method, route }, durationMs / 1_000);
  }

  /** A request was refused because this limit of requests a minute was reached. */
  requestLimited(scope: (typeof REQUEST_LIMIT_SCOPES)[number]): void {
    this.#requestsLimited.inc({ scope });
  }

  /** A person tried to sign in. */
  signInAttempted(outcome: (typeof SIGN_IN_OUTCOMES)[number]): void {
    this.#signIns.inc({ outcome });
  }

  /** A new call was refused because this limit was reached. */
  callLimited(limit: (typeof CALL_LIMITS)[number]): void {
    this.#callsLimited.inc({ limit });
  }

  /** A stream of events has ended. */
  eventStreamEnded(reason: EventStreamEnd): void {
    this.#eventStreamsEnded.inc({ reason });
  }

  /** The streams of events that are open; called once. */
  observeEventStreams(count: () => number): void {
    observableGauge(this.registry, "event_streams", "Streams of `GET /events` that are open.", count);
  }

  /** A publishable key has started a call, or was refused it. */
  webCallStarted(outcome: WebCallOutcome): void {
    this.#webCalls.inc({ outcome });
  }

  /** All current metrics, including those of the workers and `ofSpeech` of the speech process, in the Prometheus text format. */
  async exposition(
    { exposition, up, silent }: WorkersMetrics,
    ready: boolean,
    others: readonly (string | undefined)[] = [],
  ): Promise<string> {
    this.#ready.set(ready ? 1 : 0);
    this.#workers.set({ state: "up" }, up);
    this.#workers.set({ state: "silent" }, silent);
    const expositions = [await this.registry.metrics(), exposition, ...others.map((text) => text ?? "")];
    return mergedExposition(expositions.filter((text) => text.trim() !== ""));
  }
}

/** Merges expositions: the format requires all samples of a metric in one group, after one HELP and one TYPE. */
function mergedExposition(expositions: readonly string[]): string {
  const groups = new Map<string, string[]>();
  for (const block of expositions.flatMap((exposition) => exposition.trim().split("\n\n"))) {
    const [help, type, ...samples] = block.split("\n");
    const head = `${help}\n${type}`;
    groups.set(head, [...(groups.get(head) ?? []), ...samples]);
  }
  return `${[...groups].map(([head, samples]) => [head, ...samples].join("\n")).join("\n\n")}\n`;
}
