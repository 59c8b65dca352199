import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { CONNECTION_TYPES, type ConnectionType, END_REASONS, type EndReason, type TurnLatency } from "./call-spec.ts";
import type { ProcessMetrics, WorkersMetrics } from "./metrics-sum.ts";
import { SOFTWARE } from "./software.ts";

// Every metric of the service stands here, and only here is prom-client known; README.md tells what each is good for.
// Labels take their values from lists of ours and nothing else: no id, no token, no number, no text of anybody.

/** What a live call is at: its carrier has not said `start` yet, or what its agent does. */
export const LIVE_STATES = ["opening", "listening", "thinking", "speaking"] as const;
export type LiveState = (typeof LIVE_STATES)[number];

/** The parts of a call that somebody else may have made. */
export type Engine = "ear" | "model" | "voice";

/** What every call counts. No metric is touched while frames go by: these are read at each scrape. */
export interface CallCounts {
  framesIn: number;
  framesOut: number;
  /** Frames sent after the caller's buffer had run dry. */
  late: number;
  /** How often speech ran out in the middle of a reply. */
  underruns: number;
  /** Messages that broke the carrier's protocol. */
  malformed: number;
  /** Messages that are legal, or unknown, and of no use, or that came too often. */
  ignored: number;
  /** Messages before the carrier's `start`. */
  early: number;
  /** Audio that came after its place had been given up, where audio may come out of order. */
  lateAudio: number;
  /** The same audio once more. */
  duplicateAudio: number;
  /** Audio that a stall had held up for longer than is made up for. */
  staleAudio: number;
}

/** What a worker knows of itself at any moment. */
export interface WorkerReadings {
  /** Live calls. */
  calls: Readonly<Record<LiveState, number>>;
  /** How many there may be. */
  callsMax: number;
  /** Sums over all calls since the process began, those that live included. */
  counts: ReadonlyMap<ConnectionType, Readonly<CallCounts>>;
  /** Slots of the ticker that were left out because the loop had stalled. */
  slotsSkipped: number;
  journalBytes: number;
  journalPendingBytes: number;
  journalFailures: number;
}

export const REDEMPTION_OUTCOMES = ["redeemed", "refused", "failed"] as const;
/** `refused`: unknown, used or expired. `failed`: the store gave no answer. */
export type RedemptionOutcome = (typeof REDEMPTION_OUTCOMES)[number];

/** The label that says which transport a call has. */
const TYPE = "connection_type";

