import { CONNECTION_TYPES, type ConnectionType, END_REASONS, type EndReason } from "./call-spec.ts";
import { counter, gauge, histogram, registryOf, TYPE, watchedGauge, watchedGauges } from "./metrics-kit.ts";
import type { WorkersMetrics } from "./metrics-sum.ts";
import { RETAINED, type Retained } from "./retention.ts";
import { budgetedTaskCounter } from "./task-metrics.ts";

const REQUEST_BUCKETS_S = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const RECORD_BUCKETS_S = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The ports of the control process. */
const HTTP_PORTS = ["api", "metrics"] as const;
export type HttpPort = (typeof HTTP_PORTS)[number];
/** Why a connection gives way: see `http-connections.ts`. */
const CLOSED_FOR = ["idle", "unread", "refused"] as const;

/** Lists are counted with transcripts and events, downloads are those of recordings. */
export const LARGE_ANSWERS = ["list", "download"] as const;
/** Whose large answers were too many. */
const ANSWERS_OF = ["account", "service"] as const;

/** How many calls there may be just now, and how many places are taken: by calls that live, and by those that wait for their streams. */
export interface PlacesTaken {
  max: number;
  active: number;
  reserved: number;
}

/** The free space of the disks that the service writes to. */
export interface DiskReading {
  /** NaN where it could not be read. */
  freeBytes: number;
  isLow: boolean;
}

