import { strict as assert } from "node:assert";
import type { CallCommand, CallEvent } from "../call/events.ts";
import { UNREACHABLE_TEXT } from "../call/transfer.ts";
import type { HoldOutcome, HoldRequest } from "../core/calls/hold.ts";
import type { LiveOutcome } from "../core/calls/live-requests.ts";
import type { MediaState, PhoneUpdate } from "../core/calls/phone-requests.ts";
import type { EndReason } from "../core/calls/reasons.ts";
import type { RecordingRequest } from "../core/calls/recording-pause.ts";
import { isRedacted, knowledgeOf } from "../core/calls/spec.ts";
import {
  type CallMs,
  callMs,
  callMsAt,
  type EpochMs,
  elapsedMs,
  latest,
  type MonotonicMs,
  mediaMs,
  millisecondsOf,
} from "../core/clocks.ts";
import { codeOf } from "../core/errors.ts";
import type { AccountId, CallId, CarrierCallId, TurnId } from "../core/ids.ts";
import { REWIND_MS_MAX } from "../core/limits/calls/calls.ts";
import { RESUME_MS_MAX } from "../core/limits/streams/connections.ts";
import type { Logger } from "../core/log/logger.ts";
import type { LiveState } from "../core/metrics/worker-readings.ts";
import { busRateHz } from "../media/bus-rate.ts";
import { ProsodyTracker } from "../media/prosody/tracker.ts";
import type { JournaledLeg } from "../record/journal/records.ts";
import type { ClientMessage, Wire } from "../wire/wire.ts";
import { LineAudio } from "./agent/line-audio.ts";
import { PauseModel } from "./agent/pause-model.ts";
import { PauseProsody } from "./agent/pause-prosody.ts";
import { AgentPipeline, type PipelineCommand } from "./agent/pipeline.ts";
import { cleanUp } from "./cleanup.ts";
import { JournaledCall } from "./journal/journaled-call.ts";
import { type AttachedCall, Attachment, type AttachmentParts } from "./leg/attachment.ts";
import type { CallerFrame } from "./leg/caller-audio.ts";
import type { CallTap } from "./listening/call-listeners.ts";
import { CallCounters, type CallReading } from "./metrics/call-counters.ts";
import { countTurnTaking } from "./metrics/turn-taking.ts";
import { RecentUpdates } from "./resumption/recent-updates.ts";
import { ReturnWindow } from "./resumption/return-window.ts";
import { CallRetrieval } from "./retrieval/call-retrieval.ts";
import type { CallSessionOptions } from "./session-options.ts";
import { ToolRunner } from "./tools/runner.ts";

/** The rates and codecs of a leg's audio on the bus, in the journal and in the frame ring. */
export const legFormatOf = ({ inboundRateHz, outboundRateHz, outboundCodec }: Wire): JournaledLeg => ({
  inboundRateHz: busRateHz(inboundRateHz),
  outboundRateHz,
  outboundCodec,
});

/** The life of a session. */
type State =
  /** Its first leg is not attached yet. */
  | { readonly at: "unattached" }
  | { readonly at: "attached"; readonly attachment: Attachment }
  /**
   * A leg was lost: the call ends for this reason if no client connects again in time. `sinceMs`: undefined while one has
   * connected, and what carries its audio is not arranged yet; and while the return window limits it.
   */
  | { readonly at: "detached"; readonly reason: EndReason; readonly sinceMs: CallMs | undefined }
  | { readonly at: "over" };

/**
 * One call from redemption to its end: connects the attached leg, the pipeline, the tools and the journal to the call's
 * state machine.
 *
 * Each frame of the caller goes to the journal, the call and the STT in one synchronous step. Every other event enters
 * the state machine through `handle`, which journals it first. Times are ms since redemption.
 */
