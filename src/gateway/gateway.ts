import { strict as assert } from "node:assert";
import { DEFAULT_TURN_PARAMETERS, type TurnParameters } from "../call/parameters.ts";
import type { AccountProviders } from "../core/accounts/account-providers.ts";
import type { Prices } from "../core/billing/prices.ts";
import type { SpendSettings } from "../core/billing/spend.ts";
import type { CallActivity } from "../core/calls/activity.ts";
import type { ListenAnswer } from "../core/calls/listening.ts";
import { isRecordingRequest, type LiveOutcome, type LiveRequest } from "../core/calls/live-requests.ts";
import type { PhoneUpdate } from "../core/calls/phone-requests.ts";
import type { EndReason } from "../core/calls/reasons.ts";
import type { CallSpec, ConnectionType, ModelName } from "../core/calls/spec.ts";
import type { Clock } from "../core/clock.ts";
import { mediaMs } from "../core/clocks.ts";
import { codeOf } from "../core/errors.ts";
import type { CallId } from "../core/ids.ts";
import type { Retriever } from "../core/knowledge/passages.ts";
import { LISTEN_ADDRESS_MS, LISTENER_BUFFERED_BYTES_MAX } from "../core/limits/calls/listening.ts";
import { CARRIER_MESSAGE_BYTES_MAX } from "../core/limits/streams/messages.ts";
import type { Logger } from "../core/log/logger.ts";
import { TimeHistogram } from "../core/metrics/histogram.ts";
import type { WorkerMetrics } from "../core/metrics/worker-metrics.ts";
import type { AddedLatency, LiveState, WorkerReadings } from "../core/metrics/worker-readings.ts";
import type { SchemaChecks } from "../core/schemas/checker.ts";
import type { ServerTools } from "../core/tools/server-tools.ts";
import type { ResamplerFactory } from "../media/resampler.ts";
import type { RtpReadings } from "../media/rtp/reception.ts";
import type { VoiceActivityDetection } from "../media/voice-activity/detector.ts";
import type { CallLlm, CallStt, TtsPool } from "../speech/contracts.ts";
import type { LocalSpeech } from "../speech/local/jobs.ts";
import type { CallHandoff, EndSummary, HoldReport, MediaReport, RedeemedCall } from "../store/call-handoff.ts";
import type { WorkerLoad } from "../store/handoff/messages.ts";
import { RELAYED_HEADER, type UpgradeAuthentication, type UpgradeHeaders } from "../wire/upgrade.ts";
import type { InboundAudio, WireFactory } from "../wire/wire.ts";
import { AdmissionGate, type CallProviders, type OpenedStream, type PreparedProviders } from "./admission.ts";
import { createSession } from "./call-creation.ts";
import { Ticker } from "./event-loop/ticker.ts";
import type { JournalWriters } from "./journal/writers.ts";
import { AudioSockets, type CallSockets, type LegResources } from "./leg/call-sockets.ts";
import { closeCodeOf } from "./leg/close-codes.ts";
import { TimedCall } from "./leg/timed-call.ts";
import { isListenToken } from "./listening/addresses.ts";
import { Listening } from "./listening/listening.ts";
import { TotalCounters } from "./metrics/total-counters.ts";
import type { PhraseFinder } from "./phrases/book.ts";
import type { OtherNodes } from "./resumption/other-nodes.ts";
import type { OtherWorkers } from "./resumption/other-workers.ts";
import { isResumeToken, Resumptions } from "./resumption/resumptions.ts";
import { WORKER_TAG_CHARS } from "./resumption/worker-tokens.ts";
import type { Admission } from "./server/media-server.ts";
import type { CallSession } from "./session.ts";
import type { AccountSpends } from "./spend/account.ts";
import { CLOSE_INTERNAL_ERROR, CLOSE_NORMAL } from "./transport/close-codes.ts";
import type { Transport, TransportListener } from "./transport/transport.ts";
import { type WebrtcResources, WebrtcSockets } from "./webrtc/call-sockets.ts";

