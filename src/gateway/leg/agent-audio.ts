import type { CallEvent } from "../../call/events.ts";
import type { CallMs } from "../../core/clocks.ts";
import type { TurnId } from "../../core/ids.ts";
import type { EchoDetector } from "../../media/echo/echo-detector.ts";
import type { RingFrame } from "../../media/frame-ring.ts";
import { PlaybackClock } from "../../media/playback-clock.ts";
import type { Wire } from "../../wire/wire.ts";
import type { DtmfAudio } from "../agent/dtmf-audio.ts";
import type { HoldAudio } from "../agent/hold-audio.ts";
import type { TtsOutput } from "../agent/tts-output.ts";
import type { CallCounters } from "../metrics/call-counters.ts";
import type { Transport } from "../transport/transport.ts";

/** See `CallEvent`. */
export type FrameOut = Extract<CallEvent, { kind: "frame-out" }>;

export interface AgentAudioOptions {
  wire: Pick<Wire, "outboundRateHz" | "playout" | "encodeAudio" | "binaryAudio">;
  transport: Pick<Transport, "send">;
  ttsOutput: TtsOutput;
  /** Filled in with each frame that is sent; its `samples` are those of every frame. */
  frameEvent: FrameOut;
  /** Gets each frame that is sent: the caller's line may return it. */
  echo: Pick<EchoDetector, "sent">;
  counters: CallCounters;
  /** The reply whose frames are held back from the beginning: it was paused on the leg before. */
  pausedTurnId: TurnId | undefined;
  /** What the caller hears from the beginning: the call was put on hold on the leg before. */
  holdAudio: HoldAudio | undefined;
  /** The peer reads so slowly that a frame was dropped. */
  onDropped: (nowMs: CallMs) => void;
}

/**
 * The path of the agent's audio from the frame ring to the transport, or of hold audio in its place, or of DTMF tones before either,
 * paced by the peer's playback. Allocates nothing per frame.
 */
export class AgentAudio {
  readonly #options: AgentAudioOptions;
  readonly #playback: PlaybackClock;
  readonly #leadMs: number;
  /** The reply whose frames are held back for now. */
  #pausedTurnId: TurnId | undefined;
  /** What is sent in place of replies while the caller is on hold. */
  #holdAudio: HoldAudio | undefined;
  /** What is sent before anything else; undefined before the first digit. */
  #dtmfAudio: DtmfAudio | undefined;
  /** Frames are being sent without a gap. */
  #speaking = false;

  constructor(options: AgentAudioOptions) {
    this.#options = options;
    const { outboundRateHz: rateHz, playout } = options.wire;
    this.#playback = new PlaybackClock(rateHz);
    this.#leadMs = playout.leadMs;
    this.#pausedTurnId = options.pausedTurnId;
    this.#holdAudio = options.holdAudio;
  }

  /** Whether a frame is due, if one is ready. */
  isDue(nowMs: CallMs): boolean {
    // A reply that is over may be paused still.
    const isPaused = this.#pausedTurnId !== undefined && this.#holdAudio === undefined && !this.#hasTones;
    return !isPaused && this.#playback.isFrameDue(nowMs, this.#leadMs);
  }

  /**
   * Sends the next frame and fills in `frameEvent`; returns its bytes, borrowed until the next frame. Undefined when no
   * frame is ready, or when the peer did not take it.
   */
  sendFrame(nowMs: CallMs): Uint8Array | undefined {
    const { wire, transport, echo, counters, onDropped } = this.#options;
    const frame = this.#shift();
    if (frame === undefined) {
      this.#speaking = false;
      return undefined;
    }
    // A frame was ready, but the peer's buffer had run dry: this process was held up for longer than the buffer's lead.
    if (this.#speaking && this.#playback.isDry(nowMs)) counters.late += 1;
    this.#speaking = true;
    const event = this.#options.frameEvent;
    event.turnId = frame.turnId;
    echo.sent(frame.bytes, this.#playback.sent(event.samples, nowMs));
    counters.framesOut += 1;
    if (!transport.send(wire.encodeAudio(frame.bytes), wire.binaryAudio)) {
      onDropped(nowMs);
      return undefined;
    }
    return frame.bytes;
  }

  get #hasTones(): boolean {
    return this.#dtmfAudio?.isPending === true;
  }

  #shift(): RingFrame | undefined {
    if (this.#dtmfAudio?.isPending === true) return this.#dtmfAudio.shift();
    return this.#holdAudio === undefined ? this.#options.ttsOutput.shift() : this.#holdAudio.shift();
  }

  /** Sends its tones, whenever there are some, before anything else. */
  dtmf(dtmfAudio: DtmfAudio): void {
    this.#dtmfAudio = dtmfAudio;
  }

  /** The reply begins to speak. If another reply was paused, it is over. */
  startReply(turnId: TurnId): void {
    if (turnId !== this.#pausedTurnId) this.#pausedTurnId = undefined;
  }

  /** Sends no more of the reply until it resumes. */
  pause(turnId: TurnId): void {
    this.#pausedTurnId = turnId;
    this.#speaking = false;
  }

  resume(): void {
    this.#pausedTurnId = undefined;
  }

  /** The caller is on hold from now on; there is no reply. */
  hold(holdAudio: HoldAudio): void {
    this.#holdAudio = holdAudio;
    this.#speaking = false;
  }

  /** The hold is over; `clear` as in `interrupt`. */
  endHold(clear: boolean, nowMs: CallMs): void {
    this.#holdAudio = undefined;
    this.interrupt(clear, nowMs);
  }

  /** The reply was interrupted; with `clear`, frames that the peer has not played count as dropped. */
  interrupt(clear: boolean, nowMs: CallMs): void {
    this.#pausedTurnId = undefined;
    if (clear) this.#playback.flush(nowMs);
    this.#speaking = false;
  }
}
