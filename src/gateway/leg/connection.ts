import type { CallCommand, CallEvent, CallState } from "../../call/events.ts";
import type { EndReason } from "../../core/calls/spec.ts";
import { codeOf } from "../../core/errors.ts";
import { LIVENESS_CHECK_TICKS } from "../../core/limits/connections.ts";
import { busRateHz } from "../../media/bus-rate.ts";
import type { StreamStarted } from "../../wire/wire.ts";
import { AgentPipeline } from "../agent/pipeline.ts";
import { JournaledCall } from "../journal/journaled-call.ts";
import { CallCounters, type CallReading } from "../metrics/call-counters.ts";
import { ToolRunner } from "../tools/runner.ts";
import { AgentAudio } from "./agent-audio.ts";
import { CallerAudio, type CallerFrame } from "./caller-audio.ts";
import { ClientMessages } from "./client-messages.ts";
import { closeCodeOf } from "./close-codes.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import { DtmfOrder } from "./dtmf-order.ts";
import type { Leg } from "./leg.ts";
import { Liveness } from "./liveness.ts";
import { MessageGuard, type PeerEvent } from "./message-guard.ts";

/**
 * One leg of one call: joins the socket, the wire, the frame bus, the engines and the journal to the call machine.
 *
 * In: a message is decoded, put in order and cut into frames, and each frame goes to its readers in the same synchronous step:
 * voice detector, ear, journal, call. Out: the ticker asks what is due, and the frame is encoded and sent. All that can happen
 * enters the machine by `#handle`, which journals it first; times are ms since redemption.
 */
export class Connection implements Leg {
  readonly #options: ConnectionOptions;
  readonly #call: JournaledCall;
  readonly #pipeline: AgentPipeline;
  readonly #tools: ToolRunner;
  readonly #agentAudio: AgentAudio;
  readonly #liveness: Liveness;
  #ticks = 0;
  readonly #startMs: number;
  readonly #messageGuard: MessageGuard;
  readonly #clientMessages: ClientMessages;
  readonly #dtmfOrder = new DtmfOrder();
  readonly #counters = new CallCounters();
  /** The event that comes with every frame is made once. */
  readonly #frameIn = { kind: "frame-in" as const, isSpeech: false, mediaMs: 0 };
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
    const sendError = (code: string, message: string) => this.#clientMessages.error(code, message);
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

