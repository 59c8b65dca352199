import { randomBytes } from "node:crypto";
import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ, FRAME_MS } from "../../src/core/limits/streams/media.ts";

// carrier_a's end of a stream, in words: see src/carriers/twilio/wire.ts for the protocol.

/** The carrier's clock runs before its first frame. */
const FIRST_TIMESTAMP_MS = 102;

/** What the carrier says in one stream, message by message, with running numbers and timestamps. */
export class CarrierMessages {
  readonly #id = randomBytes(16).toString("hex");
  readonly #streamSid = `MZ${this.#id}`;
  readonly #callSid = `CA${this.#id}`;
  readonly #accountSid = `AC${this.#id}`;
  readonly #audio: Uint8Array;
  readonly #offset: number;
  #sequenceNumber = 0;
  #frame = 0;

  /** The stream says `audio` (raw mu-law, 8,000 Hz) over and over, from its frame `offset` on. */
  constructor(audio: Uint8Array, offset = 0) {
    this.#audio = audio;
    this.#offset = offset;
  }

  greeting(): string {
    return '{"event":"connected","protocol":"Call","version":"1.0.0"}';
  }

  start(): string {
    return this.#message("start", {
      accountSid: this.#accountSid,
      streamSid: this.#streamSid,
      callSid: this.#callSid,
      tracks: ["inbound"],
      mediaFormat: { encoding: "audio/x-mulaw", sampleRate: CARRIER_RATE_HZ, channels: 1 },
      customParameters: {},
    });
  }

  /** The next 20 ms. */
  media(): string {
    const frames = Math.floor(this.#audio.length / CARRIER_FRAME_SAMPLES);
    const at = ((this.#offset + this.#frame) % frames) * CARRIER_FRAME_SAMPLES;
    const timestamp = String(FIRST_TIMESTAMP_MS + this.#frame * FRAME_MS);
    const payload = Buffer.from(this.#audio.subarray(at, at + CARRIER_FRAME_SAMPLES)).toString("base64");
    this.#frame += 1;
    return this.#message("media", { track: "inbound", chunk: String(this.#frame), timestamp, payload });
  }

  #message(event: string, body: object): string {
    this.#sequenceNumber += 1;
    const sequenceNumber = String(this.#sequenceNumber);
    return JSON.stringify({ event, sequenceNumber, [event]: body, streamSid: this.#streamSid });
  }
}
