import type { CallCommand, CallEvent, CallState } from "../../call/events.ts";
import type { TurnParameters } from "../../call/parameters.ts";
import type { EndReason } from "../../core/calls/reasons.ts";
import type { Clock } from "../../core/clock.ts";
import { type CallMs, callMs, callMsAt, latest, type MonotonicMs, mediaMs, millisecondsOf } from "../../core/clocks.ts";
import { codeOf } from "../../core/errors.ts";
import { asCarrierCallId, type CarrierCallId } from "../../core/ids.ts";
import { LIVENESS_CHECK_TICKS } from "../../core/limits/connections.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { WorkerMetrics } from "../../core/metrics/worker-metrics.ts";
import type { SchemaChecks } from "../../core/schemas/checker.ts";
import { busRateHz } from "../../media/bus-rate.ts";
import type { ResamplerFactory } from "../../media/resampler.ts";
import type { Vad } from "../../media/vad.ts";
import type { CallLlm, CallStt, CallTts } from "../../speech/contracts.ts";
import type { EndSummary, RedeemedCall } from "../../store/call-handoff.ts";
import type { InboundAudio, StreamStarted, Wire } from "../../wire/wire.ts";
import { AgentPipeline, type AgentPipelineOptions } from "../agent/pipeline.ts";
import { JournaledCall } from "../journal/journaled-call.ts";
import type { JournalWriter } from "../journal/writer.ts";
import { CallCounters, type CallReading } from "../metrics/call-counters.ts";
import type { PhraseFinder } from "../phrases/book.ts";
import type { HttpTools } from "../tools/http-client.ts";
import { ToolRunner } from "../tools/runner.ts";
import { AgentAudio } from "./agent-audio.ts";
import { CallerAudio, type CallerFrame } from "./caller-audio.ts";
import { ClientMessages } from "./client-messages.ts";
import { closeCodeOf } from "./close-codes.ts";
import { DtmfOrder } from "./dtmf-order.ts";
import type { Leg, LegSocket } from "./leg.ts";
import { Liveness, type LivenessOptions } from "./liveness.ts";
import { MessageGuard, type MessageGuardOptions, type PeerEvent } from "./message-guard.ts";

/** What the connection of one leg needs. */
export interface ConnectionOptions {
  redeemed: RedeemedCall;
  socket: LegSocket;
  wire: Wire;
  /** The wire's decode buffer; shared by all connections of the process. */
  inbound: InboundAudio;
  /** Owned by the connection from here on. */
  vad: Vad;
  makeResampler: ResamplerFactory;
  stt: CallStt | undefined;
  llm: CallLlm;
  tts: CallTts;
  parameters: Readonly<TurnParameters>;
  /** The maximum size of a prompt of this call, estimated tokens; unlimited when absent. */
  promptTokensMax?: number;
  liveness: LivenessOptions;
  httpTools: Pick<HttpTools, "carryOut">;
  /** Checks arguments of tools; shared by all connections of the process. */
  schemas: Pick<SchemaChecks, "prepare" | "check">;
  /** Service phrases; shared by all connections of the process. */
  phrases: PhraseFinder;
  /** Charges the call and checks its spend limits. */
  spend: AgentPipelineOptions["spend"];
  journal: JournalWriter;
  metrics: Pick<WorkerMetrics, "callEnded"> & AgentPipelineOptions["metrics"];
  clock: Clock;
  /** The call's own logger; once the stream has started, it also names the carrier's id of the call. */
  log: Logger;
  /** The stream has started, and the carrier knows the call by this id. */
  onStarted: (carrierCallId: CarrierCallId) => void;
  /** The call is over, its journal is complete or failed, and all its resources are released. */
  onDone: (end: EndSummary) => void;
}