/** What the control process tells, and how many of the workers beside it answered. */
export class ControlMetrics {
  readonly registry = registryOf("control");
  /** A task with a budget is over. */
  readonly budgetedTask = budgetedTaskCounter(this.registry);
  readonly #created = counter(this.registry, "calls_created_total", "Calls created by the API.", [TYPE]);
  readonly #recorded = counter(
    this.registry,
    "call_records_total",
    "Calls that are over, also those whose worker was lost.",
    ["status", "reason"],
  );
  readonly #recordTime = histogram(
    this.registry,
    "call_record_duration_seconds",
    "Making the record, transcript and recording of one call.",
    [],
    RECORD_BUCKETS_S,
  );
  readonly #requests = counter(this.registry, "api_requests_total", "Requests answered.", [
    "method",
    "route",
    "status",
  ]);
  readonly #requestTime = histogram(
    this.registry,
    "api_request_duration_seconds",
    "From a request's head to the end of its answer.",
    ["method", "route"],
    REQUEST_BUCKETS_S,
  );
  readonly #retentionDeleted = counter(
    this.registry,
    "retention_deleted_total",
    "Recordings, transcripts and records that retention deleted.",
    ["what"],
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
    ["what"],
  );
  readonly #retentionRun = gauge(
    this.registry,
    "retention_last_run_timestamp_seconds",
    "When retention last finished a run, in seconds since the Unix epoch; 0 before the first.",
  );
  readonly #connectionsClosed = counter(
    this.registry,
    "http_connections_closed_total",
    "Connections to the API and to the metrics port that were closed, or refused, for want of room.",
    ["port", "cause"],
  );
  readonly #answersRefused = counter(
    this.registry,
    "large_answers_refused_total",
    "Lists and downloads that were refused with 429 or 503: too many were under way, of one account or of all.",
    ["kind", "of"],
  );
  readonly #answersClosed = counter(
    this.registry,
    "large_answers_closed_total",
    "Lists and downloads that were closed because their clients did not read them while other accounts waited.",
    ["kind"],
  );
  readonly #ready = gauge(this.registry, "ready", "1 while new calls are taken.");
  readonly #restarts = counter(this.registry, "process_restarts_total", "Processes that were started again.", [
    "process",
  ]);
  #rendererRestarts = 0;
  readonly #recordingFailures = counter(
    this.registry,
    "recording_failures_total",
    "Recordings that could not be made from their journals.",
  );
  readonly #workers = gauge(this.registry, "workers", "Media workers, by whether they answered this scrape.", [
    "state",
  ]);

  constructor() {
    // What has not happened yet is told as 0, so that its first time is seen as an increase.
    for (const connectionType of CONNECTION_TYPES) this.#created.inc({ [TYPE]: connectionType }, 0);
    for (const kind of LARGE_ANSWERS) {
      this.#answersClosed.inc({ kind }, 0);
      for (const of of ANSWERS_OF) this.#answersRefused.inc({ kind, of }, 0);
    }
    for (const port of HTTP_PORTS) {
      for (const cause of CLOSED_FOR) this.#connectionsClosed.inc({ port, cause }, 0);
    }
    for (const reason of END_REASONS) {
      const statuses = reason === "token_expired" ? ["expired"] : ["ended", "failed"];
      for (const status of statuses) this.#recorded.inc({ status, reason }, 0);
    }
    for (const what of RETAINED) {
      this.#retentionDeleted.inc({ what }, 0);
      this.#retentionFailures.inc({ what }, 0);
    }
  }

  /** How often processes of each kind were started again since the service began. */
  restarted(counts: Readonly<Record<"control" | "worker", number>>): void {
    this.#restarts.reset();
    const all = { ...counts, renderer: this.#rendererRestarts };
    for (const [process, count] of Object.entries(all)) this.#restarts.inc({ process }, count);
  }

  /** Of this control process's renderers. */
  rendererRestarted(): void {
    this.#rendererRestarts += 1;
    this.#restarts.inc({ process: "renderer" });
  }

  recordingFailed(): void {
    this.#recordingFailures.inc();
  }

  /** `counts` are asked for at each scrape: calls that wait for their records, and calls that are in work. */
  watchRecords(counts: () => Readonly<Record<"waiting" | "in_progress", number>>): void {
    watchedGauges(this.registry, "records", "Ended calls whose records are not made yet.", "state", counts);
  }

  /** `places` are asked for at each scrape. */
  watchPlaces(places: () => PlacesTaken): void {
    const { registry } = this;
    watchedGauge(registry, "places_max", "Calls that the workers take at once, as they stand.", () => places().max);
    watchedGauge(registry, "places_active", "Places of calls that live.", () => places().active);
    watchedGauge(registry, "places_reserved", "Places of calls that wait for their streams.", () => places().reserved);
  }

  /** `disk` is asked for at each scrape. */
  watchDisk(disk: () => DiskReading): void {
    const { registry } = this;
    watchedGauge(registry, "disk_free_bytes", "Free space of the fullest disk of DATA_DIR.", () => disk().freeBytes);
    watchedGauge(registry, "disk_low", "1 while too little space is free for new calls.", () => Number(disk().isLow));
  }

  /** `counts` are asked for at each scrape: connections that are open, by the port that they came to. */
  watchConnections(counts: () => Readonly<Record<HttpPort, number>>): void {
    watchedGauges(
      this.registry,
      "http_connections",
      "Open connections to the API and to the metrics port.",
      "port",
      counts,
    );
  }

  connectionClosed(port: HttpPort, cause: (typeof CLOSED_FOR)[number]): void {
    this.#connectionsClosed.inc({ port, cause });
  }

  /** What counts the large answers of this kind that had to be refused, or closed. */
  largeAnswers(kind: (typeof LARGE_ANSWERS)[number]) {
    return {
      refused: (of: (typeof ANSWERS_OF)[number]): void => this.#answersRefused.inc({ kind, of }),
      closed: (): void => this.#answersClosed.inc({ kind }),
    };
  }

  callCreated(connectionType: ConnectionType): void {
    this.#created.inc({ [TYPE]: connectionType });
  }

  /** A call is over for good, and its record says so. */
  callRecorded(status: "ended" | "failed" | "expired", reason: EndReason): void {
    this.#recorded.inc({ status, reason });
  }

  /** The record, transcript and recording of a call were made. */
  recordMade(tookMs: number): void {
    this.#recordTime.observe(tookMs / 1_000);
  }

  /** Retention deleted a part of a call, with so many bytes of files. */
  retentionDeleted(what: Retained, bytes: number): void {
    this.#retentionDeleted.inc({ what });
    this.#retentionBytes.inc(bytes);
  }

  retentionFailed(what: Retained): void {
    this.#retentionFailures.inc({ what });
  }

  /** A run of retention is over; ms since the Unix epoch. */
  retentionRan(atMs: number): void {
    this.#retentionRun.set(atMs / 1_000);
  }

  /** `route` is the pattern of the route, never the address that was asked for. */
  requestAnswered(method: string, route: string, status: number, durationMs: number): void {
    this.#requests.inc({ method, route, status });
    this.#requestTime.observe({ method, route }, durationMs / 1_000);
  }

  /** Everything as it is now, that of the workers included, in Prometheus's text format. */
  async exposition({ exposition, up, silent }: WorkersMetrics, ready: boolean): Promise<string> {
    this.#ready.set(ready ? 1 : 0);
    this.#workers.set({ state: "up" }, up);
    this.#workers.set({ state: "silent" }, silent);
    return joined([await this.registry.metrics(), exposition].filter((text) => text.trim() !== ""));
  }
}

/** One exposition of several: the format wants all samples of a metric in one group, behind one HELP and one TYPE. */
function joined(expositions: readonly string[]): string {
  const groups = new Map<string, string[]>();
  for (const block of expositions.flatMap((exposition) => exposition.trim().split("\n\n"))) {
    const [help, type, ...samples] = block.split("\n");
    const head = `${help}\n${type}`;
    groups.set(head, [...(groups.get(head) ?? []), ...samples]);
  }
  return `${[...groups].map(([head, samples]) => [head, ...samples].join("\n")).join("\n\n")}\n`;
}
