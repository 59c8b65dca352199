import { SPEND_LIMITS, SPEND_UNITS, type SpendRefusal } from "../billing/spend.ts";
import { USAGE_UNITS, type Usage } from "../billing/usage.ts";
import { stepDurations } from "../calls/latency.ts";
import { END_REASONS, type EndReason, type IgnoreReason, RESUME_REASONS, type ResumeReason } from "../calls/reasons.ts";
import type { ConnectionType } from "../calls/spec.ts";
import type { Stage } from "../calls/stages.ts";
import type { TurnLatency } from "../calls/transcript.ts";
import { type EpochMs, millisecondsOf } from "../clocks.ts";
import { RETRIEVAL_MODES, type RetrievalMode } from "../knowledge/call-knowledge.ts";
import type { ProcessMetrics } from "./aggregation.ts";
import {
  CONNECTION_TYPE_LABEL,
  counter,
  ExternalHistogram,
  gauge,
  histogram,
  observableGauge,
  registryOf,
  setCounter,
} from "./instruments.ts";
import {
  BACK_CHANNEL,
  CALL_RETRIEVAL_OUTCOMES,
  type CallRetrievalOutcome,
  LLM_ABORT_REASONS,
  type LlmAbortReason,
  NODE_RELAY_OUTCOMES,
  type NodeRelayOutcome,
  PROMPT_TRIM_CAUSES,
  PROVIDER_STEPS,
  type PromptTrimCause,
  RAN_TOOL_KINDS,
  type RanToolKind,
  REDEMPTION_OUTCOMES,
  type RedemptionOutcome,
  TOOL_RUN_OUTCOMES,
  type ToolRunOutcome,
  TRANSCRIPT_IGNORE_REASONS,
  TURN_MILESTONES,
  UNIT_LABELS,
  UNITS_OF_STAGE,
} from "./labels.ts";
import { RtpMetrics } from "./rtp-metrics.ts";
import { budgetedTaskCounter } from "./task-metrics.ts";
import {
  type CallCounts,
  type DetectorReadings,
  LIVE_STATES,
  type ListeningReadings,
  type WorkerReadings,
} from "./worker-readings.ts";

// The metrics of a media worker. Those of the control process are in control-metrics.ts, those of every process in
// process-metrics.ts; only files of this folder use prom-client. docs/metrics.md shows each metric with its help.

/** From a reply without a noticeable wait to one so late that the caller thinks the line is dead. */
const LATENCY_BUCKETS_S = [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10];
/** Around the floor and the ceiling of what is waited for. */
const TURN_WAIT_BUCKETS_S = [0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75, 1, 2];
/** From what the caller cannot notice to what has failed. */
const RETRIEVAL_BUCKETS_S = [0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.06, 0.1, 0.25, 0.5, 1, 3];
/** A provider on this machine may respond within milliseconds. */
const STAGE_BUCKETS_S = [0.005, 0.01, 0.025, ...LATENCY_BUCKETS_S];

const CIRCUIT_OPEN = "provider_circuit_open";
/** The gauge of open circuit breakers, with the labels `stage` and `provider`. */
export const CIRCUIT_OPEN_METRIC = `trunkline_${CIRCUIT_OPEN}`;
const PROVIDER_FAILURES = "provider_failures_total";
/** The counter of provider failures, with the same labels. */
export const PROVIDER_FAILURES_METRIC = `trunkline_${PROVIDER_FAILURES}`;
const PROVIDER_LATENCY = "provider_latency_seconds";
/** The histogram of how long providers take to respond, with the same labels. */
export const PROVIDER_LATENCY_METRIC = `trunkline_${PROVIDER_LATENCY}`;

