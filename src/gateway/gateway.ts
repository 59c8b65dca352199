import { DEFAULT_TURN_PARAMETERS, type TurnParameters } from "../call/parameters.ts";
import { promptTokensMaxOf } from "../call/prompt-budget.ts";
import type { Prices } from "../core/billing/prices.ts";
import type { SpendSettings } from "../core/billing/spend.ts";
import type { EndReason } from "../core/calls/reasons.ts";
import type { ConnectionType, ModelName } from "../core/calls/spec.ts";
import { type Clock, isoTime } from "../core/clock.ts";
import { mediaMs } from "../core/clocks.ts";
import { codeOf } from "../core/errors.ts";
import type { CallId } from "../core/ids.ts";
import { HISTORY_TOKENS_DEFAULT } from "../core/limits/llm.ts";
import { CARRIER_MESSAGE_BYTES_MAX } from "../core/limits/messages.ts";
import type { Logger } from "../core/log/logger.ts";
import { TimeHistogram } from "../core/metrics/histogram.ts";
import type { WorkerMetrics } from "../core/metrics/worker-metrics.ts";
import type { AddedLatency, LiveState, WorkerReadings } from "../core/metrics/worker-readings.ts";
import type { SchemaChecks } from "../core/schemas/checker.ts";
import { busRateHz } from "../media/bus-rate.ts";
import type { ResamplerFactory } from "../media/resampler.ts";
import type { VoiceActivityDetection } from "../media/voice-activity/detector.ts";
import type { CallLlm, CallStt, TtsPool } from "../speech/contracts.ts";
import type { LocalSpeech } from "../speech/local/jobs.ts";
import type { CallHandoff, EndSummary, RedeemedCall } from "../store/call-handoff.ts";
import type { WorkerLoad } from "../store/handoff/messages.ts";
import type { UpgradeAuthentication, UpgradeHeaders } from "../wire/upgrade.ts";
import type { InboundAudio, WireFactory } from "../wire/wire.ts";
import { AdmissionGate } from "./admission.ts";
import { Ticker } from "./event-loop/ticker.ts";
import type { JournalWriters } from "./journal/writers.ts";
import { closeCodeOf } from "./leg/close-codes.ts";
import { makeVadFor } from "./leg/make-vad.ts";
import { TimedLeg } from "./leg/timed-leg.ts";
import { TotalCounters } from "./metrics/total-counters.ts";
import type { PhraseFinder } from "./phrases/book.ts";
import type { Admission } from "./server/media-server.ts";
import { CallSession, legFormatOf } from "./session.ts";
import type { AccountSpends } from "./spend/account.ts";
import { CallSpend } from "./spend/call.ts";
import type { HttpTools } from "./tools/http-client.ts";
import type { Transport, TransportListener } from "./transport/transport.ts";

export interface GatewayOptions {
  handoff: CallHandoff;
  providers: {
    stt: CallStt | undefined;
    /** The processes with the turn model; undefined where none is configured. */
    turnModel?: LocalSpeech | undefined;
    tts: Pick<TtsPool, "provider" | "forVoice">;
    llm: Readonly<Record<ModelName, CallLlm>>;
  };
  createWire: WireFactory;
  /** All that calls can have. */
  connectionTypes: readonly ConnectionType[];
  voiceActivity: VoiceActivityDetection;
  makeResampler: ResamplerFactory;
  httpTools: HttpTools;
  schemas: SchemaChecks;
  journals: JournalWriters;
  /** Service phrases, by language. */
  phrases: PhraseFinder;
  /** What a call and an account may spend. */
  spend: SpendSettings;
  /** What the accounts of this worker's calls spend. */
  accountSpends: AccountSpends;
  /** What providers charge; undefined where no prices are configured. */
  prices: Prices | undefined;
  metrics: Omit<WorkerMetrics, "registry" | "exposition">;
  /** The parameters of turn taking, without those that the detector sets: the onset of speech. */
  parameters?: Readonly<TurnParameters>;
  /**
   * The maximum size of a prompt without the system prompt and the tools, estimated tokens; HISTORY_TOKENS_DEFAULT by
   * default.
   */
  historyTokensMax?: number;
  clock: Clock;
  log: Logger;
  /** The capacity: with this many calls the process is full and should get no more. */
  callsMax: number;
  /** The process has become full, or has capacity again. Connections that are already open are still served. */
  onFull: (isFull: boolean) => void;
  /** Which connection types an upgrade may belong to. */
  authentication: UpgradeAuthentication;
  /** The stream's address up to `/stream/{token}`: some carriers sign it. */
  mediaUrl: string;
}

