import type { CallEvent } from "../../call/events.ts";
import type { NetworkReport } from "../../core/calls/network.ts";
import type { EndReason } from "../../core/calls/reasons.ts";
import { type CallMs, callMs } from "../../core/clocks.ts";
import { asCarrierCallId, asTurnId, type CarrierCallId, type TurnId } from "../../core/ids.ts";
import { LIVENESS_CHECK_TICKS } from "../../core/limits/streams/connections.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import { NETWORK_REPORT_TICKS } from "../../core/limits/streams/webrtc.ts";
import type { Logger } from "../../core/log/logger.ts";
import { EchoDetector } from "../../media/echo/echo-detector.ts";
import type { ResamplerFactory } from "../../media/resampler.ts";
import type { VoiceActivityDetector } from "../../media/voice-activity/detector.ts";
import type { ClientMessage, InboundAudio, StreamStarted, Wire } from "../../wire/wire.ts";
import type { DtmfAudio } from "../agent/dtmf-audio.ts";
import type { HoldAudio } from "../agent/hold-audio.ts";
import type { TtsOutput } from "../agent/tts-output.ts";
import { cleanUp } from "../cleanup.ts";
import type { CallCounters } from "../metrics/call-counters.ts";
import { CLOSE_NORMAL, DETACHED, isCut } from "../transport/close-codes.ts";
import { Liveness } from "../transport/liveness.ts";
import type { Transport, TransportListener } from "../transport/transport.ts";
import { AgentAudio, type FrameOut } from "./agent-audio.ts";
import { CallerAudio, type CallerFrame } from "./caller-audio.ts";
import { closeCodeOf } from "./close-codes.ts";
import { DtmfOrder } from "./dtmf-order.ts";
import { MessageGuard, type PeerEvent } from "./message-guard.ts";

/** What an attachment is made of. It owns all of it from then on, and closes it. */
export interface AttachmentParts {
  transport: Transport;
  wire: Wire;
  /** The wire's decode buffer; shared by all attachments of the process, and not owned. */
  inbound: InboundAudio;
  vad: VoiceActivityDetector;
}

/** The call of an attachment. Times are call time, ms; no method throws unless it says so. */
export interface AttachedCall {
  nowMs(): CallMs;
  /** The carrier knows the call by this id. Throws what the log or the control process's client throws. */
  identified(carrierCallId: CarrierCallId): void;
  /** The media stream has started. Throws what the call's providers throw. */
  started(start: Omit<Extract<CallEvent, { kind: "leg-started" }>, "kind">, nowMs: CallMs): void;
  /**
   * One frame of the caller's audio, borrowed until this returns. `isEcho`: it contains nothing but the agent's echo,
   * and is no speech. `silenceFrames` frames of silence precede it that the carrier did not send. Throws what its
   * consumers throw.
   */
  frameIn(frame: CallerFrame, isSpeech: boolean, isEcho: boolean, silenceFrames: number, nowMs: CallMs): void;
  /** Takes any other event. */
  handle(event: CallEvent, nowMs: CallMs): void;
  /** The client returned the result of a tool; false when none with this id is pending. */
  clientAnswered(id: string, result: string, failed: boolean): boolean;
  /**
   * The attachment can carry no more of the call. `isCut`: its peer did not end it, and may come back over another
   * connection.
   */
  attachmentLost(reason: EndReason, nowMs: CallMs, isCut?: boolean): void;
  /** The service failed: an internal error. */
  fail(error: unknown, nowMs: CallMs): void;
}

export interface AttachmentOptions extends AttachmentParts {
  call: AttachedCall;
  /** The reply that is paused, if one is. */
  pausedTurnId: TurnId | undefined;
  /** Since when the peer may have audio that it could not send: a connection before this one was lost. */
  audioSinceMs: CallMs | undefined;
  /** Present while the caller is on hold. */
  holdAudio: HoldAudio | undefined;
  ttsOutput: TtsOutput;
  makeResampler: ResamplerFactory;
  counters: CallCounters;
  log: Logger;
}

