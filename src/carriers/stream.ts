import { strict as assert } from "node:assert";
import { mediaMs } from "../core/clocks.ts";
import { wireMalformed } from "../core/errors.ts";
import { CARRIER_FRAME_SAMPLES } from "../core/limits/streams/media.ts";
import { CARRIER_CODE_CHARS_MAX, CARRIER_MESSAGE_BYTES_MAX } from "../core/limits/streams/messages.ts";
import { G711_LAWS } from "../media/g711.ts";
import { AUDIO } from "../wire/events.ts";
import type { Fields } from "../wire/json.ts";
import type { G711Codec, InboundAudio, WireEvent } from "../wire/wire.ts";
import { Base64Message } from "./base64-message.ts";
import { type MediaLayout, scanMedia } from "./media-scanner.ts";

// What carriers have in common: one stream of G.711, 8,000 Hz, mono, as base64 in JSON. A message usually
// holds 20 ms (160 bytes), but any length is allowed.

export const GREETING: WireEvent = { kind: "ignored", what: "greeting" };
const OUTBOUND_TRACK: WireEvent = { kind: "ignored", what: "outbound_track" };
/** A message of audio without audio. Carriers send none, and some of their relays do. */
const EMPTY_AUDIO: WireEvent = { kind: "ignored", what: "empty_audio" };

/**
 * The carriers' documents have two names for a track; one sample of carrier_b's names both tracks at once, which counts
 * as inbound.
 */
const INBOUND_TRACKS: readonly unknown[] = [undefined, "inbound", "inbound_track", "inbound/outbound"];
const OUTBOUND_TRACKS: readonly unknown[] = ["outbound", "outbound_track"];

const PLAIN_CODE = new RegExp(`^[A-Za-z0-9_-]{1,${CARRIER_CODE_CHARS_MAX}}$`);

interface StreamStart {
  streamId: string;
  inboundCodec: G711Codec;
  /** The forms of inbound audio messages. */
  layouts: readonly MediaLayout[];
  /** The text before the payload of an outbound audio message. */
  beforePayload: string;
  afterPayload: string;
}

/** One carrier's stream, as the first `start` describes it. */
export class CarrierStream {
  readonly #wire: string;
  #streamId: string | undefined;
  /** Audio before the start is read as mu-law, the default of every carrier. */
  #inboundCodec: G711Codec = "mulaw";
  #layouts: readonly MediaLayout[] = [];
  #outbound: Base64Message | undefined;

  /** `wire` names the wire in errors. */
  constructor(wire: string) {
    this.#wire = wire;
  }

  /** Only the first start counts; later ones have no effect. */
  begin(start: StreamStart): void {
    if (this.#streamId !== undefined) return;
    this.#streamId = start.streamId;
    this.#inboundCodec = start.inboundCodec;
    this.#layouts = start.layouts;
    this.#outbound = new Base64Message(start.beforePayload, CARRIER_FRAME_SAMPLES, start.afterPayload);
  }

  /**
   * The fast path for inbound audio; false leaves the message to a full parse. A message that is too long is malformed
   * in both.
   */
  scan(message: Uint8Array, into: InboundAudio): boolean {
    if (message.length > CARRIER_MESSAGE_BYTES_MAX) {
      throw wireMalformed(this.#wire, `over ${CARRIER_MESSAGE_BYTES_MAX} bytes`);
    }
    return scanMedia(message, this.#layouts, this.#inboundCodec, into);
  }

  /** A message that names a stream must name this one. Before the start there is no id to compare with. */
  checkStreamId(fields: Fields, key: string): void {
    const streamId = fields.get(key);
    if (streamId === undefined || this.#streamId === undefined) return;
    if (streamId !== this.#streamId) throw fields.malformed("of another stream");
  }

  /** Reads the object with `track`, `payload`, `chunk` and `timestamp`; the carriers use the same names. */
  readMedia(media: Fields, into: InboundAudio): WireEvent {
    const track = media.get("track");
    if (OUTBOUND_TRACKS.includes(track)) return OUTBOUND_TRACK;
    if (!INBOUND_TRACKS.includes(track)) throw media.malformed("track must be inbound or outbound");
    const payload = media.get("payload");
    if (typeof payload !== "string") throw media.malformed("payload must be a string");
    if (payload === "") return EMPTY_AUDIO;
    const bytes = Buffer.from(payload, "base64");
    // The decoder ignores characters that it does not know; only strict base64 is the same when it is encoded again.
    if (bytes.toString("base64") !== payload) throw media.malformed("payload must be strict base64");
    if (bytes.length > Math.min(into.bytes.length, into.samples.length)) throw media.malformed("payload is too long");
    into.bytes.set(bytes);
    const { decodeTable } = G711_LAWS[this.#inboundCodec];
    for (let i = 0; i < bytes.length; i += 1) into.samples[i] = decodeTable[bytes[i] as number] as number;
    into.count = bytes.length;
    into.chunk = media.number("chunk");
    into.timestampMs = mediaMs(media.number("timestamp"));
    return AUDIO;
  }

  /** See `Wire.encodeAudio`. */
  encodeAudio(frame: Uint8Array): Uint8Array {
    if (this.#outbound === undefined) assert.fail("no audio before start");
    return this.#outbound.write(frame);
  }

  /** The stream's id. Reading it before the start is a bug of ours; `what` says what could not be sent. */
  requireStreamId(what: string): string {
    if (this.#streamId === undefined) assert.fail(`no ${what} before start`);
    return this.#streamId;
  }
}

/** An id of a start, from the object where the carrier writes it or else from the other one. */
export const idFrom = (usual: Fields, other: Fields, key: string): string =>
  (usual.get(key) === undefined ? other : usual).text(key);

/** Whether a number of a start's format is the expected one, or left out. */
export const isAbsentOr = (expected: number, format: Fields, key: string): boolean =>
  format.get(key) === undefined || format.number(key) === expected;

/**
 * An error that the carrier reports, with its own code. The code is logged: where it is no plain word or number,
 * `otherwise` takes its place.
 */
export function carrierError(code: unknown, otherwise: string): WireEvent {
  const text = typeof code === "number" ? String(code) : code;
  return { kind: "carrier-error", code: typeof text === "string" && PLAIN_CODE.test(text) ? text : otherwise };
}
