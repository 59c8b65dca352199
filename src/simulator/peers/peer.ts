import { strict as assert } from "node:assert";
import type { Clock } from "../../core/clock.ts";
import { FRAME_MS } from "../../core/limits/media.ts";
import { bytesPerSample } from "../../media/frame-codec.ts";
import { type AudioFormat, type AudioFormats, frameBytes, silenceByte } from "../audio/format.ts";
import { PlaybackBuffer } from "./playback-buffer.ts";

/** What a peer keeps for playing where it documents no bound; no sane service comes near ten minutes. */
const UNDOCUMENTED_BUFFER_MS = 600_000;

/** What the other end did that the peer's protocol forbids. The message is dropped. */
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
  /** Before the message that has to be the first. */
  | "not_ready"
  /** What is said once. */
  | "repeated"
  /** After the message that has to be the last. */
  | "after_end"
  /** The socket was closed without that message. */
  | "no_end";

/** What a peer has to do with beside its own protocol: the socket's end, and the person. */
export interface PeerOptions {
  clock: Clock;
  /** The peer is done with the socket. */
  close(): void;
  /**
   * The 20 ms of the inbound format that the caller has just spoken, read before the next call. Undefined when nothing
   * came from the caller (DTX, loss): then no audio is sent, and where there are timestamps the next one jumps.
   */
  microphone(): Uint8Array | undefined;
  /**
   * 20 ms of the outbound format begin to sound in the caller's ear at `atMs` of the clock. The first `samples` of them
   * came from the other end, the rest is silence because nothing was buffered. The frame is reused: it is valid until
   * this returns.
   */
  earphone(frame: Uint8Array, samples: number, atMs: number): void;
}

/**
 * One media stream, seen from the end that dials it: it speaks the caller's audio into the stream, keeps the playback
 * buffer and knows exactly what of it was played. It moves by the clock it is given and touches no socket, so that it
 * runs in virtual time as well as in real time. What it says and takes, each dialect adds.
 *
 * Playing and sending share one absolute beat of 20 ms (start + n * 20); a late beat is caught up one timer at a time,
 * so that messages that came meanwhile are taken in between.
 */
export abstract class SimulatedPeer {
  readonly #options: PeerOptions;
  readonly #microphoneBytes: number;
  readonly #outbound: AudioFormat;
  readonly #playback: PlaybackBuffer;
  readonly #frame: Uint8Array;
  readonly #violations = new Map<Violation, number>();
  #state: "new" | "open" | "closed" = "new";
  #startedMs = 0;
  #tickMs = 0;
  #cancelTick = (): void => {};
  #clears = 0;

  /** `bufferMs`: how much audio the peer keeps for playing. */
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

  /** Samples of the other end that have been played to their end. Cleared ones are not among them. */
  get playedSamples(): number {
    return this.#samplesOf(this.#playback.playedBytes);
  }

  /** Samples that wait in the playback buffer. */
  get bufferedSamples(): number {
    return this.#samplesOf(this.#playback.bufferedBytes);
  }

  /** Clears that were carried out. */
  get clears(): number {
    return this.#clears;
  }

  /** The clock's time at which the stream began, in ms. */
  get startedMs(): number {
    return this.#startedMs;
  }