/** The stream has started: audio goes both ways. */
interface Streaming {
  readonly at: "streaming";
  /** The peer did not take a message: it is lost at the next tick, because a command must not end its own call. */
  isStuck: boolean;
  readonly callerAudio: CallerAudio;
  readonly agentAudio: AgentAudio;
  readonly echo: EchoDetector;
  readonly dtmfOrder: DtmfOrder;
}

/** The life of an attachment, in order. */
type State =
  | { readonly at: "opening"; isStuck: boolean }
  | Streaming
  /**
   * Closed by the peer, which takes nothing more; or to be closed by us with `code`, where the reason has its own.
   * `streaming` is to be freed.
   */
  | {
      readonly at: "closing";
      readonly by: "peer" | "us";
      readonly code: number | undefined;
      readonly streaming: Streaming | undefined;
    }
  | { readonly at: "over" };

const OVER: State = { at: "over" };

const isEmpty = (record: object): boolean => Object.keys(record).length === 0;

function streamingOf(state: State): Streaming | undefined {
  if (state.at === "streaming") return state;
  return state.at === "closing" ? state.streaming : undefined;
}

/**
 * One media leg of a call, from the opening of its transport to its close: connects the transport, the wire and the
 * audio of both directions to the call. A call may have several in sequence; each has its own media timeline.
 *
 * Inbound: a message is checked, decoded, put in order and cut into frames, which the call gets in the same synchronous
 * step. Outbound: a tick asks whether a frame is due; the frame is encoded and sent.
 */
export class Attachment implements TransportListener {
  readonly #options: AttachmentOptions;
  readonly #call: AttachedCall;
  readonly #messageGuard: MessageGuard;
  readonly #liveness: Liveness;
  /** The frame that was sent last; the object is reused. */
  readonly frameEvent: FrameOut;
  /** When the transport opened. */
  readonly #openedMs: CallMs;
  #state: State = { at: "opening", isStuck: false };
  #ticks = 0;