export class CallSession implements AttachedCall {
  readonly #options: CallSessionOptions;
  readonly #call: JournaledCall;
  readonly #pipeline: AgentPipeline;
  readonly #tools: ToolRunner;
  readonly #retrieval: CallRetrieval;
  readonly #startMs: MonotonicMs;
  readonly #counters = new CallCounters();
  /** One event object is reused for every frame. */
  readonly #frameIn = { kind: "frame-in" as const, isSpeech: false, mediaMs: mediaMs(0) };
  /** Undefined where turns end by fixed pauses, or there are no words to judge. */
  readonly #pauseProsody: PauseProsody | undefined;
  /** Undefined where there is no turn model, either. */
  readonly #pauseModel: PauseModel | undefined;
  #state: State = { at: "unattached" };
  /** Tool calls for a client that has no connection at present; few, because it has one again soon. */
  readonly #undelivered: ClientMessage[] = [];
  readonly #recentUpdates = new RecentUpdates();
  /** The utterances of a live transcription so far. */
  #utterances = 0;
  /** When the latest frame came, on any leg; NaN before the first. */
  #latestFrameMs = callMs(Number.NaN);
  readonly #returnWindow: ReturnWindow;
  /** The reply that the call has paused: a leg that is attached meanwhile must not send it. */
  #pausedTurnId: TurnId | undefined;
  readonly #lineAudio: LineAudio;
  /** How many legs were attached; the attached one has this number in the journal. */
  #attachmentCount = 0;
  #mediaState: MediaState | undefined;
  #language: string;
  #liveState: LiveState = "opening";
  /** Undefined while there are no listeners. */
  #tap: CallTap | undefined;

