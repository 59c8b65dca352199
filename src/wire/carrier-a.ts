import { strict as assert } from "node:assert";
import { type TrunklineError, wireMalformed } from "../core/errors.ts";
import {
  CARRIER_FRAME_SAMPLES,
  CARRIER_MESSAGE_BYTES_MAX,
  CARRIER_RATE_HZ,
  STREAM_ID_CHARS_MAX,
} from "../core/limits.ts";
import { mulawDecode } from "../media/g711.ts";
import { type MediaLayout, mediaLayouts, scanMedia } from "./carrier-a-media.ts";
import { type Fields, isFields, member, numberOf, parseFields } from "./json.ts";
import { MulawMessage } from "./mulaw-base64.ts";
import type { InboundAudio, Wire, WireEvent } from "./wire.ts";

// carrier_a speaks Twilio Media Streams, bidirectional: https://www.twilio.com/docs/voice/media-streams/websocket-messages
// JSON text messages. Audio is base64 of mu-law, 8,000 Hz, mono; 20 ms (160 bytes) a message in, any length out.

const AUDIO: WireEvent = { kind: "audio" };
const STOP: WireEvent = { kind: "stop" };
const GREETING: WireEvent = { kind: "ignored", what: "greeting" };
const UNKNOWN_EVENT: WireEvent = { kind: "ignored", what: "unknown_event" };
const OUTBOUND_TRACK: WireEvent = { kind: "ignored", what: "outbound_track" };
const BAD_DIGIT: WireEvent = { kind: "ignored", what: "bad_digit" };

export const createCarrierA = (): Wire => new CarrierA();

/** See `Wire`. Of what the carrier sends in order (connected, start, media, ..., stop) it only remembers the stream's id. */
export class CarrierA implements Wire {
  readonly rateHz = CARRIER_RATE_HZ;
  #streamId: string | undefined;
  /** How the stream's audio messages are written; none before start. */
  #layouts: readonly MediaLayout[] = [];
  #audio: MulawMessage | undefined;

  decode(message: Uint8Array, into: InboundAudio): WireEvent {
    if (message.length > CARRIER_MESSAGE_BYTES_MAX) throw malformed(`over ${CARRIER_MESSAGE_BYTES_MAX} bytes`);
    if (scanMedia(message, this.#layouts, into)) return AUDIO;
    return this.decodeFully(message, into);
  }

  /** What `decode` means, by a full parse. `decode` takes a short cut where it comes to the same. */
  decodeFully(message: Uint8Array, into: InboundAudio): WireEvent {
    const fields = parseFields(message);
    if (fields === undefined) throw malformed("not a JSON object");
    const event = member(fields, "event");
    if (typeof event !== "string") throw malformed("event must be a string");
    switch (event) {
      case "connected":
        return GREETING;
      case "start":
        return this.#start(fields);
      case "media":
        this.#checkStream(fields);
        return decodeMedia(objectIn(fields, "media"), into);
      case "mark":
        this.#checkStream(fields);
        return { kind: "mark", name: textIn(objectIn(fields, "mark"), "name") };
      case "dtmf":
        this.#checkStream(fields);
        return decodeDigit(objectIn(fields, "dtmf"));
      case "stop":
        this.#checkStream(fields);
        return STOP;
      default:
        return UNKNOWN_EVENT;
    }
  }

  encodeAudio(samples: Int16Array, bytes: Uint8Array): Uint8Array {
    if (this.#audio === undefined) assert.fail("no audio before start");
    this.#audio.write(samples, bytes);
    return this.#audio.message;
  }

  encodeMark(name: string): string {
    assert.notEqual(this.#streamId, undefined, "no mark before start");
    return JSON.stringify({ event: "mark", streamSid: this.#streamId, mark: { name } });
  }

  encodeClear(): string {
    assert.notEqual(this.#streamId, undefined, "no clear before start");
    return JSON.stringify({ event: "clear", streamSid: this.#streamId });
  }

  /** Every start is told; only the first one names the stream whose messages this wire reads and writes. */
  #start(fields: Fields): WireEvent {
    const start = objectIn(fields, "start");
    const streamId = textIn(start, "streamSid");
    const carrierCallId = textIn(start, "callSid");
    const format = objectIn(start, "mediaFormat");
    if (
      member(format, "encoding") !== "audio/x-mulaw" ||
      numberOf(member(format, "sampleRate")) !== CARRIER_RATE_HZ ||
      numberOf(member(format, "channels")) !== 1
    ) {
      throw malformed(`mediaFormat must be audio/x-mulaw, ${CARRIER_RATE_HZ} Hz, 1 channel`);
    }
    if ((member(fields, "streamSid") ?? streamId) !== streamId) throw malformed("start of two streams");
    if (this.#streamId === undefined) this.#adopt(streamId);
    return { kind: "start", streamId, carrierCallId };
  }

  #adopt(streamId: string): void {
    this.#streamId = streamId;
    this.#layouts = mediaLayouts(streamId);
    // Nothing but these members: the carrier warns about others.
    const before = `{"event":"media","streamSid":${JSON.stringify(streamId)},"media":{"payload":"`;
    this.#audio = new MulawMessage(before, CARRIER_FRAME_SAMPLES, '"}}');
  }

  /** A message that names a stream must name ours. Before start there is none, and none to compare with. */
  #checkStream(fields: Fields): void {
    const streamId = member(fields, "streamSid");
    if (streamId === undefined || this.#streamId === undefined) return;
    if (streamId !== this.#streamId) throw malformed("of another stream");
  }
}

function decodeMedia(media: Fields, into: InboundAudio): WireEvent {
  const track = member(media, "track") ?? "inbound";
  if (track === "outbound") return OUTBOUND_TRACK;
  if (track !== "inbound") throw malformed("media.track must be inbound or outbound");
  const payload = member(media, "payload");
  if (typeof payload !== "string") throw malformed("media.payload must be a string");
  const bytes = Buffer.from(payload, "base64");
  // The decoder passes over whatever it does not know; only strict base64 comes out again as it went in.
  if (payload === "" || bytes.toString("base64") !== payload) throw malformed("media.payload must be strict base64");
  if (bytes.length > Math.min(into.bytes.length, into.samples.length)) throw malformed("media.payload is too long");
  into.bytes.set(bytes);
  mulawDecode(bytes, into.samples);
  into.count = bytes.length;
  into.timestampMs = numberOf(member(media, "timestamp"));
  return AUDIO;
}

function decodeDigit(dtmf: Fields): WireEvent {
  const digit = member(dtmf, "digit");
  return typeof digit === "string" && /^[0-9*#A-D]$/.test(digit) ? { kind: "dtmf", digit } : BAD_DIGIT;
}

function objectIn(fields: Fields, key: string): Fields {
  const value = member(fields, key);
  if (isFields(value)) return value;
  throw malformed(`${key} must be an object`);
}

/** An id or a name: the peer's own words, kept as they are, but not without end. */
function textIn(fields: Fields, key: string): string {
  const value = member(fields, key);
  if (typeof value === "string" && value !== "" && value.length <= STREAM_ID_CHARS_MAX) return value;
  throw malformed(`${key} must be a string of 1 to ${STREAM_ID_CHARS_MAX} characters`);
}

const malformed = (what: string): TrunklineError => wireMalformed("carrier_a", what);