/** From an answer nobody waits for to one that the caller takes for a dead line. */
const LATENCY_BUCKETS_S = [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10];
const REQUEST_BUCKETS_S = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const RECORD_BUCKETS_S = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What an exposition is served as. */
export const EXPOSITION_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** What a media worker tells. Its methods are for what happens once a call, or once a turn; never for frames. */
export class WorkerMetrics {
  readonly registry = registryOf("worker");
  readonly #read: () => WorkerReadings;
  readonly #started = counter(this.registry, "calls_started_total", "Calls whose stream was opened.", [TYPE]);
  readonly #ended = counter(this.registry, "calls_ended_total", "Calls that ended in this process.", ["reason"]);
  readonly #redeemed = counter(this.registry, "token_redemptions_total", "Tokens taken to the store.", ["outcome"]);
  readonly #refused = counter(this.registry, "upgrades_refused_total", "Streams refused, by HTTP status.", ["status"]);
  readonly #failed = counter(this.registry, "engine_failures_total", "Failures of engines.", ["engine", "provider"]);
  readonly #latency = histogram(
    this.registry,
    "turn_latency_seconds",
    "From the caller's last voiced frame to each stage of the agent's answer.",
    ["stage"],
    LATENCY_BUCKETS_S,
  );
  readonly #calls = gauge(this.registry, "calls", "Calls that live now.", ["state"]);
  readonly #callsMax = gauge(this.registry, "calls_max", "Calls that may live at once.");
  readonly #frames = counter(this.registry, "frames_total", "Frames of 20 ms.", [TYPE, "direction"]);
  readonly #late = counter(this.registry, "frames_late_total", "Frames sent too late to be heard in time.", [TYPE]);
  readonly #underruns = counter(this.registry, "underruns_total", "Times speech ran out within a reply.", [TYPE]);
  readonly #dropped = counter(this.registry, "messages_dropped_total", "Messages that led to nothing.", [
    TYPE,
    "cause",
  ]);
  readonly #skipped = counter(
    this.registry,
    "tick_slots_skipped_total",
    "Slots of 2 ms left out when the loop stalled.",
  );
  readonly #journalBytes = counter(this.registry, "journal_written_bytes_total", "Bytes written to journals.");
  readonly #journalPending = gauge(this.registry, "journal_pending_bytes", "Bytes of journals that wait for the disk.");
  readonly #journalFailures = counter(this.registry, "journal_failures_total", "Journals that broke off.");

  /** `read` is asked at each scrape. */
  constructor(read: () => WorkerReadings) {
    this.#read = read;
    // What has not happened yet is told as 0, so that its first time is seen as an increase.
    for (const connectionType of CONNECTION_TYPES) this.#started.inc({ [TYPE]: connectionType }, 0);
    for (const reason of END_REASONS) this.#ended.inc({ reason }, 0);
    for (const outcome of REDEMPTION_OUTCOMES) this.#redeemed.inc({ outcome }, 0);
    for (const status of [401, 503]) this.#refused.inc({ status }, 0);
  }

  callStarted(connectionType: ConnectionType): void {
    this.#started.inc({ [TYPE]: connectionType });
  }

  callEnded(reason: EndReason): void {
    this.#ended.inc({ reason });
  }

  redemption(outcome: RedemptionOutcome): void {
    this.#redeemed.inc({ outcome });
  }

  upgradeRefused(status: 401 | 503): void {
    this.#refused.inc({ status });
  }

  engineFailed(engine: Engine, provider: string): void {
    this.#failed.inc({ engine, provider });
  }

  /** An answer of the agent is over: this is where its time went. */
  answered({ endOfTurnMs, firstTextMs, firstAudioMs, firstFrameMs }: TurnLatency): void {
    this.#latency.observe({ stage: "end_of_turn" }, endOfTurnMs / 1_000);
    if (firstTextMs !== undefined) this.#latency.observe({ stage: "first_text" }, firstTextMs / 1_000);
    this.#latency.observe({ stage: "first_audio" }, firstAudioMs / 1_000);
    this.#latency.observe({ stage: "first_frame" }, firstFrameMs / 1_000);
  }

  /** For a worker with a certificate of its own; `notAfterMs`, since the Unix epoch, is asked at each scrape. */
  watchCertificate(notAfterMs: () => number): void {
    new Gauge({
      name: "trunkline_tls_certificate_not_after_seconds",
      help: "When the certificate in use runs out, in seconds since the Unix epoch.",
      aggregator: "min",
      registers: [this.registry],
      collect() {
        this.set(notAfterMs() / 1_000);
      },
    });
  }

  /** Everything as it is now. */
  async told(): Promise<ProcessMetrics> {
    const readings = this.#read();
    for (const state of LIVE_STATES) this.#calls.set({ state }, readings.calls[state]);
    this.#callsMax.set(readings.callsMax);
    for (const perType of [this.#frames, this.#late, this.#underruns, this.#dropped]) perType.reset();
    for (const [connectionType, counts] of readings.counts) this.#tell(connectionType, counts);
    tellAnew(this.#skipped, readings.slotsSkipped);
    tellAnew(this.#journalBytes, readings.journalBytes);
    tellAnew(this.#journalFailures, readings.journalFailures);
    this.#journalPending.set(readings.journalPendingBytes);
    return await this.registry.getMetricsAsJSON();
  }

  #tell(connectionType: ConnectionType, counts: Readonly<CallCounts>): void {
    const type = { [TYPE]: connectionType };
    this.#frames.inc({ ...type, direction: "in" }, counts.framesIn);
    this.#frames.inc({ ...type, direction: "out" }, counts.framesOut);
    this.#late.inc(type, counts.late);
    this.#underruns.inc(type, counts.underruns);
    const { malformed, ignored, early, lateAudio, duplicateAudio, staleAudio } = counts;
    const causes = { malformed, ignored, early, late: lateAudio, duplicate: duplicateAudio, stale: staleAudio };
    for (const [cause, count] of Object.entries(causes)) this.#dropped.inc({ ...type, cause }, count);
  }
}

/** What the control process tells, and how many of the workers beside it answered. */
export class ControlMetrics {
  readonly registry = registryOf("control");
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
  readonly #ready = gauge(this.registry, "ready", "1 while new calls are taken.");
  readonly #restarts = counter(this.registry, "process_restarts_total", "Processes that were started again.", [
    "process",
  ]);
  readonly #workers = gauge(this.registry, "workers", "Media workers, by whether they answered this scrape.", [
    "state",
  ]);

  constructor() {
    for (const connectionType of CONNECTION_TYPES) this.#created.inc({ [TYPE]: connectionType }, 0);
  }

  /** How often processes of each kind were started again since the service began. */
  restarted(counts: Readonly<Record<"control" | "worker", number>>): void {
    this.#restarts.reset();
    for (const [process, count] of Object.entries(counts)) this.#restarts.inc({ process }, count);
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

/**
 * Adds what Node and the system know of this process (CPU, memory, open files, garbage, delays of the event loop), and
 * which software it runs. It watches from here on: for composition roots, once.
 */
export function watchProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_LOOK_MS });
  for (const { name } of registry.getMetricsAsArray()) if (LEFT_OUT.test(name)) registry.removeSingleMetric(name);
  watchLoop(registry);
  new Gauge({
    name: "trunkline_build_info",
    help: "The software that runs, in the label; always 1.",
    labelNames: ["software"],
    aggregator: "first",
    registers: [registry],
  }).set({ software: SOFTWARE }, 1);
}