/** The media plane of one process: redeems stream tokens and holds the calls that result. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #calls = new Map<CallId, CallSession>();
  readonly #totals: TotalCounters;
  readonly #addedLatency: AddedLatency = { in: new TimeHistogram(), out: new TimeHistogram() };
  readonly #ticker: Ticker;
  readonly #admissions: AdmissionGate;
  readonly #inbound: InboundAudio;
  readonly #parameters: Readonly<TurnParameters>;
  /** Calls use the detector's fallback. */
  #isDetectorFallback = false;
  #detectorFallbacks = 0;
  #isFull = false;
  /** The drain's deadline has passed: calls that start after it end at once. */
  #isDrainOver = false;
  #onEmpty: (() => void) | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#totals = new TotalCounters(options.connectionTypes);
    this.#parameters = { ...(options.parameters ?? DEFAULT_TURN_PARAMETERS), ...options.voiceActivity.onset };
    this.#ticker = new Ticker(options.clock);
    this.#admissions = new AdmissionGate({
      ...options,
      open: (redeemed, transport) => this.#open(redeemed, transport),
      onSettled: () => this.#checkEmpty(),
    });
    this.#inbound = {
      bytes: new Uint8Array(CARRIER_MESSAGE_BYTES_MAX),
      samples: new Int16Array(CARRIER_MESSAGE_BYTES_MAX),
      count: 0,
      timestampMs: mediaMs(Number.NaN),
      isDtx: false,
      chunk: Number.NaN,
    };
    const { providers, metrics } = options;
    if (providers.stt !== undefined) metrics.registerStage("stt", providers.stt.provider);
    for (const { provider } of Object.values(providers.llm)) metrics.registerStage("llm", provider);
    metrics.registerStage("tts", providers.tts.provider);
  }

  /** The ids of the calls in this process. */
  callIds(): CallId[] {
    return [...this.#calls.keys()];
  }

  /** The number of calls, and the capacity. */
  load(): Pick<WorkerLoad, "callCount" | "callsMax"> {
    return { callCount: this.#calls.size, callsMax: this.#options.callsMax };
  }

  /** The current readings for the metrics. */
  readings(): WorkerReadings {
    const { journals, callsMax, voiceActivity } = this.#options;
    const calls: Record<LiveState, number> = { opening: 0, listening: 0, thinking: 0, speaking: 0 };
    const live = [...this.#calls.values()].map((session) => session.read());
    for (const { state } of live) calls[state] += 1;
    return {
      calls,
      callsMax,
      counts: this.#totals.withLive(live),
      addedLatency: this.#addedLatency,
      detector: {
        version: this.#detectorVersion,
        fallbacks: this.#detectorFallbacks,
        ...voiceActivity.counts,
      },
      tickLateness: this.#ticker.lateness,
      slotsSkipped: this.#ticker.skippedSlots,
      journalBytes: journals.writtenBytes,
      journalPendingBytes: journals.pendingBytes,
      journalFailures: journals.failures,
      journalsUnsynced: journals.unsynced,
    };
  }

  /** Exchanges a stream token for a call slot: see `AdmissionGate.admit`. */
  admit(token: string, headers: UpgradeHeaders): Promise<Admission> {
    return this.#admissions.admit(token, headers);
  }

  /**
   * With `isOn` all calls, and those that start later, use the detector's fallback; their events say so. Does nothing
   * where the detector has none.
   */
  setDetectorFallback(isOn: boolean): void {
    const { voiceActivity, log } = this.#options;
    if (voiceActivity.fallbackVersion === undefined || isOn === this.#isDetectorFallback) return;
    this.#isDetectorFallback = isOn;
    if (isOn) this.#detectorFallbacks += 1;
    voiceActivity.setFallback(isOn);
    const detector = this.#detectorVersion;
    const calls = this.#calls.size;
    if (isOn) log.warn({ detector, calls }, "event loop lags: voice activity detection falls back to the cheaper one");
    else log.info({ detector, calls }, "voice activity detection no longer falls back");
    for (const session of [...this.#calls.values()]) session.detectorChanged(detector);
  }

  /** The version of the detector that decides now. */
  get #detectorVersion(): string {
    const { version, fallbackVersion } = this.#options.voiceActivity;
    return this.#isDetectorFallback && fallbackVersion !== undefined ? fallbackVersion : version;
  }

  #checkFull(): void {
    const isFull = this.#calls.size >= this.#options.callsMax;
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    this.#options.onFull(isFull);
  }

  #checkEmpty(): void {
    if (this.#calls.size + this.#admissions.pending === 0) this.#onEmpty?.();
  }

  /** The process has no free call slot. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Accepts no more calls; resolves when the last one is over. */
  drain(): Promise<void> {
    this.#admissions.close();
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
      this.#checkEmpty();
    });
  }

  /** Ends a call of this process; does nothing for any other. */
  end(callId: CallId, reason: EndReason): void {
    this.#calls.get(callId)?.end(reason);
  }

  /** Ends every live call after a goodbye; calls whose handshakes are not complete end as they begin. */
  endAllWithGoodbye(): void {
    this.#isDrainOver = true;
    for (const session of [...this.#calls.values()]) session.end("drain_timeout", "with a goodbye");
  }

  /** A call whose token was redeemed must end in a record, even if it could not start. */
  #open(redeemed: RedeemedCall, transport: Transport): TransportListener {
    try {
      const { session, leg } = this.#begin(redeemed, transport);
      if (this.#isDetectorFallback) session.detectorChanged(this.#detectorVersion);
      session.begin();
      if (this.#isDrainOver) session.end("drain_timeout");
      return leg;
    } catch (error) {
      const { callId } = redeemed;
      this.#options.log.error({ err: error, code: codeOf(error), callId }, "call could not be started");
      this.#options.metrics.callEnded("worker_lost");
      this.#options.handoff.ended(callId);
      transport.close(closeCodeOf("worker_lost"), "worker_lost");
      return { message: () => {}, pinged: () => {}, ponged: () => {}, closed: () => {} };
    }
  }

  #begin(redeemed: RedeemedCall, transport: Transport): { session: CallSession; leg: TransportListener } {
    const { callId, accountId, spec } = redeemed;
    const { providers, httpTools, schemas, journals, phrases, metrics, clock, voiceActivity, makeResampler } =
      this.#options;
    const { spend: settings, accountSpends, prices, historyTokensMax = HISTORY_TOKENS_DEFAULT } = this.#options;
    const log = this.#options.log.child({ callId });
    const wire = this.#options.createWire(callId, spec);
    const format = legFormatOf(wire);
    // Only the wire and the VAD can fail, so they are created first: anything created before them would leak.
    const vad = makeVadFor(wire, () => voiceActivity.open(busRateHz(wire.inboundRateHz)));
    const llm = providers.llm[spec.model];
    const promptTokensMax = promptTokensMaxOf(spec, llm.contextTokens, historyTokensMax);
    const stt = providers.stt?.forLanguage?.(spec.language) ?? providers.stt;
    const sttHasInterim = stt?.capabilities.interimTranscripts ?? false;
    const journal = journals.open({
      ...redeemed,
      startedAt: isoTime(clock.epochMs()),
      leg: format,
      detector: voiceActivity.version,
      sttHasInterim,
      sttFinalPerUtterance: stt?.capabilities.finalPerUtterance ?? false,
      parameters: this.#parameters,
      promptTokensMax,
    });
    const session = new CallSession({
      redeemed,
      format,
      makeResampler,
      stt,
      turnModel: providers.turnModel,
      llm,
      tts: providers.tts.forVoice(spec.voiceId),
      parameters: this.#parameters,
      promptTokensMax,
      httpTools,
      schemas,
      phrases,
      spend: new CallSpend({
        accountId,
        settings,
        accountSpends,
        maxCost: spec.maxCost,
        prices,
        metrics,
        nowMs: () => clock.nowMs(),
      }),
      journal,
      metrics,
      clock,
      log,
      onStarted: (carrierCallId) => this.#options.handoff.streamStarted(callId, carrierCallId),
      onDone: (end) => this.#onDone(callId, session, stopTicking, end),
    });
    const attachment = session.attach({ transport, wire, inbound: this.#inbound, vad });
    const leg = new TimedLeg(attachment, session, clock, this.#ticker, this.#addedLatency);
    const stopTicking = this.#ticker.add(leg);
    this.#calls.set(callId, session);
    this.#checkFull();
    metrics.callStarted(spec.connectionType);
    log.info("call started");
    return { session, leg };
  }

  #onDone(callId: CallId, session: CallSession, stopTicking: () => void, end: EndSummary): void {
    stopTicking();
    this.#calls.delete(callId);
    this.#checkFull();
    this.#totals.addEnded(session.read());
    this.#options.handoff.ended(callId, end);
    this.#checkEmpty();
  }
}
