import { strict as assert } from "node:assert";
import type { Clock } from "../../core/clock.ts";
import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ, FRAME_MS, MARKS_OUTSTANDING_MAX } from "../../core/limits.ts";
import { MU_LAW } from "../../media/g711.ts";

// The carrier's end of Twilio Media Streams, bidirectional:
// https://www.twilio.com/docs/voice/media-streams/websocket-messages
// JSON text messages; audio is base64 G.711 mu-law, 8000 Hz, mono. Numbers are strings, except in mediaFormat.

/** The carrier's clock runs before its first frame: this is the first timestamp seen in captures of real streams. */
const FIRST_TIMESTAMP_MS = 102;
/** What the carrier keeps for playing; the real one documents no bound, and no sane peer comes near ten minutes. */
const PLAYBACK_BYTES_MAX = 600 * CARRIER_RATE_HZ;

/**
 * What the other end did that the real carrier warns about (its error 31951; 31950 for `binary`). The message is
 * dropped.
 */
export type Violation =
  | "binary"
  | "not_json"
  | "unknown_event"
  | "unknown_field"
  | "wrong_stream"
  | "bad_payload"
  | "bad_mark"
  | "buffer_full";

export interface CarrierAOptions {
  clock: Clock;
  /** 32 hex digits, from which the stream's, the call's and the account's ids are made. */
  id: string;
  send(message: string): void;
  /** The carrier is done with the socket: it has sent `stop`. */
  close(): void;
  /**
   * The 20 ms of mu-law that the caller has just spoken, read before the next call. Undefined when nothing came from
   * the telephone (DTX, loss): then no media is sent, and the next timestamp jumps.
   */
  microphone(): Uint8Array | undefined;
  /**
   * 20 ms of mu-law begin to sound in the caller's ear at `atMs` of the clock. The first `samples` of them came from
   * the other end, the rest is silence because nothing was buffered. The frame is reused: it is valid until this
   * returns.
   */
  earphone(frame: Uint8Array, samples: number, atMs: number): void;
}

/**
 * One bidirectional stream of carrier_a, seen from the carrier: it speaks the caller's audio into the stream, keeps the
 * playback buffer and knows exactly what of it was played. It moves by the clock it is given and touches no socket, so
 * that it runs in virtual time as well as in real time.
 *
 * Playing and sending share one absolute beat of 20 ms (start + n * 20); a late beat is caught up one timer at a time,
 * so that messages that came meanwhile are taken in between. A frame that has begun is played to its end, as an RTP
 * packet is.
 */
export class CarrierA {
  readonly streamSid: string;
  readonly callSid: string;
  readonly #accountSid: string;
  readonly #options: CarrierAOptions;
  readonly #frame = new Uint8Array(CARRIER_FRAME_SAMPLES);
  readonly #violations = new Map<Violation, number>();
  #open = false;
  #sequenceNumber = 0;
  #chunk = 0;
  #startedMs = 0;
  #beatMs = 0;
  #cancelBeat = (): void => {};
  /** Audio to be played; its first `#headOffset` bytes have been. */
  #queue: Uint8Array[] = [];
  #headOffset = 0;
  /** Marks that wait, with the playback position (samples since the start) they wait for. */
  #marks: { name: string; position: number }[] = [];
  /** Playback positions, in samples since the start: what has been buffered, has begun to play, and has been played. */
  #bufferedTo = 0;
  #begunTo = 0;
  #playedTo = 0;
  #clears = 0;

  constructor(options: CarrierAOptions) {
    assert.match(options.id, /^[0-9a-f]{32}$/);
    this.#options = options;
    this.streamSid = `MZ${options.id}`;
    this.callSid = `CA${options.id}`;
    this.#accountSid = `AC${options.id}`;
  }

  /** How often the other end broke the protocol, by kind; empty when it never did. */
  get violations(): ReadonlyMap<Violation, number> {
    return this.#violations;
  }

  /** Samples of the other end that have been played to their end. Cleared ones are not among them. */
  get playedSamples(): number {
    return this.#playedTo;
  }