  /** What the metrics ask for. */
  read(): CallReading {
    this.#counters.underruns = this.#pipeline.ttsOutput.underruns;
    const state = this.#messageGuard.opened ? this.#state : "opening";
    return { connectionType: this.#options.redeemed.spec.connectionType, state, counts: this.#counters };
  }

  /** The socket is there, and this leg is known: streams that begin with their socket begin now. Never throws. */
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

  /** A message of the peer; its bytes are only valid until this returns. Never throws. */
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

  /** The socket is gone, whoever closed it, with this code; or because the peer `violated` the WebSocket protocol. */
  closed(code: number, violated: boolean): void {
    this.#closed = true;
    this.#peerCloseCode = code;
    this.#hangUp(violated ? "protocol_error" : "caller_hangup", this.#nowMs());
  }

  /** Ends the call for a reason that is neither speaker's: at once, or when the caller has heard us say goodbye. */
  end(reason: EndReason, how?: "with a goodbye"): void {
    this.#handle({ kind: how === undefined ? "end-requested" : "goodbye-requested", reason }, this.#nowMs());
  }

  /** Sends what is due and lets deadlines come: by the ticker every FRAME_MS, and when speech begins. Never throws. */
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

  /** Behind a stall, before anything is read: sends what is due and there, and lets nothing else happen. Never throws. */
  catchUp(): void {
    const nowMs = this.#nowMs();
    // That speech has run out cannot be known yet: more of it may lie unread.
    while (this.#pipeline.ttsOutput.hasNextFrame && this.#sendIfDue(nowMs));
  }

  #sendIfDue(nowMs: number): boolean {
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

  /** Pings the peer when it is time for that, and ends the call of one that is lost. */
  #checkLiveness(nowMs: number): void {
    if (this.#liveness.isLost(nowMs)) this.#hangUp("connection_lost", nowMs);
    if (this.#over || !this.#liveness.takePing(nowMs, this.#state === "speaking")) return;
    this.#counters.pings += 1;
    this.#options.socket.ping();
  }

  #nowMs(): number {
    return this.#options.clock.nowMs() - this.#startMs;
  }

  /** The door for everything but frames, which come too often for it: journaled, then handled. Never throws. */
  #handle(event: CallEvent, nowMs: number): void {
    if (this.#over) return;
    try {
      // What is journaled must reach the machine: nothing that may fail stands between the two.
      this.#clientMessages.onEvent(event);
      this.#call.handle(event, nowMs);
      this.#clientMessages.flush();
    } catch (error) {
      this.#onBug(error, nowMs);
    }
  }

  /** Our own bugs end this call and no other. The machine gets one chance to end by itself, then it is ended for it. */
  #onBug(error: unknown, nowMs: number): void {
    const code = codeOf(error);
    this.#options.log.error({ err: error, code, fault: "bug" }, "call failed: internal error");
    if (this.#over) return;
    try {
      this.#call.handle({ kind: "internal-error", code }, Math.max(nowMs, this.#call.eventMs));
    } catch {
      // What is broken cannot be asked to tidy up.
    }
    if (!this.#over) this.#finish("worker_lost");
  }

  #onPeerEvent(event: PeerEvent | undefined, nowMs: number): void {
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

  #onStart({ codec, carrierCallId }: StreamStarted, nowMs: number): void {
    const { wire, makeResampler, log, onStarted } = this.#options;
    const carriers = carrierCallId === undefined ? {} : { carrierCallId };
    log.setBindings(carriers);
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
    this.#handle({ kind: "leg-started", codec, ...carriers }, nowMs);
  }

  /** The bus: one frame, read by everybody who listens, in one synchronous step. */
  readonly #onFrame = (frame: CallerFrame, silenceFrames: number, nowMs: number): void => {
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

  /** Hands on what has waited since `untilMs` or longer for something in front of it that does not come. */
  #release(untilMs: number, nowMs: number): void {
    this.#callerAudio?.release(untilMs, nowMs);
    for (let digit = this.#dtmfOrder.next(untilMs); digit !== undefined; digit = this.#dtmfOrder.next(untilMs)) {
      this.#handle({ kind: "dtmf", digit }, nowMs);
    }
  }

  /** Nothing more comes from the caller: what still waits is heard, and then the call is over. */
  #hangUp(reason: EndReason, nowMs: number): void {
    if (this.#over) return;
    try {
      this.#release(Number.POSITIVE_INFINITY, nowMs);
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
        // Only calls of a wire that has a message for it are offered the tool.
        this.#send(this.#options.wire.encodeDtmf?.(command.digits));
        return;
      case "ignore":
      case "transfer":
        // Told by the journal alone.
        return;
    }
  }

  /** A peer that misses a mark or a clear is lost like one that misses audio; but a command may not end the call it comes from. */
  #send(message: string | undefined): void {
    if (message !== undefined && !this.#closed && !this.#options.socket.send(message)) this.#sendFailed = true;
  }

  /** The one end: the journal is completed, the socket closed, every engine stopped and the call handed back, whatever fails. */
  #finish(reason: EndReason): void {
    this.#over = true;
    const { redeemed, journal, vad, wire, socket, metrics, clock, log, onDone } = this.#options;
    const closeCode = this.#peerCloseCode ?? this.#closeCode ?? closeCodeOf(reason);
    const durationMs = Math.round(this.#call.eventMs);
    this.#counters.underruns = this.#pipeline.ttsOutput.underruns;
    for (const last of [
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
        last();
      } catch (error) {
        log.error({ err: error, code: codeOf(error), fault: "bug" }, "call cleanup failed");
      }
    }
    const { framesIn, framesOut } = this.#counters;
    const end = { reason, endedAtMs: clock.epochMs(), durationMs, framesIn, framesOut };
    void journal.close().finally(() => onDone(end));
  }
}