  /** The socket is open: greets, starts the stream, and keeps the beat from here on. */
  start(): void {
    assert.ok(this.#state === "new", "a stream starts once");
    this.#state = "open";
    this.#startedMs = this.#options.clock.nowMs();
    this.sendStart();
    this.#tickMs = this.#startedMs;
    this.#scheduleTick();
  }

  /** The caller pressed a key: one of 0-9, *, # and A-D. */
  pressDigit(digit: string): void {
    if (this.#state === "open") this.sendDtmf(digit);
  }

  /** The caller typed something; only for peers that have a message for it. */
  typeText(text: string): void {
    if (this.#state === "open") this.sendText(text);
  }

  /** The caller hangs up: the peer says so where its protocol does, and closes. What is buffered is never played. */
  stop(): void {
    if (this.#state !== "open") return;
    this.sendStop();
    this.#end();
    this.#options.close();
  }

  /**
   * The socket is gone: nothing is played and nothing is sent any more. The frame that has begun is heard to its end.
   */
  closed(): void {
    if (this.#state === "open") this.onRemoteClose();
    this.#end();
  }

  /** One message of the other end: text as a string, binary as bytes, which are kept. Strict, and never throws. */
  receive(message: string | Uint8Array): void {
    if (this.#state !== "open") return;
    const violation = typeof message === "string" ? this.handleText(message) : this.handleBinary(message);
    if (violation === undefined) return;
    this.countViolation(violation);
    this.onViolation(violation);
  }

  /** Opens the stream, with everything that comes before the first audio. */
  protected abstract sendStart(): void;
  /** One frame of the caller, which began `sinceStartMs` after the stream did; valid until this returns. */
  protected abstract sendAudio(frame: Uint8Array, sinceStartMs: number): void;
  protected abstract sendDtmf(digit: string): void;
  /** Everything before this mark has been played. */
  protected abstract sendPlayedMark(mark: string): void;
  protected abstract sendStop(): void;
  /** Carries out one text message of the other end, or tells what is wrong with it. */
  protected abstract handleText(message: string): Violation | undefined;

  /** The same of a binary message, which most dialects do not have. */
  protected handleBinary(_message: Uint8Array): Violation | undefined {
    return "binary";
  }

  protected sendText(_text: string): void {
    assert.fail("nothing can be typed into this peer");
  }

  /** At the end of every beat, whether or not the caller had a frame. */
  protected afterTick(): void {}

  /** Where the peer says on the socket that it was wronged. */
  protected onViolation(_violation: Violation): void {}

  /** The other end, or the network between, has closed the socket of a stream that nobody here had stopped. */
  protected onRemoteClose(): void {}

  /** Nothing is sent and nothing is taken any more. May be called again. */
  protected onEnd(): void {}

  protected countViolation(violation: Violation): void {
    this.#violations.set(violation, (this.#violations.get(violation) ?? 0) + 1);
  }

  /** Audio of the outbound format to be played; it is kept. */
  protected play(bytes: Uint8Array): Violation | undefined {
    return this.#playback.push(bytes) ? undefined : "buffer_full";
  }

  /** A mark behind everything that is buffered; told at once when there is nothing. */
  protected mark(name: unknown): Violation | undefined {
    if (typeof name !== "string" || name === "") return "bad_mark";
    if (!this.#playback.mark(name)) return "buffer_full";
    this.#sendReachedMarks();
    return undefined;
  }

  /** Drops what is buffered; returns the marks that waited. What becomes of them is the dialect's to know. */
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
    this.#tickMs += FRAME_MS;
    // Timers count whole milliseconds and must not fire before the beat.
    const delayMs = Math.max(0, Math.ceil(this.#tickMs - this.#options.clock.nowMs()));
    this.#cancelTick = this.#options.clock.after(delayMs, () => this.#tick());
  }

  #tick(): void {
    const atMs = this.#tickMs;
    this.#scheduleTick();
    this.#playback.endFrame();
    this.#sendReachedMarks();
    const samples = this.#samplesOf(this.#playback.beginFrame(this.#frame));
    this.#options.earphone(this.#frame, samples, atMs);
    // The earphone may have made the caller hang up.
    if (this.#state === "open") this.#sendMicrophoneFrame(atMs);
  }

  #sendMicrophoneFrame(atMs: number): void {
    const frame = this.#options.microphone();
    if (frame !== undefined) {
      assert.equal(frame.length, this.#microphoneBytes, "the microphone gives whole frames");
      this.sendAudio(frame, atMs - FRAME_MS - this.#startedMs);
    }
    this.afterTick();
  }

  #sendReachedMarks(): void {
    for (const name of this.#playback.takeReachedMarks()) this.sendPlayedMark(name);
  }
}
