import { strict as assert } from "node:assert";
import type { Clock } from "../../core/clock.ts";
import { addMs, elapsedMs, type MonotonicMs, millisecondsOf, monotonicMs } from "../../core/clocks.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import { bytesPerSample } from "../../media/frame-codec.ts";
import { type AudioFormat, type AudioFormats, frameBytes, silenceByte } from "../audio/format.ts";
import { PlaybackBuffer } from "./playback-buffer.ts";

/** The playback buffer of a peer that documents no limit; a correct service stays far below ten minutes. */
const UNDOCUMENTED_BUFFER_MS = 600_000;

/** A message of the other end that the peer's protocol forbids. The message is dropped. */
export type Violation =
  | "binary"
  | "too_large"
  | "not_json"
  | "unknown_event"
  | "unknown_field"
  | "wrong_stream"
  | "wrong_format"
  | "bad_payload"
  | "bad_length"
  | "bad_field"
  | "bad_mark"
  | "bad_digit"
  | "buffer_full"
  /** Sent before the message that must be the first. */
  | "not_ready"
  /** Sent again although it may be sent only once. */
  | "repeated"
  /** Sent after the message that must be the last. */
  | "after_end"
  /** The socket was closed without that message. */
  | "no_end";

/** A peer's connections apart from its own protocol: the socket's end, the microphone and the earphone. */
export interface PeerOptions {
  clock: Clock;
  /** The peer no longer needs the socket. */
  close(): void;
  /**
   * The 20 ms of the inbound format that the caller has just spoken, read before the next call. Undefined when there is no audio
   * (DTX, loss): none is sent then, and the next timestamp, where there are any, jumps.
   */
  microphone(): Uint8Array | undefined;
  /**
   * 20 ms of the outbound format start to play in the caller's earphone at `atMs` of the clock. The first `samples` of them came
   * from the other end, the rest is silence because the buffer was empty. The frame is reused: it is valid until this returns.
   */
  earphone(frame: Uint8Array, samples: number, atMs: number): void;
}

/**
 * One media stream from the connecting end: it sends the caller's audio, has the playback buffer and knows exactly how much of it
 * was played. It uses only the given clock and no socket, so it runs in virtual time as well as in real time. Each carrier or
 * client adds its own messages.
 *
 * Playing and sending share one absolute tick of 20 ms (start + n * 20). Late ticks are made up one timer at a time, so that
 * messages that arrived meanwhile are handled in between.
 */
export abstract class SimulatedPeer {
  readonly #options: PeerOptions;
  readonly #microphoneBytes: number;
  readonly #outbound: AudioFormat;
  readonly #playback: PlaybackBuffer;
  readonly #frame: Uint8Array;
  readonly #violations = new Map<Violation, number>();
  #state: "new" | "open" | "closed" = "new";
  #startedMs = monotonicMs(0);
  #tickMs = monotonicMs(0);
  #cancelTick = (): void => {};
  #clears = 0;

  /** `bufferMs`: the size of the playback buffer. */
  constructor(options: PeerOptions, { inbound, outbound }: AudioFormats, bufferMs = UNDOCUMENTED_BUFFER_MS) {
    this.#options = options;
    this.#microphoneBytes = frameBytes(inbound);
    this.#outbound = outbound;
    this.#frame = new Uint8Array(frameBytes(outbound));
    this.#playback = new PlaybackBuffer(silenceByte(outbound), (bufferMs / FRAME_MS) * this.#frame.length);
  }

  protected get isOpen(): boolean {
    return this.#state === "open";
  }

  /** How often the other end broke the protocol, by kind; empty when it never did. */
  get violations(): ReadonlyMap<Violation, number> {
    return this.#violations;
  }

  /** Samples of the other end that have been played. Cleared ones are not included. */
  get playedSamples(): number {
    return this.#samplesOf(this.#playback.playedBytes);
  }

  /** Samples pending in the playback buffer. */
  get bufferedSamples(): number {
    return this.#samplesOf(this.#playback.bufferedBytes);
  }

  /** The number of clears carried out. */
  get clears(): number {
    return this.#clears;
  }

  /** The clock's time at which the stream began, in ms. */
  get startedMs(): MonotonicMs {
    return this.#startedMs;
  }