  constructor(options: AttachmentOptions) {
    this.#options = options;
    this.#call = options.call;
    const { transport, wire, inbound, counters, log } = options;
    this.#openedMs = this.#call.nowMs();
    this.frameEvent = { kind: "frame-out", turnId: asTurnId(0), samples: (wire.outboundRateHz / 1_000) * FRAME_MS };
    this.#liveness = new Liveness(transport.liveness, this.#openedMs);
    this.#messageGuard = new MessageGuard({
      wire,
      inbound,
      counters,
      sendError: (code, message) => this.sendToClient({ kind: "error", code, message }),
      log,
    });
  }

  /** A stream without a start message starts now; `ready` goes to its client first. Never throws. */
  begin(ready: ClientMessage): void {
    const { implicitStart } = this.#options.wire;
    if (implicitStart === undefined) return;
    const nowMs = this.#call.nowMs();
    try {
      this.sendToClient(ready);
      this.#onPeerEvent(this.#messageGuard.begin(implicitStart), nowMs);
    } catch (error) {
      this.#call.fail(error, nowMs);
    }
  }

  /** A message of the peer; borrowed until this returns. Never throws. */
  message(bytes: Uint8Array, isBinary: boolean): void {
    if (this.#state.at === "over") return;
    const nowMs = this.#call.nowMs();
    if (!(isBinary && this.#options.transport.hasAudioApart)) this.#liveness.messageReceived();
    try {
      this.#onPeerEvent(this.#messageGuard.read(bytes, isBinary, nowMs), nowMs);
    } catch (error) {
      this.#call.fail(error, nowMs);
    }
  }

  /** The peer sent a ping. */
  pinged(): void {
    this.#liveness.messageReceived();
  }

  /** The peer sent a pong. Never throws. */
  ponged(): void {
    if (!this.#liveness.pongReceived()) return;
    this.#options.counters.pongs += 1;
    this.#call.handle({ kind: "pong" }, this.#call.nowMs());
  }

  /** The transport is closed, with this code; `violated` when the peer broke its rules. Never throws. */
  closed(code: number, violated: boolean): void {
    const before = this.#state;
    if (before.at === "over") return;
    this.#state = { at: "closing", by: "peer", code, streaming: streamingOf(before) };
    const reason = violated ? "protocol_error" : "caller_hangup";
    this.#hangUp(before, reason, this.#call.nowMs(), isCut(code, violated));
  }

  /**
   * Notices what time alone brings: audio and digits that have waited long enough, and a peer that is lost. Returns how
   * many frames of silence the STT must get now because the carrier sends nothing; reported once for each pause. Throws
   * on internal errors.
   */
  tick(nowMs: CallMs, agentSpeaks: boolean): number {
    const state = this.#state;
    if ((state.at === "streaming" || state.at === "opening") && state.isStuck)
      this.#call.attachmentLost("slow_consumer", nowMs, true);
    if (this.#state.at === "streaming") this.#release(this.#state, nowMs, nowMs);
    if (this.#state.at === "streaming") this.#state.callerAudio.fillPause(nowMs);
    if (this.#ticks % LIVENESS_CHECK_TICKS === 0) this.#checkLiveness(nowMs, agentSpeaks);
    this.#ticks += 1;
    if (this.#ticks % NETWORK_REPORT_TICKS === 0) this.#reportNetwork(nowMs);
    return this.#state.at === "streaming" ? this.#state.callerAudio.silenceFramesDue(nowMs) : 0;
  }

  /**
   * Sends the next frame if one is due and ready, and fills in `frameEvent`; returns its bytes, borrowed until the next
   * frame. Undefined when none is, or when the peer did not take it. Throws on internal errors.
   */
  sendFrameIfDue(nowMs: CallMs): Uint8Array | undefined {
    const state = this.#state;
    return state.at === "streaming" && state.agentAudio.isDue(nowMs) ? state.agentAudio.sendFrame(nowMs) : undefined;
  }

  /** All frames that were due are sent. Throws on internal errors. */
  tickEnded(): void {
    if (this.#state.at === "streaming") this.#options.transport.tick?.();
  }

  /** What was measured of the network since the last report; undefined where nothing was. Never throws. */
  takeNetworkReport(): NetworkReport | undefined {
    return this.#options.transport.takeNetworkReport?.();
  }

  /** The agent begins to speak this reply. */
  startReply(turnId: TurnId): void {
    if (this.#state.at === "streaming") this.#state.agentAudio.startReply(turnId);
  }

  /** Sends no more of the reply until it resumes. */
  pause(turnId: TurnId): void {
    if (this.#state.at === "streaming") this.#state.agentAudio.pause(turnId);
  }

  resume(): void {
    if (this.#state.at === "streaming") this.#state.agentAudio.resume();
  }

  /** The reply was interrupted; with `clear` the peer is to drop what it has not played. */
  interrupt(clear: boolean, nowMs: CallMs): void {
    if (this.#state.at === "streaming") this.#state.agentAudio.interrupt(clear, nowMs);
    if (clear) this.#send(this.#options.wire.encodeClear());
  }

  /** Sends hold audio in place of replies. */
  hold(holdAudio: HoldAudio): void {
    this.#options.holdAudio = holdAudio;
    if (this.#state.at === "streaming") this.#state.agentAudio.hold(holdAudio);
  }

  /** The hold is over; with `clear` the peer is to drop what it has not played of its audio. */
  endHold(clear: boolean, nowMs: CallMs): void {
    this.#options.holdAudio = undefined;
    if (this.#state.at !== "streaming") return;
    this.#state.agentAudio.endHold(clear, nowMs);
    if (clear) this.#send(this.#options.wire.encodeClear());
  }

  /** Sends its tones, whenever there are some, before anything else. */
  dtmf(dtmfAudio: DtmfAudio): void {
    if (this.#state.at === "streaming") this.#state.agentAudio.dtmf(dtmfAudio);
  }

  mark(name: string): void {
    this.#options.counters.marksSent += 1;
    this.#send(this.#options.wire.encodeMark(name));
  }

  get canSendDtmf(): boolean {
    return this.#options.wire.encodeDtmf !== undefined;
  }

  /** Sends DTMF, where the wire has a message for it. */
  sendDtmf(digits: string): void {
    this.#send(this.#options.wire.encodeDtmf?.(digits));
  }

  /** Sends what is no audio, where the wire has messages for that. */
  sendToClient(message: ClientMessage): void {
    this.#send(this.#options.wire.encodeClientMessage?.(message));
  }

  /** The code with which the transport is, or will be, closed when the call ends for this reason. */
  closeCode(reason: EndReason): number {
    return (this.#state.at === "closing" ? this.#state.code : undefined) ?? closeCodeOf(reason);
  }

  /** The call is over, and a live transcription has had `audioMs` of audio: tells a client, closes the transport and frees everything, whatever fails. Never throws. */
  close(reason: EndReason, audioMs?: number): void {
    cleanUp(this.#options.log, [() => this.sendToClient({ kind: "ended", reason, audioMs })]);
    this.#free(this.closeCode(reason), reason);
  }

  /** The call goes on without this leg: closes the transport and frees everything, whatever fails. Never throws. */
  detach(): void {
    this.#free(CLOSE_NORMAL, DETACHED);
  }

  #free(code: number, reason: string): void {
    const { transport, vad, wire, log } = this.#options;
    const state = this.#state;
    const isClosedByPeer = state.at === "closing" && state.by === "peer";
    this.#state = OVER;
    cleanUp(log, [
      () => streamingOf(state)?.callerAudio.close(),
      () => isClosedByPeer || transport.close(code, reason),
      () => vad.destroy(),
      () => wire.close?.(),
    ]);
  }

  #onPeerEvent(event: PeerEvent | undefined, nowMs: CallMs): void {
    const state = this.#state;
    const { counters, inbound } = this.#options;
    switch (event?.kind) {
      case "start":
        this.#onStart(event, nowMs);
        return;
      case "audio":
        this.#liveness.audioReceived();
        if (state.at !== "streaming") return;
        state.callerAudio.push(inbound, nowMs);
        if (state.callerAudio.flooded) this.#call.attachmentLost("audio_flood", nowMs);
        return;
      case "mark":
      case "cleared":
        if (event.kind === "mark") counters.marksReturned += 1;
        this.#call.handle(event, nowMs);
        return;
      case "dtmf":
        if (state.at !== "streaming") return;
        if (state.dtmfOrder.push(event.digit, event.occurredAtMs, nowMs)) counters.digits += 1;
        else counters.ignored += 1;
        this.#release(state, nowMs, nowMs);
        return;
      case "text":
        this.#call.handle({ kind: "typed", text: event.text }, nowMs);
        return;
      case "tool-result":
        if (this.#call.clientAnswered(event.id, event.result, event.failed)) return;
        counters.ignored += 1;
        this.sendToClient({
          kind: "error",
          code: "unknown_tool_call",
          message: "no pending tool call has this id",
        });
        return;
      case "stop":
        this.#hangUp(state, "caller_hangup", nowMs);
        return;
      case "finalize": {
        if (state.at === "streaming") this.#release(state, callMs(Number.POSITIVE_INFINITY), nowMs);
        const last = event.isLast ? { endReason: "caller_hangup" as const } : {};
        this.#call.handle({ kind: "finalize-requested", ...last }, nowMs);
        return;
      }
      case "keep-alive":
        this.#liveness.audioReceived();
        return;
      case "violation":
        this.#state = { at: "closing", by: "us", code: event.closeCode, streaming: streamingOf(state) };
        this.#call.attachmentLost(event.reason, nowMs);
        return;
      default:
        event satisfies undefined;
    }
  }

  #onStart({ codec, carrierCallId: id, parameters }: StreamStarted, nowMs: CallMs): void {
    const { wire, transport, ttsOutput, makeResampler, counters, pausedTurnId, holdAudio } = this.#options;
    const { isStuck } = this.#state.at === "opening" ? this.#state : { isStuck: false };
    const carrierCallId = id === undefined ? undefined : asCarrierCallId(id);
    if (carrierCallId !== undefined) this.#call.identified(carrierCallId);
    const callerAudio = new CallerAudio({
      wire,
      codec,
      makeResampler,
      openedMs: this.#options.audioSinceMs ?? this.#openedMs,
      startMs: nowMs,
      counters,
      onFrame: this.#onFrame,
    });
    const onDropped = (droppedMs: CallMs): void => this.#call.attachmentLost("slow_consumer", droppedMs, true);
    const { frameEvent } = this;
    const echo = new EchoDetector({ codec: wire.outboundCodec, outboundRateHz: wire.outboundRateHz });
    const agentAudio = new AgentAudio({
      ...{ wire, transport, ttsOutput, frameEvent, echo, counters, pausedTurnId, holdAudio },
      onDropped,
    });
    this.#state = { at: "streaming", isStuck, callerAudio, agentAudio, echo, dtmfOrder: new DtmfOrder() };
    const given = parameters === undefined || isEmpty(parameters.values) ? {} : { parameters: parameters.values };
    this.#call.started({ codec, ...(carrierCallId === undefined ? {} : { carrierCallId }), ...given }, nowMs);
  }

  readonly #onFrame = (frame: CallerFrame, silenceFrames: number, nowMs: CallMs): void => {
    const streaming = streamingOf(this.#state);
    if (streaming === undefined) return;
    const { vad, counters } = this.#options;
    const { echo, callerAudio } = streaming;
    const isVoiced = vad.isSpeech(frame.samples);
    callerAudio.classified(isVoiced);
    const verdict = echo.judge(frame.samples, isVoiced, frame.mediaMs, nowMs);
    if (isVoiced && verdict !== "other") counters.echoFound(echo);
    this.#call.frameIn(frame, isVoiced && verdict === "other", verdict === "echo", silenceFrames, nowMs);
  };

  /** Releases buffered audio and digits that have waited since `untilMs` or longer for something that precedes them. */
  #release({ callerAudio, dtmfOrder }: Streaming, untilMs: CallMs, nowMs: CallMs): void {
    callerAudio.release(untilMs, nowMs);
    for (let digit = dtmfOrder.next(untilMs); digit !== undefined; digit = dtmfOrder.next(untilMs)) {
      this.#call.handle({ kind: "dtmf", digit }, nowMs);
    }
  }

  /** The peer sends nothing more: handles what is still buffered, then the attachment is lost. */
  #hangUp(state: State, reason: EndReason, nowMs: CallMs, isCut = false): void {
    try {
      if (state.at === "streaming") this.#release(state, callMs(Number.POSITIVE_INFINITY), nowMs);
    } catch (error) {
      this.#call.fail(error, nowMs);
    }
    this.#call.attachmentLost(reason, nowMs, isCut);
  }

  #reportNetwork(nowMs: CallMs): void {
    const report = this.takeNetworkReport();
    if (report !== undefined) this.#call.handle({ kind: "network", ...report }, nowMs);
  }

  /** Pings the peer when a ping is due, and notices when the peer is lost. */
  #checkLiveness(nowMs: CallMs, agentSpeaks: boolean): void {
    if (this.#liveness.isLost(nowMs)) this.#hangUp(this.#state, "connection_lost", nowMs, true);
    if (this.#state.at === "over" || !this.#liveness.takePing(nowMs, agentSpeaks)) return;
    this.#options.counters.pings += 1;
    this.#options.transport.ping();
  }

  #send(message: string | undefined): void {
    const state = this.#state;
    if (message === undefined || state.at === "over" || (state.at === "closing" && state.by === "peer")) return;
    if (!this.#options.transport.send(message) && state.at !== "closing") state.isStuck = true;
  }
}
