import type { CallEvent } from "../../call/events.ts";
import { FRAME_MS } from "../../core/limits/media.ts";
import { PlaybackClock } from "../../media/playback-clock.ts";
import type { Wire } from "../../wire/wire.ts";
import type { TtsOutput } from "../agent/tts-output.ts";
import type { CallCounters } from "../metrics/call-counters.ts";
import type { LegSocket } from "./leg.ts";

type FrameOut = Extract<CallEvent, { kind: "frame-out" }>;

export interface AgentAudioOptions {
  wire: Pick<Wire, "outboundRateHz" | "encodeAudio" | "binaryAudio">;
  socket: LegSocket;
  ttsOutput: TtsOutput;
  counters: CallCounters;
  /** The peer reads so slowly that a frame was dropped. */
  onDropped: (nowMs: number) => void;
}

/** The way of the agent's audio from its ring to the socket, at the pace of the far end's playback. Allocates nothing a frame. */
export class AgentAudio {
  readonly #options: AgentAudioOptions;
  readonly #playback: PlaybackClock;
  /** The event that comes with every frame is made once. */
  readonly frameEvent: FrameOut = { kind: "frame-out", turnId: 0, samples: 0 };
  /** The reply of which nothing more is sent for now. */
  #pausedTurnId: number | undefined;
  /** Frames go out one behind the other. */
  #speaking = false;

  constructor(options: AgentAudioOptions) {
    this.#options = options;
    const { outboundRateHz: rateHz } = options.wire;
    this.#playback = new PlaybackClock(rateHz);
    this.frameEvent.samples = (rateHz / 1_000) * FRAME_MS;
  }

  /** Whether a frame is to be sent now, if there is one. */
  isDue(nowMs: number): boolean {
    return this.#pausedTurnId === undefined && this.#playback.isFrameDue(nowMs);
  }

  /**
   * Sends the next frame of speech, of which `sent` tells then; returns its bytes, lent until the next frame. Undefined when there is
   * none, or when the peer did not take it.
   */
  sendFrame(nowMs: number): Uint8Array | undefined {
    const { wire, socket, ttsOutput, counters, onDropped } = this.#options;
    const frame = ttsOutput.shift();
    if (frame === undefined) {
      this.#speaking = false;
      return undefined;
    }
    // There was speech to send, and the caller heard none: this process was kept from running for longer than the lead.
    if (this.#speaking && this.#playback.isDry(nowMs)) counters.late += 1;
    this.#speaking = true;
    const event = this.frameEvent;
    event.turnId = frame.turnId;
    this.#playback.sent(event.samples, nowMs);
    counters.framesOut += 1;
    if (!socket.send(wire.encodeAudio(frame.bytes), wire.binaryAudio)) {
      onDropped(nowMs);
      return undefined;
    }
    return frame.bytes;
  }

  /** The reply speaks. Another one that was paused is over. */
  startReply(turnId: number): void {
    if (turnId !== this.#pausedTurnId) this.#pausedTurnId = undefined;
  }

  /** Sends no more of the reply until it resumes. */
  pause(turnId: number): void {
    this.#pausedTurnId = turnId;
    this.#speaking = false;
  }

  resume(): void {
    this.#pausedTurnId = undefined;
  }

  /** The reply was cut: what the far end has not played counts as dropped. */
  interrupt(nowMs: number): void {
    this.#pausedTurnId = undefined;
    this.#playback.flush(nowMs);
    this.#speaking = false;
  }
}