/**
 * Of what the library collects: handles by class names of Node's own, of which there is no list (their totals stay), and
 * delays of the event loop, which count the time between two looks as delay and are no numbers when asked for twice in a moment.
 */
const LEFT_OUT = /^nodejs_(active_(handles|requests|resources)$|eventloop_lag)/;
const LOOP_LOOK_MS = 10;
const QUANTILES = [0.5, 0.9, 0.99, 1];

/** How much later than it should the loop came round, over the time since the scrape before. */
function watchLoop(registry: Registry): void {
  const looks = monitorEventLoopDelay({ resolution: LOOP_LOOK_MS });
  looks.enable();
  new Gauge({
    name: "trunkline_event_loop_delay_seconds",
    help: "Delay of the event loop since the last scrape, of the worst process of its kind.",
    labelNames: ["quantile"],
    aggregator: "max",
    registers: [registry],
    collect() {
      // Asked again in the same moment: what was told stands.
      if (looks.count === 0) return;
      for (const quantile of QUANTILES) {
        const betweenLooksMs = looks.percentile(quantile * 100) / 1e6;
        this.set({ quantile }, Math.max(0, betweenLooksMs - LOOP_LOOK_MS) / 1_000);
      }
      looks.reset();
    },
  });
}

/** A registry of our own, not the library's: its label keeps the processes apart where their metrics meet. */
function registryOf(process: "control" | "worker"): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  return registry;
}

const counter = <Label extends string = never>(registry: Registry, name: string, help: string, labels: Label[] = []) =>
  new Counter({ name: `trunkline_${name}`, help, labelNames: labels, registers: [registry] });

const gauge = <Label extends string = never>(registry: Registry, name: string, help: string, labels: Label[] = []) =>
  new Gauge({ name: `trunkline_${name}`, help, labelNames: labels, registers: [registry] });

const histogram = <Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labels: Label[],
  buckets: number[],
) => new Histogram({ name: `trunkline_${name}`, help, labelNames: labels, buckets, registers: [registry] });

/** For counts that are kept elsewhere and only read here. */
function tellAnew(metric: Counter<never>, count: number): void {
  metric.reset();
  metric.inc(count);
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
