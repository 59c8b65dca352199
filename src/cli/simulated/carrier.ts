import { strict as assert } from "node:assert";
import type { Clock } from "../../core/clock.ts";
import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ, FRAME_MS } from "../../core/limits.ts";
import { G711_LAWS } from "../../media/g711.ts";
import type { G711Codec } from "../../wire/wire.ts";
import { PlaybackBuffer } from "./playback-buffer.ts";

/** What a carrier keeps for playing where it documents no bound; no sane peer comes near ten minutes. */
const UNDOCUMENTED_BUFFER_MS = 600_000;

/** What the other end did that the carrier's documents forbid. The message is dropped. */
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
  | "bad_mark"
  | "bad_digit"
  | "buffer_full";

/** The codec of each direction, from the service's side: `inbound` is the caller's voice, `outbound` the agent's. */
export interface LineCodecs {
  inbound: G711Codec;
  outbound: G711Codec;
}

export const MU_LAW_LINE: LineCodecs = { inbound: "mulaw", outbound: "mulaw" };

/** What a carrier has to do with on both of its sides: the socket, and the telephone. */
export interface CarrierOptions {
  clock: Clock;
  /** 32 hex digits, from which the ids of the stream, the call and the account are made. */
  id: string;
  send(message: string): void;
  /** The carrier is done with the socket. */
  close(): void;
  /**
   * The 20 ms of the inbound codec that the caller has just spoken, read before the next call. Undefined when nothing
   * came from the telephone (DTX, loss): then no media is sent, and the next timestamp jumps.
   */
  microphone(): Uint8Array | undefined;
  /**
   * 20 ms of the outbound codec begin to sound in the caller's ear at `atMs` of the clock. The first `samples` of them
   * came from the other end, the rest is silence because nothing was buffered. The frame is reused: it is valid until
   * this returns.
   */
  earphone(frame: Uint8Array, samples: number, atMs: number): void;
}

/**
 * One bidirectional stream, seen from the carrier: it speaks the caller's audio into the stream, keeps the playback
 * buffer and knows exactly what of it was played. It moves by the clock it is given and touches no socket, so that it
 * runs in virtual time as well as in real time. What it says and takes, each dialect adds.
 *
 * Playing and sending share one absolute beat of 20 ms (start + n * 20); a late beat is caught up one timer at a time,
 * so that messages that came meanwhile are taken in between.
 */
export abstract class SimulatedCarrier {
  protected readonly options: CarrierOptions;
  readonly #playback: PlaybackBuffer;
  readonly #frame = new Uint8Array(CARRIER_FRAME_SAMPLES);
  readonly #violations = new Map<Violation, number>();
  #state: "new" | "open" | "closed" = "new";
  #startedMs = 0;
  #beatMs = 0;
  #cancelBeat = (): void => {};
  #clears = 0;

  /** `bufferMs`: how much audio the carrier keeps for playing. */
  constructor(options: CarrierOptions, outbound: G711Codec, bufferMs = UNDOCUMENTED_BUFFER_MS) {
    assert.match(options.id, /^[0-9a-f]{32}$/);
    this.options = options;
    this.#playback = new PlaybackBuffer(G711_LAWS[outbound].silenceByte, (bufferMs * CARRIER_RATE_HZ) / 1_000);
  }

  /** How often the other end broke the protocol, by kind; empty when it never did. */
  get violations(): ReadonlyMap<Violation, number> {
    return this.#violations;
  }

  /** Samples of the other end that have been played to their end. Cleared ones are not among them. */
  get playedSamples(): number {
    return this.#playback.playedSamples;
  }

  /** Samples that wait in the playback buffer. */
  get bufferedSamples(): number {
    return this.#playback.bufferedSamples;
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
    this.#startedMs = this.options.clock.nowMs();
    this.sayStart();
    this.#beatMs = this.#startedMs;
    this.#arm();
  }

