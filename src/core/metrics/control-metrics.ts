import { END_REASONS, type EndReason } from "../calls/reasons.ts";
import type { ConnectionType } from "../calls/spec.ts";
import { type EpochMs, millisecondsOf } from "../clocks.ts";
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
const RECORD_BUCKETS_S = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The ports of the control process. */
const HTTP_PORTS = ["api", "metrics"] as const;
export type HttpPort = (typeof HTTP_PORTS)[number];
/** Why a connection is closed: see `http-connections.ts`. */
const CLOSE_CAUSES = ["idle", "unread", "refused"] as const;

/** `list` includes transcripts and events; `download` is a recording. */
export const LARGE_RESPONSES = ["list", "download"] as const;
/** Whose limit was reached. */
const LARGE_RESPONSE_SCOPES = ["account", "service"] as const;

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
    "From a request's head to the end of its answer, by the route's pattern.",
    ["method", "route"],
    REQUEST_BUCKETS_S,
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
    "Attempts of background jobs, by what became of the job: `done`, `again` for one that runs by a schedule, `retry`, or `dead`.",
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
    "Attempts to deliver an event to a webhook: `delivered` or `failed`.",
    ["outcome"],
  );
  readonly #webhookTime = histogram(
    this.registry,
    "webhook_attempt_duration_seconds",
    "From the look-up of a webhook's address to the end of its answer.",
    [],
    REQUEST_BUCKETS_S,
  );
  readonly #webhooksDisabled = counter(
    this.registry,
    "webhooks_disabled_total",
    "Webhooks that were disabled, because their endpoint is `gone` or was `failing` for days.",
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
    "Lists, transcripts and events (`list`) and downloads of recordings (`download`) that were refused because too many were in progress: with 429 those of the `account`, with 503 those of the `service`.",
    ["kind", "scope"],
  );
  readonly #responsesClosed = counter(
    this.registry,
    "large_responses_closed_total",
    "Lists, transcripts and events (`list`) and downloads of recordings (`download`) that were closed because their clients did not read them while other accounts waited.",
    ["kind"],
  );
  readonly #ready = gauge(this.registry, "ready", "1 while new calls are accepted.");
  readonly #restarts = counter(
    this.registry,
    "process_restarts_total",
    "Processes that were restarted: by the supervisor, and the `renderer` by the control process.",
    ["process"],
  );
  #rendererRestarts = 0;
  readonly #recordingFailures = counter(
    this.registry,
    "recording_failures_total",
    "Recordings that could not be made from their journals.",
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
  }

  /** How often processes of each kind were restarted since the service started. */
  setRestarts(counts: Readonly<Record<"control" | "worker" | "speech", number>>): void {
    this.#restarts.reset();
    const all = { ...counts, renderer: this.#rendererRestarts };
    for (const [process, count] of Object.entries(all)) this.#restarts.inc({ process }, count);
  }

  /** Restarts of this control process's renderer. */
  rendererRestarted(): void {
    this.#rendererRestarts += 1;
    this.#restarts.inc({ process: "renderer" });
  }

  recordingFailed(): void {
    this.#recordingFailures.inc();
  }

  jobAttempted(kind: string, outcome: string, tookMs: number): void {
    this.#jobs.inc({ kind, outcome });
    this.#jobTime.observe({ kind }, tookMs / 1_000);
  }

  /** `counts` and `oldestDueMs` are read at each scrape. */
  observeJobs(statistics: () => { counts: Readonly<Record<string, number>>; oldestDueMs: number }): void {
    observableGauges(
      this.registry,
      "jobs",
      "Background jobs: `pending`, `running`, and `dead` ones that wait for an operator.",
      "status",
      () => statistics().counts,
    );
    observableGauge(
      this.registry,
      "job_oldest_due_seconds",
      "For how long the background job that is due the longest has waited.",
      () => statistics().oldestDueMs / 1_000,
    );
  }

  webhookAttempted(outcome: "delivered" | "failed", tookMs: number): void {
    this.#webhookAttempts.inc({ outcome });
    this.#webhookTime.observe(tookMs / 1_000);
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
  requestAnswered(method: string, route: string, status: number, durationMs: number): void {
    this.#requests.inc({ method, route, status });
    this.#requestTime.observe({ method, route }, durationMs / 1_000);
  }

  /** All current metrics, including those of the workers and `ofSpeech` of the speech process, in the Prometheus text format. */
  async exposition({ exposition, up, silent }: WorkersMetrics, ready: boolean, ofSpeech = ""): Promise<string> {
    this.#ready.set(ready ? 1 : 0);
    this.#workers.set({ state: "up" }, up);
    this.#workers.set({ state: "silent" }, silent);
    return mergedExposition([await this.registry.metrics(), exposition, ofSpeech].filter((text) => text.trim() !== ""));
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