  constructor(options: CallSessionOptions) {
    this.#options = options;
    const { redeemed, format, stt, llm, tts, phrases, makeResampler, journal, metrics, clock, log } = options;
    this.#startMs = clock.nowMs();
    this.#language = redeemed.spec.language;
    this.#lineAudio = new LineAudio({ format, clock, onHold: (sinceMs) => options.onHold?.(sinceMs) });
    this.#returnWindow = new ReturnWindow({
      clock,
      onOver: (target, hasFailed) => this.#onReturnMissed(target, hasFailed),
    });
    this.#pipeline = new AgentPipeline({
      ...redeemed,
      rewindMsMax: this.#mayHaveMoreLegs ? REWIND_MS_MAX : 0,
      busRateHz: format.inboundRateHz,
      legRateHz: format.outboundRateHz,
      legCodec: format.outboundCodec,
      stt,
      llm,
      tts,
      phrases,
      spend: options.spend,
      makeResampler,
      counters: this.#counters,
      metrics,
      log,
      nowMs: () => this.nowMs(),
      deliver: (event) => this.handle(event, this.nowMs()),
      onSpeechReady: () => this.tick(),
    });
    this.#retrieval = new CallRetrieval({
      knowledge: knowledgeOf(redeemed.spec),
      retriever: options.retriever,
      metrics,
      deliver: (event) => this.handle(event, this.nowMs()),
      clock,
    });
    this.#tools = new ToolRunner({
      redeemed,
      schemas: options.schemas,
      httpTools: options.httpTools,
      retrieval: this.#retrieval,
      language: () => this.#language,
      askClient: (call) => this.#deliverToClient({ kind: "tool-call", ...call }),
      deliver: (event) => this.handle(event, this.nowMs()),
      onRun: (kind, outcome) => metrics.toolRan(kind, outcome),
      clock,
      log,
    });
    const judgesTurns = redeemed.spec.mode === undefined && options.parameters.turnWaitMsMax > 0;
    if (judgesTurns && stt !== undefined)
      this.#pauseProsody = new PauseProsody(new ProsodyTracker(busRateHz(format.inboundRateHz)));
    if (this.#pauseProsody !== undefined && options.turnModel !== undefined) {
      this.#pauseModel = new PauseModel({
        speech: options.turnModel,
        rateHz: busRateHz(format.inboundRateHz),
        deliver: (probability) => this.handle({ kind: "turn-model", probability }, this.nowMs()),
      });
    }
    this.#call = new JournaledCall({
      spec: redeemed.spec,
      rateHz: format.outboundRateHz,
      sttHasInterim: stt?.capabilities.interimTranscripts ?? false,
      sttFinalPerUtterance: stt?.capabilities.finalPerUtterance,
      parameters: options.parameters,
      promptTokensMax: options.promptTokensMax,
      journal,
      carryOut: (command) => this.#execute(command),
    });
  }

  /**
   * Attaches a leg, which must have the session's format, in place of the one before. Its transport's messages go to
   * the result. The session must not be over.
   */
  attach(parts: AttachmentParts): Attachment {
    const { format, makeResampler, log } = this.#options;
    if (this.#state.at === "attached") this.#detach("connection_lost", this.nowMs());
    assert.notEqual(this.#state.at, "over", "the call is not over");
    assert.deepEqual(legFormatOf(parts.wire), format, "the pipeline was made for one format");
    const { ttsOutput } = this.#pipeline;
    const attachment = new Attachment({
      ...parts,
      call: this,
      pausedTurnId: this.#pausedTurnId,
      audioSinceMs: this.#transcribes && !Number.isNaN(this.#latestFrameMs) ? this.#latestFrameMs : undefined,
      holdAudio: this.#lineAudio.holdAudio,
      ttsOutput,
      makeResampler,
      counters: this.#counters,
      log,
    });
    const wasDetached = this.isDetached;
    this.#state = { at: "attached", attachment };
    if (wasDetached) this.#options.onDetached?.();
    this.#attachmentCount += 1;
    return attachment;
  }

  /** The current readings for the metrics. */
  read(): CallReading {
    this.#counters.underruns = this.#pipeline.ttsOutput.underruns;
    const { connectionType } = this.#options.redeemed.spec;
    return { connectionType, state: this.#liveState, counts: this.#counters };
  }

  /** What gets from now on the audio that is recorded, as it passes. It is no input of the call. */
  setTap(tap: CallTap | undefined): void {
    this.#tap = tap;
  }

  get callId(): CallId {
    return this.#options.redeemed.callId;
  }

  get accountId(): AccountId {
    return this.#options.redeemed.accountId;
  }

  /** The format of every leg. */
  get format(): JournaledLeg {
    return this.#options.format;
  }

  /** The call's own logger. */
  get log(): Logger {
    return this.#options.log;
  }

  /** Whether the call has a media stream; undefined before the first one has started. */
  get mediaState(): MediaState | undefined {
    return this.#mediaState;
  }

  /** Since when the caller is on hold; undefined for one who is not. */
  get heldSinceMs(): EpochMs | undefined {
    return this.#lineAudio.heldSinceMs;
  }

  /** How much audio a live transcription has had, ms; undefined for a conversation. */
  get audioMs(): number | undefined {
    return this.#call.audioMs;
  }

  get #transcribes(): boolean {
    return this.#options.redeemed.spec.mode === "transcription";
  }

  get #mayHaveMoreLegs(): boolean {
    const { mayResume, phone, redeemed } = this.#options;
    return mayResume || phone !== undefined || redeemed.spec.connectionType === "webrtc";
  }

  /** The call has lost its leg, and its client or its carrier may come back. */
  get isDetached(): boolean {
    return this.#state.at === "detached";
  }

  /** The call has ended. */
  get isOver(): boolean {
    return this.#state.at === "over";
  }

  /** Ends the call for a reason that neither speaker caused: at once, or after the caller has heard a goodbye. */
  end(reason: EndReason, how?: "with a goodbye"): void {
    this.handle({ kind: how === undefined ? "end-requested" : "goodbye-requested", reason }, this.nowMs());
  }

  /** Puts the caller on hold, or ends the hold. Never throws. */
  hold(request: HoldRequest): HoldOutcome {
    const refusal = this.isOver ? "not_live" : this.#call.holdRefusal(request);
    if (refusal !== undefined) return refusal;
    if (request.kind === "resume") {
      this.handle({ kind: "resume-requested" }, this.nowMs());
      return "done";
    }
    this.handle({ kind: "hold-requested", msMax: request.msMax }, this.nowMs());
    // The reply that it stopped may have been the agent's goodbye, or its last words before a transfer.
    if (this.heldSinceMs !== undefined) return "done";
    return this.#isOver() ? "not_live" : "transferring";
  }

  /** Pauses or resumes the recording. Never throws. */
  changeRecording(request: RecordingRequest): LiveOutcome {
    const refusal = this.isOver ? "not_live" : this.#call.recordingRefusal(request);
    if (refusal !== undefined) return refusal;
    const kind = request.kind === "pause-recording" ? "recording-pause-requested" : "recording-resume-requested";
    this.handle({ kind }, this.nowMs());
    return "done";
  }

  /** What the control process says of the telephone call; false for digits that cannot be sent now. Never throws. */
  phoneUpdate(update: PhoneUpdate): boolean {
    if (update.kind === "send-dtmf") return this.#onDtmfRequested(update.digits);
    this.#onPhoneUpdate(update);
    return true;
  }

  #onPhoneUpdate(update: Exclude<PhoneUpdate, { kind: "send-dtmf" }>): void {
    const nowMs = this.nowMs();
    switch (update.kind) {
      case "transferring": {
        const { target, returnMsMax } = update;
        this.#returnWindow.transferring(target, returnMsMax, nowMs);
        this.handle({ kind: "transfer-started", target }, nowMs);
        return;
      }
      case "end-leg":
        if (this.#returnWindow.isOpen) this.#detach("caller_hangup", nowMs, "within the return window");
        return;
      case "transfer-failed":
        this.#returnWindow.transferFailed(this.#mediaState === "attached", nowMs);
        this.handle(update, nowMs);
        return;
      case "end":
        this.end(update.reason);
        return;
      case "refused": {
        const { request, reason } = update;
        if (request === "transfer") this.handle({ kind: "transfer-refused", text: reason }, nowMs);
        else this.log.warn({ request }, "request to the telephone network was refused");
        return;
      }
    }
  }

  #onDtmfRequested(digits: string): boolean {
    if (!this.isOver && this.#call.canSendTones(digits.length)) {
      this.handle({ kind: "dtmf-requested", digits }, this.nowMs());
      return true;
    }
    this.#digitsNotSent(digits.length, "the call has no leg, or the tones of earlier ones are still being sent");
    return false;
  }

  #digitsNotSent(digits: number, reason: string): void {
    this.#counters.digitsRefused += digits;
    this.log.warn({ digits }, `digits were not sent: ${reason}`);
  }

  /**
   * Sends frames that are due and triggers deadlines. Called by the ticker every FRAME_MS, and when audio becomes
   * ready. Never throws.
   */
  tick(): void {
    const state = this.#state;
    if (state.at === "over") return;
    const nowMs = this.nowMs();
    this.#tap?.tick(nowMs);
    const attachment = state.at === "attached" ? state.attachment : undefined;
    if (state.at === "detached" && state.sinceMs !== undefined && elapsedMs(state.sinceMs, nowMs) >= RESUME_MS_MAX)
      this.handle({ kind: "leg-closed", reason: state.reason }, nowMs);
    try {
      const silenceFrames = attachment?.tick(nowMs, this.#liveState === "speaking") ?? 0;
      if (this.#call.isDue(nowMs)) this.handle({ kind: "tick" }, nowMs);
      // The call first: where frames have stopped, it has ended the speech by now.
      this.#pipeline.sttInput?.tick(silenceFrames, this.#call.callerSpeech);
    } catch (error) {
      this.fail(error, nowMs);
    }
    if (attachment === undefined) return;
    while (this.#sendIfDue(attachment, nowMs));
    try {
      attachment.tickEnded();
    } catch (error) {
      this.fail(error, nowMs);
    }
  }

  /**
   * After an event-loop stall, before pending input is read: sends frames that are due and ready, and does nothing
   * else. Never throws.
   */
  catchUp(): void {
    const state = this.#state;
    if (state.at !== "attached") return;
    const nowMs = this.nowMs();
    // An empty ring is no underrun yet: more audio may be among the pending input.
    const isReady = (): boolean => this.#lineAudio.isReady || this.#pipeline.ttsOutput.hasNextFrame;
    while (isReady() && this.#sendIfDue(state.attachment, nowMs));
  }

  #sendIfDue(attachment: Attachment, nowMs: CallMs): boolean {
    try {
      const bytes = attachment.sendFrameIfDue(nowMs);
      if (bytes === undefined) return false;
      if (this.#tap !== undefined && !this.#call.isRecordingPaused) this.#tap.agent(bytes);
      this.#call.frameOut(attachment.frameEvent, bytes, nowMs);
      return true;
    } catch (error) {
      this.fail(error, nowMs);
      return false;
    }
  }

  /** The voice activity detector of this version decides about the caller's frames from now on. */
  detectorChanged(detector: string): void {
    this.handle({ kind: "detector-changed", detector }, this.nowMs());
  }

  nowMs(): CallMs {
    return callMsAt(this.#startMs, this.#options.clock.nowMs());
  }

  handle(event: CallEvent, nowMs: CallMs): void {
    if (this.#state.at === "over") return;
    try {
      this.#call.handle(event, nowMs);
    } catch (error) {
      this.fail(error, nowMs);
    }
  }

  frameIn(frame: CallerFrame, isSpeech: boolean, isEcho: boolean, silenceFrames: number, nowMs: CallMs): void {
    this.#counters.framesIn += 1;
    this.#latestFrameMs = nowMs;
    this.#judgeVoice(frame.samples, isSpeech, nowMs);
    const event = this.#frameIn;
    event.isSpeech = isSpeech;
    event.mediaMs = frame.mediaMs;
    if (this.#tap !== undefined && !this.#call.isRecordingPaused) this.#tap.caller(frame.samples);
    this.#call.frameIn(event, frame.bytes, nowMs);
    if (this.#call.isHeld) return;
    // The call divides the audio into speech, and the STT gets its edges with the frames.
    const { sttInput } = this.#pipeline;
    const { callerSpeech } = this.#call;
    // The recording has the echo, because it came.
    if (isEcho) sttInput?.writeEcho(callerSpeech, silenceFrames);
    else sttInput?.writeFrame(frame.samples, callerSpeech, silenceFrames, nowMs);
  }

  /** Before the call gets the frame with which a pause is judged, so that it can judge by it. */
  #judgeVoice(samples: Int16Array, isSpeech: boolean, nowMs: CallMs): void {
    const isWanted = this.#liveState === "listening" && this.#call.callerSpeech.isSpeaking;
    const prosody = this.#pauseProsody?.frame(samples, isSpeech, isWanted);
    if (prosody !== undefined) this.handle({ kind: "prosody", ...prosody }, nowMs);
    this.#pauseModel?.frame(samples, isSpeech, isWanted);
  }

  clientAnswered(id: string, result: string, failed: boolean): boolean {
    return this.#tools.clientAnswered(id, result, failed);
  }

  identified(carrierCallId: CarrierCallId): void {
    this.#options.log.setBindings({ carrierCallId });
    this.#options.onStarted(carrierCallId);
  }

  started(start: Parameters<AttachedCall["started"]>[0], nowMs: CallMs): void {
    if (this.#attachmentCount === 1) {
      this.#liveState = "listening";
      this.#pipeline.start();
    }
    this.#options.journal.attached(nowMs, this.#attachmentCount);
    this.#returnWindow.close();
    if (!this.#call.isHeld) this.#pipeline.sttInput?.resume();
    this.handle({ kind: "leg-started", ...start }, nowMs);
    this.#setMediaState("attached");
    if (this.#attachmentCount > 1)
      for (const message of this.#recentUpdates.messages()) this.#attachment?.sendToClient(message);
    for (const message of this.#undelivered.splice(0)) this.#attachment?.sendToClient(message);
  }

  #deliverToClient(message: ClientMessage): void {
    if (this.#attachment === undefined) this.#undelivered.push(message);
    else this.#attachment.sendToClient(message);
  }

  attachmentLost(reason: EndReason, nowMs: CallMs, isCut = false): void {
    if (this.#state.at === "over") return;
    if (isCut && this.#options.mayResume) this.#detach("connection_lost", nowMs);
    else if (this.#returnWindow.isOpen && (isCut || reason === "caller_hangup"))
      this.#detach("caller_hangup", nowMs, "within the return window");
    else this.handle({ kind: "leg-closed", reason }, nowMs);
  }

  #onReturnMissed(target: string, hasFailed: boolean): void {
    const nowMs = this.nowMs();
    if (this.#mediaState !== "attached") this.handle({ kind: "leg-closed", reason: "caller_hangup" }, nowMs);
    // The control process has not said what became of the transfer, and the caller is still there.
    else if (!hasFailed) this.handle({ kind: "transfer-failed", target, outcome: "failed" }, nowMs);
  }

  #setMediaState(state: MediaState): void {
    if (state === this.#mediaState) return;
    this.#mediaState = state;
    this.#options.phone?.mediaChanged(state);
  }

  /**
   * The connection of a client is gone, and had no leg. `isCut`: its peer did not end it, and may come back over another
   * connection.
   */
  closedWithoutLeg(reason: EndReason, isCut: boolean): void {
    const state = this.#state;
    if (state.at === "over" || state.at === "attached") return;
    if (!isCut || !this.#options.mayResume) this.handle({ kind: "leg-closed", reason }, this.nowMs());
    else {
      this.#state = { at: "detached", reason: "connection_lost", sinceMs: this.nowMs() };
      if (state.at === "unattached") this.#options.onDetached?.();
    }
  }

  /**
   * The client has connected again, perhaps before the loss of its leg was noticed. How long it may take to get another
   * leg is the connection's own limit, until `closedWithoutLeg`.
   */
  clientReturned(): void {
    this.#detach("connection_lost", this.nowMs());
    if (this.#state.at === "detached") this.#state = { ...this.#state, sinceMs: undefined };
  }

  /** The call goes on without a leg, at most for RESUME_MS_MAX or within the return window; `reason` is why it ends then. */
  #detach(reason: EndReason, nowMs: CallMs, limit?: "within the return window"): void {
    const attachment = this.#attachment;
    if (attachment === undefined) return;
    const report = attachment.takeNetworkReport();
    if (report !== undefined) this.handle({ kind: "network", ...report }, nowMs);
    this.#state = { at: "detached", reason, sinceMs: limit === undefined ? nowMs : undefined };
    this.#options.onDetached?.();
    this.#setMediaState("lost");
    this.#counters.detachments += 1;
    attachment.detach();
    const digitsLost = this.#lineAudio.legLost();
    if (digitsLost > 0) this.#digitsNotSent(digitsLost, "their leg was lost");
    this.#tap?.agentCleared();
    this.handle({ kind: "leg-detached" }, nowMs);
    this.#pipeline.sttInput?.suspend(this.#call.callerSpeech);
  }

  /**
   * An internal error ends this call and no other. The state machine gets one chance to end the call; otherwise it is
   * ended here.
   */
  fail(error: unknown, nowMs: CallMs): void {
    const code = codeOf(error);
    this.#options.log.error({ err: error, code, fault: "bug" }, "call failed: internal error");
    if (this.#isOver()) return;
    try {
      this.#call.handle({ kind: "internal-error", code }, latest(nowMs, this.#call.eventMs));
    } catch {
      // The state machine is broken: the call is ended below.
    }
    if (!this.#isOver()) this.#finish({ reason: "worker_lost" });
  }

  get #attachment(): Attachment | undefined {
    return this.#state.at === "attached" ? this.#state.attachment : undefined;
  }

  #isOver(): boolean {
    return this.#state.at === "over";
  }

  #execute(command: CallCommand): void {
    const attachment = this.#attachment;
    countTurnTaking(command, this.#counters, this.#options.metrics);
    switch (command.kind) {
      case "generate-reply":
      case "preemptive-start":
      case "preemptive-cancel":
      case "conversation-trimmed":
      case "language":
        this.#runPipeline(command);
        return;
      case "retrieve":
      case "await-passages":
      case "passages-used":
      case "retrieval-ended":
        this.#retrieve(command);
        return;
      case "speak":
        this.#speak(command, attachment);
        return;
      case "request-interim":
      case "finalize-stt":
        this.#askStt(command.kind);
        return;
      case "mark":
        attachment?.mark(command.name);
        return;
      case "pause":
      case "resume":
        this.#pauseOrResume(command, attachment);
        return;
      case "rewind":
        this.#pipeline.ttsOutput.rewind(command.samples);
        return;
      case "cancel-reply":
        this.#cancelReply(command, attachment);
        return;
      case "held":
      case "resumed":
        this.#changeHold(command, attachment);
        return;
      case "end":
        this.#finish(command);
        return;
      case "state":
      case "transcript":
      case "interim":
      case "utterance":
        this.#show(command, attachment);
        return;
      case "turn":
        this.#counters.turn(command.turn);
        if (command.turn.latency !== undefined) this.#pipeline.recordTurnLatency(command.turn.latency);
        return;
      case "run-tool":
        this.#tools.run(command);
        return;
      case "send-dtmf":
        this.#sendDtmf(command);
        return;
      case "transfer":
        this.#requestTransfer(command.target);
        return;
      case "turn-ended":
      case "ignore":
      case "recording-paused":
      case "recording-resumed":
        // Only for the journal.
        return;
    }
  }

  #runPipeline(command: PipelineCommand): void {
    if (command.kind === "language") this.#language = command.language;
    this.#pipeline.run(command);
  }

  /** What a client is shown of the call. */
  #show(
    command: Extract<CallCommand, { kind: "state" | "transcript" | "interim" | "utterance" }>,
    attachment: Attachment | undefined,
  ): void {
    if (command.kind === "utterance") {
      const final = { ...command, index: this.#utterances };
      this.#utterances += 1;
      // A connection that is lost may still seem open.
      this.#recentUpdates.final(final);
      attachment?.sendToClient(final);
      return;
    }
    if (command.kind === "state") {
      this.#liveState = command.state;
      this.#recentUpdates.state(command);
    } else if (command.kind === "transcript") {
      if (this.#withholdsWords) return;
      this.#recentUpdates.transcript(command);
    }
    attachment?.sendToClient(command);
  }

  #retrieve(
    command: Extract<CallCommand, { kind: "retrieve" | "await-passages" | "passages-used" | "retrieval-ended" }>,
  ): void {
    switch (command.kind) {
      case "retrieve":
        this.#retrieval.retrieve(command);
        return;
      case "await-passages":
        // The ticker alone would notice a deadline of some milliseconds too late, and a timer may be a fraction of one early.
        this.#options.clock.after(command.waitMsMax + 1, () => this.tick());
        return;
      case "passages-used":
        this.#retrieval.used();
        return;
      case "retrieval-ended":
        this.#retrieval.ended(command);
        return;
    }
  }

  #pauseOrResume(
    command: Extract<CallCommand, { kind: "pause" | "resume" }>,
    attachment: Attachment | undefined,
  ): void {
    this.#pausedTurnId = command.kind === "pause" ? command.turnId : undefined;
    if (command.kind === "pause") attachment?.pause(command.turnId);
    else attachment?.resume();
  }

  /**
   * Words of a call that is redacted, or whose recording is paused, are shown to no client. The utterances of a live transcription
   * are, also where it is redacted: its client has the audio.
   */
  get #withholdsWords(): boolean {
    return isRedacted(this.#options.redeemed.spec) || this.#call.isRecordingPaused;
  }

  #askStt(kind: "request-interim" | "finalize-stt"): void {
    if (kind === "request-interim") this.#pipeline.sttInput?.requestInterim();
    else this.#pipeline.sttInput?.endUtterance(this.#call.callerSpeech);
  }

  #speak(command: Extract<CallCommand, { kind: "speak" }>, attachment: Attachment | undefined): void {
    const { turnId, segment, text, reason } = command;
    // A reply that was paused, and was over before it was resumed, is no longer held back.
    if (this.#pausedTurnId !== turnId) this.#pausedTurnId = undefined;
    attachment?.startReply(turnId);
    this.#pipeline.ttsOutput.speak(turnId, segment, text, reason);
  }

  #cancelReply(command: Extract<CallCommand, { kind: "cancel-reply" }>, attachment: Attachment | undefined): void {
    this.#pausedTurnId = undefined;
    this.#pipeline.interrupt(command.reason);
    attachment?.interrupt(command.clear, this.#call.eventMs);
    if (command.clear) this.#tap?.agentCleared();
  }

  #changeHold(command: Extract<CallCommand, { kind: "held" | "resumed" }>, attachment: Attachment | undefined): void {
    const { sttInput } = this.#pipeline;
    if (command.kind === "held") {
      this.#lineAudio.held(attachment);
      sttInput?.suspend(this.#call.callerSpeech);
      return;
    }
    const isCleared = command.clear !== false;
    this.#lineAudio.resumed(isCleared, attachment, this.#call.eventMs);
    if (isCleared) this.#tap?.agentCleared();
    if (attachment !== undefined) sttInput?.resume();
  }

  #sendDtmf({ digits, inBand }: Extract<CallCommand, { kind: "send-dtmf" }>): void {
    const attachment = this.#attachment;
    const { phone } = this.#options;
    if (inBand) this.#lineAudio.sendTones(digits, attachment);
    else if (phone === undefined || attachment?.canSendDtmf) attachment?.sendDtmf(digits);
    else phone.request({ kind: "send_dtmf", digits });
  }

  /** Without control of the telephone call it is only journaled, and the call ends. */
  #requestTransfer(target: string): void {
    const { phone } = this.#options;
    if (phone === undefined || phone.request({ kind: "transfer", target })) return;
    // A command must not change its own call.
    queueMicrotask(() => this.handle({ kind: "transfer-refused", text: UNREACHABLE_TEXT }, this.nowMs()));
  }

  /**
   * The only end of a call: completes the journal, closes the attachment, stops every stage and hands the call back,
   * whatever fails.
   */
  #finish({ reason, audioMs }: { reason: EndReason; audioMs?: number }): void {
    const attachment = this.#attachment;
    this.#state = { at: "over" };
    const { redeemed, journal, metrics, clock, log, onDone } = this.#options;
    const closeCode = attachment?.closeCode(reason);
    const durationMs = Math.round(millisecondsOf(this.#call.eventMs));
    this.#counters.underruns = this.#pipeline.ttsOutput.underruns;
    cleanUp(log, [
      () => log.info({ reason, durationMs, closeCode, ...this.#counters.summary(redeemed) }, "call ended"),
      () => metrics.callEnded(reason),
      () => {
        for (const event of this.#pipeline.close()) journal.event(this.#call.eventMs, event);
      },
      () => {
        const report = attachment?.takeNetworkReport();
        if (report !== undefined) journal.event(this.#call.eventMs, { kind: "network", ...report });
      },
      () => this.#tools.close(),
      () => this.#retrieval.close(),
      () => this.#pauseModel?.close(),
      () => this.#returnWindow.close(),
      () => attachment?.close(reason, audioMs),
      () => this.#tap?.callOver(),
    ]);
    const { framesIn, framesOut } = this.#counters;
    const end = { reason, endedAtMs: clock.epochMs(), durationMs, framesIn, framesOut };
    void journal.close().finally(() => onDone(end));
  }
}