  /** The caller pressed a key: one of 0-9, *, # and A-D. */
  pressKey(digit: string): void {
    if (this.#state === "open") this.sayKey(digit);
  }

  /** The caller hangs up: the carrier says so where its protocol does, and closes. What is buffered is never played. */
  stop(): void {
    if (this.#state !== "open") return;
    this.sayStop();
    this.closed();
    this.options.close();
  }

  /**
   * The socket is gone: nothing is played and nothing is sent any more. The frame that has begun is heard to its end.
   */
  closed(): void {
    this.#state = "closed";
    this.#cancelBeat();
    this.#playback.endFrame();
  }

  /** One message of the other end: text as a string, binary as bytes. Strict, as the carrier is; never throws. */
  receive(message: string | Uint8Array): void {
    if (this.#state !== "open") return;
    const violation = typeof message === "string" ? this.take(message) : "binary";
    if (violation === undefined) return;
    this.#violations.set(violation, (this.#violations.get(violation) ?? 0) + 1);
    this.onViolation(violation);
  }

  /** Opens the stream, with everything that comes before the first audio. */
  protected abstract sayStart(): void;
  /** One frame of the caller, which began `sinceStartMs` after the stream did; valid until this returns. */
  protected abstract sayAudio(frame: Uint8Array, sinceStartMs: number): void;
  protected abstract sayKey(digit: string): void;
  /** Everything before this mark has been played. */
  protected abstract sayPlayed(mark: string): void;
  protected abstract sayStop(): void;
  /** Carries out one text message of the other end, or tells what is wrong with it. */
  protected abstract take(message: string): Violation | undefined;

  /** At the end of every beat, whether or not the caller had a frame. */
  protected afterBeat(): void {}

  /** Where the carrier says on the socket that it was wronged. */
  protected onViolation(_violation: Violation): void {}

  /** Audio to be played, in base64. */
  protected play(payload: unknown, bytesMin = 1, bytesMax = Number.POSITIVE_INFINITY): Violation | undefined {
    const bytes = decodeBase64(payload);
    if (bytes === undefined) return "bad_payload";
    if (bytes.length < bytesMin || bytes.length > bytesMax) return "bad_length";
    return this.#playback.push(bytes) ? undefined : "buffer_full";
  }

  /** A mark behind everything that is buffered; told at once when there is nothing. */
  protected mark(name: unknown): Violation | undefined {
    if (typeof name !== "string" || name === "") return "bad_mark";
    if (!this.#playback.mark(name)) return "buffer_full";
    this.#tellMarks();
    return undefined;
  }

  /** Drops what is buffered; returns the marks that waited. What becomes of them is the dialect's to know. */
  protected clear(): string[] {
    this.#clears += 1;
    return this.#playback.clear();
  }

  #arm(): void {
    this.#beatMs += FRAME_MS;
    // Timers count whole milliseconds and must not fire before the beat.
    const delayMs = Math.max(0, Math.ceil(this.#beatMs - this.options.clock.nowMs()));
    this.#cancelBeat = this.options.clock.after(delayMs, () => this.#beat());
  }

  #beat(): void {
    const atMs = this.#beatMs;
    this.#arm();
    this.#playback.endFrame();
    this.#tellMarks();
    this.options.earphone(this.#frame, this.#playback.beginFrame(this.#frame), atMs);
    // The earphone may have made the caller hang up.
    if (this.#state === "open") this.#speak(atMs);
  }

  #speak(atMs: number): void {
    const frame = this.options.microphone();
    if (frame !== undefined) {
      assert.equal(frame.length, CARRIER_FRAME_SAMPLES, "the microphone gives whole frames");
      this.sayAudio(frame, atMs - FRAME_MS - this.#startedMs);
    }
    this.afterBeat();
  }

  #tellMarks(): void {
    for (const name of this.#playback.takeReachedMarks()) this.sayPlayed(name);
  }
}

/** A JSON object as it came. */
export type Fields = Readonly<Record<string, unknown>>;

/** The object that `text` is in JSON; undefined when it is none. */
export function parseFields(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** There is no field beside the allowed ones. */
export const hasOnly = (fields: Fields, ...allowed: readonly string[]): boolean =>
  Object.keys(fields).every((key) => allowed.includes(key));

export const encodeBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");

function decodeBase64(text: unknown): Uint8Array | undefined {
  if (typeof text !== "string" || text === "") return undefined;
  const bytes = Buffer.from(text, "base64");
  // Node's decoder takes anything; only what it would write the same way is base64.
  return bytes.toString("base64") === text ? bytes : undefined;
}

/** 32 hex digits in the shape of a UUID. */
export const uuidOf = (id: string): string => id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

/** Another id, as unlike as the first: who mixes up a stream and its call is to be found out. */
export const otherId = (id: string): string => [...id].reverse().join("");