export interface GatewayOptions {
  handoff: CallHandoff;
  providers: {
    stt: CallStt | undefined;
    /** The processes with the turn model; undefined where none is configured. */
    turnModel?: LocalSpeech | undefined;
    tts: Pick<TtsPool, "provider" | "forVoice">;
    llm: Readonly<Record<ModelName, CallLlm>>;
    /** The providers of accounts that have not those of the service. Rejects when an account may use none of them. */
    forAccount?: (account: AccountProviders, model: ModelName) => Promise<CallProviders>;
  };
  createWire: WireFactory;
  /** Whether the digits of a call's agent are tones in its audio, because nothing else carries them to the line. */
  sendsTones: (spec: Pick<CallSpec, "connectionType" | "phoneControl">) => boolean;
  /** The name by which other workers find this one, 16 hexadecimal digits; and those workers. Absent where there are none. */
  workerTag?: string;
  otherWorkers?: Pick<OtherWorkers, "ask">;
  /** Undefined in a service that is alone on its database. */
  otherNodes?: Pick<OtherNodes, "ask"> | undefined;
  /** Only of workers that carry WebRTC calls. */
  webrtc?: WebrtcResources | undefined;
  /** All that calls can have. */
  connectionTypes: readonly ConnectionType[];
  voiceActivity: VoiceActivityDetection;
  makeResampler: ResamplerFactory;
  /** Tools that are requests to servers. */
  httpTools: Pick<ServerTools, "forCall" | "callEnded">;
  /** Answers questions from corpora; undefined where this process has no index to ask. */
  retriever?: Retriever | undefined;
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
  mediaUrl: () => string;
}

/** A call of this process, and how its peer connects. */
interface LiveCall {
  spec: CallSpec;
  session: CallSession;
  sockets: CallSockets;
}

/** The connection types whose peers are programs and pages that speak our own protocol. */
const CLIENT_TYPES: readonly ConnectionType[] = ["websocket", "webrtc"];

const NO_WORKER_TAG = "0".repeat(WORKER_TAG_CHARS);

type AdmittedStart = Admission & { kind: "admitted" };

const NO_LISTENER: TransportListener = { message: () => {}, pinged: () => {}, ponged: () => {}, closed: () => {} };

const inboundBuffer = (): InboundAudio => ({
  bytes: new Uint8Array(CARRIER_MESSAGE_BYTES_MAX),
  samples: new Int16Array(CARRIER_MESSAGE_BYTES_MAX),
  count: 0,
  timestampMs: mediaMs(Number.NaN),
  isDtx: false,
  chunk: Number.NaN,
});