  /** Samples that wait in the playback buffer. */
  get bufferedSamples(): number {
    return this.#bufferedTo - this.#begunTo;
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
    assert.ok(!this.#open && this.#sequenceNumber === 0, "a stream starts once");
    this.#open = true;
    this.#startedMs = this.#options.clock.nowMs();
    this.#options.send(`{"event":"connected","protocol":"Call","version":"1.0.0"}`);
    this.#send("start", {
      accountSid: this.#accountSid,
      streamSid: this.streamSid,
      callSid: this.callSid,
      tracks: ["inbound"],
      mediaFormat: { encoding: "audio/x-mulaw", sampleRate: CARRIER_RATE_HZ, channels: 1 },
      customParameters: {},
    });
    this.#beatMs = this.#startedMs;
    this.#arm();
  }

  /** The caller pressed a key: one of 0-9, *, # and A-D. */
  pressKey(digit: string): void {
    if (this.#open) this.#send("dtmf", { track: "inbound_track", digit });
  }

  /** The caller hangs up: the carrier says `stop` and closes. What is still buffered is never played. */
  stop(): void {
    if (!this.#open) return;
    this.#send("stop", { accountSid: this.#accountSid, callSid: this.callSid });
    this.closed();
    this.#options.close();
  }

  /**
   * The socket is gone: nothing is played and nothing is sent any more. The frame that has begun is heard to its end.
   */
  closed(): void {
    this.#open = false;
    this.#cancelBeat();
    this.#playedTo = this.#begunTo;
  }

  /** One message of the other end: text as a string, binary as bytes. Strict, as the carrier is; never throws. */
  receive(message: string | Uint8Array): void {
    if (!this.#open) return;
    const violation = this.#take(message);
    if (violation === undefined) return;
    this.#violations.set(violation, (this.#violations.get(violation) ?? 0) + 1);
  }

  #take(message: string | Uint8Array): Violation | undefined {
    if (typeof message !== "string") return "binary";
    const fields = parseObject(message);
    if (fields === undefined) return "not_json";
    const { event, streamSid, ...rest } = fields;
    if (event !== "media" && event !== "mark" && event !== "clear") return "unknown_event";
    if (streamSid !== this.streamSid) return "wrong_stream";
    return event === "clear" ? this.#onClear(rest) : this.#onBody(event, rest);
  }

  #onBody(event: "media" | "mark", rest: Fields): Violation | undefined {
    const key = event === "media" ? "payload" : "name";
    const { [event]: body, ...others } = rest;
    if (!isFields(body)) return event === "media" ? "bad_payload" : "bad_mark";
    const { [key]: value, ...extras } = body;
    if (!isEmpty(others) || !isEmpty(extras)) return "unknown_field";
    return event === "media" ? this.#onMedia(value) : this.#onMark(value);
  }

  #onMedia(payload: unknown): Violation | undefined {
    if (typeof payload !== "string" || payload === "") return "bad_payload";
    const bytes = Buffer.from(payload, "base64");
    // Node's decoder takes anything; only what it would write the same way is base64.
    if (bytes.toString("base64") !== payload) return "bad_payload";
    if (this.bufferedSamples + bytes.length > PLAYBACK_BYTES_MAX) return "buffer_full";
    this.#queue.push(bytes);
    this.#bufferedTo += bytes.length;
    return undefined;
  }

  #onMark(name: unknown): Violation | undefined {
    if (typeof name !== "string" || name === "") return "bad_mark";
    if (this.#marks.length === MARKS_OUTSTANDING_MAX) return "buffer_full";
    this.#marks.push({ name, position: this.#bufferedTo });
    this.#returnMarks();
    return undefined;
  }

  #onClear(rest: Fields): Violation | undefined {
    if (!isEmpty(rest)) return "unknown_field";
    this.#clears += 1;
    this.#queue = [];
    this.#headOffset = 0;
    this.#bufferedTo = this.#begunTo;
    // A mark that comes back says "played or cleared": the carrier sends the pending ones at once.
    for (const mark of this.#marks.splice(0)) this.#send("mark", { name: mark.name });
    return undefined;
  }

  #arm(): void {
    this.#beatMs += FRAME_MS;
    // Timers count whole milliseconds and must not fire before the beat.
    const delayMs = Math.max(0, Math.ceil(this.#beatMs - this.#options.clock.nowMs()));
    this.#cancelBeat = this.#options.clock.after(delayMs, () => this.#beat());
  }

  #beat(): void {
    const atMs = this.#beatMs;
    this.#arm();
    this.#playedTo = this.#begunTo;
    this.#returnMarks();
    this.#play(atMs);
    // The earphone may have made the caller hang up.
    if (this.#open) this.#speak(atMs);
  }

  #play(atMs: number): void {
    let samples = 0;
    while (samples < this.#frame.length) {
      const head = this.#queue[0];
      if (head === undefined) break;
      const count = Math.min(head.length - this.#headOffset, this.#frame.length - samples);
      this.#frame.set(head.subarray(this.#headOffset, this.#headOffset + count), samples);
      samples += count;
      this.#headOffset += count;
      if (this.#headOffset === head.length) {
        this.#queue.shift();
        this.#headOffset = 0;
      }
    }
    this.#frame.fill(MU_LAW.silenceByte, samples);
    this.#begunTo += samples;
    this.#options.earphone(this.#frame, samples, atMs);
  }

  #speak(atMs: number): void {
    const frame = this.#options.microphone();
    if (frame === undefined) return;
    assert.equal(frame.length, CARRIER_FRAME_SAMPLES, "the microphone gives whole frames");
    this.#chunk += 1;
    this.#send("media", {
      track: "inbound",
      chunk: String(this.#chunk),
      timestamp: String(FIRST_TIMESTAMP_MS + Math.round(atMs - FRAME_MS - this.#startedMs)),
      payload: Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength).toString("base64"),
    });
  }

  #returnMarks(): void {
    while (this.#marks[0] !== undefined && this.#marks[0].position <= this.#playedTo) {
      this.#send("mark", { name: this.#marks.shift()?.name });
    }
  }

  #send(event: string, body: Fields): void {
    this.#sequenceNumber += 1;
    const { streamSid } = this;
    this.#options.send(
      JSON.stringify({ event, sequenceNumber: String(this.#sequenceNumber), [event]: body, streamSid }),
    );
  }
}

type Fields = Record<string, unknown>;

function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isEmpty = (fields: Fields): boolean => Object.keys(fields).length === 0;