/** The metrics of a media worker. Its methods are called once per call or turn, never per frame. */
export class WorkerMetrics {
  readonly registry = registryOf("worker");
  /** A task of a child process has ended. */
  readonly budgetedTask = budgetedTaskCounter(this.registry);
  readonly rtp = new RtpMetrics(this.registry);
  readonly #readings: () => WorkerReadings;
  readonly #started = counter(this.registry, "calls_started_total", "Calls whose stream was opened.", [
    CONNECTION_TYPE_LABEL,
  ]);
  readonly #ended = counter(
    this.registry,
    "calls_ended_total",
    "Ended calls, by the reason that the worker reported.",
    ["reason"],
  );
  readonly #toolRuns = counter(
    this.registry,
    "tool_runs_total",
    "Tool calls of the LLM that are over, by the kind of tool, without built-in tools. `completed`, or what went wrong: see the log line `tool call failed`.",
    ["kind", "outcome"],
  );
  readonly #resumed = counter(
    this.registry,
    "calls_resumed_total",
    "Connections of clients to calls whose connection was lost before.",
    [],
  );
  readonly #redeemed = counter(
    this.registry,
    "token_redemptions_total",
    "Stream tokens that came with an upgrade. `refused`: used or expired. `failed`: the store gave no answer, and the redemption is returned. `unsigned`: malformed or forged, which the worker refuses without asking the store.",
    ["outcome"],
  );
  readonly #refused = counter(this.registry, "upgrades_refused_total", "Streams refused, by HTTP status.", ["status"]);
  readonly #nodeRelays = counter(
    this.registry,
    "node_relays_total",
    "Streams that resume or listen to a call of another node: `relayed` to it, `refused` by it, or its node was `unreachable`; `full`: this worker relays as many as it may.",
    ["outcome"],
  );
  readonly #stageFailures = counter(
    this.registry,
    "stage_failures_total",
    "Failures of a call's STT, LLM or TTS that no retry and no fallback made up for.",
    ["stage", "provider"],
  );
  readonly #providerFailures = counter(
    this.registry,
    PROVIDER_FAILURES,
    "Provider failures, including those that a retry or a fallback made up for.",
    ["stage", "provider"],
  );
  readonly #failovers = counter(
    this.registry,
    "provider_switches_total",
    "Calls that were switched from a provider that failed to the next fallback.",
    ["stage", "from", "to"],
  );
  readonly #circuitsOpen = gauge(
    this.registry,
    CIRCUIT_OPEN,
    "1 in each worker whose circuit breaker for the provider is open.",
    ["stage", "provider"],
  );
  readonly #latency = histogram(
    this.registry,
    "turn_latency_seconds",
    "Time from the caller's last voiced frame to each milestone of the agent's reply.",
    ["milestone"],
    LATENCY_BUCKETS_S,
  );
  readonly #stageTime = histogram(
    this.registry,
    PROVIDER_LATENCY,
    "By the provider that responded. STT: from the caller's last voiced frame to the final transcript. LLM, TTS: from the request to the first content, without the time spent on a provider that failed before.",
    ["stage", "provider"],
    STAGE_BUCKETS_S,
  );
  readonly #stepTime = histogram(
    this.registry,
    "turn_step_seconds",
    "Duration of each step of a reply, by the provider that served it: `final_transcript` (STT), `llm_first_token`, `first_segment` (LLM), `tts_first_byte`, `first_frame` (TTS).",
    ["step", "provider"],
    STAGE_BUCKETS_S,
  );
  readonly #usage = counter(this.registry, "provider_usage_total", "What providers bill.", ["provider", "unit"]);
  readonly #llmAborted = counter(
    this.registry,
    "llm_requests_aborted_total",
    "LLM requests that were aborted before their reply was complete; they are billed all the same. `words`, `dtmf`, `typed`: the caller interrupted. `preemptive_cancelled`: the caller's words changed after preemptive generation. `superseded`: the next request was sent. `overlong`: the reply was too long for a turn.",
    ["reason"],
  );
  readonly #turnWaits = histogram(
    this.registry,
    "turn_wait_seconds",
    "The caller's pause, from the last voiced frame, after which a turn was taken for over.",
    [],
    TURN_WAIT_BUCKETS_S,
  );
  readonly #turnsReopened = counter(
    this.registry,
    "turns_reopened_total",
    "Turns that were taken for over, and went on before their answer was audible. The answer is dropped unheard.",
  );
  readonly #pauses = counter(
    this.registry,
    "reply_pauses_total",
    "Replies that were paused because the caller's line made a sound that may be speech.",
  );
  readonly #resumes = counter(
    this.registry,
    "reply_resumes_total",
    "Paused replies that resumed. `no_words`: the sound had no words. `back_channel`: it was one. `echo`: the agent's own words came back. `pause_timeout`: it went on, and the STT gave no words in time. The other paused replies were interrupted.",
    ["reason"],
  );
  readonly #ignored = counter(
    this.registry,
    "transcripts_ignored_total",
    "Transcripts over the agent that needed no reply: a back-channel of the caller, or an echo of the agent.",
    ["reason"],
  );
  readonly #interimsRequested = counter(
    this.registry,
    "interim_requests_total",
    "How often an STT without interim transcripts was asked for the words of the speech so far. Each is billed like a transcription.",
  );
  readonly #inactivityPrompts = counter(
    this.registry,
    "inactivity_prompts_total",
    "Inactivity prompts: neither the agent's speech nor words, DTMF or typed text of the caller for `inactivityTimeout`.",
  );
  readonly #promptsTrimmed = counter(
    this.registry,
    "prompts_trimmed_total",
    "Prompts that lost old turns. `bound`: to keep within the prompt limit. `context_exceeded`: an LLM refused them as longer than its context; with many of these, set CONTEXT_TOKENS for the model.",
    ["cause"],
  );
  readonly #retrievalTime = histogram(
    this.registry,
    "call_retrieval_seconds",
    "Time from a call's question to its corpora until the passages were there.",
    [],
    RETRIEVAL_BUCKETS_S,
  );
  readonly #retrievalWait = histogram(
    this.registry,
    "call_retrieval_wait_seconds",
    "How long answers waited for their passages after the end of the turn, with `retrieval` `always`.",
    [],
    RETRIEVAL_BUCKETS_S,
  );
  readonly #retrievals = counter(
    this.registry,
    "call_retrievals_total",
    "Questions of calls to their corpora. `used`: the LLM was given what was found. `late`: the answer to the caller did not wait longer. `failed`: no answer, or none in time. `cancelled`, `unused`: the caller's words changed, before the passages were there or after.",
    ["retrieval", "outcome"],
  );
  readonly #llmRequests = counter(
    this.registry,
    "llm_requests_total",
    "Requests sent to LLMs: every attempt, including aborted and failed ones.",
    ["provider"],
  );
  readonly #spendRefused = counter(
    this.registry,
    "spend_refused_total",
    "Requests to providers that were not sent because the call or its account had reached a spend limit: of a minute, or `cost` (`maxCost`). Refused preemptive requests count, too; callers do not notice them.",
    ["scope", "limit"],
  );
  readonly #addedLatency = new ExternalHistogram(
    this.registry,
    "added_latency_seconds",
    "Latency added by the worker. `in`: from a message's arrival until the STT and all other consumers have its frames. `out`: from a frame's due time until it was sent.",
    "direction",
  );
  readonly #tickLateness = new ExternalHistogram(
    this.registry,
    "tick_lateness_seconds",
    "How late the ticker's slots of 2 ms began.",
  );
  readonly #calls = gauge(
    this.registry,
    "calls",
    "Live calls, by what the agent does; `opening`: the carrier has not sent its start message yet.",
    ["state"],
  );
  readonly #callsMax = gauge(this.registry, "calls_max", "Maximum number of live calls.");
  readonly #frames = counter(this.registry, "frames_total", "Frames of 20 ms.", [CONNECTION_TYPE_LABEL, "direction"]);
  readonly #late = counter(
    this.registry,
    "frames_late_total",
    "Frames sent after the caller's buffer had run dry: the machine did not keep up.",
    [CONNECTION_TYPE_LABEL],
  );
  readonly #underruns = counter(this.registry, "underruns_total", "Times the TTS did not keep up within a reply.", [
    CONNECTION_TYPE_LABEL,
  ]);
  readonly #echo = counter(
    this.registry,
    "echo_frames_total",
    "Voiced frames of callers that were the echo of the agent, and did not count as speech.",
    [CONNECTION_TYPE_LABEL],
  );
  readonly #dropped = counter(
    this.registry,
    "messages_dropped_total",
    "Messages of peers that were dropped. `malformed`: they break the protocol. `ignored`: without effect, or above a rate limit. `flood`: beyond what a peer may make the worker parse; the first one ends its call with `message_flood`. `early`: before the start of the stream. `late`, `duplicate`, `stale`: audio that came too late, twice, or more than 15 s old.",
    [CONNECTION_TYPE_LABEL, "cause"],
  );
  readonly #parametersDropped = counter(
    this.registry,
    "start_parameters_dropped_total",
    "Parameters of carriers' starts that were left out: unusable, or above a limit. The call continues without them.",
    [CONNECTION_TYPE_LABEL],
  );
  readonly #opusRefused = counter(
    this.registry,
    "opus_packets_refused_total",
    "Opus packets among the malformed messages. `too_large`: more than 7,664 bytes. `too_long`: more than 120 ms. `no_frames`: it says that it has none. `corrupted`: libopus cannot decode it.",
    [CONNECTION_TYPE_LABEL, "reason"],
  );
  readonly #skipped = counter(
    this.registry,
    "tick_slots_skipped_total",
    "Ticker slots of 2 ms skipped because the event loop stalled.",
  );
  readonly #detector = gauge(
    this.registry,
    "vad_detector",
    "1 in each worker for the voice activity detector that decides now. `fvad2` in place of a Silero version: the event loop lags, see `trunkline_vad_fallbacks_total`.",
    ["detector"],
  );
  readonly #detectorFrames = counter(
    this.registry,
    "vad_frames_total",
    "Frames of callers by the stage of the detector that decided; 50 frames are a second of one call. `gate`: no sound that could be speech. `network`: the gate is open and Silero decides. `fallback`: the gate alone, because the event loop lags. All are 0 with `VAD=fvad`.",
    ["vad_stage"],
  );
  readonly #detectorFallbacks = counter(
    this.registry,
    "vad_fallbacks_total",
    "Times the event loop lagged so much that all calls of the worker fell back to the cheaper voice activity detector.",
  );
  readonly #journalBytes = counter(this.registry, "journal_written_bytes_total", "Bytes written to journals.");
  readonly #journalPending = gauge(this.registry, "journal_pending_bytes", "Journal bytes not yet written to disk.");
  readonly #journalFailures = counter(
    this.registry,
    "journal_failures_total",
    "Journals that could not be written to their end.",
  );
  readonly #journalsUnsynced = counter(
    this.registry,
    "journals_unsynced_total",
    "Complete journals that were not synced to disk because more than 258 calls of a worker ended at once.",
  );

  readonly #listeners = gauge(this.registry, "listeners", "Connections that listen to live calls.");
  readonly #listenersEnded = counter(
    this.registry,
    "listeners_ended_total",
    "Connections that listened to calls and have ended. `slow`: the peer did not keep up. `sent`: the peer sent something, which listeners must not.",
    ["reason"],
  );
  readonly #listenedDropped = counter(
    this.registry,
    "listened_frames_dropped_total",
    "Frames that listeners did not get because a stall had delayed them for too long.",
  );

  /** `connectionTypes`: all that calls can have. `read` is called at each scrape. */
  constructor(connectionTypes: readonly ConnectionType[], read: () => WorkerReadings) {
    this.#readings = read;
    // Counters start at 0, so that their first increment is visible as an increase.
    for (const connectionType of connectionTypes) this.#started.inc({ [CONNECTION_TYPE_LABEL]: connectionType }, 0);
    for (const reason of END_REASONS) this.#ended.inc({ reason }, 0);
    for (const outcome of REDEMPTION_OUTCOMES) this.#redeemed.inc({ outcome }, 0);
    for (const kind of RAN_TOOL_KINDS)
      for (const outcome of TOOL_RUN_OUTCOMES) this.#toolRuns.inc({ kind, outcome }, 0);
    for (const status of [401, 503]) this.#refused.inc({ status }, 0);
    for (const reason of LLM_ABORT_REASONS) this.#llmAborted.inc({ reason }, 0);
    for (const reason of RESUME_REASONS) this.#resumes.inc({ reason }, 0);
    for (const reason of TRANSCRIPT_IGNORE_REASONS) this.#ignored.inc({ reason }, 0);
    for (const cause of PROMPT_TRIM_CAUSES) this.#promptsTrimmed.inc({ cause }, 0);
    for (const retrieval of RETRIEVAL_MODES)
      for (const outcome of CALL_RETRIEVAL_OUTCOMES) this.#retrievals.inc({ retrieval, outcome }, 0);
    for (const milestone of TURN_MILESTONES) this.#latency.zero({ milestone });
    for (const limit of SPEND_LIMITS) this.#spendRefused.inc({ scope: "call", limit }, 0);
    for (const limit of SPEND_UNITS) this.#spendRefused.inc({ scope: "account", limit }, 0);
  }

  callStarted(connectionType: ConnectionType): void {
    this.#started.inc({ [CONNECTION_TYPE_LABEL]: connectionType });
  }

  /** A client has connected again to a call whose connection was lost. */
  callResumed(): void {
    this.#resumed.inc();
  }

  callEnded(reason: EndReason): void {
    this.#ended.inc({ reason });
  }

  /** A tool call of the LLM is over, other than one of a built-in tool. */
  toolRan(kind: RanToolKind, outcome: ToolRunOutcome): void {
    this.#toolRuns.inc({ kind, outcome });
  }

  /** The caller's turn was taken for over after this pause. */
  turnEnded(pauseMs: number): void {
    this.#turnWaits.observe({}, pauseMs / 1_000);
  }

  /** It went on after all, before its answer was audible. */
  turnReopened(): void {
    this.#turnsReopened.inc();
  }

  /** Speech over a reply has paused it. */
  replyPaused(): void {
    this.#pauses.inc();
  }

  /** A paused reply resumes. */
  replyResumed(reason: ResumeReason): void {
    this.#resumes.inc({ reason });
  }

  /** A transcript over the agent needs no reply; without a reason it is a back-channel. */
  transcriptIgnored(reason: IgnoreReason | undefined): void {
    this.#ignored.inc({ reason: reason ?? BACK_CHANNEL });
  }

  /** An STT without interim transcripts is asked for one. */
  interimRequested(): void {
    this.#interimsRequested.inc();
  }

  /** The agent asks whether the caller is there. */
  inactivityPrompted(): void {
    this.#inactivityPrompts.inc();
  }

  redemption(outcome: RedemptionOutcome): void {
    this.#redeemed.inc({ outcome });
  }

  /** In a cluster: `relays` is how many streams of calls of other nodes pass through this worker. */
  observeNodeRelays(relays: () => number): void {
    observableGauge(
      this.registry,
      "node_relays_active",
      "Streams that pass through here to calls of other nodes, because they share one media address.",
      relays,
    );
    for (const outcome of NODE_RELAY_OUTCOMES) this.#nodeRelays.inc({ outcome }, 0);
  }

  /** A stream has reached this node instead of that of its call. */
  nodeRelay(outcome: NodeRelayOutcome): void {
    this.#nodeRelays.inc({ outcome });
  }

  upgradeRefused(status: 401 | 503 | 504): void {
    this.#refused.inc({ status });
  }

  /** Announces a stage and its provider before the first call, so that their counters start at 0. */
  registerStage(stage: Stage, provider: string): void {
    this.#stageFailures.inc({ stage, provider }, 0);
    this.#stageTime.zero({ stage, provider });
    if (stage === "llm") this.#llmRequests.inc({ provider }, 0);
  }

  stageFailed(stage: Stage, provider: string): void {
    this.#stageFailures.inc({ stage, provider });
  }

  /** Announces a provider that calls may use, before they do. */
  registerProvider(stage: Stage, provider: string): void {
    this.#providerFailures.inc({ stage, provider }, 0);
    for (const unit of UNITS_OF_STAGE[stage]) this.#usage.inc({ provider, unit: UNIT_LABELS[unit] }, 0);
    if (stage === "llm") this.#llmRequests.inc({ provider }, 0);
    this.#circuitsOpen.set({ stage, provider }, 0);
  }

  providerFailed(stage: Stage, provider: string): void {
    this.#providerFailures.inc({ stage, provider });
  }

  /** A call switched from the provider `from` to its fallback `to`. */
  providerFailedOver(stage: Stage, from: string, to: string): void {
    this.#failovers.inc({ stage, from, to });
  }

  providerCircuitChanged(stage: Stage, provider: string, isOpen: boolean): void {
    this.#circuitsOpen.set({ stage, provider }, Number(isOpen));
  }

  /** A provider has responded: an STT with a final transcript, an LLM or a TTS with the first part of its response. */
  stageAnswered(stage: Stage, provider: string, tookMs: number): void {
    this.#stageTime.observe({ stage, provider }, tookMs / 1_000);
  }

  /** Counts usage of a provider. */
  providerUsed(provider: string, usage: Usage): void {
    for (const unit of USAGE_UNITS) {
      const amount = usage[unit];
      if (amount !== undefined) this.#usage.inc({ provider, unit: UNIT_LABELS[unit] }, amount);
    }
  }

  /** An LLM request of a call was aborted before its response was complete. */
  llmRequestAborted(reason: LlmAbortReason): void {
    this.#llmAborted.inc({ reason });
  }

  /** Old turns were dropped from a prompt. */
  promptTrimmed(cause: PromptTrimCause): void {
    this.#promptsTrimmed.inc({ cause });
  }

  /** The corpora of a call have answered after this time. */
  retrievalAnswered(tookMs: number): void {
    this.#retrievalTime.observe({}, tookMs / 1_000);
  }

  /** What became of a question to them. */
  retrievalEnded(retrieval: RetrievalMode, outcome: CallRetrievalOutcome): void {
    this.#retrievals.inc({ retrieval, outcome });
  }

  /** An LLM request is sent: for a reply, preemptively, or for a translation. Retries count, too. */
  llmRequested(provider: string): void {
    this.#llmRequests.inc({ provider });
  }

  /** A provider request was not sent because the call or its account has reached a spend limit. */
  spendRefused({ scope, limit }: SpendRefusal): void {
    this.#spendRefused.inc({ scope, limit });
  }

  /** A reply has ended: its latency, and the providers that served it. */
  turnAnswered(latency: TurnLatency, servedBy: Readonly<Partial<Record<Stage, string>>>): void {
    const durations = stepDurations(latency);
    for (const [name, [step, stage]] of Object.entries(PROVIDER_STEPS)) {
      const tookMs = durations[step];
      const provider = servedBy[stage];
      if (tookMs === undefined || provider === undefined) continue;
      this.#stepTime.observe({ step: name, provider }, tookMs / 1_000);
    }
    if (durations.retrieval !== undefined) this.#retrievalWait.observe({}, durations.retrieval / 1_000);
    const { endOfTurnMs, firstTextMs, firstAudioMs, firstFrameMs } = latency;
    this.#latency.observe({ milestone: "end_of_turn" }, endOfTurnMs / 1_000);
    if (firstTextMs !== undefined) this.#latency.observe({ milestone: "first_text" }, firstTextMs / 1_000);
    this.#latency.observe({ milestone: "first_audio" }, firstAudioMs / 1_000);
    this.#latency.observe({ milestone: "first_frame" }, firstFrameMs / 1_000);
  }

  /** For a worker with its own certificate. `notAfterMs` is called at each scrape. */
  observeCertificate(notAfterMs: () => EpochMs): void {
    const help = "Expiry of the gateway's own certificate, in seconds since the Unix epoch.";
    const seconds = (): number => millisecondsOf(notAfterMs()) / 1_000;
    observableGauge(this.registry, "tls_certificate_not_after_seconds", help, seconds, "min");
  }

  /** For a worker with sockets. `bufferedBytes`, of all of them, is called at each scrape. */
  observeSockets(bufferedBytes: () => number): void {
    const help = "Output bytes buffered for peers that do not read.";
    observableGauge(this.registry, "peer_buffered_bytes", help, bufferedBytes);
  }

  /** All current metrics. */
  async collect(): Promise<ProcessMetrics> {
    const readings = this.#readings();
    for (const state of LIVE_STATES) this.#calls.set({ state }, readings.calls[state]);
    this.#callsMax.set(readings.callsMax);
    const perType = [
      this.#frames,
      this.#late,
      this.#underruns,
      this.#echo,
      this.#dropped,
      this.#parametersDropped,
      this.#opusRefused,
    ];
    for (const metric of perType) metric.reset();
    for (const [connectionType, counts] of readings.counts) this.#setCounters(connectionType, counts);
    this.#addedLatency.setTimes({ ...readings.addedLatency });
    this.#tickLateness.setTimes({ all: readings.tickLateness });
    this.#setDetector(readings.detector);
    setCounter(this.#skipped, readings.slotsSkipped);
    setCounter(this.#journalBytes, readings.journalBytes);
    setCounter(this.#journalFailures, readings.journalFailures);
    setCounter(this.#journalsUnsynced, readings.journalsUnsynced);
    this.#journalPending.set(readings.journalPendingBytes);
    this.#setListening(readings.listening);
    return await this.registry.getMetricsAsJSON();
  }

  #setDetector({ version, fallbacks, gateFrames, networkFrames, fallbackFrames }: Readonly<DetectorReadings>): void {
    this.#detector.reset();
    this.#detector.set({ detector: version }, 1);
    this.#detectorFrames.reset();
    this.#detectorFrames.inc({ vad_stage: "gate" }, gateFrames);
    this.#detectorFrames.inc({ vad_stage: "network" }, networkFrames);
    this.#detectorFrames.inc({ vad_stage: "fallback" }, fallbackFrames);
    setCounter(this.#detectorFallbacks, fallbacks);
  }

  #setListening({ listeners, ended, framesDropped }: Readonly<ListeningReadings>): void {
    this.#listeners.set(listeners);
    this.#listenersEnded.reset();
    for (const [reason, count] of Object.entries(ended)) this.#listenersEnded.inc({ reason }, count);
    setCounter(this.#listenedDropped, framesDropped);
  }

  #setCounters(connectionType: ConnectionType, counts: Readonly<CallCounts>): void {
    const type = { [CONNECTION_TYPE_LABEL]: connectionType };
    this.#frames.inc({ ...type, direction: "in" }, counts.framesIn);
    this.#frames.inc({ ...type, direction: "out" }, counts.framesOut);
    this.#late.inc(type, counts.late);
    this.#underruns.inc(type, counts.underruns);
    this.#echo.inc(type, counts.echoFrames);
    this.#parametersDropped.inc(type, counts.parametersDropped);
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
    for (const [reason, count] of Object.entries(counts.opusRefused)) this.#opusRefused.inc({ ...type, reason }, count);
  }
}