/**
 * One leg of one call: connects the socket, the wire, the frame bus, the pipeline and the journal to the call's state
 * machine.
 *
 * Inbound: a message is decoded, put in order and cut into frames. Each frame goes to the VAD, the STT, the journal and
 * the call in the same synchronous step. Outbound: the ticker asks whether a frame is due; the frame is encoded and
 * sent. Every other event enters the state machine through `#handle`, which journals it first. Times are ms since
 * redemption.
 */
export class Connection implements Leg {
  readonly #options: ConnectionOptions;
  readonly #call: JournaledCall;
  readonly #pipeline: AgentPipeline;
  readonly #tools: ToolRunner;
  readonly #agentAudio: AgentAudio;
  readonly #liveness: Liveness;
  #ticks = 0;
  readonly #startMs: MonotonicMs;
  readonly #messageGuard: MessageGuard;
  readonly #clientMessages: ClientMessages;
  readonly #dtmfOrder = new DtmfOrder();
  readonly #counters = new CallCounters();
  /** One event object is reused for every frame. */
  readonly #frameIn = { kind: "frame-in" as const, isSpeech: false, mediaMs: mediaMs(0) };
  #callerAudio: CallerAudio | undefined;
  #closeCode: number | undefined;
  #closed = false;
  #peerCloseCode: number | undefined;
  #sendFailed = false;
  #state: CallState = "listening";
  #over = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { redeemed, wire, inbound, stt, llm, tts, phrases, makeResampler, journal, metrics, clock, log } = options;
    const { outboundRateHz: rateHz, outboundCodec } = wire;
    this.#startMs = clock.nowMs();
    this.#liveness = new Liveness(options.liveness);
    this.#clientMessages = new ClientMessages(wire, redeemed.spec.language, (message) => this.#send(message));
    const sendError: MessageGuardOptions["sendError"] = (code, message) => this.#clientMessages.error(code, message);
    this.#messageGuard = new MessageGuard({ wire, inbound, counters: this.#counters, sendError, log });
    this.#pipeline = new AgentPipeline({
      ...redeemed,
      busRateHz: busRateHz(wire.inboundRateHz),
      legRateHz: rateHz,
      legCodec: outboundCodec,
      stt,
      llm,
      tts,
      phrases,
      spend: options.spend,
      makeResampler,
      counters: this.#counters,
      metrics,
      log,
      nowMs: () => this.#nowMs(),
      deliver: (event) => this.#handle(event, this.#nowMs()),
      onSpeechReady: () => this.tick(),
    });
    this.#agentAudio = new AgentAudio({
      wire,
      socket: options.socket,
      ttsOutput: this.#pipeline.ttsOutput,
      counters: this.#counters,
      onDropped: (nowMs) => this.#handle({ kind: "leg-closed", reason: "slow_consumer" }, nowMs),
    });
    this.#tools = new ToolRunner({
      redeemed,
      schemas: options.schemas,
      httpTools: options.httpTools,
      askClient: (call) => this.#clientMessages.toolCall(call),
      deliver: (event) => this.#handle(event, this.#nowMs()),
      clock,
      log,
    });
    this.#call = new JournaledCall({
      spec: redeemed.spec,
      rateHz,
      sttHasInterim: stt?.capabilities.interimTranscripts ?? false,
      parameters: options.parameters,
      promptTokensMax: options.promptTokensMax,
      journal,
      carryOut: (command) => this.#execute(command),
    });
  }

  /** The current readings for the metrics. */
  read(): CallReading {
    this.#counters.underruns = this.#pipeline.ttsOutput.underruns;
    const state = this.#messageGuard.opened ? this.#state : "opening";
    return { connectionType: this.#options.redeemed.spec.connectionType, state, counts: this.#counters };
  }

  /** The socket is open and this leg is registered: a stream without a start message starts now. Never throws. */
  begin(): void {
    const { wire, redeemed } = this.#options;
    if (wire.implicitStart === undefined) return;
    const nowMs = this.#nowMs();
    try {
      this.#clientMessages.ready(redeemed.callId);
      this.#onPeerEvent(this.#messageGuard.begin(wire.implicitStart), nowMs);
    } catch (error) {
      this.#onBug(error, nowMs);
    }
  }

  /** A message of the peer; borrowed until this returns. Never throws. */
  message(bytes: Uint8Array, isBinary: boolean): void {
    if (this.#over) return;
    const nowMs = this.#nowMs();
    this.#liveness.messageReceived();
    try {
      this.#onPeerEvent(this.#messageGuard.read(bytes, isBinary, nowMs), nowMs);
    } catch (error) {
      this.#onBug(error, nowMs);
    }
  }

  /** The peer sent a ping. */
  pinged(): void {
    this.#liveness.messageReceived();
  }

  /** The peer sent a pong. Never throws. */
  ponged(): void {
    if (!this.#liveness.pongReceived()) return;
    this.#counters.pongs += 1;
    this.#handle({ kind: "pong" }, this.#nowMs());
  }

  /** The socket is closed, with this code; `violated` when the peer broke the WebSocket protocol. */
  closed(code: number, violated: boolean): void {
    this.#closed = true;
    this.#peerCloseCode = code;
    this.#hangUp(violated ? "protocol_error" : "caller_hangup", this.#nowMs());
  }

  /** Ends the call for a reason that neither speaker caused: at once, or after the caller has heard a goodbye. */
  end(reason: EndReason, how?: "with a goodbye"): void {
    this.#handle({ kind: how === undefined ? "end-requested" : "goodbye-requested", reason }, this.#nowMs());
  }

  /**
   * Sends frames that are due and triggers deadlines. Called by the ticker every FRAME_MS, and when audio becomes
   * ready. Never throws.
   */
  tick(): void {
    if (this.#over) return;
    const nowMs = this.#nowMs();
    try {
      if (this.#sendFailed) this.#handle({ kind: "leg-closed", reason: "slow_consumer" }, nowMs);
      this.#release(nowMs, nowMs);
      if (this.#ticks % LIVENESS_CHECK_TICKS === 0) this.#checkLiveness(nowMs);
      this.#ticks += 1;
      this.#pipeline.writeSilence(this.#callerAudio?.silenceFramesDue(nowMs) ?? 0);
      if (this.#call.isDue(nowMs)) this.#handle({ kind: "tick" }, nowMs);
    } catch (error) {
      this.#onBug(error, nowMs);
    }
    while (this.#sendIfDue(nowMs));
  }

  /**
   * After an event-loop stall, before pending input is read: sends frames that are due and ready, and does nothing
   * else. Never throws.
   */
  catchUp(): void {
    const nowMs = this.#nowMs();
    // An empty ring is no underrun yet: more audio may be among the pending input.
    while (this.#pipeline.ttsOutput.hasNextFrame && this.#sendIfDue(nowMs));
  }

  #sendIfDue(nowMs: CallMs): boolean {
    if (this.#over || !this.#agentAudio.isDue(nowMs)) return false;
    try {
      const bytes = this.#agentAudio.sendFrame(nowMs);
      if (bytes === undefined) return false;
      this.#call.frameOut(this.#agentAudio.frameEvent, bytes, nowMs);
      this.#clientMessages.flush();
      return true;
    } catch (error) {
      this.#onBug(error, nowMs);
      return false;
    }
  }

  /** Pings the peer when a ping is due, and ends the call when the peer is lost. */
  #checkLiveness(nowMs: CallMs): void {
    if (this.#liveness.isLost(nowMs)) this.#hangUp("connection_lost", nowMs);
    if (this.#over || !this.#liveness.takePing(nowMs, this.#state === "speaking")) return;
    this.#counters.pings += 1;
    this.#options.socket.ping();
  }

  #nowMs(): CallMs {
    return callMsAt(this.#startMs, this.#options.clock.nowMs());
  }

  /**
   * The entry for all events except frames, which are too frequent for it: journals the event, then handles it. Never
   * throws.
   */
  #handle(event: CallEvent, nowMs: CallMs): void {
    if (this.#over) return;
    try {
      // A journaled event must reach the state machine: nothing between the two may fail.
      this.#clientMessages.onEvent(event);
      this.#call.handle(event, nowMs);
      this.#clientMessages.flush();
    } catch (error) {
      this.#onBug(error, nowMs);
    }
  }

  /**
   * An internal error ends this call and no other. The state machine gets one chance to end the call; otherwise it is
   * ended here.
   */
  #onBug(error: unknown, nowMs: CallMs): void {
    const code = codeOf(error);
    this.#options.log.error({ err: error, code, fault: "bug" }, "call failed: internal error");
    if (this.#over) return;
    try {
      this.#call.handle({ kind: "internal-error", code }, latest(nowMs, this.#call.eventMs));
    } catch {
      // The state machine is broken: the call is ended below.
    }
    if (!this.#over) this.#finish("worker_lost");
  }

  #onPeerEvent(event: PeerEvent | undefined, nowMs: CallMs): void {
    switch (event?.kind) {
      case undefined:
        return;
      case "start":
        this.#onStart(event, nowMs);
        return;
      case "audio":
        this.#liveness.audioReceived();
        this.#callerAudio?.push(this.#options.inbound, nowMs);
        if (this.#callerAudio?.flooded) this.#handle({ kind: "leg-closed", reason: "audio_flood" }, nowMs);
        return;
      case "mark":
      case "cleared":
        if (event.kind === "mark") this.#counters.marksReturned += 1;
        this.#handle(event, nowMs);
        return;
      case "dtmf":
        if (this.#dtmfOrder.push(event.digit, event.occurredAtMs, nowMs)) this.#counters.digits += 1;
        else this.#counters.ignored += 1;
        this.#release(nowMs, nowMs);
        return;
      case "text":
        this.#handle({ kind: "typed", text: event.text }, nowMs);
        return;
      case "tool-result":
        if (this.#tools.clientAnswered(event.id, event.result, event.failed)) return;
        this.#counters.ignored += 1;
        this.#clientMessages.error("unknown_tool_call", "no pending tool call has this id");
        return;
      case "stop":
        this.#hangUp("caller_hangup", nowMs);
        return;
      case "violation":
        this.#closeCode = event.closeCode;
        this.#handle({ kind: "leg-closed", reason: event.reason }, nowMs);
        return;
    }
  }

  #onStart({ codec, carrierCallId: id }: StreamStarted, nowMs: CallMs): void {
    const { wire, makeResampler, log, onStarted } = this.#options;
    const carrierCallId = id === undefined ? undefined : asCarrierCallId(id);
    const carrierFields = carrierCallId === undefined ? {} : { carrierCallId };
    log.setBindings(carrierFields);
    if (carrierCallId !== undefined) onStarted(carrierCallId);
    const counters = this.#counters;
    this.#callerAudio = new CallerAudio({
      wire,
      codec,
      makeResampler,
      startMs: nowMs,
      counters,
      onFrame: this.#onFrame,
    });
    this.#pipeline.start();
    this.#handle({ kind: "leg-started", codec, ...carrierFields }, nowMs);
  }

  /** The frame bus: every consumer reads the frame in one synchronous step. */
  readonly #onFrame = (frame: CallerFrame, silenceFrames: number, nowMs: CallMs): void => {
    if (this.#over) return;
    this.#counters.framesIn += 1;
    const event = this.#frameIn;
    event.isSpeech = this.#options.vad.isSpeech(frame.samples);
    event.mediaMs = frame.mediaMs;
    this.#pipeline.writeSilence(silenceFrames);
    this.#pipeline.writeFrame(frame.samples, event.isSpeech, nowMs);
    this.#call.frameIn(event, frame.bytes, nowMs);
    this.#clientMessages.flush();
  };

  /** Releases buffered audio and digits that have waited since `untilMs` or longer for something that precedes them. */
  #release(untilMs: CallMs, nowMs: CallMs): void {
    this.#callerAudio?.release(untilMs, nowMs);
    for (let digit = this.#dtmfOrder.next(untilMs); digit !== undefined; digit = this.#dtmfOrder.next(untilMs)) {
      this.#handle({ kind: "dtmf", digit }, nowMs);
    }
  }

  /** The peer sends nothing more: handles what is still buffered, then ends the call. */
  #hangUp(reason: EndReason, nowMs: CallMs): void {
    if (this.#over) return;
    try {
      this.#release(callMs(Number.POSITIVE_INFINITY), nowMs);
    } catch (error) {
      this.#onBug(error, nowMs);
    }
    this.#handle({ kind: "leg-closed", reason }, nowMs);
  }

  #execute(command: CallCommand): void {
    this.#clientMessages.onCommand(command);
    switch (command.kind) {
      case "generate-reply":
      case "preemptive-start":
      case "preemptive-cancel":
      case "conversation-trimmed":
      case "language":
        this.#pipeline.run(command);
        return;
      case "speak":
        this.#agentAudio.startReply(command.turnId);
        this.#pipeline.ttsOutput.speak(command.turnId, command.segment, command.text, command.reason);
        return;
      case "mark":
        this.#counters.marksSent += 1;
        this.#send(this.#options.wire.encodeMark(command.name));
        return;
      case "pause":
        this.#agentAudio.pause(command.turnId);
        return;
      case "resume":
        this.#agentAudio.resume();
        return;
      case "cancel-reply":
        this.#pipeline.interrupt(command.reason);
        this.#agentAudio.interrupt(this.#call.eventMs);
        if (command.clear) this.#send(this.#options.wire.encodeClear());
        return;
      case "end":
        this.#finish(command.reason);
        return;
      case "state":
        this.#state = command.state;
        return;
      case "turn":
        this.#counters.turn(command.turn);
        if (command.turn.latency !== undefined) this.#pipeline.recordTurnLatency(command.turn.latency);
        return;
      case "run-tool":
        this.#tools.run(command);
        return;
      case "send-dtmf":
        // The tool is offered only on wires that have a message for it.
        this.#send(this.#options.wire.encodeDtmf?.(command.digits));
        return;
      case "ignore":
      case "transfer":
        // Only journaled.
        return;
    }
  }

  /**
   * A peer that cannot take a mark or a clear is a slow consumer, as with audio; but a command must not end the call
   * that gave it.
   */
  #send(message: string | undefined): void {
    if (message !== undefined && !this.#closed && !this.#options.socket.send(message)) this.#sendFailed = true;
  }

  /**
   * The only end of a call: completes the journal, closes the socket, stops every stage and hands the call back,
   * whatever fails.
   */
  #finish(reason: EndReason): void {
    this.#over = true;
    const { redeemed, journal, vad, wire, socket, metrics, clock, log, onDone } = this.#options;
    const closeCode = this.#peerCloseCode ?? this.#closeCode ?? closeCodeOf(reason);
    const durationMs = Math.round(millisecondsOf(this.#call.eventMs));
    this.#counters.underruns = this.#pipeline.ttsOutput.underruns;
    for (const step of [
      () => log.info({ reason, durationMs, closeCode, ...this.#counters.summary(redeemed) }, "call ended"),
      () => metrics.callEnded(reason),
      () => {
        for (const event of this.#pipeline.close()) journal.event(this.#call.eventMs, event);
      },
      () => this.#tools.close(),
      () => this.#callerAudio?.close(),
      () => this.#clientMessages.ended(reason),
      () => this.#closed || socket.end(closeCode, reason),
      () => vad.destroy(),
      () => wire.close?.(),
    ]) {
      try {
        step();
      } catch (error) {
        log.error({ err: error, code: codeOf(error), fault: "bug" }, "call cleanup failed");
      }
    }
    const { framesIn, framesOut } = this.#counters;
    const end = { reason, endedAtMs: clock.epochMs(), durationMs, framesIn, framesOut };
    void journal.close().finally(() => onDone(end));
  }
}
