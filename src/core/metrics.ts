import {
  CONNECTION_TYPES,
  type ConnectionType,
  CUT_REASONS,
  END_REASONS,
  type EndReason,
  type TurnLatency,
} from "./call-spec.ts";
import { type LatencyStage, stagesOf } from "./latency.ts";
import { counter, gauge, histogram, KeptTimes, registryOf, TYPE, tellAnew, watchedGauge } from "./metrics-kit.ts";
import type { ProcessMetrics } from "./metrics-sum.ts";
import { SPEND_LIMITS, SPEND_UNITS, type SpendRefusal } from "./spend.ts";
import { budgetedTaskCounter } from "./task-metrics.ts";
import type { TimeHistogram } from "./time-histogram.ts";
import { USAGE_UNITS, type Usage, type UsageUnit } from "./usage.ts";

// The metrics of a media worker; those of the control process stand in control-metrics.ts, those of every process in
// process-metrics.ts, and only these files and the two beside them know prom-client. docs/operations.md tells what each is good for.

/** What a live call is at: its carrier has not said `start` yet, or what its agent does. */
export const LIVE_STATES = ["opening", "listening", "thinking", "speaking"] as const;
export type LiveState = (typeof LIVE_STATES)[number];

/** The parts of a call that somebody else may have made. */
export const ENGINES = ["ear", "model", "voice"] as const;
export type Engine = (typeof ENGINES)[number];

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
  /** Messages beyond what a peer may make us parse; the first of them ends the call. */
  flooded: number;
  /** Messages before the carrier's `start`. */
  early: number;
  /** Audio that came after its place had been given up, where audio may come out of order. */
  lateAudio: number;
  /** The same audio once more. */
  duplicateAudio: number;
  /** Audio that a stall had held up for longer than is made up for. */
  staleAudio: number;
}

/**
 * The time that a worker adds to a frame. `in`: from the message that was given to us until every reader of the bus has its frames, the
 * ear among them. `out`: from when a frame was due until it was given to the socket.
 */
export interface AddedLatency {
  readonly in: TimeHistogram;
  readonly out: TimeHistogram;
}

/** What a worker knows of itself at any moment. */
export interface WorkerReadings {
  /** Live calls. */
  calls: Readonly<Record<LiveState, number>>;
  /** How many there may be. */
  callsMax: number;
  /** Sums over all calls since the process began, those that live included. */
  counts: ReadonlyMap<ConnectionType, Readonly<CallCounts>>;
  addedLatency: AddedLatency;
  /** How late the slots of the ticker began. */
  tickLateness: TimeHistogram;
  /** Slots of the ticker that were left out because the loop had stalled. */
  slotsSkipped: number;
  journalBytes: number;
  journalPendingBytes: number;
  journalFailures: number;
  /** Complete journals that were not forced onto the disk. */
  journalsUnsynced: number;
}

export const REDEMPTION_OUTCOMES = ["redeemed", "refused", "failed", "unsigned"] as const;
/**
 * `refused`: used or expired. `failed`: the store gave no answer. `unsigned`: malformed, or none of our keys signed it; such tokens
 * never reach the control process.
 */
export type RedemptionOutcome = (typeof REDEMPTION_OUTCOMES)[number];

/**
 * Why an LLM request was aborted before its answer was complete. `superseded`: the next was sent. `caller_went_on`: it had been asked
 * ahead, and the caller said something else. `overlong`: its answer was longer than anybody hears. All others: why its reply was cut.
 */
export const LLM_ABORT_REASONS = ["superseded", "caller_went_on", "overlong", ...CUT_REASONS] as const;
export type LlmAbortReason = (typeof LLM_ABORT_REASONS)[number];

export const PROMPT_TRIM_CAUSES = ["bound", "context_exceeded"] as const;
/** Why a prompt lost old turns: it would have exceeded its bound, or an LLM refused it as longer than its context. */
export type PromptTrimCause = (typeof PROMPT_TRIM_CAUSES)[number];

/** The moments on the way to an answer, each counted from the caller's last voiced frame. */
export const TURN_STAGES = ["end_of_turn", "first_text", "first_audio", "first_frame"] as const;