  /** The socket is open: sends the first messages, starts the stream and its ticks. */
  start(): void {
    assert.ok(this.#state === "new", "a stream starts once");
    this.#state = "open";
    this.#startedMs = this.#options.clock.nowMs();
    this.sendStart();
    this.#tickMs = this.#startedMs;
    this.#scheduleTick();
  }

  /** The caller pressed a DTMF digit: 0-9, *, # or A-D. */
  pressDigit(digit: string): void {
    if (this.#state === "open") this.sendDtmf(digit);
  }

  /** The caller typed text; only for peers that have a message for it. */
  typeText(text: string): void {
    if (this.#state === "open") this.sendText(text);
  }

  /** The caller hangs up: the peer sends its stop message, if it has one, and closes. Buffered audio is never played. */
  stop(): void {
    if (this.#state !== "open") return;
    this.sendStop();
    this.#end();
    this.#options.close();
  }

  /** The socket is closed: nothing more is played or sent. The current frame is played to its end. */
  closed(): void {
    if (this.#state === "open") this.onRemoteClose();
    this.#end();
  }

  /** One message of the other end: a string, or bytes, which the peer retains. Strict, and never throws. */
  receive(message: string | Uint8Array): void {
    if (this.#state !== "open") return;
    const violation = typeof message === "string" ? this.handleText(message) : this.handleBinary(message);
    if (violation === undefined) return;
    this.countViolation(violation);
    this.onViolation(violation);
  }

  /** Opens the stream, with every message before the first audio. */
  protected abstract sendStart(): void;
  /** Sends one frame of the caller, which began `sinceStartMs` after the stream; valid until this returns. */
  protected abstract sendAudio(frame: Uint8Array, sinceStartMs: number): void;
  protected abstract sendDtmf(digit: string): void;
  /** Everything before this mark has been played. */
  protected abstract sendPlayedMark(mark: string): void;
  protected abstract sendStop(): void;
  /** Carries out one text message of the other end, or returns its violation. */
  protected abstract handleText(message: string): Violation | undefined;

  /** The same for a binary message, which most protocols do not have. */
  protected handleBinary(_message: Uint8Array): Violation | undefined {
    return "binary";
  }

  protected sendText(_text: string): void {
    assert.fail("nothing can be typed into this peer");
  }

  /** Called at the end of every tick, with or without a frame of the caller. */
  protected afterTick(): void {}

  /** For peers that report violations on the socket. */
  protected onViolation(_violation: Violation): void {}

  /** The other end or the network has closed the socket of a stream that this peer had not stopped. */
  protected onRemoteClose(): void {}

  /** Nothing more is sent or received. May be called again. */
  protected onEnd(): void {}

  protected countViolation(violation: Violation): void {
    this.#violations.set(violation, (this.#violations.get(violation) ?? 0) + 1);
  }

  /** Buffers audio of the outbound format, which the peer retains. */
  protected play(bytes: Uint8Array): Violation | undefined {
    return this.#playback.push(bytes) ? undefined : "buffer_full";
  }

  /** Sets a mark after the buffered audio; it is returned at once when there is none. */
  protected mark(name: unknown): Violation | undefined {
    if (typeof name !== "string" || name === "") return "bad_mark";
    if (!this.#playback.mark(name)) return "buffer_full";
    this.#sendReachedMarks();
    return undefined;
  }

  /** Drops the buffered audio and returns the pending marks; each protocol handles them in its own way. */
  protected clear(): string[] {
    this.#clears += 1;
    return this.#playback.clear();
  }

  #samplesOf(bytes: number): number {
    return bytes / bytesPerSample(this.#outbound.codec);
  }

  #end(): void {
    this.#state = "closed";
    this.#cancelTick();
    this.#playback.endFrame();
    this.onEnd();
  }

  #scheduleTick(): void {
    this.#tickMs = addMs(this.#tickMs, FRAME_MS);
    // Timers count whole milliseconds and must not fire before the tick.
    const delayMs = Math.max(0, Math.ceil(elapsedMs(this.#options.clock.nowMs(), this.#tickMs)));
    this.#cancelTick = this.#options.clock.after(delayMs, () => this.#tick());
  }

  #tick(): void {
    const atMs = this.#tickMs;
    this.#scheduleTick();
    this.#playback.endFrame();
    this.#sendReachedMarks();
    const samples = this.#samplesOf(this.#playback.beginFrame(this.#frame));
    this.#options.earphone(this.#frame, samples, millisecondsOf(atMs));
    // The earphone may have made the caller hang up.
    if (this.#state === "open") this.#sendMicrophoneFrame(atMs);
  }

  #sendMicrophoneFrame(atMs: MonotonicMs): void {
    const frame = this.#options.microphone();
    if (frame !== undefined) {
      assert.equal(frame.length, this.#microphoneBytes, "the microphone must give whole frames");
      this.sendAudio(frame, elapsedMs(this.#startedMs, atMs) - FRAME_MS);
    }
    this.afterTick();
  }

  #sendReachedMarks(): void {
    for (const name of this.#playback.takeReachedMarks()) this.sendPlayedMark(name);
  }
}