/** The media plane of one process: redeems stream tokens and holds the calls that result. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #calls = new Map<CallId, LiveCall>();
  readonly #resources: LegResources;
  readonly #resumptions: Resumptions;
  readonly #listening: Listening;
  readonly #totals: TotalCounters;
  readonly #addedLatency: AddedLatency = { in: new TimeHistogram(), out: new TimeHistogram() };
  readonly #ticker: Ticker;
  readonly #admissions: AdmissionGate;
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
      prepare: (redeemed) => this.#prepare(redeemed),
      open: (redeemed, prepared, stream) => this.#open(redeemed, prepared, stream),
      onSettled: () => this.#checkEmpty(),
    });
    const { voiceActivity, clock, handoff, mediaUrl } = options;
    const addedLatencyIn = this.#addedLatency.in;
    this.#resources = { voiceActivity, inbound: inboundBuffer(), ticker: this.#ticker, clock, addedLatencyIn };
    const addresses = {
      workerTag: options.workerTag ?? NO_WORKER_TAG,
      tokenKeys: () => handoff.tokenKeys,
      mediaUrl,
    };
    this.#resumptions = new Resumptions(addresses);
    this.#listening = new Listening({ ...addresses, makeResampler: options.makeResampler, clock });
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
    const calls: Record<LiveState, number> = { opening: 0, listening: 0, thinking: 0, speaking: 0, held: 0 };
    const live = [...this.#calls.values()].map(({ session }) => session.read());
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
      listening: this.#listening.readings(),
    };
  }

  /**
   * Exchanges a stream token for a call slot, see `AdmissionGate.admit`, or the token of a resumption or of a listener for its call.
   * `asksToResume`: the client asks for an address at which to connect again when this connection is lost.
   */
  async admit(token: string, headers: UpgradeHeaders, asksToResume = false): Promise<Admission> {
    if (isListenToken(token)) return await this.#admitListener(token, headers);
    if (!isResumeToken(token)) return await this.#admissions.admit(token, headers, asksToResume);
    const found = this.#resumptions.find(token);
    if (found.kind === "call") return await this.#resumeHere(token, headers);
    if (found.kind === "invalid") return await this.#admissions.refuse(401);
    const elsewhere = found.kind === "elsewhere" && (await this.#admitElsewhere(found.workerTag, token, headers));
    return elsewhere || (await this.#admissions.refuse(503));
  }

  /** The admission of a token of another worker, of this node or of another one. Undefined where that worker is gone. */
  async #admitElsewhere(
    workerTag: string,
    token: string,
    headers: UpgradeHeaders,
    bufferedBytesMax?: number,
  ): Promise<Admission | undefined> {
    const { otherWorkers, otherNodes } = this.#options;
    const ofWorker = await otherWorkers?.ask(workerTag, token, headers, bufferedBytesMax);
    if (ofWorker !== undefined) return { kind: "admitted", open: (transport) => ofWorker.open(transport) };
    // Another node has found the call's node here, and not the call.
    if (otherNodes === undefined || (headers[RELAYED_HEADER] ?? "") !== "") return undefined;
    const ofNode = await otherNodes.ask(workerTag, token, headers, bufferedBytesMax);
    if (ofNode?.kind === "refused") return await this.#admissions.refuse(ofNode.status);
    return ofNode && { kind: "admitted", open: (transport) => ofNode.connection.open(transport) };
  }

  async #admitListener(token: string, headers: UpgradeHeaders): Promise<Admission> {
    const issuer = this.#listening.addresses.issuerOf(token);
    if (issuer === undefined) return await this.#admissions.refuse(401);
    if (issuer.isOwn) return this.#listen(token) ?? (await this.#admissions.refuse(401));
    const elsewhere = await this.#admitElsewhere(issuer.workerTag, token, headers, LISTENER_BUFFERED_BYTES_MAX);
    return elsewhere ?? (await this.#admissions.refuse(401));
  }

  /** Uses up the token of a listener; undefined where it is of no call of this process, or no longer valid. */
  #listen(token: string): AdmittedStart | undefined {
    const callId = this.#listening.addresses.take(token);
    this.#checkFull();
    const session = callId && this.#calls.get(callId)?.session;
    return session && { kind: "admitted", open: (transport) => this.#listening.connect(session, transport) };
  }

  async #resumeHere(token: string, headers: UpgradeHeaders): Promise<Admission> {
    try {
      return (await this.resume(token, headers)) ?? (await this.#admissions.refuse(401));
    } catch (error) {
      this.#options.log.warn({ code: codeOf(error) }, "stream of a telephone call could not be checked");
      return await this.#admissions.refuse(503);
    }
  }

  /**
   * The admission of a resumption or of a listener, which this worker or another one has got with these headers. Undefined where the token is of no
   * call of this process; and without the signature that the call's carrier must send, when the token stays valid. Rejects with
   * `unavailable` where the signature cannot be checked.
   */
  async resume(token: string, headers: UpgradeHeaders): Promise<AdmittedStart | undefined> {
    if (isListenToken(token)) return this.#listen(token);
    const found = this.#resumptions.find(token);
    const live = found.kind === "call" ? this.#calls.get(found.callId) : undefined;
    if (found.kind !== "call" || live === undefined) return undefined;
    if (!(await this.#isAuthentic(found.callId, live.spec, token, headers))) return undefined;
    // Another connection may have been faster.
    if (this.#resumptions.take(token).kind !== "call") return undefined;
    return { kind: "admitted", open: (transport) => this.#reconnect(live, transport) };
  }

  /** A telephone call has credentials of its own, which workers have not. */
  async #isAuthentic(callId: CallId, spec: CallSpec, token: string, headers: UpgradeHeaders): Promise<boolean> {
    const { authentication, mediaUrl, handoff } = this.#options;
    const url = `${mediaUrl()}/stream/${token}`;
    if (spec.phoneControl) return await handoff.isStreamOf(callId, { url, headers });
    const allowedTypes = authentication.allowedTypes(url, headers);
    return allowedTypes === undefined || allowedTypes.includes(spec.connectionType);
  }

  /**
   * A single-use address at which the carrier of a telephone call connects its next stream; undefined where the call is not here.
   * It takes the place of that of the connection before: see `Resumptions.addressOf`.
   */
  resumeAddress(callId: CallId, connect?: number): string | undefined {
    const phoneControl = this.#calls.get(callId)?.spec.phoneControl;
    return phoneControl && this.#resumptions.addressOf(callId, connect);
  }

  /** A single-use address at which a client listens to a call. */
  listenAddress(callId: CallId): ListenAnswer {
    const session = this.#calls.get(callId)?.session;
    if (session === undefined) return { kind: "refused", reason: "not_live" };
    const answer = this.#listening.address(session);
    if (answer.kind === "refused") return answer;
    this.#checkFull();
    this.#options.clock.after(LISTEN_ADDRESS_MS, () => this.#checkFull());
    return answer;
  }

  /** What the calls of this process do; without live transcriptions. */
  activity(): readonly CallActivity[] {
    return [...this.#calls].flatMap(([callId, { spec, session }]) => {
      const { state, counts } = session.read();
      const { accountId } = session;
      return spec.mode === "transcription" ? [] : [{ callId, accountId, state, ...counts.turns }];
    });
  }

  /** The connections that listen to calls. */
  get listenerCount(): number {
    return this.#listening.count;
  }

  /** What the control process says of a telephone call; false where the call is not here, and see `CallSession.phoneUpdate`. */
  phoneUpdate(callId: CallId, update: PhoneUpdate): boolean {
    return this.#calls.get(callId)?.session.phoneUpdate(update) === true;
  }

  /** Puts the caller of a call on hold, or ends the hold; pauses or resumes the recording. */
  request(callId: CallId, request: LiveRequest): LiveOutcome {
    const session = this.#calls.get(callId)?.session;
    if (session === undefined) return "not_live";
    return isRecordingRequest(request) ? session.changeRecording(request) : session.hold(request);
  }

  /** The telephone calls of this process that have a media stream, or have lost it. */
  mediaStates(): readonly MediaReport[] {
    return [...this.#calls].flatMap(
      ([
        callId,
        {
          spec,
          session: { mediaState: state },
        },
      ]) => (spec.phoneControl && state !== undefined ? [{ callId, state }] : []),
    );
  }

  /** The callers of this process who are on hold. */
  holds(): readonly HoldReport[] {
    return [...this.#calls].flatMap(([callId, { session }]) =>
      session.heldSinceMs === undefined ? [] : [{ callId, sinceMs: session.heldSinceMs }],
    );
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
    for (const { session } of [...this.#calls.values()]) session.detectorChanged(detector);
  }

  /** The version of the detector that decides now. */
  get #detectorVersion(): string {
    const { version, fallbackVersion } = this.#options.voiceActivity;
    return this.#isDetectorFallback && fallbackVersion !== undefined ? fallbackVersion : version;
  }

  #checkFull(): void {
    // The client of a detached call, and one that is to listen, must find an open port; where all workers are full there is no other.
    const isExpected = this.#hasDetachedCall || this.#listening.addresses.hasValid;
    const isFull = this.#calls.size >= this.#options.callsMax && !isExpected;
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    this.#options.onFull(isFull);
  }

  get #hasDetachedCall(): boolean {
    return [...this.#calls.values()].some(({ session }) => session.isDetached);
  }

  #checkEmpty(): void {
    if (this.#calls.size + this.#admissions.pending === 0) this.#onEmpty?.();
  }

  /** The process has no free call slot, and no call whose client may come back. */
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
    this.#calls.get(callId)?.session.end(reason);
  }

  /** Ends every live call after a goodbye; calls whose handshakes are not complete end as they begin. */
  endAllWithGoodbye(): void {
    this.#isDrainOver = true;
    for (const { session } of [...this.#calls.values()]) session.end("drain_timeout", "with a goodbye");
  }

  /** Never rejects. */
  async #prepare({ spec, providers: account }: RedeemedCall): Promise<PreparedProviders> {
    const { stt, llm, tts, forAccount } = this.#options.providers;
    if (account === undefined || forAccount === undefined) return { providers: { stt, llm: llm[spec.model], tts } };
    try {
      return { providers: await forAccount(account, spec.model) };
    } catch (error) {
      return { error };
    }
  }

  /** A call whose token was redeemed must end in a record, even if it could not start. */
  #open(
    redeemed: RedeemedCall,
    prepared: PreparedProviders,
    { transport, asksToResume }: OpenedStream,
  ): TransportListener {
    try {
      if ("error" in prepared) throw prepared.error;
      return this.#begin(redeemed, prepared.providers, transport, asksToResume);
    } catch (error) {
      const { callId } = redeemed;
      this.#options.log.error({ err: error, code: codeOf(error), callId }, "call could not be started");
      this.#options.metrics.callEnded("worker_lost");
      this.#options.handoff.ended(callId);
      transport.close(closeCodeOf("worker_lost"), "worker_lost");
      return NO_LISTENER;
    }
  }

  #begin(redeemed: RedeemedCall, own: CallProviders, transport: Transport, asksToResume: boolean): TransportListener {
    const { callId, spec } = redeemed;
    const { clock, metrics } = this.#options;
    const mayResume = asksToResume && CLIENT_TYPES.includes(spec.connectionType);
    // Only the sockets can fail, so they are made first: anything created before them would leak.
    const sockets = this.#socketsOf(redeemed, mayResume);
    const session = createSession(this.#options, {
      redeemed,
      own,
      format: sockets.format,
      mayResume,
      parameters: this.#parameters,
      onDetached: () => this.#checkFull(),
      onDone: (end) => this.#onDone(callId, session, stopTicking, end),
    });
    const addedLatencyOut = this.#addedLatency.out;
    const stopTicking = this.#ticker.add(
      new TimedCall({ call: session, counters: session.read().counts, clock, addedLatencyOut }),
    );
    this.#calls.set(callId, { spec, session, sockets });
    this.#checkFull();
    metrics.callStarted(spec.connectionType);
    session.log.info("call started");
    if (this.#isDetectorFallback) session.detectorChanged(this.#detectorVersion);
    const listener = sockets.connect(session, transport);
    if (this.#isDrainOver) session.end("drain_timeout");
    return listener;
  }

  #socketsOf({ callId, spec }: Pick<RedeemedCall, "callId" | "spec">, mayResume: boolean): CallSockets {
    const { createWire, webrtc, metrics } = this.#options;
    const resources = this.#resources;
    const resumeUrl = (): string | undefined => {
      const address = mayResume ? this.#resumptions.issue(callId) : undefined;
      return address && `${address}?resume=true`;
    };
    if (spec.connectionType !== "webrtc") {
      const ready = () => ({ kind: "ready", callId, resumeUrl: resumeUrl() }) as const;
      return new AudioSockets({ resources, createWire: () => createWire(callId, spec), ready });
    }
    assert.ok(webrtc !== undefined, "only workers with WebRTC redeem tokens of its calls");
    const rtpEnded = (readings: Readonly<RtpReadings>): void => metrics.rtp.ended(readings);
    return new WebrtcSockets({ callId, webrtc, resources, rtpEnded, resumeUrl });
  }

  /** The call of a resumption goes on over this socket. Never throws. */
  #reconnect({ session, sockets }: LiveCall, transport: Transport): TransportListener {
    if (session.isOver) {
      transport.close(CLOSE_NORMAL, "the call is over");
      return NO_LISTENER;
    }
    try {
      session.log.info("call resumed");
      this.#options.metrics.callResumed();
      return sockets.connect(session, transport);
    } catch (error) {
      session.log.error({ err: error, code: codeOf(error) }, "call could not be resumed");
      transport.close(CLOSE_INTERNAL_ERROR, "worker_lost");
      return NO_LISTENER;
    }
  }

  #onDone(callId: CallId, session: CallSession, stopTicking: () => void, end: EndSummary): void {
    stopTicking();
    this.#calls.get(callId)?.sockets.ended(end.reason);
    this.#calls.delete(callId);
    this.#resumptions.forget(callId);
    this.#listening.addresses.forget(callId);
    this.#options.httpTools.callEnded(callId);
    this.#checkFull();
    const { counts } = session.read();
    if (counts.rtp !== undefined) this.#options.metrics.rtp.ended(counts.rtp.readings);
    this.#totals.addEnded(session.read());
    this.#options.handoff.ended(callId, end);
    this.#checkEmpty();
  }
}