/** The steps on the way to an answer that hang on who takes them. */
const PROVIDER_STAGES: Readonly<Record<string, readonly [stage: LatencyStage, engine: Engine]>> = {
  final_transcript: ["finalTranscript", "ear"],
  model_first_token: ["modelFirstToken", "model"],
  first_piece: ["firstPiece", "model"],
  voice_first_byte: ["voiceFirstByte", "voice"],
  first_sample_out: ["firstSampleOut", "voice"],
};
export const TURN_STEPS: readonly string[] = Object.keys(PROVIDER_STAGES);

/** What providers are paid by, as metrics name it. */
const UNIT_NAMES: Readonly<Record<UsageUnit, string>> = {
  audioSeconds: "audio_seconds",
  inputTokens: "input_tokens",
  outputTokens: "output_tokens",
  characters: "characters",
};
export const UNITS: readonly string[] = Object.values(UNIT_NAMES);
const UNITS_OF: Readonly<Record<Engine, readonly UsageUnit[]>> = {
  ear: ["audioSeconds"],
  model: ["inputTokens", "outputTokens"],
  voice: ["characters"],
};

/** From an answer nobody waits for to one that the caller takes for a dead line. */
const LATENCY_BUCKETS_S = [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10];
/** An engine of this machine may be there at once. */
const ENGINE_BUCKETS_S = [0.005, 0.01, 0.025, ...LATENCY_BUCKETS_S];

/** What a media worker tells. Its methods are for what happens once a call, or once a turn; never for frames. */
export class WorkerMetrics {
  readonly registry = registryOf("worker");
  /** A task with a budget is over. */
  readonly budgetedTask = budgetedTaskCounter(this.registry);
  readonly #read: () => WorkerReadings;
  readonly #started = counter(this.registry, "calls_started_total", "Calls whose stream was opened.", [TYPE]);
  readonly #ended = counter(this.registry, "calls_ended_total", "Calls that ended in this process.", ["reason"]);
  readonly #redeemed = counter(this.registry, "token_redemptions_total", "Stream tokens that came with an upgrade.", [
    "outcome",
  ]);
  readonly #refused = counter(this.registry, "upgrades_refused_total", "Streams refused, by HTTP status.", ["status"]);
  readonly #failed = counter(this.registry, "engine_failures_total", "Failures of engines.", ["engine", "provider"]);
  readonly #providerFailed = counter(
    this.registry,
    "provider_failures_total",
    "Failures of providers, whether or not another one, or another try, made up for them.",
    ["engine", "provider"],
  );
  readonly #switched = counter(
    this.registry,
    "provider_switches_total",
    "Times a provider did not do what it was asked for a call, and the next one of its chain was asked.",
    ["engine", "from", "to"],
  );
  readonly #leftAlone = gauge(
    this.registry,
    "providers_left_alone",
    "1 in each worker that leaves a provider alone, but for a probe now and then, because it fails.",
    ["engine", "provider"],
  );
  readonly #latency = histogram(
    this.registry,
    "turn_latency_seconds",
    "From the caller's last voiced frame to each stage of the agent's answer.",
    ["stage"],
    LATENCY_BUCKETS_S,
  );
  readonly #engineTime = histogram(
    this.registry,
    "engine_latency_seconds",
    "To an ear's final text from the caller's last voiced frame; to the first of a model's answer and of a voice's audio from the question.",
    ["engine", "provider"],
    ENGINE_BUCKETS_S,
  );
  readonly #stepTime = histogram(
    this.registry,
    "turn_step_seconds",
    "How long each step of an answer took, by who took it: the ear, the model or the voice that served this answer.",
    ["stage", "provider"],
    ENGINE_BUCKETS_S,
  );
  readonly #usage = counter(
    this.registry,
    "provider_usage_total",
    "What providers are paid by: seconds of audio heard, tokens, characters spoken.",
    ["provider", "unit"],
  );
  readonly #llmAborted = counter(
    this.registry,
    "llm_requests_aborted_total",
    "LLM requests that were aborted before their answer was complete.",
    ["reason"],
  );
  readonly #promptsTrimmed = counter(
    this.registry,
    "prompts_trimmed_total",
    "Prompts that lost old turns: to keep within their bound, or because an LLM refused them as too long.",
    ["cause"],
  );
  readonly #llmRequests = counter(
    this.registry,
    "llm_requests_total",
    "Requests that were sent to LLMs: each try, also those that were aborted or failed.",
    ["provider"],
  );
  readonly #spendRefused = counter(
    this.registry,
    "spend_refused_total",
    "Requests to providers that were not sent, because a call or its account had reached a spend limit.",
    ["scope", "limit"],
  );
  readonly #addedLatency = new KeptTimes(
    this.registry,
    "added_latency_seconds",
    "In: from a message's arrival here until all readers have its frames. Out: from when frames were due until they were sent.",
    "direction",
  );
  readonly #tickLateness = new KeptTimes(
    this.registry,
    "tick_lateness_seconds",
    "How late the ticker's slots of 2 ms began.",
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
  readonly #journalsUnsynced = counter(
    this.registry,
    "journals_unsynced_total",
    "Complete journals that were left to the system to write, because too many calls ended at once.",
  );

  /** `read` is asked at each scrape. */
  constructor(read: () => WorkerReadings) {
    this.#read = read;
    // What has not happened yet is told as 0, so that its first time is seen as an increase.
    for (const connectionType of CONNECTION_TYPES) this.#started.inc({ [TYPE]: connectionType }, 0);
    for (const reason of END_REASONS) this.#ended.inc({ reason }, 0);
    for (const outcome of REDEMPTION_OUTCOMES) this.#redeemed.inc({ outcome }, 0);
    for (const status of [401, 503]) this.#refused.inc({ status }, 0);
    for (const reason of LLM_ABORT_REASONS) this.#llmAborted.inc({ reason }, 0);
    for (const cause of PROMPT_TRIM_CAUSES) this.#promptsTrimmed.inc({ cause }, 0);
    for (const stage of TURN_STAGES) this.#latency.zero({ stage });
    for (const limit of SPEND_LIMITS) this.#spendRefused.inc({ scope: "call", limit }, 0);
    for (const limit of SPEND_UNITS) this.#spendRefused.inc({ scope: "account", limit }, 0);
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

  /** An engine that calls will have, told before there are any: what it has not done yet is told as 0. */
  engineKnown(engine: Engine, provider: string): void {
    this.#failed.inc({ engine, provider }, 0);
    this.#engineTime.zero({ engine, provider });
    if (engine === "model") this.#llmRequests.inc({ provider }, 0);
  }

  engineFailed(engine: Engine, provider: string): void {
    this.#failed.inc({ engine, provider });
  }

  /** A provider that calls may come to need, told before they do. */
  providerKnown(engine: Engine, provider: string): void {
    this.#providerFailed.inc({ engine, provider }, 0);
    for (const unit of UNITS_OF[engine]) this.#usage.inc({ provider, unit: UNIT_NAMES[unit] }, 0);
    if (engine === "model") this.#llmRequests.inc({ provider }, 0);
    this.#leftAlone.set({ engine, provider }, 0);
  }

  providerFailed(engine: Engine, provider: string): void {
    this.#providerFailed.inc({ engine, provider });
  }

  /** What was the provider `from`'s to do for a call, `to` was asked for. */
  providerSwitched(engine: Engine, from: string, to: string): void {
    this.#switched.inc({ engine, from, to });
  }

  providerLeftAlone(engine: Engine, provider: string, isLeftAlone: boolean): void {
    this.#leftAlone.set({ engine, provider }, Number(isLeftAlone));
  }

  /** An engine has given what was waited for: an ear its final text, a model or a voice the first of its answer. */
  engineAnswered(engine: Engine, provider: string, tookMs: number): void {
    this.#engineTime.observe({ engine, provider }, tookMs / 1_000);
  }

  /** A provider did so much of what it is paid for. */
  providerUsed(provider: string, usage: Usage): void {
    for (const unit of USAGE_UNITS) {
      const amount = usage[unit];
      if (amount !== undefined) this.#usage.inc({ provider, unit: UNIT_NAMES[unit] }, amount);
    }
  }

  /** An LLM request of a call was aborted before its answer was complete. */
  llmRequestAborted(reason: LlmAbortReason): void {
    this.#llmAborted.inc({ reason });
  }

  /** A prompt lost old turns. */
  promptTrimmed(cause: PromptTrimCause): void {
    this.#promptsTrimmed.inc({ cause });
  }

  /** An LLM is asked, for a reply, ahead of one, or for a translation; each try counts. */
  llmRequested(provider: string): void {
    this.#llmRequests.inc({ provider });
  }

  /** A provider was not asked, because the call or its account may spend no more. */
  spendRefused({ scope, limit }: SpendRefusal): void {
    this.#spendRefused.inc({ scope, limit });
  }

  /** An answer of the agent is over: this is where its time went, and who served it. */
  answered(latency: TurnLatency, servedBy: Readonly<Partial<Record<Engine, string>>>): void {
    const stages = stagesOf(latency);
    for (const [name, [stage, engine]] of Object.entries(PROVIDER_STAGES)) {
      const tookMs = stages[stage];
      const provider = servedBy[engine];
      if (tookMs === undefined || provider === undefined) continue;
      this.#stepTime.observe({ stage: name, provider }, tookMs / 1_000);
    }
    const { endOfTurnMs, firstTextMs, firstAudioMs, firstFrameMs } = latency;
    this.#latency.observe({ stage: "end_of_turn" }, endOfTurnMs / 1_000);
    if (firstTextMs !== undefined) this.#latency.observe({ stage: "first_text" }, firstTextMs / 1_000);
    this.#latency.observe({ stage: "first_audio" }, firstAudioMs / 1_000);
    this.#latency.observe({ stage: "first_frame" }, firstFrameMs / 1_000);
  }

  /** For a worker with a certificate of its own; `notAfterMs`, since the Unix epoch, is asked at each scrape. */
  watchCertificate(notAfterMs: () => number): void {
    const help = "When the certificate in use runs out, in seconds since the Unix epoch.";
    watchedGauge(this.registry, "tls_certificate_not_after_seconds", help, () => notAfterMs() / 1_000, "min");
  }

  /** For a worker with sockets: `bufferedBytes` of all of them are asked for at each scrape. */
  watchSockets(bufferedBytes: () => number): void {
    const help = "Bytes that wait for peers that do not read them.";
    watchedGauge(this.registry, "peer_buffered_bytes", help, bufferedBytes);
  }

  /** Everything as it is now. */
  async told(): Promise<ProcessMetrics> {
    const readings = this.#read();
    for (const state of LIVE_STATES) this.#calls.set({ state }, readings.calls[state]);
    this.#callsMax.set(readings.callsMax);
    for (const perType of [this.#frames, this.#late, this.#underruns, this.#dropped]) perType.reset();
    for (const [connectionType, counts] of readings.counts) this.#tell(connectionType, counts);
    this.#addedLatency.keep({ ...readings.addedLatency });
    this.#tickLateness.keep({ all: readings.tickLateness });
    tellAnew(this.#skipped, readings.slotsSkipped);
    tellAnew(this.#journalBytes, readings.journalBytes);
    tellAnew(this.#journalFailures, readings.journalFailures);
    tellAnew(this.#journalsUnsynced, readings.journalsUnsynced);
    this.#journalPending.set(readings.journalPendingBytes);
    return await this.registry.getMetricsAsJSON();
  }

  #tell(connectionType: ConnectionType, counts: Readonly<CallCounts>): void {
    const type = { [TYPE]: connectionType };
    this.#frames.inc({ ...type, direction: "in" }, counts.framesIn);
    this.#frames.inc({ ...type, direction: "out" }, counts.framesOut);
    this.#late.inc(type, counts.late);
    this.#underruns.inc(type, counts.underruns);
    const { malformed, ignored, flooded, early, lateAudio, duplicateAudio, staleAudio } = counts;
    const causes = {
      malformed,
      ignored,
      flood: flooded,
      early,
      late: lateAudio,
      duplicate: duplicateAudio,
      stale: staleAudio,
    };
    for (const [cause, count] of Object.entries(causes)) this.#dropped.inc({ ...type, cause }, count);
  }
}
